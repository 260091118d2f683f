// All (m, B): solved or how much is told apart, the line where solving begins, and where theories disagree.
const MAP = { cell: 14, left: 30, top: 8 };

function drawMap() {
  const { cell, left, top } = MAP;
  const [low, high] = data.moduli;
  const most = data.successors[1];
  const x = (m) => left + (m - low) * cell;
  const y = (B) => top + (most - B) * cell;
  const [solved, disputes, line] = [[], [], []];
  const open = [];
  for (let m = low; m <= high; m += 1) {
    for (let B = 0; B <= most; B += 1) {
      const text = data.answers[m][B][2];
      if (text === "") solved.push(square(x(m) + 0.5, y(B) + 0.5, cell - 1));
      else {
        const told = groupCount(text) / m;
        open.push(svg("rect", { class: "mixed", x: x(m) + 0.5, y: y(B) + 0.5, width: cell - 1, height: cell - 1, "fill-opacity": (0.1 + 0.75 * (1 - told)).toFixed(2) }));
      }
      if (paperDiffers(m, B)) disputes.push(`M${x(m) + 4} ${y(B) + cell / 2}h${cell - 8}M${x(m) + cell / 2} ${y(B) + 4}v${cell - 8}`);
    }
    const from = Math.min(data.solved_from[m], most + 1);
    line.push(`${line.length ? "L" : "M"}${x(m)} ${y(from) + cell}L${x(m) + cell} ${y(from) + cell}`);
  }
  const [width, height] = [x(high) + cell + 6, y(0) + cell + 34];
  const ticks = [
    range(8).map((k) => svg("text", { x: x(8 * k + 8) + cell / 2, y: y(0) + cell + 14, "text-anchor": "middle", "font-size": 11 }, `${8 * k + 8}`)),
    range(5).map((k) => svg("text", { x: left - 6, y: y(8 * k) + 11, "text-anchor": "end", "font-size": 11 }, `${8 * k}`)),
    svg("text", { class: "strong", x: x(36), y: y(0) + cell + 30, "text-anchor": "middle", "font-size": 12 }, "m"),
    svg("text", { class: "strong", x: 4, y: y(20) + 11, "font-size": 12 }, "B"),
  ];
  const here = svg("rect", { x: x(modulus()) - 1, y: y(successors()) - 1, width: cell + 2, height: cell + 2, fill: "none", stroke: "var(--ink)", "stroke-width": 2.5, rx: 3 });
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", style: "cursor:pointer", "aria-label": "Map of solved and unsolved moduli" },
    svg("path", { class: "zero", "fill-opacity": 0.55, d: solved.join("") }), open,
    svg("path", { d: disputes.join(""), stroke: "var(--ink)", "stroke-width": 1.3 }),
    svg("path", { d: line.join(""), fill: "none", stroke: "var(--ink)", "stroke-width": 2 }), runMarks(x, y, cell), ticks, here);
  const at = (event) => {
    const box = picture.getBoundingClientRect();
    const m = low + Math.floor((event.clientX - box.left - left) / cell);
    const B = most - Math.floor((event.clientY - box.top - top) / cell);
    return m >= low && m <= high && B >= 0 && B <= most ? [m, B] : null;
  };
  picture.addEventListener("click", (event) => {
    const place = at(event);
    if (place) change({ m: `${place[0]}`, B: `${place[1]}`, c: "" });
  });
  picture.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (!place) return hideTip();
    const told = groupCount(labels(...place));
    showTip(event, `m = ${place[0]}, B = ${place[1]}: ${told === place[0] ? "solved" : `${told} of ${place[0]} told apart`}${paperDiffers(...place) ? " · theories disagree" : ""}`);
  });
  picture.addEventListener("pointerleave", hideTip);
  show("map-picture", picture);
  show("map-legend", key("zero", "solved"), key("mixed", "not solved, the darker the less is told apart"),
    el("span", { class: "key" }, "+ signature and paper disagree"),
    runs && el("span", { class: "key" }, "● a run, coloured by its verdict"));
}
