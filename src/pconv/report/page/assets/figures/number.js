// The window of any number as a prime grid, with the rows and columns that determine its class.
const COLUMNS = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131];
const LARGEST = 2n ** 53n - 1n;
let factored = { n: null, B: null, rows: [] };

function drawNumber() {
  const text = state.n.replace(/[\s,_']/g, "");
  const good = /^\d{1,20}$/.test(text) && BigInt(text) >= 1n && BigInt(text) <= LARGEST;
  byId("n-error").textContent = good ? "" : `${state.n || "nothing"}: give a whole number from 1 to 9,007,199,254,740,991`;
  byId("n").setAttribute("aria-invalid", `${!good}`);
  if (!good) {
    show("grid");
    show("n-text");
    return;
  }
  const [m, B, n] = [modulus(), successors(), BigInt(text)];
  if (factored.n !== n || factored.B !== B) factored = { n, B, rows: factorWindow(n, B) };
  show("grid", gridPicture(m, B, n, factored.rows));
  show("n-text", [...whyNumber(m, B, n), ...whyLabel(m, B, Number(n % BigInt(m)))].map((sentence) => el("p", {}, sentence)));
}

function gridPicture(m, B, n, rows) {
  const [cell, left, top] = [22, 24 + 8.4 * `${rows.at(-1).value}`.length, 26];
  const rest = left + COLUMNS.length * cell + 10;
  const large = rows.map((row) => [...row.factors].filter(([p]) => !COLUMNS.includes(p)).map(([p, e]) => (e > 1 ? `${p}^${e}` : `${p}`)).join(" · "));
  const width = rest + 60 + 7.2 * Math.max(...large.map((text) => text.length));
  const height = top + (B + 1) * cell + 6;
  const decides = new Map(data.factors[m].map(([p, a]) => [p, sight(n, B, p, a)]));
  const columns = COLUMNS.map((p, j) => [
    decides.has(p) && svg("rect", { x: left + j * cell, y: top, width: cell, height: (B + 1) * cell, fill: "var(--last)", opacity: 0.2 }),
    svg("text", { class: decides.has(p) ? "strong" : "", x: left + (j + 0.5) * cell, y: top - 8, "text-anchor": "middle", "font-size": p < 100 ? 11 : 9.5, "font-weight": decides.has(p) ? 700 : 400 }, `${p}`),
  ]);
  const cells = rows.map((row, offset) => [
    svg("text", { class: "strong", x: left - 10, y: top + offset * cell + 15.5, "text-anchor": "end", "font-size": 13 }, `${row.value}`),
    COLUMNS.map((p, j) => gridCell(row.factors.get(p), decides.get(p), offset, left + j * cell, top + offset * cell, cell)),
    svg("text", { x: rest, y: top + offset * cell + 15.5, "font-size": 12 }, large[offset]),
  ]);
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Prime exponents of ${n} and its ${B} successors` },
    svg("rect", { class: "cell-back", x: left, y: top, width: COLUMNS.length * cell, height: (B + 1) * cell }), columns, cells,
    svg("text", { x: rest, y: top - 8, "font-size": 11 }, "larger primes"));
}

function gridCell(exponent, seen, offset, x, y, cell) {
  if (!exponent) return null;
  const telling = seen?.rows.includes(offset);
  const look = telling ? { class: "last" } : { fill: "var(--muted)", opacity: 0.28 };
  return [
    svg("rect", { ...look, x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, rx: 3 }),
    svg("text", { class: "strong", x: x + cell / 2, y: y + 15.5, "text-anchor": "middle", "font-size": 12, style: telling ? "fill:#1d2127;font-weight:700" : null }, `${exponent}`),
  ];
}

whenever(["m", "B", "n", "task"], drawNumber);
