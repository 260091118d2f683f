// Find a number on which the network errs. The census knows how many there are.
let hints = 0;

function errorKind(network, n) {
  const { answer } = ask(network, gridOf(network, n), network.chosen);
  const classes = classesOf(network, gridOf(network, n));
  if (answer === trueLabel(network, n)) return "right";
  return agrees(network, answer, classes) ? "inside" : "outside";
}

const KIND_WORDS = {
  right: "right.",
  inside: "wrong, inside the group: the theory says that it can only guess here. Can you find one outside?",
  outside: "wrong, outside the group: found one! Here the network errs where the theory says that it could know.",
};

// What is known of a network's errors, and whether there is one to find.
function knownErrors({ census, kind, groups, m }) {
  if (census) {
    const { inside, outside } = census;
    const none = outside.count ? "" : inside.count ? "There is none outside to find. " : "There is no error to find. ";
    return [[`Of ${census.scope}, it answers ${whole(inside.count)} wrongly inside the theory's group and `, el("b", {}, whole(outside.count)), ` outside. `, none], inside.count + outside.count > 0];
  }
  if (kind === "random") return ["No census was taken of it: before training it errs on most numbers. ", true];
  const mixed = new Set(groups).size < m;
  return [`A compiled network never leaves the group of a number, so there is no error outside to find${mixed ? ", only those inside, where classes are mixed. " : " and, as no classes are mixed, none inside. "}`, mixed];
}

function drawChallenge() {
  const [network, n] = [chosenNetwork(), wholeNumber(state.x, problem()[0])];
  const epoch = epochLabel(network, network.chosen); // of the census, whichever the slider is at
  const { census } = network;
  const [known, any] = knownErrors(network);
  const here = n && errorKind(network, n);
  const example = (kind) => census?.[kind].count > 0 && el("button", { type: "button", class: "link", "data-show": kind, onclick: () => {
    const { examples } = census[kind];
    change({ x: `${examples[hints++ % examples.length]}`, edit: "", ep: "" });
    countScore();
    document.querySelector(`[data-show=${kind}]`).focus();
  } }, kind === "inside" ? "Show one inside" : "Show one outside");
  const hint = census?.outside.count > 0 && el("button", { type: "button", class: "link", id: "hint", onclick: () => {
    const number = census.outside.examples[hints++ % census.outside.examples.length];
    const low = Math.floor(number / 100) * 100;
    byId("hint-text").textContent = `Hint: one is between ${whole(low)} and ${whole(low + 99)}, of class ${number % network.m}.`;
  } }, "Hint");
  show("live-challenge", el("h3", {}, `Find an error: ${networkTitle(network)}${epoch && `, ${epoch}`}`), el("p", {}, known, any && "Type numbers above until it errs."),
    here && el("p", { role: "status", id: "challenge-here" }, el("b", {}, `n = ${whole(n)}: `), KIND_WORDS[here]),
    el("p", { class: "links" }, hint, example("outside"), example("inside")), el("p", { id: "hint-text", role: "status" }));
}
whenever(["p", "net", "x"], drawChallenge);
