// Offsets count characters as Python does; JavaScript counts some characters twice. All cutting of texts is done here.

/** The stretch [start, end) of a text, counted in whole characters. */
export function cut(text, start, end) {
  if (!/[\ud800-\udbff]/.test(text)) return text.slice(Math.max(0, start), Math.max(0, end));
  return Array.from(text).slice(Math.max(0, start), Math.max(0, end)).join("");
}

/** How many characters a text has. */
export function lengthOf(text) {
  return /[\ud800-\udbff]/.test(text) ? Array.from(text).length : text.length;
}

/** What a span of a document says, where one of the passages has it; else null. */
export function sentence(span, passages) {
  const inside = (one) => one.document_id === span.document_id && one.start <= span.start && span.end <= one.end;
  const passage = passages.find(inside);
  return passage ? { text: cut(passage.text, span.start - passage.start, span.end - passage.start), passage } : null;
}

/** Whether a span lies within another. */
export const covers = (span, { document_id: id, start, end }) => span.document_id === id && span.start <= start && end <= span.end;

export const sameSpan = (one, other) =>
  one.document_id === other.document_id && one.start === other.start && one.end === other.end;

/** "1 hop", "2 hops". */
export const counted = (number, one, several = `${one}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : several}`;

export function duration(seconds) {
  if (seconds < 0.95) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** The last part of a path or a URI. */
export const nameOf = (uri) => uri.split(/[\\/]/).filter(Boolean).pop() ?? uri;

/** What a piece of work with language models cost, in words; nothing where none was asked. */
export function spent(cost) {
  if (!cost?.llm_calls) return "";
  const money = cost.money ? `, ${cost.money.toFixed(cost.money < 0.01 ? 4 : 2)} in your currency` : "";
  return `${counted(cost.llm_calls, "call")} of a language model, ${counted(cost.tokens, "token")}${money}`;
}
