// The explorer: sliders, and what is predicted for m and B.
const chosenTheories = () => {
  const named = state.t.split(",").map((name) => theoryNames.indexOf(name)).filter((i) => i >= 0);
  return [...new Set(named)].sort((a, b) => a - b);
};

function drawControls() {
  const [m, B] = [modulus(), successors()];
  for (const [id, [low, high], value] of [["m", data.moduli, m], ["B", data.successors, B], ["c", [0, m - 1], chosenClass()]]) {
    Object.assign(byId(id), { min: low, max: high, value });
    byId(`${id}-out`).textContent = value;
  }
  byId("task").value = task();
  byId("B").setAttribute("aria-valuetext", `${B}, so ${B + 1} row${B ? "s" : ""}`);
  if (document.activeElement !== byId("n")) byId("n").value = state.n;
}

function drawFacts() {
  const [m, B] = [modulus(), successors()];
  const groups = labels(m, B);
  const count = groupCount(groups);
  const correct = correctClasses(m, groups);
  const solved = correct === m;
  const [ceiling, floor] = bounds(m, B);
  show("verdict", el("b", {}, solved ? "Solved. " : "Not solved. "), isLabelled() ? labelVerdict(m, groups)
    : solved ? `All ${m} classes are identified.` : `${count} of ${m} classes can be distinguished.`);
  show("law", law(m, B).split(/(gcd\([^)]*\))/).map((part) => (part.startsWith("gcd") ? el("span", { style: "white-space:nowrap" }, part) : part)));
  const sums = data.factors[m].map(([p, a], k) => {
    const terms = data.sums[m][B][k];
    const name = [`${p}`, a > 1 && el("sup", {}, `${a}`)];
    return el("div", {}, name, `: ${terms.join(" + ")} = ${terms.reduce((x, y) => x + y)} of ${p ** a}`);
  });
  show("facts",
    el("dt", {}, "Ceiling"), el("dd", { id: "ceiling" }, solved ? "1" : `${fraction(correct, m)} = ${(correct / m).toFixed(4)}`),
    el("dt", {}, "Below 10", el("sup", {}, "6")), el("dd", { id: "below" },
      solved ? "ceiling 1, loss floor 0" : `ceiling ${ceiling.toFixed(4)}, loss floor ${floor.toFixed(4)} nats`),
    el("dt", {}, "Rows"), el("dd", {}, `W = ${B + 1}: ${windowName(B)}`),
    el("dt", {}, "Totient sum"), el("dd", {}, sums, el("small", {}, "summands min(W, φ(p", el("sup", {}, "i"), "))")));
  const mixed = groupsOf(groups).filter((group) => group.length > 1);
  const colour = kinds(m, B);
  const chips = mixed.map((group) => {
    const kind = isLabelled() ? (isOpen(groups, group[0]) ? "mixed" : "other") : colour[group[0]];
    return el("span", { class: `chip group ${kind}` }, isLabelled() ? byLabel(m, group) : group.join(", "));
  });
  const alone = m - mixed.flat().length;
  show("groups", chips.length ? el("div", { class: "chips" }, chips) : null,
    el("p", { class: "muted" }, mixed.length ? `${alone} other classes are identified.` : "Every class is identified."));
}

function labelVerdict(m, groups) {
  const open = range(m).filter((c) => isOpen(groups, c)).length;
  return open ? `${open} of ${m} classes look like one with the other label.` : "Classes that look alike have the same label.";
}

function drawReaders() {
  const [m, B] = [modulus(), successors()];
  const { claims, columns, ceilings } = data.readers;
  const reached = ceilings[task()][m][B];
  const rows = Object.entries(claims).map(([name, claim], i) => {
    const [accuracy, loss] = reached ? [reached[0][i], reached[1][i]] : [1, 0];
    return [
      el("tr", {}, el("th", { scope: "row" }, name), [accuracy, loss].map((value) => el("td", { class: "num" }, value.toFixed(4)))),
      el("tr", { class: "claim-row" }, el("td", { class: "claim", colspan: 3 }, claim)),
    ];
  });
  show("readers", el("table", { class: "theories" },
    el("thead", {}, el("tr", {}, el("th", {}, "reader"), ["ceiling", "loss floor"].map((name) => el("th", { class: "num" }, name)))),
    el("tbody", {}, rows)), el("p", { class: "muted" }, el("small", {}, `What each can reach on the numbers below 10`, el("sup", {}, "6"), ` in ${columns} columns, with more of the grid from row to row.`)));
}

function drawTheories() {
  const [m, B] = [modulus(), successors()];
  const chosen = chosenTheories();
  const rows = data.theories.map((theory, i) => {
    const groups = labels(m, B, i);
    const count = groups && groupCount(groups);
    const box = el("input", { type: "checkbox", checked: chosen.includes(i), onchange: (event) => {
      const names = event.target.checked ? [...chosen, i] : chosen.filter((k) => k !== i);
      change({ t: names.map((k) => theoryNames[k]).join(",") });
      document.querySelectorAll("#theories input")[i].focus();
    } });
    return [
      el("tr", {}, el("td", {}, el("label", {}, box, " ", theory.name)),
        groups ? [`${count}`, ...bounds(m, B, i).map((bound) => bound.toFixed(4))].map((text) => el("td", { class: "num" }, text))
          : el("td", { class: "num", colspan: 3 }, "does not apply")),
      el("tr", { class: "claim-row" }, el("td", { class: "claim", colspan: 4 }, theory.claim)),
    ];
  });
  show("theories", el("table", { class: "theories" },
    el("thead", {}, el("tr", {}, el("th", {}, "overlay"), ["groups", "ceiling", "loss floor"].map((name) => el("th", { class: "num" }, name)))),
    el("tbody", {}, rows)), el("p", { class: "muted" }, el("small", {}, "Ceiling and loss floor (in nats) are those of a reader who sees the groups alone, on the numbers below 10", el("sup", {}, "6"), ".")));
}

function drawDispute() {
  const [m, B] = [modulus(), successors()];
  const paper = theoryNames.indexOf("paper");
  const classes = paper < 0 ? [] : disputed(m, labels(m, B), labels(m, B, paper));
  byId("dispute").className = classes.length ? "differs" : "";
  const next = nextDispute(m, B);
  show("dispute",
    classes.length
      ? `Signature and paper disagree on ${classes.length > 12 ? `${classes.length} classes` : `the classes ${classes.join(", ")}`}: an experiment decides. `
      : "Signature and paper agree here. ",
    next && el("button", { type: "button", class: "link", onclick: () => change({ m: `${next[0]}`, B: `${next[1]}`, c: "", t: "signature,paper" }) },
      `Next place where they differ: m = ${next[0]}, B = ${next[1]}`));
}

function nextDispute(m, B) {
  const [low, high] = data.moduli;
  const most = data.successors[1];
  const total = (high - low + 1) * (most + 1);
  for (let step = 1; step < total; step += 1) {
    const at = ((m - low) * (most + 1) + B + step) % total;
    const place = [low + Math.floor(at / (most + 1)), at % (most + 1)];
    if (place[1] >= 2 && paperDiffers(...place)) return place; // the paper speaks of B >= 2
  }
  return null;
}

whenever(["m", "B", "c", "n", "task"], drawControls);
whenever(["m", "B", "task"], drawFacts);
whenever(["m", "B", "t", "task"], drawTheories);
whenever(["m", "B", "task"], drawReaders);
whenever(["m", "B"], drawDispute);
