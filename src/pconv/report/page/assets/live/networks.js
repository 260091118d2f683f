// The embedded networks, the number they are asked for, and its grid with what the reader has changed.
const live = JSON.parse(byId("live-data").textContent);
const GREATEST = 2n ** 63n - 1n;
const MOST_EXPONENT = 62; // of a number below 2^63

// Networks of one problem read the same grid and are shown side by side.
const problems = [...live.networks.reduce((found, network) => {
  const name = problemName(network);
  return found.set(name, [...(found.get(name) ?? []), network]);
}, new Map()).values()];
function problemName({ m, window, primes, config }) {
  return `${config.task === "residue" ? "" : `${config.task}, `}m = ${m}, ${window}, ${primes.length} primes`;
}
const problem = () => problems[within(state.p, [0, problems.length - 1], 0)];

// The network whose layers, epochs and errors are shown.
const chosenNetwork = () => problem()[within(state.net, [0, problem().length - 1], 0)];
const epochIndex = (network) => {
  const found = network.epochs.findIndex(({ epoch }) => `${epoch}` === state.ep);
  return found < 0 || network.epochs.length === 1 ? network.chosen : found;
};

const decoded = new Map();
function layersOf(network, index = epochIndex(network)) {
  const { weights, form } = network.epochs[index];
  const name = `${live.networks.indexOf(network)} ${index}`;
  if (!decoded.has(name)) decoded.set(name, networkLayers(network, live.weights[weights], form));
  return decoded.get(name);
}

// The number as a BigInt, or null.
function wholeNumber(text, { offsets }) {
  const digits = text.replace(/[\s,_']/g, "");
  if (!/^\d{1,20}$/.test(digits)) return null;
  const n = BigInt(digits);
  return n >= 1n && n + BigInt(offsets[0]) >= 1n && n + BigInt(offsets.at(-1)) <= GREATEST ? n : null;
}

// What the reader has changed: exponents by place, as in `row.column.exponent_..` of the address.
function readEdits({ offsets, primes }) {
  const edits = new Map();
  for (const part of state.edit.split("_")) {
    const [, row, column, exponent] = /^(\d{1,4})\.(\d{1,4})\.(\d{1,2})$/.exec(part) ?? [];
    if (row < offsets.length && column < primes.length && exponent <= MOST_EXPONENT) edits.set(row * primes.length + +column, +exponent);
  }
  return edits;
}
const editText = ({ primes }, edits) => [...edits].map(([at, exponent]) => `${Math.floor(at / primes.length)}.${at % primes.length}.${exponent}`).join("_");

// The number, its own grid, and the grid that the networks see; null where there is no number.
function asked() {
  const network = problem()[0];
  const n = wholeNumber(state.x, network);
  if (n === null) return null;
  const own = gridOf(network, n);
  const edits = readEdits(network);
  const grid = own.map((exponent, at) => edits.get(at) ?? exponent);
  const touched = grid.some((exponent, at) => exponent !== own[at]);
  return { n, own, grid, touched, classes: classesOf(network, grid), impossible: touched ? impossiblePrimes(network, grid) : [] };
}

// A network's answer to a grid.
function ask(network, grid, index = epochIndex(network)) {
  const stages = forward(network, layersOf(network, index), grid);
  const logits = stages.at(-1).values;
  const order = range(logits.length).sort((a, b) => logits[b] - logits[a] || a - b);
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - logits[order[0]]), 0);
  return { stages, logits, answer: order[0], rival: order[1] ?? order[0], order, share: 1 / total };
}

// The labels that the theory allows: those of the classes that look like the grid.
const allowedLabels = (network, classes) => [...new Set(classes.map((c) => network.answers[c]))].sort((a, b) => a - b);
const labelSet = (values) => (values.length === 1 ? `${values[0]}` : `{${values.slice(0, 12).join(", ")}${values.length > 12 ? ", …" : ""}}`);
const trueLabel = (network, n) => network.answers[Number(n % BigInt(network.m))];
