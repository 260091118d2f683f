// The window of a class: which rows are multiples of p, p^2, .., and the class that looks the same.
const power = (p, i) => [`${p}`, i > 1 && svg("tspan", { dy: -5, "font-size": 10 }, `${i}`)];

function windowPicture(m, B, classes) {
  const factors = data.factors[m];
  const [row, label, column] = [26, 52, Math.max(150, 60 + 62 * factors.length)];
  const width = label + column * classes.length + 8;
  const height = 46 + row * (B + 1);
  const parts = classes.map((c, k) => {
    const x = label + k * column;
    const heading = svg("text", { class: "strong", x: x + 8, y: 20, "font-size": 14, "font-weight": 600 }, `class ${c}`);
    return [heading, range(B + 1).map((offset) => windowRow(m, c, offset, x, 36 + offset * row, column, factors))];
  });
  const names = range(B + 1).map((offset) =>
    svg("text", { x: label - 10, y: 36 + offset * row + 17, "text-anchor": "end", "font-size": 13 }, rowName(offset)));
  const said = classes.length > 1 ? `class ${classes[0]} next to class ${classes[1]}, which looks the same` : `class ${classes[0]}`;
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Window of ${said}` }, names, parts);
}

function windowRow(m, c, offset, x, y, column, factors) {
  const shown = factors.map(([p, a]) => [p, a, valuation(c + offset, p, a)]);
  const hits = shown.map(([p, a, exponent], k) => {
    if (!exponent) return null;
    const at = x + 44 + 62 * k;
    const badge = exponent === a ? "last" : "other";
    return [
      svg("rect", { class: badge, x: at, y: y + 2, width: 54, height: 20, rx: 5 }),
      svg("text", { x: at + 27, y: y + 17, "text-anchor": "middle", "font-size": 13, style: "fill:#1d2127" }, power(p, exponent)),
    ];
  });
  return [
    svg("line", { x1: x, x2: x + column - 14, y1: y + 24, y2: y + 24, stroke: "var(--line)" }),
    svg("text", { x: x + 32, y: y + 17, "text-anchor": "end", "font-size": 12 }, `${(c + offset) % m}`),
    hits,
  ];
}

function drawWindow() {
  const [m, B] = [modulus(), successors()];
  const groups = labels(m, B);
  const c = chosenClass();
  const others = alike(groups, c).filter((other) => other !== c);
  show("window", windowPicture(m, B, [c, ...others.slice(0, 1)]));
  const picker = others.length > 1 && el("p", {}, "Also the same: ", others.slice(1, 13).join(", "), others.length > 13 && ", …");
  show("why-text",
    el("p", { class: "muted" }, "Each row is given with its class; a badge shows which power of a prime of m divides it."),
    [...whyClass(m, B, c), ...whyLabel(m, B, c)].map((sentence) => el("p", {}, sentence)), picker);
}

// The class that is looked at: by default the first that is mixed.
function chosenClass() {
  const [m, B] = [modulus(), successors()];
  if (/^\d+$/.test(state.c)) return Math.min(Number(state.c), m - 1);
  const groups = labels(m, B);
  return Math.max(0, range(m).findIndex((c) => isOpen(groups, c)));
}
whenever(["m", "B", "c", "task"], drawWindow);
