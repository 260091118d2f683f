// Step through the layers: what each computes for this grid, or how much each of its numbers contributes to the lead.
const STAGE_NAMES = { grid: "Grid", convolution: "Convolution", pooling: "Pooling", hidden: "Hidden units", logits: "Logits" };

function stageName(stages, k) {
  const { kind, values } = stages[k];
  const several = stages.filter((stage) => stage.kind === kind).length > 1;
  if (kind === "hidden") return `${whole(values.length)} hidden units`;
  return several ? `${STAGE_NAMES[kind]} ${stages.slice(0, k + 1).filter((stage) => stage.kind === kind).length}` : STAGE_NAMES[kind];
}

// Shades of one value: blue where it is positive, red where negative, the stronger the larger.
const shade = (value, most) => ({ style: `fill:var(--${value < 0 ? "mixed" : "zero"})`, "fill-opacity": most ? (Math.abs(value) / most).toFixed(3) : 0 });
const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

function mapPicture({ rows, columns, channels }, shades, channel, name, most) {
  const cell = columns > 24 ? 9 : columns > 12 ? 12 : 18;
  const at = (r, c) => channel * rows * columns + r * columns + c;
  const cells = range(rows).flatMap((r) => range(columns).map((c) => svg("rect", { x: c * cell, y: r * cell, width: cell - 1, height: cell - 1, ...shade(shades[at(r, c)], most) }, svg("title", {}, shades[at(r, c)].toFixed(3)))));
  return el("figure", {}, svg("svg", { width: columns * cell, height: rows * cell, viewBox: `0 0 ${columns * cell} ${rows * cell}`, role: "img", "aria-label": `${name}, channel ${channel + 1} of ${channels}`, class: "map" }, svg("rect", { class: "cell-back", width: columns * cell - 1, height: rows * cell - 1 }), cells),
    channels > 1 && el("figcaption", {}, `channel ${channel + 1}`));
}

function unitsPicture(shades, name, most) {
  const wide = Math.min(shades.length, innerWidth < 700 ? 25 : 50);
  const cell = shades.length > 200 ? 12 : 18;
  const [width, height] = [wide * cell, Math.ceil(shades.length / wide) * cell];
  const cells = range(shades.length).map((k) => svg("rect", { x: (k % wide) * cell, y: Math.floor(k / wide) * cell, width: cell - 1, height: cell - 1, ...shade(shades[k], most) }, svg("title", {}, `unit ${k}: ${shades[k].toFixed(3)}`)));
  return el("figure", {}, svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name, class: "map" }, svg("rect", { class: "cell-back", width: width - 1, height: height - 1 }), cells));
}

function stagePicture(stage, shades, name) {
  const most = largest(shades);
  if (stage.rows) return el("div", { class: "maps" }, range(stage.channels).map((channel) => mapPicture(stage, shades, channel, name, most)));
  return unitsPicture(shades, name, most);
}

function drawLayers() {
  const found = asked();
  if (!found) return show("live-layers");
  const network = chosenNetwork();
  const { stages, answer, rival } = ask(network, found.grid);
  const k = within(state.layer, [0, stages.length - 1], 1);
  const contributed = state.why === "1";
  const shades = contributed ? contributions(network, stages, answer, rival)[k] : stages[k].values;
  const step = (to) => { change({ layer: `${to}` }); byId("live-layers").querySelector("[aria-pressed=true]").focus(); };
  const button = (_, at) => el("button", { type: "button", class: "chip", "aria-pressed": `${at === k}`, onclick: () => step(at) }, stageName(stages, at));
  const name = stageName(stages, k);
  const caption = contributed
    ? `How much each number contributes to the lead of answer ${answer} over ${rival}: its value times the gradient. Blue speaks for ${answer}, red for ${rival}.`
    : `Values: blue positive, red negative.${stages[k].active ? " After the activation." : ""}`;
  show("live-layers", el("h3", {}, `Inside: ${networkTitle(network)}`),
    el("div", { class: "chips", role: "group", "aria-label": "Layers" }, stages.map(button)),
    el("p", {}, el("label", {}, el("input", { type: "checkbox", id: "why-heat", checked: contributed, onchange: (event) => { change({ why: event.target.checked ? "1" : "" }); byId("why-heat").focus(); } }), " Contributions (value × gradient)")),
    el("div", { class: "scroll", id: "stage" }, stagePicture(stages[k], shades, `${name}, ${contributed ? "contributions" : "values"}`)), el("p", { class: "muted" }, el("small", {}, caption)));
}
whenever(["p", "net", "ep", "x", "edit", "layer", "why"], drawLayers);
