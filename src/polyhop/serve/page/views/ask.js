// Questions and their answers, in threads.

import { AnswerCard } from "../parts/answer.js";
import { isEmpty } from "../parts/api.js";
import { Composer, USUAL } from "../parts/composer.js";
import { button, fill, h, refocused, said } from "../parts/dom.js";
import { newId } from "../parts/ids.js";
import { counted } from "../parts/text.js";
import { forget, historyOf, keep, show, shown, threads, titleOf } from "../parts/threads.js";
import { begun, ended, unanswered } from "../parts/under_way.js";

export function mount(root, page) {
  return new AskView(root, page);
}

class AskView {
  constructor(root, page) {
    this.page = page;
    this.root = root;
    this.turns = h("div", { class: "turns" });
    this.intro = h("div", { class: "intro" });
    this.others = h("div", { class: "row threads" });
    this.composer = new Composer({ ask: (asked) => this.#ask(asked), stop: () => this.running?.abort() });
    root.classList.add("ask");
    fill(root, this.others, this.intro, this.turns, h("div", { class: "dock" }, this.composer.element));
    this.#begin(shown(page.api.workspace));
    this.composer.write(unanswered(page.api.workspace));
  }

  /** Called whenever the view comes to the front: documents may have come or gone meanwhile. A link may bring a question. */
  show({ question } = {}) {
    this.#introduce();
    if (question) {
      this.composer.write(question);
      history.replaceState(null, "", "#/ask"); // it is in the composer now, to be changed or asked
    }
    this.page.api.get("strategies").then(
      (found) => this.composer.offer(found),
      (error) => isEmpty(error) || this.page.complain(error),
    );
    const choosing = document.activeElement?.matches("select"); // a workspace, say: the arrow keys go on there
    if (!choosing && !matchMedia("(pointer: coarse)").matches) this.composer.question.focus({ preventScroll: true });
  }

  #begin(thread = { id: newId(), workspace: this.page.api.workspace, turns: [] }) {
    this.running?.abort();
    this.composer.wait();
    this.thread = thread;
    show(thread);
    this.turns.replaceChildren();
    for (const { question, answers } of thread.turns) {
      const cards = this.#turn(question, answers.map((answer) => answer?.evidence?.strategy));
      cards.forEach((card, index) => (answers[index] ? card.done(answers[index]) : card.stopped()));
    }
    refocused(() => this.#drawThreads(), () => this.#lastAsked());
    this.#lastAsked()?.scrollIntoView({ block: "start" });
  }

  #lastAsked() {
    return this.turns.querySelector(".turn:last-child .asked");
  }

  async #introduce() {
    const state = await this.page.api.get("status").catch((error) => ({ error }));
    const none = isEmpty(state.error) || (!state.error && !state.documents);
    this.composer.element.hidden = none;
    fill(
      this.intro,
      h("h1", { tabindex: "-1" }, none ? "Nothing to ask yet" : "What do you want to know?"),
      none
        ? [
            h("p", {}, "Add documents first: files or whole folders. Questions whose answer is spread over several of them are what this is for."),
            button("Add documents", () => this.page.go("documents"), { icon: "plus", class: "primary" }),
          ]
        : h("p", {}, state.error ? "" : `${counted(state.documents, "document")} in this index. Every answer shows each hop, and the sentence behind it.`),
    );
  }

  #drawThreads() {
    const asked = this.thread.turns.length > 0;
    this.root.toggleAttribute("data-begun", asked);
    const kept = threads(this.page.api.workspace).filter((one) => one.id !== this.thread.id);
    const entry = (thread) =>
      h(
        "li",
        {},
        h("button", { type: "button", class: "quiet", on: { click: () => this.#begin(thread) } }, said("span", titleOf(thread))),
        button("", () => this.#forget(thread), { icon: "trash", name: `Forget the thread “${titleOf(thread)}”`, class: "quiet" }),
      );
    fill(
      this.others,
      kept.length > 0 && h("details", {}, h("summary", {}, `Earlier threads (${kept.length})`), h("ul", {}, kept.map(entry))),
      h("span", { class: "space" }),
      asked && button("New thread", () => (this.#begin(), this.show()), { icon: "plus", class: "quiet" }),
    );
  }

  #forget({ id }) {
    forget(id);
    const next = () => this.others.querySelector("summary") ?? this.composer.question;
    refocused(() => this.#drawThreads(), next);
    this.others.querySelector("details")?.setAttribute("open", "");
  }

  /** The place of a question and its answers; cards in the order of the strategies. */
  #turn(question, strategies) {
    const several = strategies.length > 1;
    const alone = (name) => () => this.composer.busy || this.#ask({ question, strategies: [name], history: [] });
    const cards = strategies.map((name) => new AnswerCard(this.page, question, { label: several ? (name ?? USUAL) : "", alone: alone(name) }));
    const body = h("div", { class: several ? "answers side" : "answers" }, cards.map((card) => card.element));
    this.turns.append(h("section", { class: "turn" }, said("h2", question, { class: "asked", tabindex: "-1" }), body));
    this.root.classList.toggle("wide", Boolean(this.root.querySelector(".answers.side")));
    return cards;
  }

  async #ask({ question, strategies, history = historyOf(this.thread.turns) }) {
    const stop = (this.running = new AbortController());
    const thread = this.thread;
    const turn = { question, answers: strategies.map(() => null) };
    const cards = this.#turn(question, strategies);
    this.root.setAttribute("data-begun", "");
    this.#lastAsked().scrollIntoView({ block: "start" });
    if (this.composer.question.value.trim() === question) this.composer.write(""); // and not what is being written
    this.composer.busy = true;
    begun(thread.workspace, question);
    this.page.announce("Looking for an answer.");
    const each = cards.map(async (card, index) => {
      turn.answers[index] = await this.#answer(card, { question, strategy: strategies[index], history, signal: stop.signal });
    });
    await Promise.all(each);
    if (this.running === stop) this.composer.busy = false;
    this.#keep(thread, turn, stop);
    if (this.running === stop) this.composer.next();
  }

  #keep(thread, turn, stop) {
    if (stop.signal.aborted || turn.answers.some(Boolean)) ended(); // one that failed may be wanted again
    if (!turn.answers.some(Boolean)) {
      if (thread === this.thread && !this.composer.question.value) this.composer.write(turn.question); // to be asked again
      return;
    }
    keep(thread, turn);
    thread.turns.push(turn);
    if (thread === this.thread) this.#drawThreads();
  }

  async #answer(card, { question, strategy, history, signal }) {
    try {
      const body = { question, strategy, stream: true, ...(history.length ? { history } : {}) };
      for await (const event of this.page.api.stream("ask", body, signal)) {
        if (event.name === "error") {
          card.failed(event.data.error);
          return null;
        }
        card.take(event);
      }
      if (!card.answer) card.failed({ message: "The server ended before it had answered.", remedy: "Ask again." });
      return card.answer ?? null;
    } catch (error) {
      if (error.name === "AbortError") card.stopped();
      else card.failed(error);
      return null;
    }
  }
}
