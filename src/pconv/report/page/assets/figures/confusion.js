// The answers of a run in the colours of the predicted pattern; answers outside the pattern are grey.
function dense(rows, m) {
  return rows.map((pairs) => {
    const counts = Array(m).fill(0);
    for (let k = 0; k < pairs.length; k += 2) counts[pairs[k]] = pairs[k + 1];
    return counts;
  });
}
const kindsOf = (run) => Array.from(run.kinds, (letter) => KINDS[letter]);
const sum = (values) => values.reduce((total, value) => total + value, 0);

// One evaluation of a run: its numbers, the epoch of its weights, and the answers. Verdicts are based on the first: all
// unseen numbers, or the test numbers where there is no census.
function answersOf(run, k = 0) {
  const [numbers, epoch, rows] = run.answers[k] ?? run.answers[0];
  const counts = dense(rows, run.labels.length);
  const totals = counts.map(sum);
  return { numbers, epoch, counts, totals, size: sum(totals), correct: sum(counts.map((row, i) => row[i])) };
}
const chosenAnswers = (run) => Math.max(0, run.answers.findIndex((each, k) => `${k}` === state.at));
const percent = (share) => (share > 0 && share < 0.00005 ? "<0.01%" : `${+(100 * share).toFixed(share < 0.1 ? 2 : 1)}%`);

// Counts where they fit into the cells, otherwise shares; the reader can choose.
function cellTexts(m, counts) {
  const cell = (SIDE - MARGIN) / m;
  const size = (longest) => Math.min(14, 0.55 * cell, (1.45 * cell) / longest);
  const longest = `${counts.flat().reduce((most, count) => Math.max(most, count), 0)}`.length;
  const shares = state.shares ? state.shares === "1" : size(longest) < 7;
  return { shares, size: size(shares ? 3 : longest) };
}

function confusionPicture(run, answers = answersOf(run), labelled = true) {
  const m = run.labels.length; // the number of classes
  const { counts, totals } = answers;
  const colour = kindsOf(run);
  const cell = (SIDE - MARGIN) / m;
  const { shares, size } = cellTexts(m, counts);
  const cells = [];
  counts.forEach((row, i) => row.forEach((count, j) => {
    const free = run.labels[i] === run.labels[j];
    if (!count && !free) return;
    const share = count / Math.max(1, totals[i]);
    const depth = count ? 0.07 + 0.93 * share ** 0.55 : 0.05;
    cells.push(svg("rect", { class: free ? colour[i] : "leak", x: MARGIN + j * cell + 0.5, y: MARGIN + i * cell + 0.5, width: cell - 1, height: cell - 1, "fill-opacity": depth.toFixed(2) }));
    if (!count || !labelled || size < 6) return;
    const text = shares ? (share < 0.005 ? (free ? "<1" : "") : `${Math.round(100 * share)}`) : `${count}`;
    const inked = free && depth > 0.6 && ["zero", "mixed", "apart"].includes(colour[i]) ? "fill:#fff" : depth > 0.6 ? "fill:#1d2127" : "fill:var(--ink)";
    if (text) cells.push(svg("text", { x: MARGIN + (j + 0.5) * cell, y: MARGIN + (i + 0.5) * cell + size * 0.36, "text-anchor": "middle", "font-size": size.toFixed(1), style: inked }, text));
  }));
  const picture = frame(m, `Confusion of ${runName(run)}, ${answers.numbers}: ${answers.correct} of ${answers.size} correct`, cells, labelled);
  picture.addEventListener("pointermove", (event) => {
    const place = cellAt(picture, event, m);
    if (!place) return hideTip();
    const [i, j] = place;
    const allowed = run.labels[i] === run.labels[j] ? "" : " · outside the prediction";
    showTip(event, `class ${i} called ${j}: ${whole(counts[i][j])} of ${whole(totals[i])} (${percent(counts[i][j] / Math.max(1, totals[i]))})${allowed}`);
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

// The matrix with its caption, and a choice of others where there are any: the test numbers, and snapshots by epoch.
function drawAnswers() {
  const run = runs.runs[state.run];
  if (!run) return;
  const chosen = chosenAnswers(run);
  const answers = answersOf(run, chosen);
  const { shares, size } = cellTexts(run.labels.length, answers.counts);
  const option = ([numbers, epoch], k) => el("option", { value: k, selected: k === chosen }, `${numbers}${epochName(run, epoch)}`);
  const choice = run.answers.length > 1 && el("p", {}, el("label", { for: "at" }, "Answers to "),
    el("select", { id: "at", onchange: (event) => { change({ at: event.target.value === "0" ? "" : event.target.value }); byId("at").focus(); } }, run.answers.map(option)));
  const other = size >= 6 && el("button", { type: "button", class: "link", id: "shares", onclick: () => {
    change({ shares: shares ? "0" : "1" });
    byId("shares").focus();
  } }, shares ? "Show counts" : "Show shares in %");
  show("asked", choice);
  show("answers", confusionPicture(run, answers), el("figcaption", { "aria-live": "polite" },
    `What it answered: ${answers.numbers}${epochName(run, answers.epoch)}, accuracy ${shown(answers.correct / answers.size, 4)}. `, other));
  drawClasses(run, answers);
}

// The epoch of the weights, and how it was selected.
function epochName(run, epoch) {
  if (!epoch) return "";
  const why = [epoch === run.loss_epoch && "lowest held-out loss", epoch === run.best_epoch && "best on 512"].filter(Boolean).join(", ");
  return `, epoch ${epoch}${why && ` (${why})`}`;
}
