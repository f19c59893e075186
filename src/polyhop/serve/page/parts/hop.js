// One hop: what was asked, what was found, and the sentences that say so.

import { button, h, refocused, said } from "./dom.js";
import { quotation } from "./quotation.js";
import { covers, sameSpan, sentence } from "./text.js";

const SHOWN = 2; // sentences; more on demand
export const STATUS = {
  resolved: "Passages found",
  recovered: "Passages found",
  unresolved: "Not settled",
};

/**
 * The hops that lead on. One that only asks the question again, and names nothing, does so where it brings a sentence that
 * is not among the citations; before there are any, and where it was not settled, it does not.
 */
export function stepsOf(hops, question, citations = null) {
  const brings = ({ status, sentences = [] }) =>
    citations && status !== "unresolved" && sentences.some((span) => !citations.some((one) => sameSpan(one.span, span)));
  return hops.filter((hop) => hop.found || hop.note || hop.question !== question || brings(hop));
}

/** A list item; `citations`: those of the answer, whose numbers its sentences bear. */
export function hopItem(hop, citations, source) {
  const quotes = quotesOf(hop, citations).map((quote) => h("li", {}, quotation(quote, source)));
  quotes.slice(SHOWN).forEach((each) => (each.hidden = true));
  const list = h("ul", { class: "quotations" }, quotes);
  const hidden = quotes.length - SHOWN;
  const show = () => {
    quotes.forEach((each) => (each.hidden = false));
    refocused(() => more.remove(), () => quotes[SHOWN].querySelector("button"));
  };
  const more = hidden > 0 && button(`${hidden} more`, show, { class: "quiet" });
  return h(
    "li",
    { class: "hop", "data-status": hop.status },
    said("p", hop.question, { class: "hop-question" }),
    h(
      "p",
      { class: "hop-found", dir: "auto" },
      hop.found ? h("strong", {}, hop.found) : h("span", { class: "muted" }, STATUS[hop.status] ?? hop.status),
      hop.found && hop.status === "unresolved" && h("span", { class: "hop-status" }, STATUS.unresolved),
    ),
    hop.note && said("p", hop.note, { class: "small muted" }),
    quotes.length ? list : !hop.found && !hop.note && h("p", { class: "small muted" }, "No sentence was found for this hop."),
    more,
  );
}

function quotesOf(hop, citations) {
  return (hop.sentences ?? []).flatMap((span) => {
    const found = sentence(span, hop.passages ?? []);
    const inside = citations.filter((one) => covers(span, one.span)); // a list cites each of its items
    const cited = inside.find((one) => sameSpan(one.span, span));
    if (!found && !cited) return [];
    const numbers = inside.map((one) => one.number);
    return [{ span, quote: cited?.quote ?? found.text, title: cited?.title ?? found.passage.title, where: inside[0]?.where, numbers }];
  });
}
