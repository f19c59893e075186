// Elements are built here and nowhere else. Text only ever becomes a text node: there is no way to pass markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `properties` are attributes, or listeners under `on`; children are elements, texts, or nothing. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** The same for drawings. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, { on = {}, ...attributes }, children) {
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Words of a document or of a user, whose direction is their own. */
export function said(tag, text, properties = {}) {
  return h(tag, { dir: "auto", ...properties }, text);
}

/** A button with an optional icon; `name` is what it is called where there is no room for words. */
export function button(words, act, { icon: drawn, name, ...properties } = {}) {
  const label = name ? { "aria-label": name, title: name } : {};
  return h("button", { type: "button", on: { click: act }, ...label, ...properties }, drawn && icon(drawn), words);
}

/** A table that scrolls where it is wider than the screen, with the arrow keys too; `name` says what it tells. */
export function scrolling(name, table) {
  return h("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": name }, table);
}

const DRAWN = {
  ask: "M4 5h16v11H10l-4.5 4v-4H4z M8.5 9h7 M8.5 12h4.5",
  documents: "M7 3h7l4 4v14H7z M14 3v4h4 M10 12h5 M10 16h5",
  graph: "M6 17.5 11 8 M13 8l5 7.5 M8.5 18.5h7 M12 4a2 2 0 1 0 .01 0z M5.5 17a2 2 0 1 0 .01 0z M18.5 16a2 2 0 1 0 .01 0z",
  measure: "M4 20h16 M7 20v-6 M12 20V6 M17 20v-9",
  settings: "M4 7h9 M17 7h3 M4 17h3 M11 17h9 M15 5a2 2 0 1 0 .01 0z M9 15a2 2 0 1 0 .01 0z",
  close: "M6 6l12 12 M18 6L6 18",
  before: "M14.5 6l-6 6 6 6",
  after: "M9.5 6l6 6-6 6",
  send: "M12 19V5 M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h11v11H9z M5 15H4V4h11v1",
  link: "M10 13.5a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1 M14 10.5a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  plus: "M12 5v14 M5 12h14",
  trash: "M5 7h14 M10 7V4h4v3 M7 7l1 13h8l1-13 M10.5 11v5.5 M13.5 11v5.5",
  upload: "M12 16V5 M7 9.5 12 4.5l5 5 M4 19.5h16",
  retry: "M5 12a7 7 0 1 0 2.2-5.1 M7 3.5v3.8h3.8",
  trace: "M5 6h14 M8 11h11 M11 16h8 M5 11v0 M5 16h3",
  columns: "M4 5h7v14H4z M13 5h7v14h-7z",
};

/** A drawing beside words; screen readers pass over it. */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: DRAWN[name] }));
}

/** Make a change that may take the control in focus away; the focus then goes to `next()`, or to the view: never to nowhere. */
export function refocused(change, next = () => null) {
  const held = document.activeElement;
  const was = held && held !== document.body;
  change();
  if (!was || (held.isConnected && held.checkVisibility() && !held.disabled)) return;
  (next() ?? document.getElementById("main")).focus({ preventScroll: true });
}

/** Asks before something that cannot be taken back; resolves to whether the user agreed. */
export function confirmed({ title, text, agree }) {
  return new Promise((resolve) => {
    const answered = (yes) => () => box.close(yes ? "yes" : "");
    const box = h(
      "dialog",
      { "aria-labelledby": "dialog-title", on: { close: () => (resolve(box.returnValue === "yes"), box.remove()) } },
      said("h2", title, { id: "dialog-title" }),
      said("p", text),
      h("div", { class: "row" }, button("Keep", answered(false)), button(agree, answered(true), { class: "danger primary" })),
    );
    document.body.append(box);
    box.showModal();
  });
}
