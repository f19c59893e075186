// A graph of facts as a drawing that the keyboard reaches: arrows go from entity to entity, Enter goes into one.

import { fill, svg } from "./dom.js";
import { placed } from "./layout.js";

const LETTER = 7.1; // the mean width of one at the size drawn
const LONGEST = 24; // letters of a name

/**
 * Draws `{nodes, edges}` into an svg element; `chosen(node)` hears of the entity in focus, `enter(node)` of Enter.
 * `at`: the key of the one that was chosen when the same was drawn before.
 */
export function draw(root, { nodes, edges }, { name, at: before, chosen, enter }) {
  const width = Math.max(280, root.clientWidth);
  const height = Math.round(Math.min(640, Math.max(340, width * 0.58, nodes.length * 15)));
  const at = new Map(nodes.map((node, index) => [node.key, index]));
  const boxes = nodes.map((node) => ({ width: shortened(node.name).length * LETTER + 22, height: 28 }));
  const links = new Map(); // one a pair; the words of those that were walked have room between its names
  for (const edge of [...edges].reverse()) {
    const [from, to] = [at.get(edge.from), at.get(edge.to)];
    const room = edge.walked ? shortened(edge.relation).length * LETTER + (boxes[from].width + boxes[to].width) / 2 : 0;
    links.set(`${from} ${to}`, [from, to, room]);
  }
  const places = placed(boxes, [...links.values()], { width, height });
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.style.height = `${height}px`;
  const beside = new Map(); // how many facts are drawn between two entities already: their words stand below one another
  const lines = edges.map((edge) => {
    const [from, to] = [at.get(edge.from), at.get(edge.to)];
    const pair = `${Math.min(from, to)} ${Math.max(from, to)}`;
    beside.set(pair, (beside.get(pair) ?? -1) + 1);
    return line(edge, places[from], places[to], { name, boxes: [boxes[from], boxes[to]], row: beside.get(pair) });
  });
  const groups = nodes.map((node, index) => entity(node, places[index], boxes[index]));
  fill(root, svg("defs", {}, tip("tip", "line"), tip("tip-walked", "walked")), lines, groups);

  const mark = (index) => {
    groups.forEach((group, each) => {
      group.classList.toggle("chosen", each === index);
      group.setAttribute("tabindex", each === index ? "0" : "-1");
    });
    lines.forEach((drawn, each) => drawn.classList.toggle("near", [edges[each].from, edges[each].to].includes(nodes[index].key)));
  };
  const select = (index) => (mark(index), chosen(nodes[index]));
  if (at.has(before)) mark(at.get(before));
  else groups[0]?.setAttribute("tabindex", "0");
  groups.forEach((group, index) => {
    group.addEventListener("focus", () => select(index));
    group.addEventListener("click", () => (group.focus(), select(index)));
    group.addEventListener("dblclick", () => enter(nodes[index]));
    group.addEventListener("keydown", (event) => {
      const next = toward(event.key, places, index);
      if (next !== null) groups[next].focus();
      else if (event.key === "Enter" || event.key === " ") enter(nodes[index]);
      else return;
      event.preventDefault();
    });
  });
}

function entity(node, { x, y }, { width, height }) {
  const box = { x: -width / 2, y: -height / 2, width, height, rx: height / 2 };
  return svg(
    "g",
    { class: node.central ? "node central" : "node", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, tabindex: "-1", role: "button", "aria-label": node.name },
    svg("title", {}, node.name),
    svg("rect", box),
    svg("text", { "text-anchor": "middle", dy: "0.34em", "aria-hidden": "true" }, shortened(node.name)),
  );
}

function line(edge, from, to, { name, boxes, row }) {
  const begin = atBorder(to, from, boxes[0]);
  const end = atBorder(from, to, boxes[1]);
  const words = `${name(edge.from)} ${edge.relation} ${name(edge.to)}`;
  return svg(
    "g",
    { class: edge.walked ? "edge walked" : "edge" },
    svg("title", {}, words),
    svg("line", { x1: begin.x, y1: begin.y, x2: end.x, y2: end.y, "marker-end": `url(#${edge.walked ? "tip-walked" : "tip"})` }),
    svg("text", { class: "relation", x: (begin.x + end.x) / 2, y: (begin.y + end.y) / 2 - 4 + row * 14, "text-anchor": "middle", "aria-hidden": "true" }, shortened(edge.relation)),
  );
}

/** Where a line to the middle of a name's box meets the box, so that its tip is seen. */
function atBorder(from, to, { width, height }) {
  const x = to.x - from.x;
  const y = to.y - from.y;
  const share = Math.min((width / 2 + 3) / Math.abs(x || 1e-9), (height / 2 + 3) / Math.abs(y || 1e-9), 0.9);
  return { x: to.x - x * share, y: to.y - y * share };
}

function tip(id, kind) {
  return svg("marker", { id, class: `tip ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto", markerUnits: "userSpaceOnUse" }, svg("path", { d: "M0 0.5 7.5 4 0 7.5z" }));
}

function shortened(text) {
  const letters = Array.from(text);
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : text;
}

/** The nearest entity in the direction of an arrow key, or null. */
function toward(key, places, index) {
  const [x, y] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] ?? [0, 0];
  if (!x && !y) return null;
  let best = null;
  let least = Infinity;
  places.forEach((place, each) => {
    const along = (place.x - places[index].x) * x + (place.y - places[index].y) * y;
    const across = Math.abs((place.x - places[index].x) * y) + Math.abs((place.y - places[index].y) * x);
    if (each === index || along <= 1) return;
    if (along + 2 * across < least) [best, least] = [each, along + 2 * across];
  });
  return best;
}
