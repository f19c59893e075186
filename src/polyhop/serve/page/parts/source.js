// The panel beside a view that shows a document at the sentence that was quoted from it.

import { quoted } from "./api.js";
import { button, fill, h, refocused, said } from "./dom.js";
import { cut, lengthOf, nameOf } from "./text.js";

const CODE = "text/x-source"; // shown as it is laid out
const COVERS = "(max-width: 1100px)"; // as in source.css: there the panel lies over the view
const AROUND = 2500; // characters shown before and after a span at first, and more at each wish

export class Source {
  constructor(root, api) {
    this.root = root;
    this.api = api;
    this.opener = null; // where the focus goes back to
    this.current = 0; // counts openings: an answer that comes too late is dropped
    this.covers = matchMedia(COVERS);
    this.covers.addEventListener("change", () => this.#coverUp());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.close();
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.covers.matches && !root.contains(event.target)) this.close();
    });
  }

  /** What the panel lies over cannot be reached as long as it does: no control has the focus that nobody sees. */
  #coverUp() {
    const on = this.covers.matches && !this.root.hidden;
    const others = [document.querySelector(".skip"), ...this.root.parentNode.children].filter((one) => one !== this.root);
    for (const one of others) one.inert = on;
  }

  /** Show the stretch [start, end) of a document in its surroundings. */
  async open({ document_id: id, start = 0, end = 0 }) {
    const turn = ++this.current;
    if (!this.root.contains(document.activeElement)) this.#openedBy(document.activeElement);
    this.#forget();
    this.root.hidden = false;
    this.title = said("h2", "Source");
    this.detail = said("p", "\u00a0", { class: "muted small" });
    this.body = h("div", {}, h("p", { class: "muted source-wait" }, "Opening the document…"));
    const closing = button("", () => this.close(), { icon: "close", name: "Close the source", class: "quiet" });
    fill(this.root, h("header", { class: "source-head" }, h("div", { class: "grow" }, this.title, this.detail), closing), this.body);
    closing.focus({ preventScroll: true });
    this.#coverUp();
    try {
      const from = Math.max(0, start - AROUND);
      const found = await this.#read(id, from, end + AROUND, start);
      if (turn === this.current) this.#draw({ ...found, from, start, end });
    } catch (error) {
      if (turn !== this.current) return;
      this.title.textContent = "This document cannot be shown";
      fill(this.body, said("p", error.message, { class: "notice bad" }));
    }
  }

  close() {
    if (this.root.hidden) return;
    this.current += 1;
    this.#forget();
    this.root.hidden = true;
    this.#coverUp();
    this.root.replaceChildren();
    const back = this.opener?.isConnected ? this.opener : document.getElementById("main");
    if (document.activeElement === document.body) back.focus({ preventScroll: true });
    this.#openedBy(null);
  }

  /** What opened the panel is marked as long as it is open. */
  #openedBy(control) {
    this.opener?.removeAttribute("data-opened");
    this.opener = control;
    this.opener?.setAttribute("data-opened", "");
  }

  #read(id, start, end, at) {
    return this.api.get(`documents/${quoted(id)}`, { start, end, at });
  }

  #forget() {
    if (this.image) URL.revokeObjectURL(this.image);
    this.image = null;
  }

  #draw(shown) {
    const number = pageOf(shown.pages, shown.start);
    const file = nameOf(shown.source ?? "");
    this.title.textContent = this.title.title = shown.title || file; // on the screen there may be room for its beginning
    this.detail.textContent = [file, shown.where].filter(Boolean).join(", ");
    const text = this.#text(shown);
    if (!number || shown.type !== "application/pdf") {
      fill(this.body, text);
    } else {
      const pages = h("div");
      text.hidden = true;
      const choose = (page) => () => {
        pages.hidden = !page;
        text.hidden = page;
        for (const each of tabs.children) each.setAttribute("aria-pressed", String((each.dataset.kind === "page") === page));
        if (!page) reveal(text);
      };
      const tabs = h(
        "div",
        { class: "choice", role: "group", "aria-label": "Show the document as" },
        button("Page", choose(true), { "aria-pressed": "true", "data-kind": "page" }),
        button("Text", choose(false), { "aria-pressed": "false", "data-kind": "text" }),
      );
      fill(this.body, tabs, pages, text);
      this.#leaf(pages, shown, number).catch(() => choose(false)());
    }
    reveal(text);
  }

  /** The pages of a PDF, one at a time, beginning with one of them; fails where that one cannot be drawn. */
  #leaf(place, shown, first) {
    const last = shown.pages.length;
    const picture = h("div", { class: "source-page" }, h("p", { class: "muted source-wait" }, "Drawing the page…"));
    const words = h("span", { class: "small muted", role: "status" });
    const turnTo = (number) => {
      refocused(() => ((before.disabled = number === 1), (after.disabled = number === last)), () => (number === 1 ? after : before));
      words.textContent = `Page ${number} of ${last}`;
      return this.#picture(picture, shown, number);
    };
    const leaf = (step) => () => turnTo(this.page + step).catch((error) => fill(picture, said("p", error.message, { class: "notice" })));
    const before = button("", leaf(-1), { icon: "before", name: "Previous page", class: "quiet" });
    const after = button("", leaf(1), { icon: "after", name: "Next page", class: "quiet" });
    fill(place, last > 1 && h("div", { class: "row leafing" }, before, words, after), picture);
    return turnTo(first);
  }

  async #picture(place, { id, title, start, end, pages }, number) {
    const turn = this.current;
    this.page = number;
    const highlight = end > start ? `${start}-${end}` : null;
    const address = await this.api.image(`documents/${quoted(id)}/pages/${number}.png`, { highlight });
    if (turn !== this.current || number !== this.page) return URL.revokeObjectURL(address);
    this.#forget();
    this.image = address;
    const marked = highlight && number === pageOf(pages, start) ? ", with the sentence marked" : "";
    const picture = h("img", { src: address, alt: `Page ${number} of ${title}${marked}` });
    await picture.decode();
    fill(place, picture);
  }

  #text(shown) {
    const { text, from, start, end } = shown;
    const to = from + lengthOf(text);
    const marked = h("mark", { tabindex: "-1" }, cut(text, start - from, end - from));
    const body = said("div", "", { class: shown.type === CODE ? "source-text code" : "source-text", tabindex: "0", role: "group", "aria-label": "Text of the document" });
    fill(body, cut(text, 0, start - from), end > start && marked, cut(text, end - from, to - from));
    const more = (words, first, until) => button(words, () => this.#widen(shown, first, until), { class: "quiet more" });
    return h(
      "div",
      { class: "source-body" },
      from > 0 && more("Show what comes before", Math.max(0, from - 2 * AROUND), to),
      body,
      to < shown.length && more("Show what follows", from, to + 2 * AROUND),
    );
  }

  async #widen(shown, from, to) {
    const turn = this.current;
    const found = await this.#read(shown.id, from, to);
    if (turn !== this.current) return;
    const body = this.#text({ ...shown, text: found.text, from });
    this.root.querySelector(".source-body").replaceWith(body);
    body.querySelector(".source-text").focus({ preventScroll: true });
  }
}

/** The page, from 1, that an offset lies on; null for a document without pages. */
function pageOf(pages, offset) {
  if (!pages?.length) return null;
  return Math.max(1, pages.filter(({ start }) => start <= offset).length);
}

function reveal(place) {
  const marked = place.querySelector("mark");
  if (!marked || place.hidden) return;
  const panel = place.closest(".source");
  panel.scrollTop += marked.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientHeight / 3;
}
