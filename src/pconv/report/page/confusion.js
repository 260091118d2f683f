// What a run answered, in the colours of the predicted pattern; what leaves the pattern is grey.
function dense(rows, m) {
  return rows.map((pairs) => {
    const counts = Array(m).fill(0);
    for (let k = 0; k < pairs.length; k += 2) counts[pairs[k]] = pairs[k + 1];
    return counts;
  });
}
const kindsOf = (run) => Array.from(run.kinds, (letter) => KINDS[letter]);

function confusionPicture(run, labelled = true) {
  const m = run.labels.length; // classes, as many as residues where those are asked for
  const counts = dense(run.test, m);
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const colour = kindsOf(run);
  const cell = (SIDE - MARGIN) / m;
  const longest = state.shares ? 3 : `${Math.max(...counts.flat())}`.length;
  const size = Math.min(14, 0.55 * cell, (1.45 * cell) / longest);
  const cells = [];
  counts.forEach((row, i) => row.forEach((count, j) => {
    const free = run.labels[i] === run.labels[j];
    if (!count && !free) return;
    const share = count / Math.max(1, totals[i]);
    const depth = count ? 0.14 + 0.86 * share ** 0.6 : 0.08;
    cells.push(svg("rect", { class: free ? colour[i] : "leak", x: MARGIN + j * cell + 0.5, y: MARGIN + i * cell + 0.5, width: cell - 1, height: cell - 1, "fill-opacity": depth.toFixed(2) }));
    if (!count || !labelled) return;
    const text = state.shares ? (share < 0.005 ? "<1" : `${Math.round(100 * share)}`) : `${count}`;
    if (size >= 6) {
      const inked = free && depth > 0.6 && ["zero", "mixed", "apart"].includes(colour[i]) ? "fill:#fff" : depth > 0.6 ? "fill:#1d2127" : "fill:var(--ink)";
      cells.push(svg("text", { x: MARGIN + (j + 0.5) * cell, y: MARGIN + (i + 0.5) * cell + size * 0.36, "text-anchor": "middle", "font-size": size.toFixed(1), style: inked }, text));
    }
  }));
  const right = counts.reduce((sum, row, i) => sum + row[i], 0);
  const picture = frame(m, `Confusion of ${runName(run)} on the test set: ${right} of ${totals.reduce((a, b) => a + b)} right`, cells, labelled);
  picture.addEventListener("pointermove", (event) => {
    const place = cellAt(picture, event, m);
    if (!place) return hideTip();
    const [i, j] = place;
    const allowed = run.labels[i] === run.labels[j] ? "" : " · outside the prediction";
    showTip(event, `class ${i} called ${j}: ${counts[i][j]} of ${totals[i]} (${((100 * counts[i][j]) / Math.max(1, totals[i])).toFixed(1)}%)${allowed}`);
  });
  picture.addEventListener("pointerleave", hideTip);
  return picture;
}

function predictedPicture(run) {
  const m = run.labels.length;
  const colour = kindsOf(run);
  const layers = Object.keys(MEANINGS).map((kind) =>
    svg("path", { class: kind, d: cellsPath(m, 0.04, (i, j) => colour[i] === kind && run.labels[i] === run.labels[j]) }));
  return frame(m, `Predicted confusion of ${runName(run)}`, layers);
}
