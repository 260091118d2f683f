// Explanations as sentences, the same as those of `pconv explain`; a test compares the two.
const SHOWN = 6;
const rowName = (offset) => (offset ? `n+${offset}` : "n");
const windowName = (B) => (B > 1 ? `n..n+${B}` : range(B + 1).map(rowName).join(", "));

// The law of signatures for m and B.
const law = (m, B) =>
  `Two classes c and c' modulo ${m} are mixed iff gcd(c+o, ${m}) = gcd(c'+o, ${m}) for every row n+o of ${windowName(B)}.`;

function valuation(number, p, cap) {
  let exponent = 0;
  let rest = BigInt(number);
  const prime = BigInt(p);
  while (exponent < cap && rest % prime === 0n) {
    rest /= prime;
    exponent += 1;
  }
  return exponent;
}

// What the window reveals at p^a: the highest power that divides a row, those rows, and the classes that remain.
function sight(number, B, p, a) {
  const q = p ** a;
  const c = Number(BigInt(number) % BigInt(q));
  const exponents = range(B + 1).map((offset) => valuation(c + offset, p, a));
  const depth = Math.max(...exponents);
  const rows = depth ? range(B + 1).filter((offset) => exponents[offset] === depth) : [];
  return { p, q, c, depth, known: p ** depth, rows, full: depth === a, alike: alike(labels(q, B), c) };
}

function choices(classes) {
  if (classes.length > SHOWN) return `${classes.slice(0, SHOWN).join(", ")}, ... (${classes.length} classes)`;
  if (classes.length === 1) return `${classes[0]}`;
  return `${classes.slice(0, -1).join(", ")} or ${classes.at(-1)}`;
}

function multiples(rows) {
  const names = rows.map(rowName);
  if (names.length === 1) return `row ${names[0]} is a multiple`;
  if (names.length <= 4) return `rows ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are multiples`;
  return `rows ${names.slice(0, 3).join(", ")}, ... (${names.length} rows) are multiples`;
}

function whyComponent(seen, B) {
  const { p, q, c, depth, known } = seen;
  let shown = `no multiple of ${p} is among ${windowName(B)}`;
  if (seen.full) shown = `${multiples(seen.rows)} of ${q}`;
  else if (depth) shown = `${multiples(seen.rows)} of ${known} but not of ${known * p}`;
  if (seen.alike.length === 1) return `Modulo ${q} ${shown} only when n is ${c} modulo ${q}, so class ${c} is identified.`;
  const these = seen.alike.length === 2 ? "the two" : `these ${seen.alike.length} classes`;
  return `Modulo ${q} ${shown} when n is ${choices(seen.alike)} modulo ${q}, so ${these} look alike.`;
}

function whyClass(m, B, c) {
  const seen = data.factors[m].map(([p, a]) => sight(c, B, p, a));
  const open = alike(labels(m, B), c).length;
  const verdict = open === 1 ? "is identified" : `is not identified: ${open} classes look alike, this one included`;
  return [...seen.map((part) => whyComponent(part, B)), `So class ${c} modulo ${m} ${verdict}.`];
}

// What that means for the label of a class; nothing if the class itself is asked for.
function whyLabel(m, B, c) {
  if (!isLabelled()) return [];
  const groups = labels(m, B);
  if (!isOpen(groups, c)) return [`So the label is determined: ${labelWord(m, c)}.`];
  return [`The classes that look alike have both labels (${byLabel(m, alike(groups, c))}), so the label is not determined.`];
}

// The classes of a group by their labels: "square: 1; no square: 2".
function byLabel(m, group) {
  const words = [...new Set(group.map((c) => labelWord(m, c)))];
  return words.map((word) => {
    const classes = group.filter((c) => labelWord(m, c) === word);
    return `${word}: ${classes.slice(0, SHOWN).join(", ")}${classes.length > SHOWN ? `, ... (${classes.length} classes)` : ""}`;
  }).join("; ");
}

function whyNumber(m, B, n) {
  const sentences = data.factors[m].map(([p, a]) => {
    const seen = sight(n, B, p, a);
    let found = `At the prime ${p} no row is a multiple of ${p}`;
    if (seen.depth) found = `At the prime ${p} ${multiples(seen.rows)} of ${seen.known}`;
    if (seen.depth && !seen.full) found += ` but not of ${seen.known * p}`;
    const rest = seen.alike.length === 1 ? "" : "; which of them remains open";
    return `${found}: n is ${choices(seen.alike)} modulo ${seen.q}${rest}.`;
  });
  const c = Number(BigInt(n) % BigInt(m));
  const open = alike(labels(m, B), c).length;
  sentences.push(open === 1
    ? `So the window tells that n is ${c} modulo ${m}.`
    : `In truth n is ${c} modulo ${m}; ${open} classes remain open, and a reader of these columns guesses among them.`);
  return sentences;
}
