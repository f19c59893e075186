// Where the entities of a small graph are drawn: springs along facts, room around names. The same graph, the same picture.

const ROUNDS = 420;
const MARGIN = 12;

/**
 * Places for nodes in a box. `nodes`: [{width, height}], `links`: [[from, to, room]] as positions in nodes; a link with room
 * is so long, where there is space, and no name lies on it.
 * Returns [{x, y}], the middle of each node; all of them lie within the box.
 */
export function placed(nodes, links, { width, height }) {
  const middle = { x: width / 2, y: height / 2 };
  const ideal = Math.max(70, Math.sqrt((width * height) / Math.max(1, nodes.length)) * 0.8);
  const places = nodes.map((_, at) => onSpiral(at, middle, ideal));
  for (let round = 0; round < ROUNDS; round += 1) {
    const heat = (1 - round / ROUNDS) * ideal * 0.35 + 0.5;
    const moves = pushes(places, ideal);
    for (const [from, to, room = 0] of links) pull(places, moves, from, to, Math.max(ideal, room));
    places.forEach((place, at) => {
      const move = moves[at];
      move.x += (middle.x - place.x) * 0.05;
      move.y += (middle.y - place.y) * 0.11; // boxes are wider than high
      const length = Math.hypot(move.x, move.y) || 1;
      const step = Math.min(length, heat) / length;
      place.x += move.x * step;
      place.y += move.y * step;
    });
    if (round > ROUNDS * 0.6) apart(places, nodes);
    inside(places, nodes, width, height);
  }
  for (let round = 0; round < 60; round += 1) {
    if (round < 40) links.filter(([, , room]) => room).forEach((link) => aside(places, nodes, link));
    apart(places, nodes);
    inside(places, nodes, width, height);
  }
  return places;
}

/** The first in the middle, the others around it in the order given. */
function onSpiral(at, middle, ideal) {
  const angle = at * 2.39996;
  const radius = ideal * 0.6 * Math.sqrt(at);
  return { x: middle.x + radius * Math.cos(angle), y: middle.y + radius * Math.sin(angle) };
}

function pushes(places, ideal) {
  const moves = places.map(() => ({ x: 0, y: 0 }));
  for (let one = 0; one < places.length; one += 1) {
    for (let other = one + 1; other < places.length; other += 1) {
      const x = places[one].x - places[other].x || 0.01 * (one - other);
      const y = places[one].y - places[other].y || 0.01;
      const force = (ideal * ideal) / Math.max(25, x * x + y * y);
      moves[one].x += x * force;
      moves[one].y += y * force;
      moves[other].x -= x * force;
      moves[other].y -= y * force;
    }
  }
  return moves;
}

function pull(places, moves, from, to, ideal) {
  const x = places[from].x - places[to].x;
  const y = places[from].y - places[to].y;
  const force = Math.hypot(x, y) / ideal;
  moves[from].x -= x * force;
  moves[from].y -= y * force;
  moves[to].x += x * force;
  moves[to].y += y * force;
}

/** Names do not cover one another: the smaller of the two overlaps is taken away, half by each. */
function apart(places, nodes) {
  for (let one = 0; one < places.length; one += 1) {
    for (let other = one + 1; other < places.length; other += 1) {
      const x = places[other].x - places[one].x;
      const y = places[other].y - places[one].y;
      const overX = (nodes[one].width + nodes[other].width) / 2 + MARGIN - Math.abs(x);
      const overY = (nodes[one].height + nodes[other].height) / 2 + MARGIN * 1.6 - Math.abs(y);
      if (overX <= 0 || overY <= 0) continue;
      const axis = overX < overY ? "x" : "y";
      const half = ((axis === "x" ? overX : overY) / 2) * (axis === "x" ? Math.sign(x) || 1 : Math.sign(y) || 1);
      places[one][axis] -= half;
      places[other][axis] += half;
    }
  }
}

/** No name lies on a link between two others: it is pushed across it, to the nearer side. */
function aside(places, nodes, [from, to]) {
  const { x, y } = places[from];
  const [wide, high] = [places[to].x - x, places[to].y - y];
  const length = Math.hypot(wide, high) || 1;
  const [acrossX, acrossY] = [-high / length, wide / length];
  places.forEach((place, at) => {
    const along = ((place.x - x) * wide + (place.y - y) * high) / length;
    if (at === from || at === to || along < 0 || along > length) return;
    const off = (place.x - x) * acrossX + (place.y - y) * acrossY;
    const lacks = (Math.abs(acrossX) * nodes[at].width + Math.abs(acrossY) * nodes[at].height) / 2 + MARGIN - Math.abs(off);
    if (lacks <= 0) return;
    const move = off < 0 ? -lacks : lacks;
    place.x += acrossX * move;
    place.y += acrossY * move;
  });
}

function inside(places, nodes, width, height) {
  places.forEach((place, at) => {
    const x = Math.min(nodes[at].width / 2 + MARGIN, width / 2);
    const y = Math.min(nodes[at].height / 2 + MARGIN, height / 2);
    place.x = Math.min(width - x, Math.max(x, place.x));
    place.y = Math.min(height - y, Math.max(y, place.y));
  });
}
