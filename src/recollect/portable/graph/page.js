// What the reader does: look, move, zoom, search, choose. What memories say enters the page as text only. After draw.js.

const byId = (id) => document.getElementById(id);
const picture = byId("picture"), card = byId("card"), search = byId("search");
const brush = picture.getContext("2d");
const { nodes, edges } = JSON.parse(byId("graph").textContent);
const view = { x: 0, y: 0, zoom: 1, wide: 1, high: 1, moved: false };
// pointed: under the pointer or reached by keys; kept: its card stays open; found: what the search found, null without one.
const now = { pointed: null, kept: null, found: null, hidden: new Set(), heat: 1, settled: false, waiting: false };
const FEW = 45;
const FACTS = ["type", "scope", "status", "trust", "confidence", "score", "size", "key"];
let palette = paletteOf(document.documentElement);

function join() {
  const pairs = new Map();
  nodes.forEach((node, place) => Object.assign(node, { place, links: [] }));
  for (const edge of edges) {
    const ends = [edge.source, edge.target].sort((a, b) => a - b);
    const same = pairs.get(ends.join()) || [];
    pairs.set(ends.join(), [...same, edge]);
    Object.assign(edge, { source: nodes[edge.source], target: nodes[edge.target], weight: edge.weight ?? 1, same: 0 });
    for (const end of new Set([edge.source, edge.target])) end.links.push(edge);
  }
  for (const same of pairs.values())
    same.forEach((edge, place) => {
      const side = edge.source.place < edge.target.place ? 1 : -1;
      edge.bend = side * (place - (same.length - 1) / 2) * 22;
    });
  for (const node of nodes) node.r = radiusOf(node);
}

const otherEnd = (edge, node) => (edge.source === node ? edge.target : edge.source);
const shownLinks = (node) => node.links.filter((edge) => !now.hidden.has(edge.relation));

// The nodes that stand out: what was found, or the neighbourhood of the node that is looked at; null when all are equal.
function standingOut() {
  const centre = now.pointed || now.kept;
  if (centre) return new Set([centre, ...shownLinks(centre).map((edge) => otherEnd(edge, centre))]);
  return now.found;
}

function spotOf(node, bright) {
  const zoom = view.zoom, x = node.x * zoom + view.x, y = node.y * zoom + view.y;
  const r = node.r * Math.min(1.7, Math.max(0.45, Math.sqrt(zoom)));
  const box = { left: x - r, right: x + r, top: y - r, bottom: y + r };
  return { node, x, y, r, box, faint: Boolean(bright) && !bright.has(node) };
}

// How much a label matters: 0 is always drawn, PLAIN only where there is room.
function rankOf({ node, faint }) {
  if (node === now.pointed || node === now.kept) return 0;
  if (now.found?.has(node) || node.seed || ((now.pointed || now.kept) && !faint)) return 1;
  return { cluster: 2, tag: 3 }[node.kind] || PLAIN;
}

function labelled(spots) {
  const crowded = nodes.length > FEW && view.zoom < 1.8;
  const inside = ({ x, y }) => x > -40 && y > -20 && x < view.wide + 40 && y < view.high + 20;
  const wanted = spots.filter((spot) => inside(spot) && !(crowded && (spot.faint || spot.rank === PLAIN)));
  return wanted.sort((a, b) => a.rank - b.rank || a.node.place - b.node.place).slice(0, 160);
}

// A ring around what is looked at or was found; how far it reaches is kept for the label.
function drawRing(spot) {
  const looked = spot.rank === 0, found = now.found?.has(spot.node);
  spot.rim = spot.r + (looked ? 8 : found ? 7 : spot.node.seed ? 4 : 0);
  if (looked || found) ring(brush, palette(looked ? "accent" : "mark"), spot.x, spot.y, spot.rim - 1, 2.5);
}

function paint() {
  now.waiting = false;
  cool();
  const ratio = window.devicePixelRatio || 1, bright = standingOut(), centre = now.pointed || now.kept;
  const spots = nodes.map((node) => spotOf(node, bright)), thin = Math.min(1, Math.max(0.5, Math.sqrt(view.zoom)));
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  brush.clearRect(0, 0, view.wide, view.high);
  for (const edge of edges) {
    if (now.hidden.has(edge.relation)) continue;
    const a = spots[edge.source.place], b = spots[edge.target.place];
    const lit = centre ? edge.source === centre || edge.target === centre : !(a.faint || b.faint);
    brush.globalAlpha = !bright ? (edges.length > 400 ? 0.5 : 0.85) : lit ? 1 : 0.1;
    drawEdge(brush, palette, edge, a, b, { bend: edge.bend * Math.min(1.5, view.zoom), thin });
  }
  for (const spot of spots) {
    brush.globalAlpha = spot.faint ? 0.22 : 1;
    drawNode(brush, palette, spot.node, spot.x, spot.y, spot.r);
    spot.rank = rankOf(spot);
    drawRing(spot);
  }
  drawLabels(brush, palette, labelled(spots), spots, view.wide);
  document.documentElement.dataset.ready = `nodes=${nodes.length}`;
  if (now.heat > COLD) repaint();
  else document.documentElement.dataset.settled = "yes";
}

function repaint() {
  if (!now.waiting) requestAnimationFrame(paint);
  now.waiting = true;
}

// The first time, as many steps as a frame has room for; after that one a frame, so that a dragged node is followed calmly.
function cool() {
  const until = performance.now() + 14;
  while (now.heat > COLD) {
    step(nodes, edges, now.heat);
    now.heat *= now.settled ? 0.97 : COOLING;
    if (now.settled || performance.now() > until) break;
  }
  if (now.heat <= COLD) now.settled = true;
  if (!view.moved) showWhole();
}

function showWhole() {
  const edge = (pick, sign) => nodes.reduce((far, node) => Math.max(far, sign * node[pick] + node.r), -Infinity);
  const left = -edge("x", -1), right = edge("x", 1), top = -edge("y", -1), bottom = edge("y", 1);
  const roomy = [(view.wide - 150) / Math.max(right - left, 1), (view.high - 90) / Math.max(bottom - top, 1)];
  view.zoom = Math.max(0.05, Math.min(1.5, ...roomy));
  view.x = view.wide / 2 - ((left + right) / 2) * view.zoom;
  view.y = view.high / 2 - ((top + bottom) / 2) * view.zoom;
}

function zoomBy(factor, x = view.wide / 2, y = view.high / 2) {
  const zoom = Math.max(0.05, Math.min(8, view.zoom * factor)), change = zoom / view.zoom;
  Object.assign(view, { zoom, x: x - (x - view.x) * change, y: y - (y - view.y) * change, moved: true });
  repaint();
}

function bringIntoView(node) {
  const { x, y } = spotOf(node);
  if (x > 30 && y > 30 && x < view.wide - 30 && y < view.high - 30) return;
  Object.assign(view, { x: view.x + view.wide / 2 - x, y: view.y + view.high / 2 - y, moved: true });
}

function made(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function button(text, act, className) {
  const element = made("button", text, className);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

function linkItem(edge, node) {
  const other = otherEnd(edge, node), item = made("li");
  const words = edge.relation.replaceAll("_", " ");
  item.append(made("span", edge.source === node ? `${words} →` : `← ${words}`, "relation"));
  item.append(button(other.label, () => keep(other)));
  item.lastChild.dir = "auto";
  return item;
}

function fillCard(node) {
  const facts = made("dl"), links = made("ul"), content = made("p", node.content || node.label, "content");
  content.dir = "auto";
  for (const name of FACTS) {
    if (node[name] === undefined) continue;
    const value = typeof node[name] === "number" && name !== "size" ? node[name].toFixed(2) : node[name];
    facts.append(made("dt", name), made("dd", name === "trust" ? `${value} (${node.level})` : value));
  }
  card.replaceChildren(made("span", node.seed ? `${node.kind}, seed` : node.kind, "kind"), content, facts);
  for (const edge of node.links.slice(0, 12)) links.append(linkItem(edge, node));
  if (node.links.length > 12) links.append(made("li", `and ${node.links.length - 12} more links`));
  if (node.links.length) card.append(links);
  if (now.kept !== node) return;
  const close = button("×", () => keep(null), "close");
  close.setAttribute("aria-label", "Close the card");
  card.prepend(close);
}

function showCard() {
  const node = now.kept || now.pointed;
  card.hidden = !node;
  for (const row of rows) row.classList.toggle("shown", row === rows[node?.place]);
  if (node) {
    fillCard(node);
    const side = spotOf(node).x > view.wide / 2 ? "left" : "right";
    card.className = `${side}${now.kept ? " kept" : ""}`;
    card.scrollTop = 0;
  }
  repaint();
}

function point(node) {
  if (now.pointed === node) return;
  now.pointed = node;
  showCard();
}

function keep(node) {
  Object.assign(now, { kept: node, pointed: null });
  if (node) bringIntoView(node);
  showCard();
}
