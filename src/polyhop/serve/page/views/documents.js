// What the index holds, and what is being added or removed.

import { isEmpty, quoted, ServerError } from "../parts/api.js";
import { button, confirmed, fill, h, refocused, said } from "../parts/dom.js";
import { chosen, dropped, portions } from "../parts/dropped.js";
import { Jobs } from "../parts/jobs.js";
import { counted, nameOf, size } from "../parts/text.js";

const TOO_LARGE = 413; // the status of an error
const UNREAD = [400, 422]; // of those that are about the files of one request alone

export function mount(root, page) {
  return new DocumentsView(root, page);
}

class DocumentsView {
  constructor(root, page) {
    this.root = root;
    this.page = page;
    this.jobs = new Jobs(page, { wanted: (job) => job.kind !== "eval", ended: () => this.#list() });
    this.sending = h("div"); // a panel a drop: several may be sent at once
    this.summary = h("p", {}, "\u00a0");
    this.rows = h("tbody");
    this.more = button("Show more", () => this.#next(), { class: "quiet", hidden: true });
    this.none = h("p", { class: "empty", hidden: true });
    this.table = h(
      "table",
      { class: "listing" },
      h("thead", {}, h("tr", {}, h("th", {}, "Title"), h("th", { class: "where" }, "From"), h("th", { class: "number" }, "Size"), h("th", {}, h("span", { class: "unseen" }, "Actions")))),
      this.rows,
    );
    fill(
      root,
      h("div", { class: "page-head" }, h("h1", { tabindex: "-1" }, "Documents"), this.summary),
      this.#drop(),
      this.sending,
      this.jobs.element,
      h("div", { class: "section" }, this.#search(), this.table, this.none, this.more),
    );
  }

  show() {
    this.jobs.watch();
    this.#list();
  }

  #drop() {
    const pick = (properties) =>
      h("input", { type: "file", multiple: true, class: "unseen", tabindex: "-1", "aria-hidden": "true", ...properties, on: { change: (event) => (this.#send(chosen(event.target.files)), (event.target.value = "")) } });
    const files = pick({ id: "files" });
    const folder = pick({ id: "folder", webkitdirectory: true });
    const zone = h(
      "div",
      { class: "drop" },
      h("p", { class: "drop-words" }, "Drop files or folders here"),
      h("p", { class: "small muted" }, "Text, Markdown, HTML, PDF, Word, OpenDocument, RTF, spreadsheets, slides, books, mail, captions, source code, CSV and JSON Lines. They stay on this server."),
      h("div", { class: "row" }, button("Choose files", () => files.click(), { icon: "upload", class: "primary" }), button("Choose a folder", () => folder.click()), files, folder),
    );
    const over = (on) => (event) => (event.preventDefault(), zone.toggleAttribute("data-over", on));
    this.root.addEventListener("dragover", over(true));
    this.root.addEventListener("dragleave", over(false));
    this.root.addEventListener("drop", async (event) => (over(false)(event), this.#send(await dropped(event.dataTransfer))));
    return zone;
  }

  async #send(files) {
    if (!files.length) return;
    const stop = new AbortController();
    const filled = h("span");
    const words = h("span", { class: "grow" });
    const all = Math.max(1, files.reduce((sum, { file }) => sum + file.size, 0));
    const stopper = button("Stop", () => stop.abort(), { class: "quiet" });
    const panel = h("div", { class: "sending" }, h("div", { class: "row" }, words, stopper), h("span", { class: "bar" }, filled));
    this.sending.append(panel);
    this.page.announce(`Sending ${counted(files.length, "file")}.`);
    let sent = 0;
    const tell = (bytes) => {
      filled.style.width = `${Math.min(100, (bytes / all) * 100)}%`;
      words.textContent = `Sending ${counted(files.length, "file")}: ${size(Math.min(bytes, all))} of ${size(all)}`;
    };
    tell(0);
    const refused = [];
    const waiting = portions(files);
    try {
      for (const portion of waiting) {
        const bytes = portion.reduce((sum, { file }) => sum + file.size, 0);
        const { error } = await this.#given(portion, (share) => tell(sent + share * bytes), stop.signal);
        if (error && error.status !== TOO_LARGE) this.page.complain(error);
        if (error?.status !== TOO_LARGE) sent += bytes;
        else if (portion.length === 1) refused.push({ name: portion[0].name, error });
        else waiting.push(portion.slice(0, portion.length / 2), portion.slice(portion.length / 2)); // not all are too large
        this.jobs.watch();
      }
    } catch (error) {
      this.page.complain(error);
    }
    if (refused.length) this.page.complain(tooLarge(refused));
    refocused(() => panel.remove(), () => this.root.querySelector(".drop button"));
    this.jobs.watch();
  }

  /** Sends files; what the server finds too large it may take in smaller portions, and what it does not read leaves others to be sent. */
  async #given(portion, progress, signal) {
    try {
      this.jobs.expect(await this.page.api.upload(portion, progress, signal));
      return {};
    } catch (error) {
      if (![TOO_LARGE, ...UNREAD].includes(error.status)) throw error;
      return { error };
    }
  }

  #search() {
    this.wanted = h("input", { type: "search", id: "find", dir: "auto", placeholder: "Search titles and names", "aria-label": "Search the documents", on: { input: () => this.#later() } });
    return h("div", { class: "row finder" }, h("h2", { class: "grow" }, "In this index"), this.wanted);
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#list(), 200);
  }

  async #list() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const status = await this.page.api.get("status").catch(() => null); // without an index the list below tells
    const first = await this.#read(null);
    if (turn !== this.turn || !first) return;
    this.summary.textContent = status ? told(status) : "\u00a0";
    const cell = document.activeElement?.closest(".listing td");
    const [row, at] = [cell?.parentNode, this.#places().indexOf(cell?.parentNode)];
    refocused(
      () => (this.rows.replaceChildren(), this.#append(first)),
      () => {
        const same = this.#places().find((each) => each.dataset.id === row?.dataset.id);
        if (same) return same.children[cell.cellIndex].querySelector("button");
        const next = this.#places()[Math.min(at, first.documents.length - 1)]; // it is gone
        return next?.querySelector("button") ?? this.wanted;
      },
    );
    const wanted = this.wanted.value.trim();
    const nothing = first.documents.length === 0;
    this.table.hidden = nothing;
    this.none.hidden = !nothing;
    this.none.textContent = wanted
      ? `No document matches “${wanted}”.`
      : "There are no documents yet. Drop some above: a folder of notes, reports or exports of chats is a good beginning.";
    this.wanted.hidden = nothing && !wanted;
  }

  /** A page of the documents that match; the server knows names only from their beginning, so that titles match here. */
  async #read(after) {
    const wanted = this.wanted.value.trim().toLowerCase();
    const matches = (one) => `${one.title} ${one.source}`.toLowerCase().includes(wanted);
    const found = [];
    let next = after;
    do {
      const portion = await this.page.api.get("documents", { after: next, limit: wanted ? 1000 : 50 }).catch((error) => {
        if (isEmpty(error)) return { documents: [], next: null };
        return this.page.complain(error);
      });
      if (!portion) return null;
      found.push(...(wanted ? portion.documents.filter(matches) : portion.documents));
      next = portion.next;
    } while (next && found.length < 50);
    return { documents: found, next };
  }

  #places() {
    return [...this.rows.children];
  }

  #append({ documents, next }) {
    this.rows.append(...documents.map((one) => this.#row(one)));
    this.cursor = next;
    this.more.hidden = !next;
  }

  async #next() {
    const portion = await this.#read(this.cursor);
    if (!portion) return;
    const first = this.rows.children.length;
    this.#append(portion);
    this.rows.children[first]?.querySelector("button").focus();
  }

  #row(one) {
    const open = () => this.page.source.open({ document_id: one.id });
    return h(
      "tr",
      { "data-id": one.id },
      h("td", {}, h("button", { type: "button", class: "link", on: { click: open } }, said("span", one.title || nameOf(one.source)))),
      h("td", { class: "where muted" }, said("span", nameOf(one.source), { title: one.source })),
      h("td", { class: "number muted" }, one.bytes ? size(one.bytes) : ""),
      h("td", { class: "number" }, button("", () => this.#remove(one), { icon: "trash", name: `Delete ${one.title || nameOf(one.source)}`, class: "quiet" })),
    );
  }

  async #remove(one) {
    const name = one.title || nameOf(one.source);
    const yes = await confirmed({
      title: `Delete “${name}”?`,
      text: "It goes out of the index with all that was made of it, and out of every later answer. This cannot be taken back.",
      agree: "Delete",
    });
    if (!yes) return;
    this.jobs.expect(await this.page.api.remove(`documents/${quoted(one.id)}`).catch(this.page.complain));
    this.page.announce(`Deleting ${name}.`);
    this.jobs.watch();
  }
}

function told({ documents, passages, bytes }) {
  return [counted(documents, "document"), counted(passages, "passage"), bytes && `${size(bytes)} on disk`].filter(Boolean).join(", ");
}

function tooLarge(refused) {
  const [{ error }] = refused;
  const names = refused.map(({ name }) => name).join(", ");
  return new ServerError(error.status, { message: `Not sent, because too large: ${names}. ${error.message}`, remedy: error.remedy });
}
