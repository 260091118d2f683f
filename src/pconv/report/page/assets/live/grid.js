// The grid as a table of buttons. Arrow keys move, a click or a key changes an exponent.
const TOOLS = { hide: "hides or restores", raise: "raises", lower: "lowers" };
let tool = "hide";
let cursor = 0; // the cell that the Tab key reaches

const cellName = ({ offsets, primes }, at) => `row ${offsetName(offsets[Math.floor(at / primes.length)])}, prime ${primes[at % primes.length]}`;
const offsetName = (offset) => (offset ? `n${offset > 0 ? "+" : "−"}${Math.abs(offset)}` : "n");

function setCells(changes) {
  const [network, { own }] = [problem()[0], asked()];
  const edits = readEdits(network);
  for (const [at, exponent] of changes) {
    if (exponent === own[at]) edits.delete(at);
    else edits.set(at, Math.max(0, Math.min(MOST_EXPONENT, exponent)));
  }
  change({ edit: editText(network, edits) });
  countScore();
}

// A cell that holds something is hidden, one that was changed is restored, an empty one is raised to 1.
function useTool(at, chosen = tool) {
  const { own, grid } = asked();
  const step = { raise: grid[at] + 1, lower: Math.max(0, grid[at] - 1), hide: grid[at] !== own[at] ? own[at] : grid[at] ? 0 : 1 };
  setCells([[at, step[chosen]]]);
  focusCell(at);
}

// Hides a row or a column, or restores it if it is as if hidden already.
function hideLine(places) {
  const { own, grid } = asked();
  const hidden = places.every((at) => grid[at] === 0);
  setCells(places.map((at) => [at, hidden ? own[at] : 0]));
}

function focusCell(at) {
  cursor = at;
  for (const button of byId("live-grid").querySelectorAll("[data-at]")) button.tabIndex = +button.dataset.at === at ? 0 : -1;
  byId("live-grid").querySelector(`[data-at="${at}"]`).focus({ preventScroll: true });
}

function gridKeys(event) {
  const at = Number(event.target.dataset.at);
  const [network, key] = [problem()[0], event.key];
  if (Number.isNaN(at) || event.ctrlKey || event.metaKey || event.altKey) return;
  const wide = network.primes.length;
  const [row, column] = [Math.floor(at / wide), at % wide];
  const moves = { ArrowLeft: column > 0 && at - 1, ArrowRight: column < wide - 1 && at + 1, ArrowUp: row > 0 && at - wide, ArrowDown: row < network.offsets.length - 1 && at + wide, Home: row * wide, End: (row + 1) * wide - 1 };
  const tools = { "+": "raise", "=": "raise", "-": "lower", Delete: "hide", Backspace: "hide", h: "hide" };
  if (key in moves) {
    if (moves[key] !== false) focusCell(moves[key]);
  } else if (key in tools) useTool(at, tools[key]);
  else return;
  event.preventDefault();
}

function gridTable(network, { n, own, grid }, decisive) {
  const wide = network.primes.length;
  const evidence = new Set(network.factors.map(([p]) => p));
  cursor = Math.min(cursor, grid.length - 1);
  const head = network.primes.map((p, j) => el("th", { scope: "col" }, el("button", { type: "button", class: evidence.has(p) ? "evidence" : "", "aria-label": `hide or restore the column of ${p}`,
    onclick: () => { hideLine(network.offsets.map((_, row) => row * wide + j)); document.querySelectorAll("#live-grid thead button")[j].focus(); } }, `${p}`)));
  const cell = (at) => {
    const [value, before] = [grid[at], own[at]];
    const look = [value !== before && "changed", value && "filled", evidence.has(network.primes[at % wide]) && "evidence", decisive?.[at] && "decides"].filter(Boolean).join(" ");
    const said = `${cellName(network, at)}: exponent ${value}${value !== before ? `, changed from ${before}` : ""}${decisive?.[at] ? ", changing it changes the answer" : ""}`;
    return el("td", {}, el("button", { type: "button", class: look, "data-at": at, tabindex: at === cursor ? 0 : -1, "aria-label": said, onclick: () => useTool(at) },
      value !== before && before ? [el("s", {}, `${before}`), value ? ` ${value}` : ""] : value ? `${value}` : ""));
  };
  const rows = network.offsets.map((offset, row) => el("tr", {}, el("th", { scope: "row" }, el("button", { type: "button", "aria-label": `hide or restore row ${offsetName(offset)} = ${n + BigInt(offset)}`,
    onclick: () => { hideLine(range(wide).map((j) => row * wide + j)); document.querySelectorAll("#live-grid tbody th button")[row].focus(); } }, el("small", {}, offsetName(offset)), ` ${n + BigInt(offset)}`)),
  range(wide).map((j) => cell(row * wide + j))));
  return el("table", { class: "touch", onkeydown: gridKeys }, el("thead", {}, el("tr", {}, el("td"), head)), el("tbody", {}, rows));
}

// The cells where hiding the exponent, or putting a 1 where there is none, changes the network's answer.
function decisiveCells(network, grid) {
  const said = ask(network, grid).answer;
  return grid.map((exponent, at) => ask(network, grid.with(at, exponent ? 0 : 1)).answer !== said);
}

function drawGrid() {
  const found = asked();
  if (!found) return show("live-grid");
  const network = chosenNetwork();
  const focused = byId("live-grid").contains(document.activeElement);
  show("live-grid", gridTable(network, found, state.heat ? decisiveCells(network, found.grid) : null));
  if (focused && !byId("live-grid").contains(document.activeElement)) focusCell(cursor);
}

function drawTools() {
  const network = problem()[0];
  const found = asked();
  const radio = ([name, does]) => el("label", {}, el("input", { type: "radio", name: "tool", value: name, checked: tool === name, onchange: () => { tool = name; } }), ` ${does}`);
  const names = network.factors.map(([p]) => p).join(" and ");
  show("live-tools", el("fieldset", {}, el("legend", {}, "A click on a cell"), Object.entries(TOOLS).map(radio)),
    el("p", {}, el("label", {}, el("input", { type: "checkbox", id: "heat", checked: state.heat !== "", onchange: (event) => { change({ heat: event.target.checked ? "1" : "" }); byId("heat").focus(); } }), ` Ring cells where hiding the exponent, or putting one where there is none, changes the answer (${networkTitle(chosenNetwork()).toLowerCase()})`)),
    names && el("p", {}, el("label", { for: "donor" }, `Swap the evidence, the column${network.factors.length > 1 ? "s" : ""} of ${names}, with the number `),
      el("input", { type: "text", id: "donor", inputmode: "numeric", size: 10, autocomplete: "off", value: state.donor, onchange: (event) => change({ donor: event.target.value.trim() }) }), " ",
      el("button", { type: "button", class: "link", id: "swap", onclick: swapEvidence }, "Swap")), el("p", { id: "donor-error", role: "alert" }), el("p", { id: "swapped", role: "status" }),
    el("p", {}, el("button", { type: "button", class: "link", id: "restore", disabled: !found?.touched, onclick: () => { change({ edit: "" }); byId("x").focus(); } }, "Restore the grid"),
      el("small", {}, " Keys: arrows move, + and − change, Delete hides.")));
}

// Exchanges the columns of the primes of m between the grid and that of another number, of which a line tells the answers.
function swapEvidence() {
  const network = problem()[0];
  const other = wholeNumber(byId("donor").value, network);
  byId("donor-error").textContent = other === null ? `${byId("donor").value || "nothing"}: give a whole number` : "";
  const found = asked();
  if (other === null || !found) return;
  const wide = network.primes.length;
  const places = network.factors.flatMap(([p]) => network.offsets.map((_, row) => row * wide + network.primes.indexOf(p)));
  const theirs = gridOf(network, other);
  const given = theirs.map((exponent, at) => (places.includes(at) ? found.grid[at] : exponent));
  setCells(places.map((at) => [at, theirs[at]]));
  show("swapped", `${other} with the evidence from above: `, summary({ grid: given, classes: found.classes }));
  byId("swap").focus();
}

whenever(["p", "net", "ep", "x", "edit", "heat"], drawGrid);
whenever(["p", "net", "x", "edit", "heat"], drawTools);
