// The findings of probes: what was predicted and what was observed, and heat maps over rows and primes.
function heatMap(heat) {
  const [cell, top] = [20, 24];
  const left = 16 + 6.4 * Math.max(...heat.rows.map((name) => name.length));
  const [width, height] = [left + heat.columns.length * cell + 8, top + heat.rows.length * cell + 6];
  const depth = (value) => Math.min(1, Math.max(0, (value - heat.low) / (heat.high - heat.low)));
  const cells = heat.values.flatMap((row, i) => row.map((value, j) => svg("rect", {
    x: left + j * cell + 0.5, y: top + i * cell + 0.5, width: cell - 1, height: cell - 1,
    style: value == null ? "fill:var(--faint)" : "fill:var(--zero)", "fill-opacity": value == null ? 1 : (0.06 + 0.94 * depth(value)).toFixed(3),
  }, svg("title", {}, `${heat.rows[i]}, ${heat.columns[j]}: ${value ?? "not seen"}`))));
  const names = [
    heat.columns.map((name, j) => svg("text", { x: left + (j + 0.5) * cell, y: top - 7, "text-anchor": "middle", "font-size": name.length > 2 ? 8.5 : 10.5 }, name)),
    heat.rows.map((name, i) => svg("text", { x: left - 8, y: top + i * cell + 14, "text-anchor": "end", "font-size": 11 }, name)),
  ];
  return el("figure", {}, el("figcaption", {}, `${heat.title} (from ${heat.low} to ${+heat.high.toFixed(3)})`),
    el("div", { class: "scroll" }, svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": heat.title }, cells, names)));
}

function probeParts(run) {
  if (!run.probe) return null;
  const words = new Map([[true, "agrees"], [false, "does not agree"], [null, "open"]]);
  const rows = run.probe.findings.map(([what, predicted, observed, agrees, n]) => el("tr", {},
    el("td", {}, what), el("td", {}, predicted), el("td", {}, observed), el("td", { class: "num" }, `${n}`), el("td", {}, words.get(agrees))));
  const count = (agrees) => run.probe.findings.filter((finding) => finding[3] === agrees).length;
  return [
    el("h3", {}, "Probes"),
    run.probe.maps.map(heatMap),
    el("details", {}, el("summary", {}, `${count(true)} findings agree with what was predicted, ${count(false)} do not, ${count(null)} are open`),
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["what", "predicted", "seen", "n", ""].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows)))),
  ];
}
runFigures.push(probeParts);
