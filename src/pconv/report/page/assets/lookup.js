// The predictions of the theories, which pconv.theory computed.
const data = JSON.parse(byId("explorer-data").textContent);
const KINDS = { z: "zero", l: "last", m: "mixed", o: "other", a: "apart", f: "free" };
const MEANINGS = {
  zero: "class 0", last: "identified by another row", mixed: "mixed", other: "identified otherwise",
  apart: "mixed with fewer than in the paper", free: "no theory applies",
};
const within = (text, [low, high], otherwise) => {
  const value = /^\d+$/.test(text) ? Number(text) : otherwise;
  return Math.min(high, Math.max(low, value));
};
const modulus = () => within(state.m, data.moduli, 11);
const successors = () => within(state.B, data.successors, 8);
const theoryNames = data.theories.map((theory) => theory.name);

// The answer of theory number i: null where it does not apply, "" where every class is identified, or [groups, ceiling, loss floor].
function answer(m, B, i = 0) {
  const said = data.answers[m][B][1 + i];
  return said === "=" ? data.answers[m][B][1] : said;
}
// The groups: a label for each class, or null.
function labels(m, B, i = 0) {
  const said = answer(m, B, i);
  if (said === null) return null;
  return said === "" ? range(m) : Array.from(said[0], (letter) => data.alphabet.indexOf(letter));
}
// What is asked: the class itself, or a label that depends on it, for which the words are given.
const TASKS = { residue: null, divisibility: ["not divisible", "divisible"], quadratic: ["no square", "square"] };
const task = () => (Object.hasOwn(TASKS, state.task) ? state.task : "residue");
const isLabelled = () => TASKS[task()] !== null;
const labelOf = (m, c) => (isLabelled() ? Number(data.labels[task()][m][c]) : c);
const labelWord = (m, c) => TASKS[task()][labelOf(m, c)];
// The best accuracy and the least cross-entropy (in nats) of a reader who knows the groups alone, on the numbers below 10^6.
const boundsFound = (m, B, i = 0) => (isLabelled() ? data.bounds[task()][m][B][i] : answer(m, B, i));
const bounds = (m, B, i = 0) => (boundsFound(m, B, i) === "" ? [1, 0] : boundsFound(m, B, i)?.slice(-2));
const isSolved = (m, B) => boundsFound(m, B) === "";
// The classes out of m that are answered correctly if each group is answered with its most frequent label.
function correctClasses(m, groups) {
  const most = (classes) => Math.max(...classes.map((c) => classes.filter((other) => labelOf(m, other) === labelOf(m, c)).length));
  return groupsOf(groups).reduce((total, classes) => total + most(classes), 0);
}
const kinds = (m, B) => Array.from(data.answers[m][B][0], (letter) => KINDS[letter]);
const groupCount = (groups) => new Set(groups).size;
const alike = (groups, c) => range(groups.length).filter((other) => groups[other] === groups[c]);
// Whether a class looks like one with another label: for the task residue, like any other class.
const isOpen = (groups, c) => {
  const m = groups.length;
  return groups.some((group, other) => group === groups[c] && labelOf(m, other) !== labelOf(m, c));
};

function groupsOf(groups) {
  const found = new Map();
  groups.forEach((label, c) => found.set(label, [...(found.get(label) ?? []), c]));
  return [...found.values()];
}

// The classes that two theories put into different groups.
function disputed(m, first, second) {
  if (!first || !second) return [];
  return range(m).filter((c) => alike(first, c).join() !== alike(second, c).join());
}
const paperDiffers = (m, B) => {
  const i = theoryNames.indexOf("paper");
  const said = i < 0 ? "=" : data.answers[m][B][1 + i];
  return said !== "=" && said !== null && said !== data.answers[m][B][1];
};

function fraction(numerator, denominator) {
  let [a, b] = [numerator, denominator];
  while (b) [a, b] = [b, a % b];
  return `${numerator / a}/${denominator / a}`;
}
