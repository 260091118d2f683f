// What the controls change, and the first drawing.
for (const id of ["m", "B"]) {
  byId(id).addEventListener("input", (event) => change({ [id]: event.target.value, c: "" }));
}
byId("task").addEventListener("change", (event) => change({ task: event.target.value, c: "" }));
byId("c").addEventListener("input", (event) => change({ c: event.target.value }));
byId("n").addEventListener("input", (event) => change({ n: event.target.value.trim() }));
byId("guess").addEventListener("change", (event) => {
  revealed = null;
  change({ guess: event.target.checked ? "1" : "" });
});
byId("reveal").addEventListener("click", reveal);
byId("to-live")?.addEventListener("click", () => {
  reveal();
  byId("live").scrollIntoView();
  byId("x").focus({ preventScroll: true });
});
for (const link of document.querySelectorAll("[data-part]")) {
  link.addEventListener("click", () => {
    const part = byId(link.dataset.part);
    part.scrollIntoView();
    part.querySelector("input, button, select")?.focus({ preventScroll: true });
  });
}

const THEMES = ["", "light", "dark"];
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
function drawTheme() {
  const chosen = state.theme || (systemIsDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = chosen;
  byId("theme").querySelector("span").textContent = state.theme || "auto";
  byId("theme").setAttribute("aria-label", `Colours: ${state.theme || "as the system"}`);
}
systemIsDark.addEventListener("change", drawTheme);
byId("theme").addEventListener("click", () => change({ theme: THEMES[(THEMES.indexOf(state.theme) + 1) % THEMES.length] }));

whenever(["theme"], drawTheme);

readFragment();
draw(Object.keys(DEFAULTS));
document.documentElement.dataset.ready = "1";
