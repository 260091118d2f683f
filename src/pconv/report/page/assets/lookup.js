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
// The best accuracy and the least cross-entropy (in nats) of a reader who knows the groups alone, on the numbers below 10^6.
const exactCeiling = (m, B, i = 0) => (answer(m, B, i) === "" ? 1 : answer(m, B, i)?.[1]);
const lossFloor = (m, B, i = 0) => (answer(m, B, i) === "" ? 0 : answer(m, B, i)?.[2]);
const kinds = (m, B) => Array.from(data.answers[m][B][0], (letter) => KINDS[letter]);
const groupCount = (groups) => new Set(groups).size;
const alike = (groups, c) => range(groups.length).filter((other) => groups[other] === groups[c]);
const isMixed = (groups, c) => groups.some((label, other) => label === groups[c] && other !== c);

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
