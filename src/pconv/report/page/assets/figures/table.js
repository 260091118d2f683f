// Results by study, a tab each, as in the paper's tables: ours on unseen numbers and on 512, the paper's, the ceiling; a click
// opens the run.
const tabNames = () => [...new Set(runs.tables.map((table) => table.tab))];
const currentTab = () => (tabNames().includes(state.set) ? state.set : tabNames()[0]);
const currentTables = () => runs.tables.filter((table) => table.tab === currentTab());
const cellsOf = (table) => table.cells.flat().filter(Boolean);
const ours = (cell) => cell?.census_accuracy ?? cell?.test_accuracy ?? -1;
const plain = (text) => text.replaceAll("$", "");

function chooseTab(name) {
  change({ set: name, sort: "" });
  document.querySelector("#settings [aria-selected=true]").focus();
}

// Arrow keys move between tabs, as in every list of tabs.
function tabKeys(event) {
  const names = tabNames();
  const at = names.indexOf(currentTab());
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (to === undefined) return;
  chooseTab(names[(to + names.length) % names.length]);
  event.preventDefault();
}

function drawTabs() {
  const chosen = currentTab();
  const large = new Set(runs.tables.filter((table) => table.title === runs.paper_size).map((table) => table.tab));
  const tab = (name) => el("button", { type: "button", role: "tab", class: "tab", "aria-selected": `${name === chosen}`, "aria-controls": "table", tabindex: name === chosen ? 0 : -1, onclick: () => chooseTab(name) },
    name, large.has(name) && el("small", {}, ` ${runs.paper_size}`));
  const { question } = currentTables()[0];
  show("settings", tabNames().length > 1
    ? el("div", { class: "tabs", role: "tablist", "aria-label": "Studies", onkeydown: tabKeys }, tabNames().map(tab))
    : el("p", { class: "muted" }, chosen), question && el("p", {}, question));
}

function resultsTable(table, k) {
  const [by, way] = state.sort ? [state.sort.slice(1), state.sort[0]] : ["m", "+"];
  const value = (i) => (by === "m" ? i : ours(table.cells[i][by]));
  const order = range(table.rows.length).sort((i, j) => (value(i) - value(j)) * (way === "-" ? -1 : 1) || i - j);
  const heading = (name, id) => {
    const sorted = by === `${id}` ? (way === "-" ? "descending" : "ascending") : null;
    const next = sorted === "ascending" ? `-${id}` : `+${id}`;
    return el("th", { scope: "col", "aria-sort": sorted }, el("button", { type: "button", "data-sort": id, onclick: () => {
      change({ sort: next });
      document.querySelectorAll(`[data-sort="${id}"]`)[k]?.focus();
    } }, name, sorted ? (way === "-" ? " ↓" : " ↑") : ""));
  };
  const rows = order.map((i) => el("tr", {}, el("th", { scope: "row", class: "num" }, table.rows[i]),
    table.cells[i].map((cell, j) => el("td", {}, cell && cellButton(cell, table, i, j)))));
  const cells = cellsOf(table);
  const present = runs.statuses.filter((status) => cells.some((cell) => cell.status === status));
  const sampled = cells.some((cell) => cell.census_accuracy == null);
  return el("table", { class: "results" },
    el("caption", {}, table.title && el("div", {}, el("b", {}, table.title)), el("div", {}, `Accuracy on all unseen numbers${sampled ? " (~ on the test numbers: no census)" : ""}, `, el("small", {}, "best epoch's on 512 / the paper's / the ceiling")), el("div", {}, present.map((status) => key(status, status)))),
    el("thead", {}, el("tr", {}, heading(table.corner || "row", "m"), table.columns.map((name, j) => heading(name, j)))), el("tbody", {}, rows));
}

function drawTable() {
  drawTabs();
  show("table", currentTables().map(resultsTable));
}

function cellButton(cell, table, i, j) {
  const open = cell.run_ids.includes(state.run);
  const place = `${table.corner && `${table.corner} = `}${table.rows[i]}, ${table.columns[j]}`;
  const label = `${place}: ${cell.census_accuracy == null ? "test" : "census"} ${shown(ours(cell), 4)}, best of 512 ${shown(cell.accuracy, 3)}, paper ${shown(cell.paper, 2)}, ceiling ${shown(cell.ceiling, 3)}, ${cell.status}`;
  return el("button", { type: "button", class: `cell ${open ? "open" : ""}`, style: `--verdict:var(--${cell.status})`, "aria-label": label, onclick: () => {
    openRun(cell.run_ids[0]);
    byId("run").scrollIntoView({ block: "start" });
    byId("run").focus({ preventScroll: true });
  } }, el("b", {}, unseen(cell.census_accuracy, cell.test_accuracy)), el("small", {}, `${shown(cell.accuracy, 3)} / ${shown(cell.paper, 2)} / ${shown(cell.ceiling, 3)}`),
  cell.run_ids.length > 1 && el("small", { class: "seeds" }, cell.run_ids.map((id) => el("i", { style: `background:var(--${statusOf(runs.runs[id])})` }))));
}

if (runs) whenever(["set", "sort", "run"], drawTable);
