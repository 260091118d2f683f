// One run: its verdict, what it answered beside what was predicted, its curves, and how it was computed.
function drawRun() {
  const run = runs.runs[state.run];
  if (!run) {
    show("run", state.run && el("p", {}, `No run ${state.run} is in this report.`));
    return;
  }
  const [status, sentence] = run.verdicts.signature ?? ["unjudged", run.silence ?? "No verdict is stored for this run."];
  const others = Object.entries(run.verdicts).filter(([name]) => name !== "signature");
  const ceiling = currentCeiling(run);
  const shares = el("button", { type: "button", class: "link", id: "shares", onclick: () => {
    change({ shares: state.shares ? "" : "1" });
    byId("shares").focus();
  } }, state.shares ? "Show counts" : "Show shares in %");
  show("run",
    el("h2", {}, runName(run), " ", el("small", {}, `seed ${run.config.seed}`)),
    el("p", {}, el("span", { class: "word", style: `--verdict:var(--${status})` }, status), " ", sentence),
    others.map(([name, [word, said]]) => el("details", {}, el("summary", {}, `${name}: ${word}`), el("p", {}, said))),
    el("div", { class: "split even" },
      el("figure", {}, confusionPicture(run), el("figcaption", {}, "What it answered on the test set. ", shares)),
      el("figure", {}, predictedPicture(run), el("figcaption", {}, run.silence ?? "What was predicted before."))),
    el("div", { class: "multiples" },
      el("figure", {}, lossChart(run), el("figcaption", {}, floorNote(run))),
      el("figure", {}, accuracyChart(run, ceiling), el("figcaption", {}, ceiling == null ? "" : `dashed: the ceiling ${shown(ceiling, 4)}`))),
    seedParts(run), probeParts(run),
    el("details", {}, el("summary", {}, "Configuration, versions"), definitions({ run: run.id, "best epoch": run.best_epoch,
      "validation accuracy": shown(run.accuracy, 4), "test accuracy": shown(run.test_accuracy, 4),
      seconds: shown(run.epochs.reduce((sum, [, , seconds]) => sum + seconds, 0), 1), ...run.config, ...run.environment })));
}

const cellOf = (run) => runs.tables.flatMap((table) => table.cells.flat()).find((cell) => cell?.run_ids.includes(run.id));
const currentCeiling = (run) => cellOf(run)?.ceiling ?? null;
const definitions = (values) => el("dl", { class: "facts" }, Object.entries(values).map(([name, value]) =>
  [el("dt", {}, name), el("dd", {}, Array.isArray(value) ? value.join(", ") : `${value}`)]));

// The same configuration under other seeds, as small multiples.
function seedParts(run) {
  const ids = cellOf(run)?.run_ids ?? [];
  if (ids.length < 2) return null;
  return [el("h3", {}, "Seeds"), el("div", { class: "multiples small" }, ids.map((id) => {
    const other = runs.runs[id];
    const name = `seed ${other.config.seed}${other.config.early_stop ? "" : ", no early stop"}`;
    return el("figure", {}, confusionPicture(other, false), el("figcaption", {},
      id === run.id ? el("b", {}, name) : el("button", { type: "button", class: "link", onclick: () => change({ run: id }) }, name),
      ` ${shown(other.test_accuracy, 4)} `, key(statusOf(other), statusOf(other))));
  }))];
}
