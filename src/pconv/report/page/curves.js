// Curves: lines over steps or epochs, on one scale from 0.
const CHART = { width: 360, height: 200, left: 40, right: 10, top: 26, bottom: 34 };

function chart({ lines, highest, lastX, xName, yName, label, ticks, level }) {
  const { width, height, left, right, top, bottom } = CHART;
  const x = (value) => left + (value / lastX) * (width - left - right);
  const y = (value) => height - bottom - (Math.min(value, highest) / highest) * (height - top - bottom);
  const path = (points) => points.reduce(([text, pen], [at, value]) =>
    (value == null ? [text, "M"] : [`${text}${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`, "L"]), ["", "M"])[0];
  const grid = ticks.map((value) => [
    svg("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: "var(--line)" }),
    svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", "font-size": 11 }, `${+value.toFixed(2)}`),
  ]);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart" }, grid,
    level != null && svg("line", { x1: left, x2: width - right, y1: y(level), y2: y(level), stroke: "var(--mixed)", "stroke-dasharray": "5 4", "stroke-width": 1.5 }),
    lines.map((points) => svg("path", { d: path(points), fill: "none", stroke: "var(--zero)", "stroke-width": 1.8, "stroke-linejoin": "round" })),
    svg("text", { x: width - right, y: height - 18, "text-anchor": "end", "font-size": 11 }, `${Math.round(lastX)}`),
    svg("text", { x: (left + width) / 2, y: height - 4, "text-anchor": "middle", "font-size": 11 }, xName),
    svg("text", { class: "strong", x: left, y: 14, "font-size": 12 }, yName));
}

// About four round numbers up to the highest.
function roundTicks(highest) {
  const raw = highest / 4 || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find((factor) => factor * size >= raw);
  return range(Math.floor(highest / step) + 1).map((k) => k * step);
}

// With the floor that the theory sets, where there is one: the least loss of a reader who sees the groups alone.
const lossesOf = (run) => [...run.losses, run.floor].filter((loss) => loss != null);
const floorNote = (run) => (run.floor == null ? "" : `dashed: the loss floor ${shown(run.floor, 4)}`);

function lossChart(run, highest) {
  const points = run.losses.map((loss, k) => [run.width * (k + 0.5), loss]);
  const most = highest ?? Math.max(...lossesOf(run), 1e-6);
  const floor = run.floor == null ? "" : `; the floor is ${shown(run.floor, 4)}`;
  return chart({ lines: [points], highest: most, lastX: run.width * run.losses.length, xName: "step", yName: "training loss", ticks: roundTicks(most), level: run.floor,
    label: `Training loss of ${runName(run)}, from ${shown(run.losses[0], 2)} to ${shown(run.losses.at(-1), 3)}${floor}` });
}

function accuracyChart(run, ceiling) {
  const points = run.epochs.map(([, accuracy], k) => [k + 1, accuracy]);
  return chart({ lines: [points], highest: 1, lastX: run.epochs.length, xName: "epoch", yName: "validation accuracy", ticks: [0, 0.25, 0.5, 0.75, 1], level: ceiling,
    label: `Validation accuracy of ${runName(run)}: ${points.map(([, accuracy]) => shown(accuracy, 3)).join(", ")}` });
}

// The kernel study: the loss of runs that differ in the kernel, side by side on one scale.
function drawLosses() {
  show("losses", runs.losses.map((study) => {
    const members = study.runs.map((id) => runs.runs[id]);
    const highest = Math.max(...members.flatMap(lossesOf));
    return [el("h3", {}, "Training loss by kernel"), el("p", { class: "muted" }, [plain(study.title), floorNote(members[0])].filter(Boolean).join(" · ")), el("div", { class: "multiples" }, members.map((run, k) =>
      el("figure", {}, lossChart(run, highest), el("figcaption", {}, `(${String.fromCharCode(97 + k)}) k = ${run.config.kernel.join(",")}`))))];
  }));
}
