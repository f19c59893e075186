// A quotation that opens its document where it stands.

import { h, said } from "./dom.js";

/** Citations with the numbers they go by in an answer. */
export const numbered = (citations) => (citations ?? []).map((one, index) => ({ ...one, number: index + 1 }));

/** `quoted`: {span, quote, title, where?, numbers}. */
export function quotation({ span, quote, title, where, numbers }, source) {
  return h(
    "button",
    { type: "button", class: "quotation", on: { click: () => source.open(span) } },
    said("q", quote, { class: "quote" }),
    h(
      "span",
      { class: "quote-from" },
      numbers.map((number) => h("span", { class: "chip", "aria-hidden": "true" }, String(number))),
      said("span", title, { class: "quote-title", title }),
      where && said("span", where),
    ),
  );
}
