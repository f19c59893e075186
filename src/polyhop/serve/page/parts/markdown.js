// An answer as Markdown, each hop with its quotation and where it stands.

import { stepsOf } from "./hop.js";
import { sentence } from "./text.js";

/** Words of others, so that Markdown shows them as they are. */
const plain = (text) => String(text).replace(/\s+/g, " ").trim().replace(/[\\`*_[\]<>#|~!]/g, "\\$&");

export function asMarkdown(answer) {
  const notes = [];
  const note = (citation) => {
    const place = citation.where ? plain(citation.where) : `characters ${citation.span.start} to ${citation.span.end}`;
    notes.push(`[^${notes.length + 1}]: ${plain(citation.title)}, ${place}: “${plain(citation.quote)}” (${plain(citation.uri ?? "")})`);
    return `[^${notes.length}]`;
  };
  const cited = answer.citations.map(note).join("");
  const found = answer.text === null ? "Not found in these documents. What came closest:" : `**${plain(answer.text)}**`;
  const lines = [`### ${plain(answer.question)}`, "", found + cited, ""];
  for (const [index, hop] of stepsOf(answer.evidence?.hops ?? [], answer.standalone ?? answer.question, answer.citations).entries()) {
    lines.push(`${index + 1}. ${plain(hop.question)}${hop.found ? ` **${plain(hop.found)}**` : ""}`);
    for (const span of hop.sentences ?? []) {
      const said = sentence(span, hop.passages ?? []);
      if (said) lines.push(`   > ${plain(said.text)} (${plain(said.passage.title)})`);
    }
  }
  const parts = answer.kind === "parts" ? " in all of it" : ""; // also in what was not found
  const share = Math.round(answer.confidence * 100);
  if (answer.text !== null) lines.push("", `Confidence${parts} ${share}%, strategy ${plain(answer.evidence?.strategy ?? "")}.`);
  return [...lines, "", ...notes, ""].join("\n");
}
