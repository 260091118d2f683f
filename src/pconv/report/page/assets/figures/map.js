// All (m, B): how many classes are distinguished, the boundary of solved moduli, and where theories disagree.
const CELL = 14;
const MAP = { left: 30, top: 8 };
const mapX = (m) => MAP.left + (m - data.moduli[0]) * CELL;
const mapY = (B) => MAP.top + (data.successors[1] - B) * CELL;
const modulusRange = () => range(data.moduli[1] - data.moduli[0] + 1).map((i) => data.moduli[0] + i);

function mapCells() {
  const [solved, disputes, open] = [[], [], []];
  for (const m of modulusRange()) {
    data.answers[m].forEach((_, B) => {
      const [x, y] = [mapX(m), mapY(B)];
      if (isSolved(m, B)) solved.push(square(x + 0.5, y + 0.5, CELL - 1));
      else {
        const depth = 0.1 + 0.75 * (1 - correctClasses(m, labels(m, B)) / m);
        open.push(svg("rect", { class: "mixed", x: x + 0.5, y: y + 0.5, width: CELL - 1, height: CELL - 1, "fill-opacity": depth.toFixed(2) }));
      }
      if (paperDiffers(m, B)) disputes.push(`M${x + 4} ${y + CELL / 2}h${CELL - 8}M${x + CELL / 2} ${y + 4}v${CELL - 8}`);
    });
  }
  return [svg("path", { class: "zero", "fill-opacity": 0.55, d: solved.join("") }), open,
    svg("path", { d: disputes.join(""), stroke: "var(--ink)", "stroke-width": 1.3 })];
}

// The line below the smallest B that solves m; above the map where none does.
function mapLine() {
  const steps = modulusRange().map((m) => {
    const y = mapY(Math.min(data.solved_from[m], data.successors[1] + 1)) + CELL;
    return `${mapX(m)} ${y}L${mapX(m) + CELL} ${y}`;
  });
  return svg("path", { d: `M${steps.join("L")}`, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
}

function mapTicks() {
  const foot = mapY(0) + CELL;
  return [
    range(8).map((k) => svg("text", { x: mapX(8 * k + 8) + CELL / 2, y: foot + 14, "text-anchor": "middle", "font-size": 11 }, `${8 * k + 8}`)),
    range(5).map((k) => svg("text", { x: MAP.left - 6, y: mapY(8 * k) + 11, "text-anchor": "end", "font-size": 11 }, `${8 * k}`)),
    svg("text", { class: "strong", x: mapX(36), y: foot + 30, "text-anchor": "middle", "font-size": 12 }, "m"),
    svg("text", { class: "strong", x: 4, y: mapY(20) + 11, "font-size": 12 }, "B"),
  ];
}

function drawMap() {
  const [width, height] = [mapX(data.moduli[1]) + CELL + 6, mapY(0) + CELL + 34];
  const here = svg("rect", { x: mapX(modulus()) - 1, y: mapY(successors()) - 1, width: CELL + 2, height: CELL + 2, fill: "none", stroke: "var(--ink)", "stroke-width": 2.5, rx: 3 });
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", style: "cursor:pointer", "aria-label": "Map of solved and unsolved moduli" },
    mapCells(), !isLabelled() && [mapLine(), runMarks(mapX, mapY, CELL)], mapTicks(), here);
  const at = (event) => {
    const box = picture.getBoundingClientRect();
    const m = data.moduli[0] + Math.floor((event.clientX - box.left - MAP.left) / CELL);
    const B = data.successors[1] - Math.floor((event.clientY - box.top - MAP.top) / CELL);
    return data.answers[m]?.[B] ? [m, B] : null;
  };
  picture.addEventListener("click", (event) => {
    const place = at(event);
    if (place) change({ m: `${place[0]}`, B: `${place[1]}`, c: "" });
  });
  picture.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (!place) return hideTip();
    const correct = `${correctClasses(place[0], labels(...place))} of ${place[0]}`;
    const said = isSolved(...place) ? "solved" : isLabelled() ? `ceiling ${correct}` : `${correct} distinguished`;
    showTip(event, `m = ${place[0]}, B = ${place[1]}: ${said}${paperDiffers(...place) ? " · signature and paper disagree" : ""}`);
  });
  picture.addEventListener("pointerleave", hideTip);
  show("map-picture", picture);
  show("map-legend", key("zero", "solved"), key("mixed", "not solved, the stronger the colour the lower the ceiling"),
    el("span", { class: "key" }, "+ signature and paper disagree"),
    runs && !isLabelled() && el("span", { class: "key" }, "● a run, coloured by its verdict"));
}

addSection("map", "Map", "The map", el("div", { class: "answer" },
  el("p", {}, "Asked for the class, a modulus is solved as soon as ", el("i", {}, "B"), " + 1 reaches the largest φ(", el("i", {}, "p", el("sup", {}, "a")),
    ") of its prime powers: the line. Press a cell to go there."),
  el("figure", {}, el("div", { id: "map-picture", class: "scroll" }), el("figcaption", { id: "map-legend" }))));
whenever(["m", "B", "task"], drawMap);
