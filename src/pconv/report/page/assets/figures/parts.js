// The four parts of a verdict: whether each holds, its value, and its tolerance.
const HOLDS = { yes: ["✓", "confirmed"], no: ["✗", "refuted"], open: ["○", "undecided"] };
const partsOf = (run) => run.verdicts.signature?.[2] ?? null;

function partRows(parts) {
  const { separated, attained, nothing_beyond: beyond, loss, tolerance } = parts;
  const [, worst, rate, , most] = separated;
  const [, accuracy, ceiling, low, high] = attained;
  const bound = parts.complete ? "" : `, at most ${percent(most)}`;
  const between = parts.complete ? "" : ` (${shown(low, 4)} to ${shown(high, 4)})`;
  const [, found, floor, room, least, largest] = loss;
  const bounds = least === largest ? "" : ` (${shown(least, 4)} to ${shown(largest, 4)})`;
  const held = found == null ? "held-out loss not recorded" : `held-out ${shown(found, 4)}${bounds}`;
  const training = parts.training == null ? "" : `, training ${shown(parts.training, 4)}`;
  return [
    ["separated", separated[0], `class ${worst}, the worst: ${percent(rate)} of its answers leave the group${bound}`, `${percent(tolerance)} of each class`],
    ["attained", attained[0], `accuracy ${shown(accuracy, 4)}${between}, ceiling ${shown(ceiling, 4)}`, `ceiling ± ${tolerance}`],
    ["nothing beyond", beyond[0], knownBeyond(parts), `${percent(tolerance)} known`],
    ["loss at the floor", loss[0], `${held}${training}, floor ${shown(floor, 4)}`, `floor ± ${shown(room, 3)} nats`],
  ];
}

function knownBeyond({ nothing_beyond: [, , low, high], strongest }) {
  if (!strongest) return `${percent(low)} to ${percent(high)} of the answers known beyond the groups`;
  const [classes, correct, expected, effect, least] = strongest;
  return `in {${classes.slice(0, 8).join(", ")}${classes.length > 8 ? ", …" : ""}} ${whole(correct)} correct where chance gives ${whole(Math.round(expected))}, effect ${shown(effect, 3)}, at least ${shown(least, 3)}`;
}

function partsTable(parts) {
  if (!parts) return null;
  const rows = partRows(parts).map(([name, holds, figure, limit]) => el("tr", {}, el("th", { scope: "row" }, name),
    el("td", {}, el("span", { class: "word", style: `--verdict:var(--${HOLDS[holds]?.[1]})` }, `${HOLDS[holds]?.[0] ?? ""} ${holds}`)),
    el("td", {}, figure), el("td", { class: "limit" }, limit)));
  const numbers = `${whole(parts.size)} numbers asked, ${parts.complete ? "all unseen ones" : "a sample: ranges and “at most” are confidence bounds"}`;
  return el("table", { class: "parts" }, el("caption", {}, numbers),
    el("thead", {}, el("tr", {}, ["part", "holds", "figure", "allowed"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows));
}
