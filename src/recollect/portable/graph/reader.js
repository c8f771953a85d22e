// The reader's hands: pointer, keys, search box, legend and list, each wired to what page.js offers. The last part.

const hands = new Map();
let grip = null;

function nodeAt(x, y) {
  let best = null, nearest = Infinity;
  for (const node of nodes) {
    const spot = spotOf(node), far = Math.hypot(spot.x - x, spot.y - y) - spot.r;
    if (far < Math.min(6, nearest)) [best, nearest] = [node, far];
  }
  return best;
}

function pressed(event) {
  picture.setPointerCapture(event.pointerId);
  hands.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  grip = { node: nodeAt(event.offsetX, event.offsetY), x: event.offsetX, y: event.offsetY, dragged: hands.size > 1 };
}

function pinch(event, before) {
  const [other] = [...hands].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
  const far = (place) => Math.max(10, Math.hypot(place.x - other.x, place.y - other.y));
  const after = { x: event.offsetX, y: event.offsetY };
  zoomBy(far(after) / far(before), (after.x + other.x) / 2, (after.y + other.y) / 2);
}

function moved(event) {
  const { offsetX: x, offsetY: y } = event, before = hands.get(event.pointerId);
  if (!before) {
    const node = nodeAt(x, y);
    picture.classList.toggle("over", Boolean(node));
    return point(node);
  }
  hands.set(event.pointerId, { x, y });
  if (hands.size > 1) return pinch(event, before);
  if (!grip.dragged && Math.hypot(x - grip.x, y - grip.y) < 4) return undefined;
  grip.dragged = true;
  view.moved = true;
  if (grip.node) {
    Object.assign(grip.node, { held: true, x: (x - view.x) / view.zoom, y: (y - view.y) / view.zoom });
    now.heat = Math.max(now.heat, 0.25);
  } else Object.assign(view, { x: view.x + x - before.x, y: view.y + y - before.y });
  return repaint();
}

function released(event) {
  hands.delete(event.pointerId);
  if (!grip || hands.size) return;
  if (grip.node) grip.node.held = false;
  if (!grip.dragged && event.type === "pointerup") keep(grip.node);
  grip = null;
}

// The nearest node in the direction of an arrow; what lies aside counts as farther away.
function towards(from, dx, dy) {
  let best = from, least = Infinity;
  for (const node of nodes) {
    const along = (node.x - from.x) * dx + (node.y - from.y) * dy;
    const aside = Math.abs((node.x - from.x) * dy) + Math.abs((node.y - from.y) * dx);
    if (node !== from && along > aside * 0.35 && along + 2 * aside < least) [best, least] = [node, along + 2 * aside];
  }
  return best;
}

function nearestToMiddle() {
  const far = (node) => Math.hypot(spotOf(node).x - view.wide / 2, spotOf(node).y - view.high / 2);
  return nodes.reduce((best, node) => (far(node) < far(best) ? node : best), nodes[0]);
}

function go(dx, dy) {
  const from = now.kept || now.pointed, next = from ? towards(from, dx, dy) : nearestToMiddle();
  if (now.kept) return keep(next);
  bringIntoView(next);
  return point(next);
}

const KEYS = {
  ArrowLeft: () => go(-1, 0), ArrowRight: () => go(1, 0), ArrowUp: () => go(0, -1), ArrowDown: () => go(0, 1),
  Enter: () => keep(now.kept || now.pointed), " ": () => keep(now.kept || now.pointed),
  "+": () => zoomBy(1.3), "=": () => zoomBy(1.3), "-": () => zoomBy(1 / 1.3), 0: () => whole(),
};

function whole() {
  view.moved = false;
  showWhole();
  repaint();
}

function typed(event) {
  if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
}

const wordsOf = (node) => [node.label, node.content, node.type, node.scope, node.status, node.key].join("\n").toLowerCase();

function look() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  now.found = words.length ? new Set(nodes.filter((node) => words.every((word) => wordsOf(node).includes(word)))) : null;
  byId("found").textContent = now.found ? `${now.found.size || "nothing"} found` : "";
  rows.forEach((row, place) => { row.parentElement.hidden = Boolean(now.found) && !now.found.has(nodes[place]); });
  repaint();
}

function nextFound(event) {
  if (event.key !== "Enter" || !now.found?.size) return;
  const found = [...now.found], place = found.indexOf(now.kept);
  keep(found[(place + 1) % found.length]);
}

function alongList(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1 }, visible = rows.filter((row) => !row.parentElement.hidden);
  if (!steps[event.key]) return;
  event.preventDefault();
  visible[visible.indexOf(document.activeElement) + steps[event.key]]?.focus();
}

const rows = [...document.querySelectorAll("#nodes > .node")].map((item, place) => {
  const row = button(undefined, () => keep(nodes[place]));
  row.append(item.querySelector(".name"), item.querySelector("small"));
  row.addEventListener("focus", () => { bringIntoView(nodes[place]); point(nodes[place]); });
  row.addEventListener("blur", () => point(null));
  item.prepend(row);
  return row;
});

function legendItem(sample, text, count) {
  const item = made("li");
  item.append(sample, made("span", text), made("span", String(count), "count"));
  return item;
}

function kindItems() {
  const looks = [
    ...["high", "middle", "low", "unknown"].map((level) => [`memory, ${level} trust`, { kind: "memory", level }]),
    ["memory of the past", { kind: "memory", level: "high", status: "superseded" }],
    ["seed of this view", { kind: "memory", level: "high", seed: true }],
    ["tag", { kind: "tag" }], ["cluster", { kind: "cluster" }],
  ];
  const like = (look) => (node) => look.seed ? node.seed : look.status ? node.status && node.status !== "active"
    : node.kind === look.kind && (!look.level || node.level === look.level);
  return looks.map(([text, look]) => [text, look, nodes.filter(like(look)).length]).filter(([, , count]) => count)
    .map(([text, look, count]) =>
      legendItem(sampleOf(palette, (brush, tint) => drawNode(brush, tint, look, 17, 10, look.seed ? 5 : 7)), text, count));
}

function relationItem(relation) {
  const ends = { source: 0, target: 1, relation, weight: 0.5 };
  const sample = sampleOf(palette, (brush, tint) => drawEdge(brush, tint, ends, { x: 1, y: 10, r: 0 }, { x: 33, y: 10, r: 0 }));
  const item = made("li"), label = made("label"), box = made("input");
  Object.assign(box, { type: "checkbox", checked: !now.hidden.has(relation) });
  box.addEventListener("change", () => {
    now.hidden[box.checked ? "delete" : "add"](relation);
    repaint();
  });
  const count = edges.filter((edge) => edge.relation === relation).length;
  label.append(box, sample, made("span", relation.replaceAll("_", " ")), made("span", String(count), "count"));
  item.append(label);
  return item;
}

function explain() {
  palette = paletteOf(document.documentElement);
  byId("kinds").replaceChildren(...kindItems());
  const order = Object.keys(REST), relations = [...new Set(edges.map((edge) => edge.relation))];
  const place = (relation) => (order.indexOf(relation) + 1 || 99);
  byId("relations").replaceChildren(...relations.sort((a, b) => place(a) - place(b)).map(relationItem));
  repaint();
}

function fitScreen() {
  const ratio = window.devicePixelRatio || 1, { width, height } = picture.getBoundingClientRect();
  Object.assign(view, { wide: width, high: height });
  Object.assign(picture, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  if (!view.moved) showWhole();
  paint(); // at once: a canvas that changed its size is blank until it is painted again
}

function wire() {
  picture.addEventListener("pointerdown", pressed);
  picture.addEventListener("pointermove", moved);
  picture.addEventListener("pointerup", released);
  picture.addEventListener("pointercancel", released);
  picture.addEventListener("pointerleave", () => { if (!hands.size) point(null); });
  picture.addEventListener("blur", () => point(null));
  picture.addEventListener("dblclick", (event) => { if (!nodeAt(event.offsetX, event.offsetY)) whole(); });
  picture.addEventListener("keydown", typed);
  picture.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-Math.max(-120, Math.min(120, event.deltaY)) / 500), event.offsetX, event.offsetY);
  }, { passive: false });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") keep(null); });
  search.addEventListener("input", look);
  search.addEventListener("keydown", nextFound);
  byId("nodes").addEventListener("keydown", alongList);
  byId("closer").addEventListener("click", () => zoomBy(1.3));
  byId("farther").addEventListener("click", () => zoomBy(1 / 1.3));
  byId("whole").addEventListener("click", whole);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", explain);
  new ResizeObserver(fitScreen).observe(picture);
}

document.body.classList.add("live");
join();
startPlaces(nodes);
if (nodes.length) {
  wire();
  explain();
  fitScreen();
} else document.documentElement.dataset.ready = "nodes=0";
