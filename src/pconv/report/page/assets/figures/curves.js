// Curves: lines over steps or epochs.
const CHART = { width: 360, height: 214, left: 40, right: 12, top: 26, bottom: 38 };

// A line is { points, look, dots }, clipped to the scale. `stroke` is a value on the x axis, `ring` a point.
function chart({ lines, lowest = 0, highest, lastX, xName, yName, label, ticks, level, xTicks = [lastX], stroke, ring }) {
  const { width, height, left, right, top, bottom } = CHART;
  const [wide, high] = [width - left - right, height - top - bottom];
  const x = (value) => +(left + (value / lastX) * wide).toFixed(1);
  const y = (value) => +(top + high - ((value - lowest) / (highest - lowest)) * high).toFixed(1);
  const path = (points) => points.reduce(([text, pen], [at, value]) =>
    (value == null ? [text, "M"] : [`${text}${pen}${x(at)} ${y(value)}`, "L"]), ["", "M"])[0];
  const grid = ticks.map((value) => [
    svg("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: "var(--line)" }),
    svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", "font-size": 11 }, `${+value.toFixed(4)}`),
  ]);
  const drawLine = ({ points, look, dots }) => [
    svg("path", { class: look, d: path(points) }),
    dots && points.filter(([, value]) => value != null).map(([at, value]) => svg("circle", { class: look, cx: x(at), cy: y(value), r: 2.6 })),
  ];
  const seen = { x: left - 4, y: top, width: wide + 8, height: high + 6 }; // a picture in the picture cuts lines off
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart" }, grid,
    stroke && svg("line", { class: "mark", x1: x(stroke), x2: x(stroke), y1: top, y2: top + high }),
    level != null && svg("line", { x1: left, x2: width - right, y1: y(level), y2: y(level), stroke: "var(--mixed)", "stroke-dasharray": "5 4", "stroke-width": 1.5 }),
    svg("svg", { ...seen, viewBox: Object.values(seen).join(" ") }, lines.map(drawLine)),
    ring && svg("circle", { class: "ring", cx: x(ring[0]), cy: y(ring[1]), r: 5.5 }),
    xTicks.map((value) => svg("text", { x: x(value), y: height - 22, "text-anchor": value > 99 ? "end" : "middle", "font-size": 11 }, `${Math.round(value)}`)),
    svg("text", { x: left + wide / 2, y: height - 6, "text-anchor": "middle", "font-size": 11 }, xName),
    svg("text", { class: "strong", x: left, y: 14, "font-size": 12 }, yName));
}

// About four round numbers from the lowest to the highest.
function roundTicks(highest, lowest = 0) {
  const raw = (highest - lowest) / 4 || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find((factor) => factor * size >= raw);
  const first = Math.ceil(lowest / step);
  return range(Math.floor(highest / step) - first + 1).map((k) => (first + k) * step);
}
const epochTicks = (count) => {
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => count / each <= 12) ?? 500;
  return range(Math.floor(count / step)).map((k) => (k + 1) * step);
};

// The loss floor, where a theory applies, is the least loss of a reader who knows the groups alone.
const lossesOf = (run) => [...run.losses, ...heldOut(run, 1).map(([, loss]) => loss), run.floor].filter((loss) => loss != null);
const floorNote = (run) => (run.floor == null ? "" : `dashed: the loss floor ${shown(run.floor, 4)}`);
const heldOut = (run, scale) => run.epochs.map(([, , , loss], k) => [(k + 1) * scale, loss]).filter(([, loss]) => loss != null);

// The loss of every step; `highest` is the scale that several charts share.
function stepChart(run, highest) {
  const lines = [{ points: run.losses.map((loss, k) => [run.width * (k + 0.5), loss]), look: "trained" }, { points: heldOut(run, run.config.batches), look: "held-out", dots: true }];
  const most = highest ?? Math.max(...lossesOf(run), 1e-6);
  return chart({ lines, highest: most, lastX: run.width * run.losses.length, xName: "step", yName: "loss", ticks: roundTicks(most), level: run.floor, label: lossLabel(run) });
}

// The loss of every epoch over that of the steps: training loss as a mean over the epoch, held-out loss at its end. The
// scale is that of the losses after the first epoch, which starts far above the others.
function epochChart(run) {
  const means = run.epochs.map(([loss], k) => [k + 0.5, loss]);
  const held = heldOut(run, 1);
  const steps = run.losses.map((loss, k) => [(run.width * (k + 0.5)) / run.config.batches, loss]);
  const found = [...(means.length > 1 ? means.slice(1) : steps), ...held].map(([, loss]) => loss).concat(run.floor).filter((loss) => loss != null);
  const [least, most] = [Math.min(...found), Math.max(...found, 1e-6)];
  const room = 0.08 * (most - least || most);
  const [lowest, highest] = [Math.max(0, least - room), most + room];
  const lines = [run.width < run.config.batches && { points: steps, look: "steps" }, { points: means, look: "trained", dots: true }, { points: held, look: "held-out", dots: true }];
  return chart({ lines: lines.filter(Boolean), lowest, highest, lastX: run.epochs.length, xName: "epoch", yName: "loss", ticks: roundTicks(highest, lowest), level: run.floor,
    xTicks: epochTicks(run.epochs.length), stroke: run.best_epoch, ring: held.find(([epoch]) => epoch === run.loss_epoch), label: lossLabel(run) });
}

function lossLabel(run) {
  const held = heldOut(run, 1).map(([, loss]) => shown(loss, 3));
  const floor = run.floor == null ? "" : `; the floor is ${shown(run.floor, 4)}`;
  return `Training loss of ${runName(run)}, from ${shown(run.losses[0], 2)} to ${shown(run.losses.at(-1), 3)}${held.length ? `; held-out loss by epoch: ${held.join(", ")}` : ""}${floor}`;
}

const sign = (look, text) => el("span", { class: "key" }, el("span", { class: look }), text);
const lossNote = (run) => [sign("stroke trained", "training loss"), run.loss_epoch ? sign("stroke held-out", "held-out loss") : el("span", { class: "key" }, "held-out loss not recorded"),
  run.loss_epoch && sign("ringed", `lowest: epoch ${run.loss_epoch}`), sign("dotted", `best on 512: epoch ${run.best_epoch}`), floorNote(run)];

function accuracyChart(run, ceiling) {
  const points = run.epochs.map(([, accuracy], k) => [k + 1, accuracy]);
  return chart({ lines: [{ points, look: "trained", dots: true }], highest: 1, lastX: run.epochs.length, xName: "epoch", yName: "accuracy on 512 validation numbers", ticks: [0, 0.25, 0.5, 0.75, 1], level: ceiling,
    xTicks: epochTicks(run.epochs.length), ring: points[run.best_epoch - 1], label: `Validation accuracy of ${runName(run)}: ${points.map(([, accuracy]) => shown(accuracy, 3)).join(", ")}` });
}
const accuracyNote = (run, ceiling) => [sign("ringed", `best: epoch ${run.best_epoch}`), ceiling == null ? "" : `dashed: the ceiling ${shown(ceiling, 4)}`];

// The kernel study: the loss of runs that differ in the kernel, side by side on one scale, in the tabs that have the runs.
function drawLosses() {
  const here = new Set(currentTables().flatMap(cellsOf).flatMap((cell) => cell.run_ids));
  show("losses", runs.losses.filter((study) => study.runs.some((id) => here.has(id))).map((study) => {
    const members = study.runs.map((id) => runs.runs[id]);
    const highest = Math.max(...members.flatMap(lossesOf));
    return [el("h3", {}, "Loss by kernel"), el("p", { class: "muted" }, [plain(study.title), floorNote(members[0])].filter(Boolean).join(" · "), members.some((run) => run.loss_epoch) && [" · ", sign("stroke trained", "training"), sign("stroke held-out", "held-out")]), el("div", { class: "multiples" }, members.map((run, k) =>
      el("figure", {}, stepChart(run, highest), el("figcaption", {}, `(${String.fromCharCode(97 + k)}) k = ${run.config.kernel.join(",")}`))))];
  }));
}
if (runs) whenever(["set"], drawLosses);
