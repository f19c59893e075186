// Where a question is written, with the strategy to answer it, and perhaps a second one beside it.

import { plain } from "./code_spans.js";
import { button, fill, h } from "./dom.js";

/** What no choice is called: the strategy that the server is set to. */
export const USUAL = "Usual strategy";

export class Composer {
  /** `ask` gets `{question, strategies}`; `stop` ends what is under way. */
  constructor({ ask, stop }) {
    this.ask = ask;
    this.question = h("textarea", {
      id: "question",
      rows: "1",
      dir: "auto",
      placeholder: "Ask your documents",
      "aria-label": "Question",
      enterkeyhint: "send",
      on: { keydown: (event) => this.#key(event), input: () => (this.wait(), this.#grow()) },
    });
    this.first = this.#choice("strategy", "Strategy");
    this.second = this.#choice("strategy-two", "Second strategy");
    this.second.label.hidden = true;
    this.comparing = button("Compare", () => this.#compare(), { icon: "columns", class: "quiet", "aria-pressed": "false" });
    this.send = button("", () => this.#submit(), { icon: "send", name: "Ask", class: "primary send" });
    this.halt = button("Stop", stop, { icon: "stop", class: "stop", hidden: true });
    this.waits = h("p", { class: "small muted waits", role: "status" });
    const options = h("div", { class: "row options" }, this.first.label, this.second.label, this.comparing);
    this.element = h(
      "form",
      { class: "composer", on: { submit: (event) => (event.preventDefault(), this.#submit()) } },
      this.question,
      this.waits,
      h("div", { class: "row controls" }, options, h("span", { class: "space" }), this.halt, this.send),
    );
  }

  #choice(id, label) {
    const select = h("select", { id, title: label }, h("option", { value: "" }, USUAL));
    return { select, label: h("label", { class: "strategy", for: id }, h("span", { class: "unseen" }, label), select) };
  }

  /** Offer the strategies; those whose layers are missing cannot be chosen, and say so. What was chosen stays while it can. */
  offer(strategies) {
    const ready = strategies.filter((one) => one.ready !== false && one.name !== "auto").map((one) => one.name);
    const usual = ready.includes("hybrid") ? "hybrid" : ready[0];
    const chosen = [this.first.select.value, this.offered ? this.second.select.value : usual];
    [this.first, this.second].forEach(({ select }, at) => {
      const options = strategies
        .filter((one) => one.name !== "auto")
        .map(({ name, description, ready, missing = [] }) =>
          h("option", { value: name, disabled: ready === false, title: plain(description) }, ready === false ? `${name} (needs ${missing.join(", ")})` : name),
        );
      fill(select, h("option", { value: "" }, USUAL), options);
      if (ready.includes(chosen[at])) select.value = chosen[at];
    });
    this.offered ||= ready.length > 0;
  }

  #compare() {
    const on = this.second.label.hidden;
    this.second.label.hidden = !on;
    this.comparing.setAttribute("aria-pressed", String(on));
    this.element.toggleAttribute("data-comparing", on);
  }

  /** Whether an answer is under way. */
  get busy() {
    return this.send.hidden;
  }

  set busy(on) {
    const held = [this.halt, this.send].includes(document.activeElement);
    this.halt.hidden = !on;
    this.send.hidden = on;
    if (held) (on ? this.halt : this.question).focus({ preventScroll: true });
  }

  write(question) {
    this.wait();
    this.question.value = question;
    this.#grow();
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit();
  }

  #grow() {
    this.question.style.height = "auto";
    this.question.style.height = `${Math.min(this.question.scrollHeight + 2, 220)}px`;
  }

  #submit() {
    const question = this.question.value.trim();
    if (!question) return this.question.focus();
    const strategies = [this.first.select.value || null];
    if (!this.second.label.hidden) strategies.push(this.second.select.value || null);
    if (this.busy) this.wait({ question, strategies });
    else this.ask({ question, strategies });
  }

  /** What is sent while an answer is under way waits for its end, until it is changed. */
  wait(asked = null) {
    this.waiting = asked;
    fill(this.waits, asked && "This is asked as soon as the answer above is there, or stopped.");
  }

  /** Ask what has waited. */
  next() {
    const asked = this.waiting;
    this.wait();
    if (asked) this.ask(asked);
  }
}
