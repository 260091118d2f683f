// Class by class: how many numbers, how many are correct, and how many answers are outside the class's group.
function classRows(run, { counts, totals }) {
  return counts.map((row, i) => {
    const inside = sum(row.filter((_, j) => run.labels[i] === run.labels[j]));
    return { i, total: totals[i], correct: row[i], inside, outside: totals[i] - inside };
  });
}

const smallShare = (share) => (share > 0 && share < 0.00005 ? "<0.01%" : `${(100 * share).toFixed(2)}%`);

function drawClasses(run, answers) {
  const rows = classRows(run, answers);
  const predicted = !run.kinds.startsWith("f"); // otherwise no theory applies, and there are no groups
  const most = partsOf(run)?.tolerance ?? 0.01;
  const above = rows.filter(({ total, outside }) => outside > most * total);
  const colour = kindsOf(run);
  const head = (name, look = "num") => el("th", { scope: "col", class: look }, name);
  const line = ({ i, total, correct, inside, outside }) => {
    const of = (count) => count / Math.max(1, total);
    const bar = el("span", { class: "bar", "aria-hidden": "true" }, el("i", { class: colour[i], style: `width:${100 * of(correct)}%` }),
      predicted && el("i", { class: `${colour[i]} pale`, style: `width:${100 * of(inside - correct)}%` }), predicted && el("i", { class: "leak", style: `width:${100 * of(outside)}%` }));
    const cell = (text, look = "num") => el("td", { class: look }, text);
    return el("tr", { class: predicted && outside > most * total ? "above" : null }, el("th", { scope: "row", class: "num" }, `${i}`),
      cell(whole(total)), cell(whole(correct)), cell(`${(100 * of(correct)).toFixed(1)}%`),
      predicted && [cell(whole(inside), "num within"), cell(whole(outside)), cell(smallShare(of(outside)))], cell(bar, "bars"));
  };
  const open = byId("classes").querySelector("details")?.open ?? false;
  const limit = predicted ? `, ${above.length ? above.length : "none"} with more than ${percent(most)} of the answers outside the group` : "";
  show("classes", el("details", { open }, el("summary", {}, `Class by class: ${rows.length} classes${limit}`),
    el("div", { class: "scroll tall" }, el("table", { class: "classes" }, el("caption", {}, answers.numbers),
      el("thead", {}, el("tr", {}, ["class", "numbers", "correct", "share"].map((name) => head(name)),
        predicted && [head("inside", "num within"), head("outside"), head("share")], el("td", { class: "bars" }))), el("tbody", {}, rows.map(line))))));
}
