/* Any two metrics against each other, at any block of an article. The line follows from the medians alone. The static
   charts have the rounds, so they say which differences are certain. */

const METRICS = [
  ["ns_per_item", "time", "ns per item"], ["l1d_misses_per_item", "misses", "first-level misses per item"],
  ["instructions_per_item", "instructions", "instructions per item"],
  ["bytes_per_entity", "bytes", "bytes per entity"], ["frame_p99_ns", "frame-time p99", "frame-time p99 (ns)"],
];
const PLOT = { left: 70, right: 620, top: 12, bottom: 330, width: 640, height: 380 };
const has = (cell, [name]) => (cell[name] ?? "") !== "";
const isHandWritten = (name) => /^(reference|form)(\.|$)/.test(name);

/* Linear from 0, or logarithmic if the figures are far apart. */
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

/* The strategies that no other beats in one metric without being worse in the other, from left to right. */
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

function drawPoint(chart, point, isAhead, isHidden) {
  const number = SERIES.findIndex(([name]) => name === point.name);
  const [, glyph, variable] = SERIES[number];
  const group = drawn("g", { "data-c": point.row, "data-s": number, opacity: isAhead ? 1 : 0.5 });
  group.classList.toggle("off", isHidden(number));
  const symbol = drawn("text", { x: point.left, y: point.top + 5, "text-anchor": "middle" }, glyph);
  symbol.style.fill = `var(${variable})`;
  group.append(symbol);
  chart.append(group);
}

/* Returns what is on the front, in words. */
function drawExplorer(chart, { title, cells }, across, up, isHidden) {
  const points = cells.filter(({ cell }) => has(cell, across) && has(cell, up))
    .map(({ cell, row }) => ({ name: cell.strategy, row, x: Number(cell[across[0]]), y: Number(cell[up[0]]) }));
  const scales = [scaleOf(points.map(({ x }) => x), PLOT.left, PLOT.right),
                  scaleOf(points.map(({ y }) => y), PLOT.bottom, PLOT.top)];
  for (const point of points) Object.assign(point, { left: scales[0].at(point.x), top: scales[1].at(point.y) });
  const front = frontOf(points);
  chart.replaceChildren();
  drawAxes(chart, ...scales, across, up);
  chart.append(drawn("polyline", { class: "front", points: cornersOf(front).join(" ") }));
  for (const point of points) drawPoint(chart, point, front.includes(point) || isHandWritten(point.name), isHidden);
  const told = front.map(({ name, x, y }) => `${name} (${short(y)} and ${short(x)})`).join(", ");
  chart.setAttribute("aria-label", `${up[2]} against ${across[2]} of ${title}. On the front: ${told}.`);
  return told;
}

function choice(label, names, chosen, change) {
  const options = names.map((name, place) => make("option", { value: place, selected: place === chosen }, name));
  const select = make("select", {}, ...options);
  select.addEventListener("change", change);
  return { field: make("label", {}, `${label} `, select), select };
}

/* Blocks in which at least two metrics have at least two figures. */
function explorableBlocks({ cells, parameters }) {
  const blocks = new Map();
  cells.forEach((cell, row) => {
    const place = placeOf(cell, parameters).join(" ");
    if (!blocks.has(place)) blocks.set(place, []);
    blocks.get(place).push({ cell, row });
  });
  return [...blocks].map(([title, its]) => ({ title, cells: its, metrics: METRICS.filter(
    (metric) => its.filter(({ cell }) => has(cell, metric)).length > 1) })).filter(({ metrics }) => metrics.length > 1);
}

function fillExplorer(article, box) {
  const blocks = explorableBlocks(figuresOf(article));
  if (!blocks.length) return box.append(make("p", { className: "note" }, "No block has two metrics with two figures each."));
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
      : `The line joins the strategies that no other beats in both medians; the others are pale. From left to right: ${
        drawExplorer(chart, block, across, up, isHidden)}.`;
  };
  const most = Math.max(...blocks.map(({ metrics }) => metrics.length));
  const fullest = blocks.findLastIndex(({ metrics }) => metrics.length === most);
  const at = choice("At", blocks.map(({ title }) => title), fullest, redraw);
  const right = choice("horizontal axis", names, Math.max(0, names.indexOf("bytes")), redraw);
  const top = choice("vertical axis", names, names.indexOf("misses") > 0 ? names.indexOf("misses") : 0, redraw);
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
