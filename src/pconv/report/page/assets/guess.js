// Guess first: the answer stays hidden until the reader has marked which classes will be mixed.
let revealed = null; // the question whose answer has been shown
const question = () => `${modulus()},${successors()},${task()}`;
const hiding = () => state.guess !== "" && revealed !== question();

function drawGuess() {
  byId("guess").checked = state.guess !== "";
  byId("guessing").hidden = !hiding();
  for (const part of document.querySelectorAll(".answer")) part.hidden = hiding();
  byId("guess-result").textContent = "";
  if (!hiding()) return;
  byId("guess-what").textContent = isLabelled() ? "whose label cannot be told" : "that will be mixed with others";
  show("guess-chips", range(modulus()).map((c) => el("button", {
    type: "button", class: "chip", "aria-pressed": "false",
    onclick: (event) => {
      const chip = event.currentTarget;
      chip.setAttribute("aria-pressed", `${chip.getAttribute("aria-pressed") !== "true"}`);
    },
  }, `${c}`)));
}

function reveal() {
  const groups = labels(modulus(), successors());
  const marked = [...byId("guess-chips").children].map((chip) => chip.getAttribute("aria-pressed") === "true");
  const mixed = range(modulus()).filter((c) => isOpen(groups, c));
  const found = mixed.filter((c) => marked[c]);
  const wrong = range(modulus()).filter((c) => marked[c] && !mixed.includes(c));
  const missed = mixed.filter((c) => !marked[c]);
  revealed = question();
  drawGuess();
  const parts = [`${found.length} of ${mixed.length} such classes found`];
  if (missed.length) parts.push(`missed: ${missed.join(", ")}`);
  if (wrong.length) parts.push(`marked by mistake: ${wrong.join(", ")}`);
  byId("guess-result").textContent = missed.length || wrong.length ? `${parts.join("; ")}.` : "Every class right.";
}

whenever(["m", "B", "task", "guess"], drawGuess);
