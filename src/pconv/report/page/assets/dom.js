// Elements. Text is only ever set as text, so nothing that a store holds can become markup.
const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(9).filter((child) => child != null && child !== false));
  return element;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function show(id, ...children) {
  byId(id).replaceChildren(...children.flat(9).filter((child) => child != null && child !== false));
}

const tip = byId("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = !text;
  const right = event.clientX + 14 + tip.offsetWidth > innerWidth;
  tip.style.left = `${right ? event.clientX - 14 - tip.offsetWidth : event.clientX + 14}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4)}px`;
}
const hideTip = () => { tip.hidden = true; };
addEventListener("scroll", hideTip, { passive: true });

const range = (count) => Array.from({ length: count }, (_, i) => i);
const square = (x, y, size) => `M${x} ${y}h${size}v${size}h${-size}z`;
const key = (kind, text) =>
  el("span", { class: "key" }, el("span", { class: "swatch", style: `background:var(--${kind})` }), text);

// A section at the end of the explorer, with a button in the navigation.
function addSection(id, label, title, ...children) {
  byId("explorer").append(el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), children));
  const nav = document.querySelector("nav");
  nav.insertBefore(el("button", { type: "button", "data-part": id }, label), nav.querySelector("[data-part=results]"));
}
