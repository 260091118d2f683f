// What other commands found: certificates, discovered laws, predicted paces and boards. Each part is shown when its document is there.
const documents = JSON.parse(byId("documents-data").textContent);
const documentTable = (heads, rows) => el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, name)))),
  el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell, k) => (k ? el("td", {}, cell) : el("th", { scope: "row" }, cell))))))));
// Bounds are rounded outwards, so that they stay bounds.
const outwards = (low, high) => `${(Math.floor(low * 1e6) / 1e6).toFixed(6)} to ${(Math.ceil(high * 1e6) / 1e6).toFixed(6)}`;

const DOCUMENTS = {
  certificates: ["Certificates", (found) => [el("p", {}, "Between which bounds the density of right answers among all positive integers is."),
    documentTable(["network", "right answers", "holds", "ceiling", "grids", "wrong", "undecided"], found.map((each) => [each.network, outwards(each.low, each.high),
      each.proved ? "proved" : `with ${percent(each.confidence)} confidence`, shown(each.ceiling, 6), whole(each.grids), whole(each.wrong_grids), whole(each.unsure_grids)]))]],
  laws: ["Discovered laws", (found) => found.map(({ runs: count, found: best, laws }) => [
    el("p", {}, best ? ["Classes are mixed iff all values of ", el("code", {}, best), ` agree: found from the answers of ${whole(count)} runs alone.`] : `No law was found in ${whole(count)} runs.`),
    documentTable(["formula", "symbols", "runs explained"], laws.map((law) => [el("code", {}, law.formula), `${law.size}`, `${whole(law.explained)} of ${whole(law.of)}`]))])],
  pace: ["Pace", (found) => [el("p", {}, "After how many epochs the loss is predicted to be at the theory's floor."),
    documentTable(["run", "epochs", "interval"], found.map((each) => [each.network, shown(each.epochs, 1), `${shown(each.low, 1)} to ${shown(each.high, 1)} (${percent(each.level)})`]))]],
  board: ["Explanation methods", (found) => found.map(({ level, networks: count, methods }) => [
    el("p", {}, `How well attribution methods find the cells that decide the answers of ${whole(count)} networks. The score is 0 for a method that ignores the network; cheats are marked.`),
    documentTable(["method", "score", `interval (${percent(level)})`, "pointing", "mass", "rank"], methods.map((each) => [`${each.name}${each.cheat ? " (cheat)" : ""}`, shown(each.score, 3),
      each.low === null ? "" : `${shown(each.low, 3)} to ${shown(each.high, 3)}`, shown(each.pointing, 2), shown(each.mass, 2), shown(each.rank, 2)]))])],
};

if (documents) {
  show("documents-parts", Object.entries(DOCUMENTS).filter(([kind]) => documents[kind]).map(([kind, [title, draw]]) => el("div", { id: `documents-${kind}` }, el("h3", {}, title), draw(documents[kind]))));
}
