// The prime factors of n..n+B by trial division: one division by each candidate serves all rows.
function factorWindow(n, B) {
  const start = BigInt(n);
  const rows = range(B + 1).map((offset) => ({ value: start + BigInt(offset), rest: start + BigInt(offset), factors: new Map() }));
  let end = root(rows);
  const first = Number(n);
  const divide = (p) => {
    let remainder = first - Math.floor(first / p) * p; // faster than %; -1 where the quotient was rounded up
    if (remainder < 0) remainder += p;
    const step = remainder ? p - remainder : 0;
    if (step > B) return;
    const prime = BigInt(p);
    for (let offset = step; offset <= B; offset += p) {
      const row = rows[offset];
      while (row.rest > 1n && row.rest % prime === 0n) {
        row.rest /= prime;
        row.factors.set(p, (row.factors.get(p) ?? 0) + 1);
      }
    }
    end = root(rows);
  };
  divide(2);
  divide(3);
  for (let p = 5; p <= end; p += 6) {
    divide(p);
    divide(p + 2);
  }
  for (const row of rows) if (row.rest > 1n) row.factors.set(row.rest, 1); // what is left is a prime
  return rows;
}

const root = (rows) => Math.ceil(Math.sqrt(Number(rows.reduce((most, row) => (row.rest > most ? row.rest : most), 1n))));
