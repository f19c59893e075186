// Entities and the facts between them: around an answer, around a name, or on the way from one name to another.

import { draw } from "../parts/drawing.js";
import { button, fill, h, refocused, said, scrolling, svg } from "../parts/dom.js";
import { FactMap } from "../parts/facts_of.js";
import { GraphCare } from "../parts/graph_care.js";
import { counted } from "../parts/text.js";

const ROWS = 60; // of the table at first

export function mount(root, page) {
  return new GraphView(root, page);
}

class GraphView {
  constructor(root, page) {
    this.page = page;
    root.classList.add("wide");
    this.name = h("input", { id: "entity", dir: "auto", type: "search", placeholder: "A name in your documents", required: true });
    this.to = h("input", { id: "entity-to", dir: "auto", type: "search", placeholder: "optional" });
    this.about = h("p", {});
    this.picture = svg("svg", { class: "graph", role: "group", "aria-label": "Entities and facts. Arrow keys go from one to another, Enter goes into one. The table below tells the same." });
    this.near = h("div", { class: "near-facts", "aria-live": "polite" });
    this.table = h("div", { class: "section" });
    this.shown = h("div", { hidden: true }, h("figure", { class: "graph-frame" }, this.picture, this.near), this.table);
    this.words = h("p", { class: "empty" }, "Ask a question and choose Graph below its answer, or look up a name here.");
    fill(
      root,
      h("div", { class: "page-head" }, h("h1", { tabindex: "-1" }, "Graph"), this.about),
      h(
        "form",
        { class: "row graph-form", on: { submit: (event) => (event.preventDefault(), this.#lookUp()) } },
        h("label", { for: "entity" }, "Name", this.name),
        h("label", { for: "entity-to" }, "Way to", this.to),
        h("button", { type: "submit", class: "primary" }, "Show"),
      ),
      this.words,
      this.shown,
      new GraphCare(page).element,
    );
    new ResizeObserver(() => this.#fitted()).observe(this.picture.parentNode);
  }

  show({ answer, entity, to }) {
    const asked = JSON.stringify([answer, entity, to]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.name.value = entity ?? "";
    this.to.value = to ?? "";
    if (this.page.answers.has(answer)) this.#around(this.page.answers.get(answer));
    else if (entity) this.#around(null, entity, to);
  }

  #lookUp() {
    const wanted = { entity: this.name.value.trim(), ...(this.to.value.trim() ? { to: this.to.value.trim() } : {}) };
    const before = location.hash;
    this.asked = null; // the same name again is a new question: the server may be back, or know more
    this.page.go("graph", wanted);
    if (location.hash === before) this.show(wanted); // no change of the address will tell
  }

  async #around(answer, entity, to) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const map = new FactMap();
    let failed = null;
    if (answer) map.addAnswer(answer);
    try {
      if (answer) await this.#aroundAnswer(map, answer);
      else if (to) map.addReply(await this.page.api.get("graph/path", { from: entity, to }), { walked: () => true });
      else map.addReply(await this.page.api.get("graph/entity", { name: entity, limit: 40 }));
      if (entity) map.node(entity, true);
      if (to) map.node(to, true);
    } catch (error) {
      failed = error;
    }
    if (turn !== this.turn) return;
    if (!map.edges.size) return this.#nothing(failed && failed.type !== "entity_missing" ? failed.message : unknown(answer, entity, to), failed?.remedy);
    this.#draw(map, answer ? "Around the answer" : to ? `From ${entity} to ${to}` : `Around ${entity}`);
  }

  /** What its hops show, and what else is said of what they found; a fact that was quoted was walked. */
  async #aroundAnswer(map, answer) {
    const hops = answer.evidence?.hops ?? [];
    const spans = [...hops.flatMap((hop) => hop.sentences ?? []), ...answer.citations.map((one) => one.span)];
    const names = [...new Set([...hops.map((hop) => hop.found), answer.text].filter((name) => name && name.length < 60))];
    const known = new Set(names.map((name) => name.toLowerCase()));
    const quoted = ({ document, start, end } = {}) => spans.some((span) => span.document_id === document && span.start < end && start < span.end);
    const walked = (edge) => quoted(edge.sentence) && (known.has(edge.subject.toLowerCase()) || known.has(edge.object.toLowerCase()));
    const replies = names.slice(0, 6).map((name) => this.page.api.get("graph/entity", { name, limit: 14 }).catch(() => ({})));
    for (const reply of await Promise.all(replies)) map.addReply(reply, { walked });
  }

  #nothing(words, remedy) {
    this.asked = null; // when the view is shown again, this may have changed
    this.shown.hidden = true;
    this.words.hidden = false;
    fill(this.words, said("span", words), remedy && [" ", said("span", remedy)]);
    this.page.announce(this.words.textContent);
    this.about.textContent = "";
  }

  #draw(map, title) {
    this.about.parentNode.scrollIntoView({ block: "nearest" }); // another graph is read from its beginning
    this.map = map;
    this.words.hidden = true;
    this.shown.hidden = false;
    const walked = map.all().filter((edge) => edge.walked).length;
    fill(this.about, said("span", title), `: ${counted(map.nodes.size, "entity", "entities")}, ${counted(map.edges.size, "fact")}${walked ? `, ${walked} on the way` : ""}.`);
    this.width = 0;
    this.at = null;
    const drawn = () => {
      fill(this.near, h("p", { class: "muted small" }, "Choose an entity to read its facts."));
      this.#fitted();
      this.#drawTable(ROWS);
    };
    refocused(drawn, () => this.#current());
    this.page.announce(this.about.textContent);
  }

  #fitted() {
    const width = this.picture.clientWidth;
    if (!this.map || this.shown.hidden || !width || Math.abs(width - (this.width ?? 0)) < 24) return;
    this.width = width;
    const part = this.map.within(width < 600 ? 12 : 28);
    const drawn = () =>
      draw(this.picture, part, {
        name: (key) => this.map.name(key),
        at: this.at,
        chosen: (node) => this.#tell(node),
        enter: (node) => this.page.go("graph", { entity: node.name }),
      });
    refocused(drawn, () => this.#current());
  }

  /** The entity that Tab goes to. */
  #current() {
    return this.picture.querySelector(".node[tabindex='0']");
  }

  #tell(node) {
    if (this.at === node.key) return; // its facts are there, and one of them may have the focus
    this.at = node.key;
    const facts = this.map.all().filter((edge) => edge.from === node.key || edge.to === node.key);
    const enter = button("Look up", () => this.page.go("graph", { entity: node.name }), { class: "quiet", tabindex: "0" });
    fill(
      this.near,
      h("div", { class: "row" }, said("strong", node.name, { class: "grow" }), enter),
      h("ul", {}, facts.slice(0, 8).map((edge) => h("li", { class: edge.walked ? "walked" : "" }, this.#sentence(edge, this.#words(edge))))),
      facts.length > 8 && h("p", { class: "small muted" }, `${facts.length - 8} more in the table`),
    );
  }

  #words(edge) {
    return [said("span", this.map.name(edge.from)), " ", said("em", edge.relation), " ", said("span", this.map.name(edge.to))];
  }

  #sentence({ sentence }, words) {
    const span = sentence && { document_id: sentence.document, start: sentence.start, end: sentence.end };
    if (!span) return words;
    return h("button", { type: "button", class: "link", title: sentence.text ?? "Show the sentence", on: { click: () => this.page.source.open(span) } }, words);
  }

  #showAll(number) {
    const rows = () => this.table.querySelectorAll("tbody tr");
    const before = rows().length;
    refocused(() => this.#drawTable(number), () => rows()[before]?.querySelector("button") ?? this.table.querySelector(".scrolls"));
  }

  #drawTable(most) {
    const edges = this.map.all();
    const row = (edge) =>
      h(
        "tr",
        { class: edge.walked ? "walked" : "" },
        h("td", {}, said("span", this.map.name(edge.from))),
        h("td", {}, said("span", edge.relation)),
        h("td", {}, said("span", this.map.name(edge.to))),
        h("td", {}, edge.walked ? "yes" : ""),
        h("td", {}, edge.sentence && this.#sentence(edge, [said("span", edge.sentence.text ?? "Show the sentence")])),
      );
    const head = ["Subject", "Relation", "Object", "On the way", "Sentence"].map((words) => h("th", { scope: "col" }, words));
    fill(
      this.table,
      h("h2", {}, "The same as a table"),
      scrolling("Facts", h("table", { class: "fact-table" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, edges.slice(0, most).map(row)))),
      edges.length > most && button(`Show all ${edges.length}`, () => this.#showAll(edges.length), { class: "quiet" }),
    );
  }
}

/** What is said where the server knows no facts. */
function unknown(answer, entity, to) {
  if (answer) return "No facts are known around this answer.";
  return to ? `No way is known from “${entity}” to “${to}”.` : `No facts are known of “${entity}”.`;
}
