// The runs of a store, where the page has some.
const runs = JSON.parse(byId("runs-data").textContent);
const shown = (value, digits) => (value == null ? "–" : value.toFixed(digits));
const taskOf = (run) => (run.config.task === "residue" ? "" : `${run.config.task}, `);
const runName = (run) => `${taskOf(run)}m = ${run.m}, ${run.window}, k = ${run.config.kernel.join(",")}`;
const statusOf = (run) => run.verdicts.signature?.[0] ?? "unjudged";

// Dots on the map, at the windows that it shows.
function runMarks(x, y, cell) {
  return Object.values(runs?.runs ?? {}).map((run) => {
    const B = run.config.offsets.length - 1;
    const there = !taskOf(run) && run.m <= data.moduli[1] && B <= data.successors[1] && run.config.offsets.every((offset, i) => offset === i);
    return there && svg("circle", {
      cx: x(run.m) + cell / 2, cy: y(B) + cell / 2, r: cell / 3.4, style: `fill:var(--${statusOf(run)})`, stroke: "var(--ink)",
    });
  });
}
