// The facts around an answer or an entity, as one small graph without repetition.

import { sentence as saidAt } from "./text.js";

const keyOf = (name) => name.normalize("NFKC").trim().toLowerCase();

/** Entities and facts; `walked` facts are those that an answer's hops went along. */
export class FactMap {
  constructor() {
    this.nodes = new Map(); // key -> {key, name, central}
    this.edges = new Map();
  }

  node(name, central = false) {
    const key = keyOf(name);
    const there = this.nodes.get(key) ?? { key, name, central: false };
    there.central ||= central;
    this.nodes.set(key, there);
    return there;
  }

  edge({ subject, relation, object, sentence, walked = false }) {
    if (!subject || !object) return;
    const from = this.node(subject).key;
    const to = this.node(object).key;
    const id = JSON.stringify([from, relation, to]);
    const there = this.edges.get(id) ?? { from, to, relation, sentence, walked: false };
    there.walked ||= walked;
    if (!there.sentence?.text) there.sentence = sentence ?? there.sentence;
    this.edges.set(id, there);
  }

  /** What the server tells of a neighbourhood or a path. */
  addReply({ nodes = [], edges = [] }, { walked = () => false } = {}) {
    const names = new Map(nodes.map((one) => [one.id, one.name]));
    for (const edge of edges) {
      const named = { ...edge, subject: names.get(edge.subject) ?? edge.subject, object: names.get(edge.object) ?? edge.object };
      this.edge({ ...named, walked: walked(named) });
    }
  }

  /** The facts that the hops of an answer show; the chain that led to what was found was walked. */
  addAnswer(answer) {
    const ends = new Set([answer.text, ...(answer.evidence?.hops ?? []).map((hop) => hop.found)].filter(Boolean).map(keyOf));
    for (const hop of answer.evidence?.hops ?? []) {
      const chains = hop.chains ?? [];
      const led = chains.find((chain) => ends.has(keyOf(chain.entities.at(-1)))) ?? chains[0];
      for (const chain of chains) chain.facts.forEach((fact) => this.edge(ofTriple(fact, hop, chain === led)));
      (hop.facts ?? []).forEach((fact) => this.edge(ofTriple(fact, hop)));
      if (hop.found) this.node(hop.found, true);
    }
    if (answer.text && answer.text.length < 60) this.node(answer.text, true);
  }

  /** At most so many entities: those that were walked first, then those with most facts. */
  within(most) {
    const degree = new Map();
    for (const edge of this.edges.values()) {
      for (const key of [edge.from, edge.to]) degree.set(key, (degree.get(key) ?? 0) + (edge.walked ? 1000 : 1));
    }
    const weight = (node) => (degree.get(node.key) ?? 0) + (node.central ? 10000 : 0);
    const nodes = [...this.nodes.values()].filter((node) => weight(node) > 0).sort((a, b) => weight(b) - weight(a)).slice(0, most);
    const kept = new Set(nodes.map((node) => node.key));
    return { nodes, edges: this.all().filter((edge) => kept.has(edge.from) && kept.has(edge.to)) };
  }

  /** All facts, walked ones first. */
  all() {
    return [...this.edges.values()].sort((one, other) => Number(other.walked) - Number(one.walked));
  }

  name(key) {
    return this.nodes.get(key)?.name ?? key;
  }
}

function ofTriple({ head, relation, tail, span }, { passages = [] }, walked = false) {
  const text = saidAt(span, passages)?.text;
  return { subject: head, relation, object: tail, sentence: { document: span.document_id, start: span.start, end: span.end, text }, walked };
}
