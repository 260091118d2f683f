// One run: its verdict, its answers next to the prediction, its curves and its configuration.
function drawRun() {
  const run = runs.runs[state.run];
  if (!run) {
    show("run", state.run && el("p", {}, `No run ${state.run} is in this report.`));
    return;
  }
  const [status, reason, parts] = run.verdicts.signature ?? ["unjudged", run.silence ?? "No verdict is stored for this run.", null];
  const others = Object.entries(run.verdicts).filter(([name]) => name !== "signature");
  const ceiling = parts?.attained[2] ?? null;
  show("run",
    el("h2", {}, runName(run), " ", el("small", {}, `seed ${run.config.seed}`)),
    el("p", {}, el("span", { class: "word", style: `--verdict:var(--${status})` }, status), " ", reason),
    partsTable(parts),
    others.map(([name, [word, because, found]]) => el("details", {}, el("summary", {}, `Theory ${name}: ${word}`), el("p", {}, because), partsTable(found))),
    el("div", { id: "asked" }),
    el("div", { class: "split even" },
      el("figure", { id: "answers" }),
      el("figure", { id: "predicted" }, predictedPicture(run), el("figcaption", {}, run.silence ?? "What was predicted before."))),
    el("div", { id: "classes" }),
    el("div", { class: "multiples" },
      el("figure", {}, epochChart(run), el("figcaption", {}, lossNote(run))),
      el("figure", {}, accuracyChart(run, ceiling), el("figcaption", {}, accuracyNote(run, ceiling)))),
    seedParts(run), runFigures.map((draw) => draw(run)),
    el("details", {}, el("summary", {}, "Configuration, versions"), definitions({ run: run.id, "best epoch": run.best_epoch, "epoch of the lowest held-out loss": run.loss_epoch ?? "not recorded",
      "validation accuracy": shown(run.accuracy, 4), "test accuracy": shown(run.test_accuracy, 4), "census accuracy": run.census_accuracy == null ? "no census" : shown(run.census_accuracy, 4),
      seconds: shown(sum(run.epochs.map(([, , seconds]) => seconds)), 1), ...run.config, ...run.environment })));
}

const cellOf = (run) => runs.tables.flatMap((table) => table.cells.flat()).find((cell) => cell?.run_ids.includes(run.id));
const openRun = (id) => change({ run: id, at: "" });
const definitions = (values) => el("dl", { class: "facts" }, Object.entries(values).map(([name, value]) =>
  [el("dt", {}, name), el("dd", {}, Array.isArray(value) ? value.join(", ") : `${value}`)]));

// The same configuration under other seeds, as small multiples.
function seedParts(run) {
  const ids = cellOf(run)?.run_ids ?? [];
  if (ids.length < 2) return null;
  return [el("h3", {}, "Seeds"), el("div", { class: "multiples small" }, ids.map((id) => {
    const other = runs.runs[id];
    const name = `seed ${other.config.seed}${other.config.early_stop ? "" : ", no early stop"}`;
    return el("figure", {}, confusionPicture(other, answersOf(other), false), el("figcaption", {},
      id === run.id ? el("b", {}, name) : el("button", { type: "button", class: "link", onclick: () => openRun(id) }, name),
      ` ${unseen(other.census_accuracy, other.test_accuracy)} `, key(statusOf(other), statusOf(other))));
  }))];
}

if (runs) {
  whenever(["run"], drawRun);
  whenever(["run", "at", "shares"], drawAnswers); // into what drawRun has made
}
