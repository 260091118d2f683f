// The embedded runs; null if the page has none.
const runs = JSON.parse(byId("runs-data").textContent);
const shown = (value, digits) => (value == null ? "–" : value.toFixed(digits));
const whole = (count) => count.toLocaleString("en");
// The accuracy on all unseen numbers; if there is no census, that on the test numbers with a ~.
const unseen = (census, test) => (census == null ? `~${shown(test, 4)}` : shown(census, 4));
const PLAIN = { architecture: "pconv", representation: "exponents", task: "residue" };
const kindsNamed = (run, names) => names.filter((name) => run.config[name] !== PLAIN[name]).map((name) => `${run.config[name]}, `).join("");
const kernelOf = (run) => (run.config.architecture === PLAIN.architecture ? `, k = ${run.config.kernel.join(",")}` : "");
const runName = (run) => `${kindsNamed(run, Object.keys(PLAIN))}m = ${run.m}, ${run.window}${kernelOf(run)}`;
// Figures at the end of a run's view: functions from the run to elements, or null where there is nothing to show.
const runFigures = [];
const statusOf = (run) => run.verdicts.signature?.[0] ?? "unjudged";

// Dots on the map for the runs that have a place on it.
function runMarks(x, y, cell) {
  return Object.values(runs?.runs ?? {}).map((run) => {
    const B = run.config.offsets.length - 1;
    const there = !kindsNamed(run, ["representation", "task"]) && run.m <= data.moduli[1] && B <= data.successors[1] && run.config.offsets.every((offset, i) => offset === i);
    return there && svg("circle", {
      cx: x(run.m) + cell / 2, cy: y(B) + cell / 2, r: cell / 3.4, style: `fill:var(--${statusOf(run)})`, stroke: "var(--ink)",
    });
  });
}
