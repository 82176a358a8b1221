/* Any two metrics against each other, at any block of an article. What is drawn follows from the medians alone: whether
   a difference is certain is said by the static charts, which have the rounds. */

const METRICS = [
  ["ns_per_item", "time", "ns per item"], ["l1d_misses_per_item", "misses", "first-level misses per item"],
  ["instructions_per_item", "instructions", "instructions per item"],
  ["bytes_per_entity", "bytes", "bytes per entity"], ["frame_p99_ns", "slow frame", "ns of the 99th of 100 frames"],
];
const PLOT = { left: 70, right: 620, top: 12, bottom: 330, width: 640, height: 380 };
const BASELINE = 4;  // below the middle of a name
const DIRECTIONS = [[1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1], [0, 1]];
const drawn = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const has = (cell, [name]) => (cell[name] ?? "") !== "";
const isHandWritten = (name) => /^(reference|form)(\.|$)/.test(name);

/* Linear from 0, or logarithmic where the figures are far apart. */
function scaleOf(values, from, to) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const isLog = least > 0 && most > 12 * least;
  const [first, last] = isLog ? [least / 1.2, most * 1.2] : [0, most * 1.08 || 1];
  const share = (value) => (isLog ? Math.log(value / first) / Math.log(last / first) : value / last);
  return { at: (value) => from + share(value) * (to - from), ticks: isLog ? decades(first, last) : steps(last) };
}

function decades(first, last) {
  for (const digits of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(first)); power <= Math.log10(last); ++power) {
      ticks.push(...digits.map((digit) => digit * 10 ** power).filter((tick) => tick >= first && tick <= last));
    }
    if (ticks.length <= 8 || digits.length === 1) return ticks;
  }
  return [];
}

function steps(last) {
  const rough = last / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough);
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, place) => place * step);
}

/* Those that no other beats in one metric without being worse in the other, from left to right. */
function frontOf(points) {
  const front = [];
  for (const point of points.filter((each) => !isHandWritten(each.name)).sort((a, b) => a.x - b.x || a.y - b.y)) {
    const last = front.at(-1);
    if (!last || point.y < last.y || (point.y === last.y && point.x === last.x)) front.push(point);
  }
  return front;
}

/* A staircase: whatever lies above it and to the right is beaten in both. */
function cornersOf(front) {
  const corners = front.length ? [[front[0].left, PLOT.top]] : [];
  for (const { left, top } of front) corners.push([left, corners.at(-1)[1]], [left, top]);
  return front.length ? [...corners, [PLOT.right, front.at(-1).top]] : [];
}

/* As large as the reader's fonts make it, of which nothing is known here. */
function measure(chart, point, weight) {
  const text = drawn("text", { "font-weight": weight, visibility: "hidden" }, point.name);
  chart.append(text);
  const { width, height, y } = text.getBBox();
  Object.assign(point, { weight, width, height, rise: -y });
  text.remove();
}

/* Names that cover neither each other nor a point nor the line; the front is served first, and what finds no room goes
   without. */
function placed(points, front, corners) {
  const boxes = points.map(({ left, top }) => [left - 5, top - 5, left + 5, top + 5]);
  corners.slice(1).forEach(([left, top], place) => {
    const [before, above] = corners[place];
    boxes.push([Math.min(left, before) - 1, Math.min(top, above) - 1,
                Math.max(left, before) + 1, Math.max(top, above) + 1]);
  });
  const found = new Map();
  for (const point of [...front, ...points.filter((each) => !front.includes(each))]) {
    const { width, height, rise } = point;
    const topOf = (y) => y + BASELINE - rise;
    const candidates = [8, 18, 32].flatMap((ring) => DIRECTIONS.map(([across, down]) => [
      point.left + ring * across - (across < 0 ? width : across ? 0 : width / 2), point.top + (ring + 3) * down]));
    const isInside = ([x, y]) => x > PLOT.left && x + width < PLOT.width && y > PLOT.top && y < PLOT.bottom - 6;
    const isFree = ([x, y]) => !boxes.some((box) => x < box[2] && box[0] < x + width
      && topOf(y) < box[3] && box[1] < topOf(y) + height);
    const spot = candidates.find((each) => isInside(each) && isFree(each));
    if (!spot) continue;
    boxes.push([spot[0], topOf(spot[1]), spot[0] + width, topOf(spot[1]) + height]);
    found.set(point, spot);
  }
  return found;
}

function drawAxes(chart, across, up, [, , right], [, , top]) {
  for (const tick of across.ticks) {
    const x = across.at(tick);
    chart.append(drawn("line", { class: "grid", x1: x, x2: x, y1: PLOT.top, y2: PLOT.bottom }),
                 drawn("text", { x, y: PLOT.bottom + 18, "text-anchor": "middle" }, short(tick)));
  }
  for (const tick of up.ticks) {
    chart.append(drawn("line", { class: "grid", x1: PLOT.left, x2: PLOT.right, y1: up.at(tick), y2: up.at(tick) }),
                 drawn("text", { x: PLOT.left - 8, y: up.at(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  chart.append(drawn("text", { x: (PLOT.left + PLOT.right) / 2, y: PLOT.height - 10, "text-anchor": "middle" }, right),
               drawn("text", { transform: `translate(14 ${(PLOT.top + PLOT.bottom) / 2}) rotate(-90)`,
                               "text-anchor": "middle" }, top));
}

function drawPoint(chart, point, spot, isHidden) {
  const number = SERIES.findIndex(([name]) => name === point.name);
  const [, glyph, variable] = SERIES[number];
  const group = drawn("g", { "data-c": point.row, "data-s": number, opacity: point.isAhead ? 1 : 0.5 });
  group.classList.toggle("off", isHidden(number));
  const symbol = drawn("text", { x: point.left, y: point.top + 5, "text-anchor": "middle", "font-size": 14 }, glyph);
  symbol.style.fill = `var(${variable})`;
  group.append(symbol);
  if (spot) {
    const [x, y] = spot;
    const end = Math.min(Math.max(point.left, x), x + point.width);
    if (Math.hypot(end - point.left, y - point.top) > 14) {
      group.append(drawn("line", { class: "leader", x1: point.left, y1: point.top, x2: end, y2: y }));
    }
    group.append(drawn("text", { x, y: y + BASELINE, "font-weight": point.weight }, point.name));
  }
  chart.append(group);
}

function drawExplorer(chart, { title, cells }, across, up, isHidden) {
  const points = cells.filter(({ cell }) => has(cell, across) && has(cell, up))
    .map(({ cell, row }) => ({ name: cell.strategy, row, x: Number(cell[across[0]]), y: Number(cell[up[0]]) }));
  const scales = [scaleOf(points.map(({ x }) => x), PLOT.left, PLOT.right),
                  scaleOf(points.map(({ y }) => y), PLOT.bottom, PLOT.top)];
  for (const point of points) Object.assign(point, { left: scales[0].at(point.x), top: scales[1].at(point.y) });
  const front = frontOf(points);
  chart.replaceChildren();
  drawAxes(chart, ...scales, across, up);
  const corners = cornersOf(front);
  chart.append(drawn("polyline", { class: "front", points: corners.join(" ") }));
  for (const point of points) {
    point.isAhead = front.includes(point) || isHandWritten(point.name);
    measure(chart, point, point.isAhead ? 700 : 400);
  }
  const names = placed(points, front, corners);
  for (const point of points) drawPoint(chart, point, names.get(point), isHidden);
  const told = front.map(({ name, x, y }) => `${name} ${short(y)} and ${short(x)}`).join("; ");
  chart.setAttribute("aria-label", `${up[2]} against ${across[2]} of ${title}. On the front: ${told}.`);
}

function choice(label, names, chosen, change) {
  const options = names.map((name, place) => make("option", { value: place, selected: place === chosen }, name));
  const select = make("select", {}, ...options);
  select.addEventListener("change", change);
  return { field: make("label", {}, `${label} `, select), select };
}

/* A block is worth choosing where some metrics have two figures or more. */
function explorableBlocks({ cells, parameters }) {
  const blocks = new Map();
  cells.forEach((cell, row) => {
    const keys = ["entities", ...parameters].filter((key) => cell[key] !== "");
    const place = keys.map((key) => `${key}:${cell[key]}`).join(" ");
    if (!blocks.has(place)) blocks.set(place, []);
    blocks.get(place).push({ cell, row });
  });
  return [...blocks].map(([title, its]) => ({ title, cells: its, metrics: METRICS.filter(
    (metric) => its.filter(({ cell }) => has(cell, metric)).length > 1) })).filter(({ metrics }) => metrics.length > 1);
}

function fillExplorer(article, box) {
  const blocks = explorableBlocks(figuresOf(article));
  if (!blocks.length) return box.append(make("p", { className: "note" }, "No block has two figures of two metrics."));
  const known = METRICS.filter((metric) => blocks.some(({ metrics }) => metrics.includes(metric)));
  const chart = drawn("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", class: "explorer" });
  const note = make("p", { className: "note" });
  note.setAttribute("role", "status");
  const names = known.map(([, name]) => name);
  const isHidden = (number) => article.querySelector(`.legend [data-of="${number}"][aria-pressed="false"]`) !== null;
  const redraw = () => {
    const [block, across, up] = [blocks[at.select.value], known[right.select.value], known[top.select.value]];
    const missing = [across, up].filter((metric) => !block.metrics.includes(metric));
    chart.toggleAttribute("hidden", missing.length > 0);
    note.textContent = missing.length ? `${block.title} has no figures of ${missing.map(([, name]) => name).join(" and ")}.`
      : "The line joins what no other beats in both, by the medians; who is behind is pale.";
    if (!missing.length) drawExplorer(chart, block, across, up, isHidden);
  };
  const most = Math.max(...blocks.map(({ metrics }) => metrics.length));
  const fullest = blocks.findLastIndex(({ metrics }) => metrics.length === most);
  const at = choice("At", blocks.map(({ title }) => title), fullest, redraw);
  const right = choice("to the right", names, Math.max(0, names.indexOf("bytes")), redraw);
  const top = choice("upwards", names, names.indexOf("misses") > 0 ? names.indexOf("misses") : 0, redraw);
  const scroll = make("div", { className: "scroll" }, chart);
  box.append(make("p", { className: "choices" }, at.field, top.field, right.field), scroll, note);
  answers(chart, chart);
  redraw();
}

function addExplorer(article) {
  const box = make("details", { className: "any-two" }, make("summary", {}, "Any two metrics against each other"));
  box.addEventListener("toggle", () => { if (box.open && box.children.length === 1) fillExplorer(article, box); });
  const charts = all(".metric", article).at(-1);
  if (charts) charts.after(box); else article.append(box);
}
