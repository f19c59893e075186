// Questions of one's own, asked of several strategies, and how well they were answered.

import { isEmpty } from "../parts/api.js";
import { plain } from "../parts/code_spans.js";
import { button, fill, h, said, scrolling } from "../parts/dom.js";
import { active, Jobs } from "../parts/jobs.js";
import { bars } from "../parts/plot.js";
import { questionsOf } from "../parts/questions_file.js";
import { counted, duration } from "../parts/text.js";

const FIGURES = {
  held: "Answer holds the expected one",
  f1: "F1 of words",
  em: "Exact match",
  quoted: "Quotation is exact",
  abstained: "Not answered",
  seconds_p50: "Seconds, median",
  seconds_p95: "Seconds, 95 of 100",
};
const EXAMPLE = '{"question": "Who founded the school where Ada Brisk studied?", "answer": "Piet Rook"}';

export function mount(root, page) {
  return new MeasureView(root, page);
}

class MeasureView {
  constructor(root, page) {
    this.page = page;
    this.jobs = new Jobs(page, { wanted: (job) => job.kind === "eval", ended: (job) => this.#result(job) });
    this.text = h("textarea", { id: "questions", rows: "7", dir: "auto", spellcheck: "false", placeholder: EXAMPLE, on: { input: () => this.#read() } });
    this.count = h("p", { class: "small muted", role: "status" }, "\u00a0");
    this.strategies = h("div", { class: "row checks" });
    this.start = button("Measure", () => this.#start(), { class: "primary", disabled: true });
    this.results = h("div", { class: "section results", hidden: true });
    const file = h("input", { type: "file", accept: ".jsonl,.json,.csv,.txt", class: "unseen", tabindex: "-1", "aria-hidden": "true", on: { change: (event) => this.#take(event.target) } });
    fill(
      root,
      h("div", { class: "page-head" }, h("h1", { tabindex: "-1" }, "Measure"), h("p", {}, "Ask questions whose answers you know, and see which strategy finds them in your documents.")),
      h("label", { for: "questions" }, "Questions"),
      this.text,
      this.count,
      h("p", { class: "small muted" }, "JSON Lines or CSV with “question” and, if you have it, “answer”; or one question a line."),
      h("fieldset", {}, h("legend", {}, "Strategies"), this.strategies),
      h("div", { class: "row" }, this.start, button("Choose a file", () => file.click(), { icon: "upload" }), file, button("Make from the documents", () => this.#make())),
      this.jobs.element,
      this.results,
    );
  }

  async show() {
    this.jobs.watch();
    const found = await this.page.api.get("strategies").catch((error) => isEmpty(error) || this.page.complain(error));
    if (Array.isArray(found) && !this.strategies.firstChild) this.#offer(found);
    if (!this.results.hidden) return;
    const { jobs = [] } = await this.page.api.get("jobs").catch(() => ({}));
    const last = jobs.filter((job) => job.kind === "eval" && !active(job) && job.state === "done").sort((a, b) => String(b.created).localeCompare(String(a.created)))[0];
    if (last) this.#result(last);
  }

  #offer(strategies) {
    const usual = new Set(["auto", "hybrid"]);
    const check = ({ name, description, ready, missing = [] }) =>
      h(
        "label",
        { class: "check", title: ready === false ? `needs ${missing.join(", ")}` : plain(description) },
        h("input", { type: "checkbox", name: "strategy", value: name, checked: usual.has(name) && ready !== false, disabled: ready === false, on: { change: () => this.#read() } }),
        name,
      );
    fill(this.strategies, strategies.map(check));
    this.#read();
  }

  get chosen() {
    return [...this.strategies.querySelectorAll("input:checked")].map((one) => one.value);
  }

  /** Questions that the documents answer, to be looked through before they count. */
  async #make() {
    const made = await this.page.api.get("questions").catch(this.page.complain);
    if (!made) return;
    this.text.value = made.questions.map((one) => JSON.stringify(one)).join("\n");
    this.#read();
    this.text.focus();
    this.page.announce(`${counted(made.questions.length, "question")} made. Look through them before you measure.`);
  }

  async #take(input) {
    const [file] = input.files;
    if (file) this.text.value = await file.text();
    input.value = "";
    this.#read();
  }

  #read() {
    try {
      this.questions = questionsOf(this.text.value);
      const known = this.questions.filter((one) => one.answer).length;
      this.count.textContent = this.questions.length ? `${counted(this.questions.length, "question")}, ${known} with an answer.` : "\u00a0";
      this.count.classList.remove("wrong");
    } catch (error) {
      this.questions = [];
      this.count.textContent = error.message;
      this.count.classList.add("wrong");
    }
    this.start.disabled = !this.questions.length || !this.chosen.length;
  }

  async #start() {
    const body = { questions: this.questions, strategies: this.chosen };
    const reply = await this.page.api.post("eval", body).catch(this.page.complain);
    this.jobs.expect(reply);
    if (reply) this.page.announce(`Measuring ${counted(this.questions.length, "question")}.`);
    this.jobs.watch();
  }

  async #result(job) {
    if (job.state !== "done") return;
    const report = await this.page.api.get(`jobs/${job.id}/result`).catch(this.page.complain);
    if (!report) return;
    this.results.hidden = false;
    const names = Object.keys(report.strategies);
    const metrics = Object.keys(FIGURES).filter((one) => names.some((name) => typeof report.strategies[name][one] === "number"));
    const plot = h("div", { class: "plot-place" });
    const choice = h("select", { id: "figure", on: { change: () => this.#plot(plot, report, choice.value) } }, metrics.map((one) => h("option", { value: one }, FIGURES[one])));
    fill(
      this.results,
      h("div", { class: "row" }, h("h2", { class: "grow" }, "Result"), h("label", { for: "figure", class: "unseen" }, "Figure to plot"), choice),
      plot,
      scrolling("Figures", table(report, names, metrics)),
      (report.warnings ?? []).map((words) => said("p", words, { class: "notice" })),
      h("div", { class: "row" }, button("Download the report", () => this.page.api.save(`jobs/${job.id}/report`, {}, "report.html").catch(this.page.complain))),
    );
    this.#plot(plot, report, choice.value);
  }

  #plot(place, report, metric) {
    const rows = Object.entries(report.strategies)
      .filter(([, figures]) => typeof figures[metric] === "number")
      .map(([name, figures]) => {
        const [low, high] = figures.intervals?.[metric] ?? [];
        return { name, value: figures[metric], low, high };
      });
    const most = metric.startsWith("seconds") ? Math.max(...rows.map((row) => row.value)) * 1.1 : 1;
    fill(place, bars(rows, { width: Math.max(300, place.clientWidth), most, label: FIGURES[metric], words: (value) => written(metric, value) }));
  }
}

function table(report, names, metrics) {
  const row = (name) => {
    const figures = report.strategies[name];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", { class: "number" }, String(figures.n ?? "")),
      metrics.map((one) => h("td", { class: "number" }, typeof figures[one] === "number" ? written(one, figures[one]) : "–")),
    );
  };
  const heads = ["Strategy", "Questions", ...metrics.map((one) => FIGURES[one])];
  return h("table", {}, h("thead", {}, h("tr", {}, heads.map((words, at) => h("th", { scope: "col", class: at ? "number" : "" }, words)))), h("tbody", {}, names.map(row)));
}

const written = (metric, value) => (metric.startsWith("seconds") ? (value ? duration(value) : "0") : `${Math.round(value * 100)}%`);
