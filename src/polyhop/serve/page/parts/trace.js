// How an answer came about, line by line, for those who want to know all of it.

import { copy } from "./clipboard.js";
import { button, h, said } from "./dom.js";

export function trace(answer) {
  const { plan, trail = [], left_out: left = [], synthesis } = answer.evidence ?? {};
  return h(
    "div",
    { class: "trace" },
    plan && block(`Plan (${plan.shape}, by ${plan.source})`, steps(plan)),
    trail.length > 0 && block("Decisions", lines(trail)),
    left.length > 0 && block("Left out by the budget", lines(left)),
    synthesis && block("Established", said("p", synthesis)),
    block("Made with", facts({ reader: answer.reader, ...answer.manifest })),
    button("Copy all of it as JSON", () => copy(JSON.stringify(answer, null, 2)), { icon: "copy" }),
  );
}

const block = (title, body) => h("section", {}, h("h4", {}, title), body);

const lines = (texts) => h("ol", { class: "lines" }, texts.map((text) => said("li", text)));

const steps = (plan) => lines(plan.steps.map((step) => step.question));

/** Names and values, as a list of terms. */
export function facts(values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", { class: "facts" }, pairs.map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), said("dd", String(value))]));
}
