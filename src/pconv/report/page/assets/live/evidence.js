// What the theory reads from a grid, touched or not: the exponents of the primes of m, cut at those of m.
const exponentOf = (number, p) => valuation(number, p, Infinity);

// The grid of a number, row by row.
const gridOf = ({ offsets, primes }, n) => offsets.flatMap((offset) => primes.map((p) => exponentOf(n + BigInt(offset), p)));

const signatureKey = (network, exponent) => network.factors.flatMap(([p, a]) => network.offsets.map((_, row) => Math.min(a, exponent(row, p)))).join();

// From signatures to classes.
function signatures(network) {
  if (!network.signatures) {
    network.signatures = new Map();
    for (const c of range(network.m)) {
      const start = BigInt(c) + BigInt(network.m) * 10n ** 12n; // of the same class, and far from 0, which has no exponents
      const text = signatureKey(network, (row, p) => exponentOf(start + BigInt(network.offsets[row]), p));
      network.signatures.set(text, [...(network.signatures.get(text) ?? []), c]);
    }
  }
  return network.signatures;
}

// The classes with the signature of a grid, or null if no class has it.
function classesOf(network, grid) {
  const column = new Map(network.primes.map((p, j) => [p, j]));
  const text = signatureKey(network, (row, p) => grid[row * network.primes.length + column.get(p)]);
  return signatures(network).get(text) ?? null;
}

// Whether some whole number has these exponents of p in its rows. Let e be the largest, in the row n + o. Then n + o = u p^e, and
// the row n + o' has the exponent of o' - o where that is below e, and e otherwise, unless u + (o' - o) / p^e is a multiple of p.
function columnIsPossible(p, offsets, exponents) {
  const most = Math.max(...exponents);
  if (most === 0) return range(Math.min(p, offsets.length + 1)).some((r) => offsets.every((offset) => (((offset + r) % p) + p) % p !== 0));
  const top = exponents.indexOf(most);
  const forbidden = new Set([0]); // residues of u modulo p
  for (const [row, offset] of offsets.entries()) {
    if (row === top) continue;
    const step = BigInt(Math.abs(offset - offsets[top]));
    const apart = exponentOf(step, p);
    if (exponents[row] !== Math.min(apart, most)) return false;
    if (apart === most) forbidden.add(Number((((-BigInt(offset - offsets[top]) / BigInt(p) ** BigInt(most)) % BigInt(p)) + BigInt(p)) % BigInt(p)));
  }
  return forbidden.size < p;
}

// The primes whose columns no whole number has. By the Chinese remainder theorem a grid without any belongs to some number.
const impossiblePrimes = ({ offsets, primes }, grid) =>
  primes.filter((p, j) => !columnIsPossible(p, offsets, offsets.map((_, row) => grid[row * primes.length + j])));
