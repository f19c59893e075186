// A plain plot: one bar a strategy, with the interval that the figure may lie in.

import { svg } from "./dom.js";

const ROW = 34;
const LEFT = 150;
const RIGHT = 56;

/** `rows`: [{name, value, low?, high?}]; `most`: the end of the axis; `words(value)`: how a value is written. */
export function bars(rows, { width, most, label, words }) {
  const inner = Math.max(80, width - LEFT - RIGHT);
  const x = (value) => LEFT + (Math.max(0, Math.min(value, most)) / (most || 1)) * inner;
  const height = rows.length * ROW + 30;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  return svg(
    "svg",
    { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${label}: ${rows.map((row) => `${row.name} ${words(row.value)}`).join(", ")}` },
    ticks.map((tick) => [
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 4, y2: height - 24 }),
      svg("text", { class: "tick", x: x(tick), y: height - 8, "text-anchor": "middle" }, words(tick)),
    ]),
    rows.map((row, at) => bar(row, at * ROW + 8, x, words)),
  );
}

function bar({ name, value, low, high }, y, x, words) {
  const middle = y + 9;
  const interval = low !== undefined && high !== undefined && svg("path", { class: "interval", d: `M${x(low)} ${middle}H${x(high)}M${x(low)} ${middle - 4}v8M${x(high)} ${middle - 4}v8` });
  return svg(
    "g",
    {},
    svg("text", { class: "bar-name", x: LEFT - 10, y: middle + 4, "text-anchor": "end" }, name.length > 20 ? `${name.slice(0, 19)}…` : name),
    svg("rect", { class: "bar-value", x: LEFT, y, width: Math.max(1, x(value) - LEFT), height: 18, rx: 2 }),
    interval || null,
    svg("text", { class: "bar-words", x: Math.max(x(high ?? value), x(value)) + 8, y: middle + 4 }, words(value)),
  );
}
