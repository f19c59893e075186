// Threads of questions and answers, kept by this browser and nowhere else.

import { tab } from "./tab.js";

const KEY = "polyhop.threads";
const SHOWN = "polyhop.thread"; // of this tab
const MOST = 20; // threads

/** All threads of a workspace, newest first: `{id, workspace, at, turns: [{question, answers}]}`. */
export const threads = (workspace) => stored().filter((one) => one.workspace === workspace);

/** Keep a turn at the end of its thread, where another tab may have put some meanwhile; the oldest threads make room. */
export function keep(thread, turn) {
  const all = stored();
  const before = all.find((one) => one.id === thread.id)?.turns ?? thread.turns;
  const others = all.filter((one) => one.id !== thread.id);
  let kept = [{ ...thread, turns: [...before, turn], at: Date.now() }, ...others].slice(0, MOST);
  while (kept.length) {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
      return;
    } catch {
      kept = kept.slice(0, -1); // full, or forbidden: then nothing is kept
    }
  }
}

export const forget = (id) => keepOnly((one) => one.id !== id);

/** Forget all threads of a workspace, and of no other. */
export const forgetAll = (workspace) => keepOnly((one) => one.workspace !== workspace);

function keepOnly(wanted) {
  try {
    localStorage.setItem(KEY, JSON.stringify(stored().filter(wanted)));
  } catch {
    // what cannot be stored was not stored
  }
}

/** The thread that this tab shows, so that it is still there when the page is loaded anew. */
export const shown = (workspace) => threads(workspace).find((one) => one.id === tab.getItem(SHOWN));

export const show = ({ id }) => tab.setItem(SHOWN, id);

export const titleOf = (thread) => thread.turns[0]?.question ?? "New thread";

/** What was said so far, as a server expects it: the last turns suffice to know what "she" means. */
export const historyOf = (turns) =>
  turns.slice(-6).flatMap(({ question, answers }) => {
    const answer = answers.find((one) => one?.text)?.text;
    return [{ role: "user", content: question }, ...(answer ? [{ role: "assistant", content: answer }] : [])];
  });

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
