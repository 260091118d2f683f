// The state of the view, kept in the URL's fragment, so that a link leads to the same view.
const DEFAULTS = {
  m: "11", B: "8", c: "", n: "123456", t: "signature", task: "residue", guess: "", theme: "", set: "", sort: "", run: "", at: "", shares: "",
  p: "", net: "", x: "123456", edit: "", ep: "", layer: "", why: "", heat: "", donor: "3", // of the live section
};
const state = { ...DEFAULTS };
const listeners = [];

function readFragment() {
  if (location.hash && !location.hash.includes("=")) return false; // a link inside the page
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(DEFAULTS)) state[name] = given.get(name) ?? DEFAULTS[name];
  return true;
}

function change(values) {
  Object.assign(state, values);
  const changed = Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name]);
  const fragment = changed.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  history.replaceState(null, "", `#${fragment}`);
  draw(Object.keys(values));
}

// Calls the listener whenever one of the named parts of the state changes.
const whenever = (names, listener) => listeners.push([names, listener]);
function draw(changed) {
  for (const [names, listener] of listeners) {
    if (names.some((name) => changed.includes(name))) listener();
  }
}
addEventListener("hashchange", () => { if (readFragment()) draw(Object.keys(DEFAULTS)); });
