"use strict";
// Names and sentences were written by others: they become text (textContent) here, and never markup.
const graph = JSON.parse(document.getElementById("graph").textContent);
const drawing = document.getElementById("drawing");
const entities = new Map(graph.entities.map((entity) => [entity.id, entity]));
const around = new Map(graph.entities.map((entity) => [entity.id, []]));
for (const link of graph.links) {
  around.get(link.subject).push(link);
  if (link.object !== link.subject) around.get(link.object).push(link);
}
const shownAround = 24; // entities drawn around one
const longestName = 32; // characters of a name in the drawing
const byName = new Map();
for (const entity of graph.entities) for (const name of [...entity.aliases, entity.name]) byName.set(name.toLowerCase(), entity.id);

function svg(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function html(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function short(name) {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

function node(id, x, y, show) {
  const group = svg("g", { role: "button", tabindex: "0" });
  const anchor = x < -1 ? "end" : x > 1 ? "start" : "middle";
  group.append(svg("title", {}, entities.get(id).name), svg("circle", { cx: x, cy: y, r: show ? 6 : 9 }));
  group.append(svg("text", { x: x + Math.sign(Math.round(x)) * 12, y: y + (anchor !== "middle" ? 4 : y < 0 ? -14 : 24), "text-anchor": anchor }, short(entities.get(id).name)));
  group.addEventListener("click", () => look(id));
  group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") look(id); });
  return group;
}

function look(id) {
  const links = around.get(id);
  const others = [...new Set(links.map((link) => (link.subject === id ? link.object : link.subject)))].filter((other) => other !== id);
  const drawn = others.slice(0, shownAround);
  drawing.replaceChildren();
  drawing.setAttribute("viewBox", "-480 -320 960 640");
  const places = drawn.map((other, number) => {
    const angle = (2 * Math.PI * number) / Math.max(drawn.length, 1) - Math.PI / 2;
    return [other, 220 * Math.cos(angle), 270 * Math.sin(angle)];
  });
  for (const [, x, y] of places) drawing.append(svg("line", { x1: 0, y1: 0, x2: x, y2: y }));
  for (const [other, x, y] of places) drawing.append(node(other, x, y, true));
  drawing.append(node(id, 0, 0, false));
  const rows = links.map((link) => {
    const row = document.createElement("li");
    row.append(html("strong", `${entities.get(link.subject).name} — ${link.relation} — ${entities.get(link.object).name}`));
    row.append(html("span", `“${link.sentence}”`), html("small", `${link.source} [${link.start}:${link.end}]`));
    return row;
  });
  document.getElementById("said").replaceChildren(...rows);
  document.getElementById("find").value = entities.get(id).name;
}

const sizes = `${graph.entities.length} entities, ${graph.links.length} links`;
document.getElementById("sizes").textContent = graph.cut ? `${sizes}; the index has more` : sizes;
document.getElementById("names").append(...graph.entities.map((entity) => {
  const option = document.createElement("option");
  option.value = entity.name;
  return option;
}));
document.getElementById("find").addEventListener("input", (event) => {
  const id = byName.get(event.target.value.trim().toLowerCase());
  if (id !== undefined) look(id);
});
const busiest = graph.entities.reduce((best, entity) => (best === null || around.get(entity.id).length > around.get(best).length ? entity.id : best), null);
if (busiest !== null) look(busiest);
