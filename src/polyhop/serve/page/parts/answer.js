// One answer: what was found, how far it can be trusted, and the hops that led to it, as they arrive.

import { copy } from "./clipboard.js";
import { button, fill, h, said } from "./dom.js";
import { hopItem, STATUS, stepsOf } from "./hop.js";
import { newId } from "./ids.js";
import { asMarkdown } from "./markdown.js";
import { numbered, quotation } from "./quotation.js";
import { counted, covers, cut, duration, spent } from "./text.js";
import { trace } from "./trace.js";

export class AnswerCard {
  /**
   * `page`: the page's services. `label`: the strategy's name where several answers stand side by side. `alone` asks the
   * question without those before it.
   */
  constructor(page, question, { label, alone }) {
    Object.assign(this, { page, question, alone });
    this.hops = [];
    this.partial = { text: null, citations: [], items: [] };
    this.result = h("div", { class: "result" });
    this.meant = h("p", { class: "read-as small muted", hidden: true });
    this.list = h("ol", { class: "hops" });
    this.way = h("section", { class: "way", hidden: true }, h("h3", {}, "How it was found"), this.list);
    this.rest = h("div", { class: "rest" });
    this.element = h("article", { class: "answer", "aria-busy": "true", "aria-label": label ? `Answer of ${label}` : "Answer" });
    fill(this.element, label && h("h3", { class: "answer-by" }, label), this.meant, this.result, this.way, this.rest);
    this.wait("Looking for the first hop…");
  }

  wait(words) {
    fill(this.result, h("p", { class: "waiting" }, said("span", words)), h("span", { class: "bar unknown" }, h("span")));
  }

  /** Take one event of the stream; what is settled is announced. */
  take({ name, data }) {
    if (name === "hop") this.#hop(data);
    else if (name === "draft") this.#draft(data);
    else if (name === "answer") this.#early(data);
    else if (name === "citation") this.partial.citations.push(data);
    else if (name === "done") this.done(data.answer);
  }

  /** What a follow-up question was taken to mean after the questions before it. */
  #readAs({ question, standalone }) {
    this.meant.hidden = !standalone || standalone === question;
    if (!this.meant.hidden) fill(this.meant, "Taken to mean: ", said("q", standalone), " ", button("Ask as written", this.alone, { class: "quiet" }));
  }

  /** A hop takes its position among the others; a later one of the same position replaces it. */
  #hop({ position = this.hops.length, ...hop }) {
    this.hops[position] = hop;
    const steps = stepsOf(this.hops.filter(Boolean), this.question);
    const number = steps.indexOf(hop) + 1;
    const found = hop.found ? `found ${hop.found}` : (STATUS[hop.status] ?? "");
    this.#drawHops(steps, []);
    if (number) this.page.announce(`Hop ${number}: ${hop.question} ${found}.`);
    this.wait(hop.found ? `Found ${hop.found}. Looking on…` : "Looking on…");
  }

  /** What a language model writes of the answer: shown as a draft, and not announced word by word. */
  #draft({ start, text }) {
    const written = cut(this.draft?.textContent ?? "", 0, start) + text;
    if (!written) return this.wait("Writing the answer…");
    if (!this.draft?.isConnected) {
      this.draft = said("p", "", { class: "draft" });
      fill(this.result, h("p", { class: "waiting" }, "A draft, not checked against the documents yet"), this.draft);
    }
    this.draft.textContent = written;
  }

  #early(answer) {
    this.partial = { ...this.partial, ...answer };
    this.#drawResult(this.partial, []);
  }

  /** Show the whole answer. */
  done(answer) {
    this.answer = answer;
    this.steps = stepsOf(answer.evidence?.hops ?? [], answer.standalone ?? answer.question, answer.citations);
    this.element.setAttribute("aria-busy", "false");
    const citations = numbered(answer.citations);
    this.#readAs(answer);
    this.#drawHops(this.steps, citations);
    this.#drawResult(answer, citations);
    this.#drawRest(answer, citations);
    this.page.announce(answer.text === null ? "Not found in these documents." : `Answer: ${answer.text}`);
  }

  stopped() {
    const draft = this.draft?.isConnected && [h("p", { class: "muted" }, "A draft that was not checked"), this.draft];
    const settled = this.list.firstChild ? "Stopped. These hops were settled by then." : "Stopped.";
    this.#ended([draft, h("p", { class: "muted" }, settled)]);
  }

  failed(error) {
    this.#ended(
      h("div", { class: "notice bad" }, said("p", error.message), error.remedy && said("p", error.remedy, { class: "muted" })),
    );
    this.page.announce(`This question could not be answered: ${error.message}`);
  }

  #ended(words) {
    this.element.setAttribute("aria-busy", "false");
    fill(this.result, words);
  }

  #drawHops(hops, citations) {
    this.way.hidden = hops.length === 0;
    hops.forEach((hop, index) => {
      const key = JSON.stringify([hop, citations.map((one) => one.span)]);
      const old = this.list.children[index];
      if (old?.key === key || old?.contains(document.activeElement)) return; // what is read now does not change
      const item = Object.assign(hopItem(hop, citations, this.page.source), { key });
      if (old) old.replaceWith(item);
      else this.list.append(item);
    });
    while (this.list.children.length > hops.length) this.list.lastChild.remove();
  }

  #drawResult(answer, citations) {
    const found = answer.text !== null && answer.text !== undefined;
    const doubt = found && answer.grounded === false;
    fill(
      this.result,
      found ? this.#worded(answer, citations) : h("p", { class: "not-found" }, "Not found in these documents"),
      found && answer.kind !== "parts" && answer.confidence !== undefined && confidence(answer),
      doubt && h("p", { class: "notice" }, "The quotations do not bear out all of this. Read them before you rely on it."),
    );
  }

  #worded({ text, kind, items }, citations) {
    const chips = (list) => list.map((each) => this.#chip(each, citations));
    if (["list", "prose", "parts"].includes(kind) && items?.length) {
      const tag = kind === "list" ? "ul" : "div";
      const asked = (item) => item.asked && [h("span", { class: "part" }, item.asked), " "];
      const sure = (item) => kind === "parts" && item.text && item.confidence != null && confidence(item);
      const piece = (item) =>
        h(
          kind === "list" ? "li" : "p",
          { dir: "auto" },
          asked(item),
          h("span", {}, item.text || "Not found in these documents"),
          " ",
          chips(item.citations ?? []),
          sure(item),
        );
      return h(tag, { class: `worded ${kind}` }, items.map(piece));
    }
    const long = text.length > 80;
    const shown = h(kind === "quotation" || kind === "extract" ? "q" : "span", {}, text);
    return h("p", { class: `worded ${long ? "long" : "short"}`, "data-kind": kind, dir: "auto" }, shown, " ", chips(citations)); // numbers stand where it ends
  }

  #chip(citation, citations) {
    const number = citations.find((one) => one.quote === citation.quote && one.uri === citation.uri)?.number ?? "•";
    const open = () => this.page.source.open(citation.span);
    return h(
      "button",
      { type: "button", class: "chip", on: { click: open }, "aria-label": `Source ${number}: ${citation.title}` },
      String(number),
    );
  }

  #drawRest(answer, citations) {
    const inHops = this.steps.flatMap((hop) => hop.sentences ?? []);
    const left = citations.filter((one) => !inHops.some((span) => covers(span, one.span)));
    const heading = answer.text === null ? "What came closest" : "Quotations";
    const more = h("div", { class: "more-about", hidden: true });
    fill(
      this.rest,
      left.length > 0 &&
        h(
          "section",
          {},
          h("h3", {}, heading),
          h("ul", { class: "quotations" }, left.map((one) => h("li", {}, quotation({ ...one, numbers: [one.number] }, this.page.source)))),
        ),
      h(
        "div",
        { class: "row actions" },
        this.#copies("Copy as Markdown", () => asMarkdown(answer), "copy"),
        this.#copies("Copy link", () => linkTo(answer.standalone ?? answer.question, this.page.api.workspace), "link"),
        button("Graph", () => this.page.go("graph", { answer: this.#kept(answer) }), { icon: "graph", class: "quiet" }),
        this.#tracer(answer, more),
        h("span", { class: "small muted cost" }, this.#cost(answer)),
      ),
      more,
    );
  }

  /** The name under which the graph finds the answer, also when the user comes back to it. */
  #kept(answer) {
    const id = newId();
    this.page.answers.set(id, answer);
    return id;
  }

  #copies(words, text, icon) {
    const copier = button(
      words,
      async () => {
        await copy(text());
        this.page.announce("Copied.");
        copier.lastChild.textContent = "Copied";
        setTimeout(() => (copier.lastChild.textContent = words), 2000);
      },
      { icon, class: "quiet" },
    );
    return copier;
  }

  #tracer(answer, place) {
    const toggle = button(
      "Trace",
      () => {
        place.hidden = !place.hidden;
        toggle.setAttribute("aria-expanded", String(!place.hidden));
        if (!place.firstChild) fill(place, trace(answer));
      },
      { icon: "trace", class: "quiet", "aria-expanded": "false" },
    );
    return toggle;
  }

  #cost({ evidence }) {
    const seconds = evidence?.cost?.seconds;
    const hops = this.steps.length;
    return [evidence?.strategy, hops > 0 && counted(hops, "hop"), seconds && duration(seconds), spent(evidence?.cost)]
      .filter(Boolean)
      .join(" · ");
  }
}

/** An address that opens the page with a question, to be asked by whoever follows it. */
const linkTo = (question, workspace) =>
  new URL(`#/ask?${new URLSearchParams({ question, ...(workspace ? { workspace } : {}) })}`, location.href).href;

/** In words, as a bar, and as a number: how far an answer, or an item of one, can be trusted. */
function confidence({ confidence: share, confidence_kind: kind }) {
  const percent = Math.round(share * 100);
  const sure = percent >= 80 ? "Sure" : percent >= 60 ? "Fairly sure" : percent >= 40 ? "Unsure" : "Doubtful";
  const words = kind === "quoted" ? `${percent}% of it quoted` : `${sure}, ${percent}% confidence`;
  const filled = h("span");
  filled.style.width = `${percent}%`;
  return h(
    "span",
    { class: "confidence" },
    h("span", { class: "bar", "aria-hidden": "true" }, filled),
    h("span", {}, words),
  );
}
