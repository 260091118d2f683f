// The controls of the live section.
function drawAsked() {
  const network = problem()[0];
  if (document.activeElement !== byId("x")) byId("x").value = state.x;
  const good = wholeNumber(state.x, network) !== null;
  byId("x").setAttribute("aria-invalid", `${!good}`);
  byId("x-error").textContent = good ? "" : `${state.x || "nothing"}: give a whole number whose window is from 1 to 2^63 − 1`;
  show("live-problem", problems.length > 1 && el("p", {}, el("label", { for: "p" }, "Problem "), el("select", { id: "p", onchange: (event) => {
    change({ p: event.target.value, net: "", edit: "", ep: "" });
    byId("p").focus();
  } }, problems.map(([first], k) => el("option", { value: k, selected: problem()[0] === first }, problemName(first))))));
  show("live-what", `n modulo ${network.m} from ${network.offsets.length} rows and ${network.primes.length} primes`);
}

function step(by) {
  const network = problem()[0];
  const n = wholeNumber(state.x, network);
  if (n === null || wholeNumber(`${n + by}`, network) === null) return;
  change({ x: `${n + by}`, edit: "" });
  countScore();
}
byId("x").addEventListener("input", (event) => change({ x: event.target.value.trim(), edit: "" }));
byId("x").addEventListener("change", countScore);
byId("x-less").addEventListener("click", () => step(-1n));
byId("x-more").addEventListener("click", () => step(1n));
byId("x-any").addEventListener("click", () => {
  change({ x: `${1 + Math.floor(Math.random() * 999999)}`, edit: "" });
  countScore();
});
whenever(["p", "x"], drawAsked);
