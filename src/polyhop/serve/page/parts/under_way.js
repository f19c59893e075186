// The question that is being answered in this tab, so that it is not lost where the page is loaded anew meanwhile.

import { tab } from "./tab.js";

const KEY = "polyhop.under-way";

export function begun(workspace, question) {
  try {
    tab.setItem(KEY, JSON.stringify({ workspace, question }));
  } catch {
    // too long to be kept
  }
}

export const ended = () => tab.removeItem(KEY);

/** The question of a workspace that was never answered; empty where there is none. */
export function unanswered(workspace) {
  const kept = JSON.parse(tab.getItem(KEY) ?? "null");
  return kept?.workspace === workspace ? kept.question : "";
}
