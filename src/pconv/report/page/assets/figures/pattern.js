// A confusion pattern: rows are true classes, columns answers; filled cells may be non-zero, all others must be zero.
const SIDE = 560;
const MARGIN = 30;

function frame(m, label, layers, ticked = true) {
  const cell = (SIDE - MARGIN) / m;
  const size = 11 * Math.max(1, SIDE / (innerWidth - 32)); // as large on a phone
  const every = [1, 2, 4, 8].find((step) => step * cell > 1.6 * size) ?? 16;
  const ticks = ticked && range(m).filter((c) => c % every === 0).map((c) => {
    const at = MARGIN + (c + 0.5) * cell;
    return [
      svg("text", { x: at, y: MARGIN - 7, "text-anchor": "middle", "font-size": size }, `${c}`),
      svg("text", { x: MARGIN - 7, y: at + 4, "text-anchor": "end", "font-size": size }, `${c}`),
    ];
  });
  return svg("svg", { viewBox: `0 0 ${SIDE + 1} ${SIDE + 1}`, role: "img", "aria-label": label },
    svg("rect", { class: "cell-back", x: MARGIN, y: MARGIN, width: SIDE - MARGIN, height: SIDE - MARGIN }), ticks, layers);
}

// The cell under the pointer, as [row, column].
function cellAt(picture, event, m) {
  const box = picture.getBoundingClientRect();
  const scale = (SIDE + 1) / box.width;
  const place = [event.clientY - box.top, event.clientX - box.left].map((at) => Math.floor(((at * scale - MARGIN) / (SIDE - MARGIN)) * m));
  return place.every((at) => at >= 0 && at < m) ? place : null;
}

function cellsPath(m, inset, wanted) {
  const cell = (SIDE - MARGIN) / m;
  const gap = inset * cell;
  const parts = [];
  for (let i = 0; i < m; i += 1) {
    for (let j = 0; j < m; j += 1) {
      if (wanted(i, j)) parts.push(square(MARGIN + j * cell + gap, MARGIN + i * cell + gap, cell - 2 * gap));
    }
  }
  return parts.join("");
}

// The first theory is filled in the blocks' colours, the others are outlines inside the cells.
function patternPicture(m, B, chosen) {
  const layers = [];
  const known = chosen.map((i) => labels(m, B, i)).filter(Boolean);
  const colour = kinds(m, B);
  const kindOf = (c) => {
    if (isLabelled()) return isOpen(known[0], c) ? "mixed" : "other";
    return chosen[0] === 0 ? colour[c] : isOpen(known[0], c) ? "mixed" : colour[c] === "zero" ? "zero" : "last";
  };
  if (known.length) {
    for (const kind of Object.keys(MEANINGS)) {
      const path = cellsPath(m, 0.04, (i, j) => kindOf(i) === kind && known[0][i] === known[0][j]);
      if (path) layers.push(svg("path", { class: kind, d: path }));
    }
  }
  known.slice(1).forEach((groups, k) => {
    const path = cellsPath(m, 0.2 + 0.12 * k, (i, j) => groups[i] === groups[j]);
    layers.push(svg("path", { class: `overlay ${k ? "second" : ""}`, d: path, "stroke-width": m > 32 ? 1 : 1.6 }));
  });
  const open = known.length ? range(m).filter((c) => isOpen(known[0], c)).length : 0;
  const names = chosen.map((i) => theoryNames[i]).join(", ");
  const summary = isLabelled() ? `Classes modulo ${m} that look alike, ${names}: the label of ${open} of ${m} cannot be told`
    : `Predicted confusion modulo ${m}, ${names}: ${open} of ${m} classes are mixed`;
  const picture = frame(m, summary, layers);
  picture.addEventListener("pointermove", (event) => {
    const place = cellAt(picture, event, m);
    if (!place || !known.length) return hideTip();
    const [i, j] = place;
    const said = chosen.filter((k) => labels(m, B, k)).map((k) => {
      const groups = labels(m, B, k);
      if (isLabelled()) return `${theoryNames[k]}: ${groups[i] === groups[j] ? "alike" : "not alike"}`;
      return `${theoryNames[k]}: ${groups[i] === groups[j] ? (i === j ? "right" : "may happen") : "never"}`;
    });
    const cell = isLabelled() ? `class ${i} (${labelWord(m, i)}) and ${j} (${labelWord(m, j)})` : `class ${i} called ${j}`;
    showTip(event, `${cell} · ${said.join(" · ")}`);
  });
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", (event) => {
    const place = cellAt(picture, event, m);
    if (place) change({ c: `${place[0]}` });
  });
  return picture;
}

function drawPattern() {
  const [m, B] = [modulus(), successors()];
  const chosen = chosenTheories();
  show("pattern", patternPicture(m, B, chosen));
  const present = new Set(kinds(m, B));
  let shown = chosen[0] === 0 ? Object.entries(MEANINGS).filter(([kind]) => present.has(kind)) : [];
  if (isLabelled()) shown = [["mixed", "they have both labels"], ["other", "the label is known"]];
  const axes = isLabelled() ? "Rows and columns are classes; those of a filled cell look alike." : "Rows are true classes, columns the network's answers.";
  show("legend", `${axes} Press a row to see why. `, el("br"),
    shown.map(([kind, meaning]) => key(kind, meaning)),
    chosen.slice(1).map((i, k) => el("span", { class: "key" }, k ? "┄ " : "□ ", theoryNames[i])));
}
whenever(["m", "B", "t", "task"], drawPattern);
