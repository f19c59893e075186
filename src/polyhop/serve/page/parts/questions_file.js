// Questions of one's own, as they are pasted or come in a file: JSON Lines, JSON, CSV, or one question a line.

/** `[{question, answer?}]`. Throws an Error that says which line is wrong. */
export function questionsOf(text) {
  const trimmed = text.trim();
  const above = text.slice(0, text.indexOf(trimmed)).split("\n").length; // the number of its first line
  if (!trimmed) return [];
  if (trimmed.startsWith("[")) return parsedJson(trimmed, "").map((row, at) => asked(row, at + 1));
  if (trimmed.startsWith("{")) return lines(trimmed).map(({ line, at }) => asked(parsedJson(line, ` in line ${above + at}`), above + at));
  const [names, ...rows] = csv(trimmed);
  const head = names.map((name) => name.trim().toLowerCase());
  if (!head.includes("question")) return lines(trimmed).map(({ line }) => ({ question: line }));
  return rows
    .map((row, at) => ({ row, number: above + at + 1 }))
    .filter(({ row }) => row.some((cell) => cell.trim()))
    .map(({ row, number }) => asked(Object.fromEntries(head.map((name, column) => [name, row[column] ?? ""])), number));
}

const lines = (text) => text.split(/\r?\n/).map((line, at) => ({ line: line.trim(), at })).filter(({ line }) => line);

function parsedJson(text, where) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON${where}: ${error.message}`);
  }
}

function asked(row, number) {
  const question = row?.question;
  if (typeof question !== "string" || !question.trim()) throw new Error(`Row ${number} has no “question”.`);
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
