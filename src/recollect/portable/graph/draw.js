// How the graph is painted on a canvas: edges, nodes, then the labels that find room. After layout.js, before page.js.

const DASHES = { has_tag: [1.5, 4], in_cluster: [7, 4], derived_from: [8, 3, 2, 3], contradicts: [5, 3] };
const POINTED = new Set(["supersedes", "derived_from"]);
const LONG_LABEL = 40;
const SHORT_LABEL = 26;
const PLAIN = 4; // the rank of a label that is shown only where it covers nothing
const LINE = 15;
const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

function paletteOf(element) {
  const style = getComputedStyle(element), known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, style.getPropertyValue(`--${name}`).trim());
    return known.get(name);
  };
}

function colourOf(node, palette) {
  return palette(node.kind === "memory" ? `trust-${node.level}` : node.kind) || palette("soft");
}

function outline(brush, kind, x, y, r) {
  const corners = { tag: 4, cluster: 6 }[kind];
  brush.beginPath();
  if (!corners) return brush.arc(x, y, r, 0, 7);
  for (let corner = 0; corner < corners; corner++) {
    const angle = (corner * 2 * Math.PI) / corners;
    brush.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  brush.closePath();
}

function drawNode(brush, palette, node, x, y, r) {
  const colour = colourOf(node, palette);
  const past = node.status && node.status !== "active";
  outline(brush, node.kind, x, y, r);
  brush.fillStyle = node.level === "low" || past ? palette("paper") : colour;
  brush.fill();
  brush.strokeStyle = node.level === "low" || past ? colour : palette("paper");
  brush.lineWidth = node.level === "low" || past ? 2 : 1.5;
  brush.setLineDash(past ? [3, 2.5] : []);
  brush.stroke();
  brush.setLineDash([]);
  if (node.seed) ring(brush, palette("ink"), x, y, r + 3.5, 2);
}

function ring(brush, colour, x, y, r, width) {
  brush.beginPath();
  brush.arc(x, y, r, 0, 7);
  brush.strokeStyle = colour;
  brush.lineWidth = width;
  brush.stroke();
}

function widthOf(edge) {
  return edge.relation === "relates_to" ? 0.8 + 2.6 * Math.min(1, Math.max(0, edge.weight)) : 1.6;
}

// From a to b (screen places with radius r), bent aside when several edges join the same two nodes, thin from afar.
function drawEdge(brush, palette, edge, a, b, { bend = 0, thin = 1 } = {}) {
  const dx = b.x - a.x, dy = b.y - a.y, long = Math.hypot(dx, dy) || 1;
  const mx = (a.x + b.x) / 2 - (dy / long) * bend, my = (a.y + b.y) / 2 + (dx / long) * bend;
  brush.strokeStyle = brush.fillStyle = palette(edge.relation) || palette("soft");
  brush.lineWidth = widthOf(edge) * thin;
  brush.setLineDash(DASHES[edge.relation] || []);
  brush.beginPath();
  if (edge.source === edge.target) brush.arc(a.x, a.y - a.r - 6, 8, 0, 7);
  else {
    brush.moveTo(a.x, a.y);
    if (bend) brush.quadraticCurveTo(mx, my, b.x, b.y);
    else brush.lineTo(b.x, b.y); // straight lines are painted much faster
  }
  brush.stroke();
  if (!POINTED.has(edge.relation) || edge.source === edge.target) return;
  brush.setLineDash([]);
  const angle = Math.atan2(b.y - my, b.x - mx), gap = b.r + 2;
  brush.beginPath();
  for (const [back, turn] of [[gap, 0], [gap + 9, 4.5], [gap + 9, -4.5]])
    brush.lineTo(
      b.x - Math.cos(angle) * back - Math.sin(angle) * turn, b.y - Math.sin(angle) * back + Math.cos(angle) * turn);
  brush.closePath();
  brush.fill();
}

function labelOf(node, most) {
  const signs = Array.from(node.label);
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : node.label;
}

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// A label's left end, moved so that the label does not run out of the picture.
const within = (left, wide, edge) => Math.max(4, Math.min(left, edge - 4 - wide));

// A box for a label beside its node that meets no other label and, if it can be had, no node; null when there is no room.
function roomFor(wide, spot, taken, spots, edge) {
  const gap = spot.rim + 3, middle = within(spot.x - wide / 2, wide, edge);
  const boxes = [
    [middle, spot.y + gap], [middle, spot.y - gap - LINE],
    [spot.x + gap + 2, spot.y - LINE / 2], [spot.x - gap - 2 - wide, spot.y - LINE / 2],
  ].map(([left, top]) => ({ left, top, right: left + wide, bottom: top + LINE }));
  const inside = boxes.filter((box) => box.left >= 4 && box.right <= edge - 4);
  const free = inside.filter((box) => !taken.some((other) => overlaps(box, other)));
  const clear = (box) => !spots.some((other) => other !== spot && other.faint <= spot.faint && overlaps(box, other.box));
  return free.find(clear) || (spot.rank ? spot.rank < PLAIN && free[0] : boxes[0]) || null;
}

function drawLabels(brush, palette, wanted, spots, edge) {
  // The label of a node that stands out must not cover the node it stands out with.
  const taken = spots.filter((spot) => !spot.rank).map((spot) => spot.box), most = spots.length > 80 ? SHORT_LABEL : LONG_LABEL;
  Object.assign(brush, { font: FONT, textBaseline: "middle", textAlign: "left", lineJoin: "round" });
  for (const spot of wanted) {
    const text = labelOf(spot.node, spot.rank ? most : LONG_LABEL);
    const wide = brush.measureText(text).width;
    const box = roomFor(wide, spot, taken, spots, edge);
    if (!box) continue;
    taken.push(box);
    brush.globalAlpha = spot.faint ? 0.3 : 1;
    brush.strokeStyle = palette("paper");
    brush.lineWidth = 4;
    brush.strokeText(text, box.left, box.top + 8);
    brush.fillStyle = palette("ink");
    brush.fillText(text, box.left, box.top + 8);
  }
  brush.globalAlpha = 1;
}

function sampleOf(palette, paint) {
  const sample = document.createElement("canvas"), ratio = window.devicePixelRatio || 1;
  sample.width = 34 * ratio;
  sample.height = 20 * ratio;
  sample.style.width = "34px";
  sample.style.height = "20px";
  sample.setAttribute("aria-hidden", "true");
  const brush = sample.getContext("2d");
  brush.scale(ratio, ratio);
  paint(brush, palette);
  return sample;
}
