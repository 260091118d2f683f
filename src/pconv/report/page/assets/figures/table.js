// Rows m, columns B and k, as in the paper's tables: ours on unseen numbers and on 512, the paper's, the ceiling; a click
// opens the run.
const currentTable = () => runs.tables.find((table) => table.setting === state.set) ?? mainTable();
const mainTable = () => runs.tables.reduce((most, table) => (cellCount(table) > cellCount(most) ? table : most));
const cellCount = (table) => table.cells.flat().filter(Boolean).length;
const ours = (cell) => cell?.census_accuracy ?? cell?.test_accuracy ?? -1;
const plain = (text) => text.replaceAll("$", "");

function drawTable() {
  const table = currentTable();
  const options = runs.tables.map((each) => el("option", { value: each.setting, selected: each === table }, each.setting));
  show("settings", runs.tables.length > 1
    ? el("p", {}, el("label", { for: "set" }, "Setting "), el("select", { id: "set", onchange: (event) => change({ set: event.target.value }) }, options))
    : el("p", { class: "muted" }, table.setting));
  const [by, way] = state.sort ? [state.sort.slice(1), state.sort[0]] : ["m", "+"];
  const value = (i) => (by === "m" ? table.moduli[i] : ours(table.cells[i][by]));
  const order = range(table.moduli.length).sort((i, j) => (value(i) - value(j)) * (way === "-" ? -1 : 1) || i - j);
  const heading = (name, id) => {
    const sorted = by === `${id}` ? (way === "-" ? "descending" : "ascending") : null;
    const next = sorted === "ascending" ? `-${id}` : `+${id}`;
    return el("th", { scope: "col", "aria-sort": sorted }, el("button", { type: "button", "data-sort": id, onclick: () => {
      change({ sort: next });
      document.querySelector(`[data-sort="${id}"]`).focus();
    } }, name, sorted ? (way === "-" ? " ↓" : " ↑") : ""));
  };
  const columns = table.columns.map((column, j) => heading(`${plain(column.window)}, k=${column.kernel}`, j));
  const rows = order.map((i) => el("tr", {}, el("th", { scope: "row", class: "num" }, `${table.moduli[i]}`),
    table.cells[i].map((cell, j) => el("td", {}, cell && cellButton(cell, table.moduli[i], table.columns[j])))));
  const cells = table.cells.flat().filter(Boolean);
  const present = runs.statuses.filter((status) => cells.some((cell) => cell.status === status));
  const sampled = cells.some((cell) => cell.census_accuracy == null);
  show("table", el("table", { class: "results" },
    el("caption", {}, el("div", {}, `Accuracy on all unseen numbers${sampled ? " (~ on the test numbers: no census)" : ""}, `, el("small", {}, "best epoch's on 512 / the paper's / the ceiling")), el("div", {}, present.map((status) => key(status, status)))),
    el("thead", {}, el("tr", {}, heading("m", "m"), columns)), el("tbody", {}, rows)));
}

function cellButton(cell, m, column) {
  const open = cell.run_ids.includes(state.run);
  const label = `m = ${m}, ${plain(column.window)}, k = ${column.kernel}: ${cell.census_accuracy == null ? "test" : "census"} ${shown(ours(cell), 4)}, best of 512 ${shown(cell.accuracy, 3)}, paper ${shown(cell.paper, 2)}, ceiling ${shown(cell.ceiling, 3)}, ${cell.status}`;
  return el("button", { type: "button", class: `cell ${open ? "open" : ""}`, style: `--verdict:var(--${cell.status})`, "aria-label": label, onclick: () => {
    openRun(cell.run_ids[0]);
    byId("run").scrollIntoView({ block: "start" });
    byId("run").focus({ preventScroll: true });
  } }, el("b", {}, unseen(cell.census_accuracy, cell.test_accuracy)), el("small", {}, `${shown(cell.accuracy, 3)} / ${shown(cell.paper, 2)} / ${shown(cell.ceiling, 3)}`),
  cell.run_ids.length > 1 && el("small", { class: "seeds" }, cell.run_ids.map((id) => el("i", { style: `background:var(--${statusOf(runs.runs[id])})` }))));
}

if (runs) whenever(["set", "sort", "run"], drawTable);
