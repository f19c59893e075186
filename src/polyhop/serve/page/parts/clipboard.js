// Copies text. Browsers have navigator.clipboard over HTTPS and on the server's own machine only; the old way works everywhere.

import { h, refocused } from "./dom.js";

export async function copy(text) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copySelected(text);
}

/** The browser copies what is selected: here the text of a box that nobody sees. */
function copySelected(text) {
  const held = document.activeElement;
  const box = h("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1", readonly: true });
  box.value = text;
  document.body.append(box);
  box.focus({ preventScroll: true });
  box.select();
  const copied = document.execCommand("copy");
  refocused(() => box.remove(), () => (held === document.body ? null : held));
  if (!copied) throw new Error("this browser does not let it copy.");
}
