/* What is pointed at, by mouse, finger or arrow keys: its figures, and the command that measures them again. */

const LINES = [
  ["ns_per_item", "ns per item", true], ["ratio_to_reference", "times the reference", true],
  ["ratio_to_contract", "times the contract floor", true],
  ["ratio_to_best", "times the best", true], ["l1d_misses_per_item", "first-level misses per item"],
  ["ll_misses_per_item", "last-level misses per item"], ["instructions_per_item", "instructions per item"],
  ["bytes_per_entity", "bytes per entity"], ["frame_p99_ns", "frame-time p99 (ns)"],
  ["frame_max_ns", "worst frame (ns)"],
];
/* Four digits of an estimate; a count is whole. */
const short = (text) => Number(text).toLocaleString("en", { maximumSignificantDigits: Number.isInteger(Number(text)) ? 21 : 4 });
const tip = make("div", { id: "tip", hidden: true });
tip.setAttribute("role", "status");
document.body.append(tip);
let marked = null;
let pinned = false;

function hide() {
  tip.hidden = true;
  pinned = false;
  marked?.classList.remove("at");
  marked = null;
}

function fillTip(article, row) {
  const { parameters, cells } = figuresOf(article);
  const cell = cells[row];
  const list = make("dl");
  for (const [key, label, estimated] of LINES) {
    if (!cell[key]) continue;
    const low = estimated && cell[`${key}_low`];
    const interval = low ? ` (${short(low)}\u2013${short(cell[`${key}_high`])})` : "";
    list.append(make("div", {}, make("dt", {}, label), make("dd", {}, make("b", {}, short(cell[key])), interval)));
  }
  const command = commandOf(article, cell, parameters);
  const control = button("Copy command", (event) => copy(command, event.currentTarget));
  tip.replaceChildren(
    make("p", {}, make("strong", {}, cell.strategy), ` ${cell.workload} ${placeOf(cell, parameters).join(" ")}`),
    cell.error ? make("p", { className: "error" }, cell.error) : list,
    make("p", { className: "command" }, make("code", {}, command), control),
    make("small", {}, "Click to keep this box open, Escape to close it."),
  );
}

function show(target) {
  if (marked === target.element) return;
  marked?.classList.remove("at");
  marked = target.element;
  marked.classList.add("at");
  fillTip(marked.closest("article"), target.row);
  tip.hidden = false;
  place();
}

function place() {
  const at = marked.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - size.width - 8;
  const below = at.bottom + 10;
  const fits = below + size.height < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(room, at.left + at.width / 2 - size.width / 2))}px`;
  tip.style.top = `${Math.max(8, fits ? below : at.top - size.height - 10)}px`;
}

/* Of a chart or a table: each marker of a curve, each row of bars, each figure. */
function targetsOf(root) {
  return all("[data-c]", root).filter((element) => !element.closest(".off, [hidden]")).flatMap((element) => {
    const rows = element.dataset.c.split(" ").map(Number);
    const marks = all("use", element);
    const elements = marks.length === rows.length ? marks : [element];
    return elements.map((each, place) => ({ element: each, row: rows[place] }));
  });
}

function nearest(root, x, y) {
  let found = null;
  let least = 18;
  for (const target of targetsOf(root)) {
    const box = target.element.getBoundingClientRect();
    const inside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    const away = inside && target.element.tagName !== "use" ? 0
      : Math.hypot(x - (box.left + box.right) / 2, y - (box.top + box.bottom) / 2);
    if (away < least) [found, least] = [target, away];
  }
  return found;
}

function answers(root, focusable) {
  focusable.tabIndex = 0;
  root.addEventListener("pointermove", (event) => {
    if (pinned || event.pointerType === "touch") return;
    const target = nearest(root, event.clientX, event.clientY);
    if (target) show(target); else hide();
  });
  root.addEventListener("pointerleave", () => { if (!pinned) hide(); });
  root.addEventListener("click", (event) => {
    const element = event.target.closest("[data-c]");
    const target = targetsOf(root).find((each) => each.element === element) ??
      nearest(root, event.clientX, event.clientY);
    if (!target) return;
    show(target);
    pinned = true;
    event.stopPropagation();
  });
  focusable.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.target !== focusable || !(event.key in steps)) return;
    const targets = targetsOf(root);
    if (!targets.length) return;
    const here = targets.findIndex((target) => target.element === marked);
    show(targets[(here + steps[event.key] + targets.length + (here < 0 && steps[event.key] < 0)) % targets.length]);
    pinned = true;
    marked.scrollIntoView({ block: "nearest", inline: "nearest" });
    place();
    event.preventDefault();
  });
}
document.addEventListener("click", (event) => { if (pinned && !tip.contains(event.target)) hide(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
document.addEventListener("scroll", () => {
  if (!pinned) return hide();
  const at = marked.getBoundingClientRect();
  if (at.bottom > 0 && at.top < innerHeight) place(); else hide();
}, { passive: true });
