// Descriptions of strategies mark names of options as ``code``.

import { h } from "./dom.js";

/** The text with its marked stretches as elements. */
export const withCode = (text) => text.split("``").map((stretch, at) => (at % 2 ? h("code", {}, stretch) : stretch));

/** The text without its marks, where there is no room for elements. */
export const plain = (text) => text.replaceAll("``", "");
