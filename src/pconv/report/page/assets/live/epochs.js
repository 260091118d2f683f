// The training as it goes on: the confusion matrix and this number's answer after each epoch that is embedded.
const epochLabel = (network, index) => {
  const { epoch } = network.epochs[index];
  return epoch === 0 ? "before training" : epoch == null ? "" : `epoch ${epoch}`;
};

function drawEpochs() {
  const [network, found] = [chosenNetwork(), asked()];
  const index = epochIndex(network);
  const { numbers, confusion } = network.epochs[index];
  const answers = answersOf({ ...network, answers: [[numbers, 0, confusion]] });
  const slider = network.epochs.length > 1 && el("div", { class: "class-picker" },
    el("label", { for: "ep" }, "Training ", el("output", { for: "ep" }, epochLabel(network, index))),
    el("input", { type: "range", id: "ep", min: 0, max: network.epochs.length - 1, value: index, "aria-valuetext": epochLabel(network, index), oninput: (event) => {
      change({ ep: `${network.epochs[event.target.value].epoch}` });
      byId("ep").focus();
    } }));
  const line = found && network.epochs.length > 1 && el("p", { id: "by-epoch" }, "This grid: ", network.epochs.map((_, k) => {
    const { answer } = ask(network, found.grid, k);
    return el("span", { class: `chip ${k === index ? "here" : ""}` }, `${epochLabel(network, k)}: `, el("b", {}, `${answer}`));
  }));
  show("live-epochs", el("h3", {}, network.epochs.length > 1 ? `Training: ${networkTitle(network)}` : `Answers: ${networkTitle(network)}`), slider, line && el("div", { class: "chips" }, line),
    el("figure", { class: "matrix" }, confusionPicture(network, answers), el("figcaption", { "aria-live": "polite" }, `${numbers}, accuracy ${shown(answers.correct / answers.size, 4)}. Rows are true classes, columns answers; grey cells are outside the theory's groups.`)));
}
whenever(["p", "net", "ep", "x", "edit", "shares"], drawEpochs);
