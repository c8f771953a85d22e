"use strict";
// Where nodes stand: they start on a spiral, then links pull, nodes push, and the whole cools down until it rests.
// Nothing is left to chance, so that the same graph always comes to rest in the same picture. Before draw.js.

const STEPS = 320;
const COLD = 0.002;
const COOLING = Math.pow(COLD, 1 / STEPS);
const TURN = Math.PI * (3 - Math.sqrt(5));
const PUSH = 260;
const REACH = 520;
const REST = { has_tag: 62, in_cluster: 74, supersedes: 58, derived_from: 66, contradicts: 80, relates_to: 84 };

function radiusOf(node) {
  if (node.kind === "cluster") return 11 + Math.min(7, Math.sqrt(node.size || node.links.length));
  if (node.kind === "tag") return 8 + Math.min(4, Math.sqrt(node.links.length) / 2);
  return 6 + Math.min(4, Math.sqrt(node.links.length) / 1.5);
}

function startPlaces(nodes) {
  nodes.forEach((node, place) => {
    const away = 26 * Math.sqrt(place + 0.5);
    Object.assign(node, { x: away * Math.cos(place * TURN), y: away * Math.sin(place * TURN), vx: 0, vy: 0 });
  });
}

function pullTogether(edges, heat) {
  for (const { source, target, relation, weight } of edges) {
    if (source === target) continue;
    const few = Math.min(source.links.length, target.links.length);
    const dx = target.x + target.vx - source.x - source.vx || 0.01;
    const dy = target.y + target.vy - source.y - source.vy || 0.01;
    const long = Math.hypot(dx, dy);
    const firm = relation === "relates_to" ? 0.3 + 0.7 * Math.min(1, weight) : 1;
    const pull = ((long - (REST[relation] || 80) - source.r - target.r) / long) * heat * firm / few;
    const share = source.links.length / (source.links.length + target.links.length);
    target.vx -= dx * pull * share;
    target.vy -= dy * pull * share;
    source.vx += dx * pull * (1 - share);
    source.vy += dy * pull * (1 - share);
  }
}

function pushApart(nodes, heat) {
  for (let one = 0; one < nodes.length; one++) {
    const a = nodes[one];
    for (let two = one + 1; two < nodes.length; two++) {
      const b = nodes[two];
      const dx = b.x - a.x || 0.01 * (one + 1);
      const dy = b.y - a.y || 0.01;
      const square = dx * dx + dy * dy;
      if (square > REACH * REACH) continue;
      let push = (heat * PUSH) / Math.max(square, 80);
      const room = a.r + b.r + 10;
      if (square < room * room) push += (0.35 * (room - Math.sqrt(square))) / Math.max(Math.sqrt(square), 1);
      a.vx -= dx * push;
      a.vy -= dy * push;
      b.vx += dx * push;
      b.vy += dy * push;
    }
  }
}

// One step of the layout at a given heat; a node that is held stays where the hand is. Screens are wide, hence the two pulls.
function step(nodes, edges, heat) {
  pullTogether(edges, heat);
  pushApart(nodes, heat);
  for (const node of nodes) {
    const home = node.links.length ? 0.035 : 0.07;
    node.vx = (node.vx - node.x * home * heat) * 0.6;
    node.vy = (node.vy - node.y * home * 1.6 * heat) * 0.6;
    if (node.held) node.vx = node.vy = 0;
    node.x += node.vx;
    node.y += node.vy;
  }
}
