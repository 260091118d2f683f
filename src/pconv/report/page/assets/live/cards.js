// The answers of the networks side by side, what the theory says, and how often they have agreed.
const KIND_NAMES = { trained: "Trained", random: "Random weights", compiled: "Compiled from the theory" };
const LISTED = 16; // the most logits of a network that are shown
const scores = new Map(); // by network: the grids that were asked for, and whether the answer agreed

const networkTitle = (network) => (problem().filter(({ kind }) => kind === network.kind).length > 1 ? `${KIND_NAMES[network.kind]}: ${network.name}` : KIND_NAMES[network.kind]);
function networkNote(network) {
  const { epoch } = network.epochs[epochIndex(network)];
  const shape = network.convolutions.length ? `kernel ${network.convolutions.map(([, k]) => k).join(", ")}, channels ${network.convolutions.map(([c]) => c).join(", ")}` : "MLP";
  return `${shape}, ${whole(weightCount(layerShapes(network)))} weights${network.kind === "trained" && epoch != null ? `, ${epoch ? `after epoch ${epoch}` : "before training"}` : ""}`;
}

// Whether an answer is one that the theory allows; null where it says nothing.
const agrees = (network, answer, classes) => (classes ? allowedLabels(network, classes).includes(answer) : null);

function drawTheory() {
  const found = asked();
  const network = problem()[0];
  if (!found) return show("live-theory");
  const { n, touched, classes, impossible } = found;
  const columns = network.factors.map(([p]) => p).join(" and ");
  const must = classes && el("b", {}, labelSet(allowedLabels(network, classes)));
  const truth = `${network.config.task === "residue" ? `In truth n is ${trueLabel(network, n)} modulo ${network.m}` : `The true answer is ${trueLabel(network, n)}`}.`;
  const reads = columns ? `the column${network.factors.length > 1 ? "s" : ""} of ${columns}` : "no column";
  const why = impossible.length > 0 && `Impossible grid: no whole number has ${impossible.length > 1 ? "the columns" : "the column"} of ${labelSet(impossible).replace(/[{}]/g, "")}. `;
  if (!classes) return show("live-theory", el("b", {}, why || "Impossible grid. "), `No class looks like ${reads}, so the theory says nothing.`);
  show("live-theory", "The theory reads ", reads, " alone: the answer must be ", allowedLabels(network, classes).length > 1 ? "one of " : "", must, ". ",
    touched ? el("span", { class: "muted" }, why) : el("span", { class: "muted" }, truth));
}

function logitBars(network, { logits, order, answer }, classes) {
  const chosen = logits.length > LISTED ? order.slice(0, LISTED) : range(logits.length);
  const allowed = new Set(classes ? allowedLabels(network, classes) : []);
  const [low, high] = [Math.min(0, ...logits), Math.max(0, ...logits)];
  const [row, left, wide, right] = [17, 26, 150, 58];
  const x = (value) => left + right / 2 + ((value - low) / (high - low || 1)) * wide;
  const bars = chosen.map((label, k) => [
    svg("text", { class: label === answer ? "strong" : "", x: left - 6, y: k * row + 13, "text-anchor": "end", "font-size": 12, "font-weight": label === answer ? 700 : 400 }, `${label}`),
    svg("rect", { class: allowed.has(label) ? "last" : "", x: Math.min(x(0), x(logits[label])), y: k * row + 3, width: Math.max(0.5, Math.abs(x(logits[label]) - x(0))), height: row - 5, ...(allowed.has(label) ? {} : { fill: "var(--muted)", opacity: label === answer ? 0.75 : 0.32 }) }),
    svg("text", { class: label === answer ? "strong" : "", x: left + wide + right + 30, y: k * row + 13, "text-anchor": "end", "font-size": 11 }, logits[label].toFixed(2)),
  ]);
  const [width, height] = [left + wide + right + 34, chosen.length * row + 4];
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", class: "logits", "aria-label": `Logits: ${chosen.map((label) => `${label}: ${logits[label].toFixed(4)}`).join(", ")}` }, bars);
}

function card(network, found) {
  const said = ask(network, found.grid);
  const agreed = agrees(network, said.answer, found.classes);
  const right = said.answer === trueLabel(network, found.n);
  const mark = agreed === null ? ["undecided", "no prediction"] : agreed ? ["confirmed", "✓ agrees"] : ["refuted", "✗ differs"];
  const index = problem().indexOf(network);
  const chosen = chosenNetwork() === network;
  return el("article", { class: `card ${chosen ? "chosen" : ""}`, "aria-label": networkTitle(network) },
    el("h3", {}, networkTitle(network)), el("p", { class: "muted" }, el("small", {}, networkNote(network))),
    el("p", { class: "said" }, el("b", {}, `${said.answer}`), el("small", {}, ` with ${percent(said.share)}`), !found.touched && el("small", {}, right ? ", right" : ", wrong")),
    el("p", {}, el("span", { class: "word", style: `--verdict:var(--${mark[0]})` }, mark[1])),
    logitBars(network, said, found.classes), el("p", { class: "muted" }, el("small", {}, network.note)),
    problem().length > 1 && el("p", {}, chosen ? el("small", {}, "Its layers, epochs and errors are below.") : el("button", { type: "button", class: "link", "data-inspect": index, onclick: () => { change({ net: `${index}` }); byId("live-layers").scrollIntoView({ block: "nearest" }); } }, "Look inside")));
}

// What the answer to a grid must be, and what the networks answer, in one line.
function summary(found) {
  const must = found.classes ? `must be ${labelSet(allowedLabels(problem()[0], found.classes))}` : "impossible";
  return [el("span", { class: "key" }, must), problem().map((network) => {
    const { answer } = ask(network, found.grid);
    const agreed = agrees(network, answer, found.classes);
    return el("span", { class: "key" }, `${network.kind} `, el("b", {}, `${answer}`), agreed === null ? "" : agreed ? " ✓" : " ✗");
  })];
}

function drawCards() {
  const found = asked();
  show("live-cards", found && problem().map((network) => card(network, found)));
  show("live-summary", found && summary(found));
}

// Every grid counts once, when the reader has finished with it.
function countScore() {
  const found = asked();
  if (!found || !found.classes) return drawScore();
  for (const network of problem()) {
    const seen = scores.get(network) ?? new Map();
    seen.set(`${network.epochs[epochIndex(network)].epoch} ${found.grid.join()}`, agrees(network, ask(network, found.grid).answer, found.classes));
    scores.set(network, seen);
  }
  drawScore();
}

function drawScore() {
  const counted = problem().filter((network) => scores.has(network));
  const text = counted.map((network) => {
    const seen = [...scores.get(network).values()];
    return `${networkTitle(network)} ${seen.filter(Boolean).length} of ${seen.length}`;
  }).join(" · ");
  show("live-score", counted.length > 0 && [el("b", {}, "In agreement with the theory so far: "), text, ". ",
    el("button", { type: "button", class: "link", onclick: () => { scores.clear(); drawScore(); byId("x").focus(); } }, "Start again")]);
}

whenever(["p", "x", "edit"], drawTheory);
whenever(["p", "net", "ep", "x", "edit"], drawCards);
whenever(["p"], drawScore);
