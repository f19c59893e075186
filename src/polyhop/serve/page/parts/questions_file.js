// Questions of one's own, as they are pasted or come in a file: JSON Lines, JSON, CSV, or one question a line.

/** `[{question, answer?}]`. Throws an Error that says which line is wrong. */
export function questionsOf(text) {
  const trimmed = text.replace(/^\ufeff/, "").trim();
  if (!trimmed) return [];
  if (trimmed.startsWith("[")) return parsedJson(trimmed, "").map(asked);
  if (trimmed.startsWith("{")) return lines(trimmed).map(({ line, number }) => asked(parsedJson(line, ` in line ${number}`), number));
  const rows = csv(trimmed);
  const head = rows[0].map((name) => name.trim().toLowerCase());
  if (!head.includes("question")) return lines(trimmed).map(({ line }) => ({ question: line }));
  return rows
    .slice(1)
    .filter((row) => row.some((cell) => cell.trim()))
    .map((row, at) => asked(Object.fromEntries(head.map((name, column) => [name, row[column] ?? ""])), at + 2));
}

const lines = (text) =>
  text.split(/\r?\n/).map((line, at) => ({ line: line.trim(), number: at + 1 })).filter(({ line }) => line);

function parsedJson(text, where) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON${where}: ${error.message}`);
  }
}

function asked(row, at) {
  const question = row?.question;
  if (typeof question !== "string" || !question.trim()) throw new Error(`Row ${at + 1} has no “question”.`);
  const answer = [row.answer ?? row.answers].flat().find((one) => typeof one === "string" && one.trim());
  return { question: question.trim(), ...(answer ? { answer: answer.trim() } : {}) };
}

/** Rows of cells; quoted cells may hold commas, quotes that are doubled, and line breaks. */
function csv(text) {
  const mark = text.split("\n", 1)[0].includes(";") && !text.split("\n", 1)[0].includes(",") ? ";" : ",";
  const rows = [[""]];
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    const row = rows.at(-1);
    if (inside && letter === '"' && text[at + 1] === '"') (row[row.length - 1] += '"'), (at += 1);
    else if (letter === '"' && (inside || row.at(-1) === "")) inside = !inside;
    else if (letter === mark && !inside) row.push("");
    else if (letter === "\n" && !inside) rows.push([""]);
    else if (letter !== "\r" || inside) row[row.length - 1] += letter;
  }
  return rows;
}
