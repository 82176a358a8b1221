/* Sorting, filtering, and the table of all counters. */

/* As wording.py writes them: with a minus sign of its own, numbers of entities as 16k and 1M, times as 850 ns and 1.2 ms. */
const SCALES = { k: 1024, M: 1048576, ns: 1, "\u00b5s": 1e3, ms: 1e6, s: 1e9 };
const numberIn = (cell) => {
  const text = (cell.querySelector("b") ?? cell).textContent.replaceAll(/[,<]/g, "").replace("\u2212", "-");
  return Number.parseFloat(text) * (SCALES[/^\s*[\d.]+ ?(k|M|s|[nm\u00b5]s)\b/.exec(text)?.[1]] ?? 1);
};

function sortBy(table, head, place) {
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => {
    const cell = row.cells[place];
    return { row, text: cell.textContent.trim(), value: numberIn(cell) };
  });
  const words = rows.every(({ value }) => Number.isNaN(value));
  rows.sort((one, other) => {
    if (words) return one.text.localeCompare(other.text, "en", { numeric: true }) * (down ? -1 : 1);
    const absent = Number.isNaN(one.value) - Number.isNaN(other.value);
    return absent || Number.isNaN(one.value) ? absent : (one.value - other.value) * (down ? -1 : 1);
  });
  body.append(...rows.map(({ row }) => row));
}

function addSorting(table) {
  all("thead tr:last-child > *", table).forEach((head, place) => {
    const control = button("", () => sortBy(table, head, place), { className: "sort" });
    control.append(...head.childNodes);
    head.append(control);
  });
}

function addFilter(table) {
  if (table.tBodies[0].rows.length < 6) return;
  const input = make("input", { type: "search", placeholder: "parts of names, \u2026" });
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(",").map((part) => part.trim()).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.cells[0].textContent.toLowerCase();
      row.hidden = wanted.length > 0 && !wanted.some((part) => text.includes(part));
    }
  });
  table.before(make("label", { className: "filter" }, "Rows with ", input));
}

function counterTable(article) {
  const { head, parameters, cells } = figuresOf(article);
  const first = head.findLastIndex((name) => name.startsWith("ratio_to_best")) + 1;
  const figures = head.slice(first, head.indexOf("standing"));
  const columns = ["strategy", "entities", ...parameters, ...figures].filter((key) => cells.some((cell) => cell[key]));
  const heads = columns.map((key) => make("th", { scope: "col" }, key.replaceAll("_", " ")));
  const rows = cells.map((cell) => make("tr", {}, ...columns.map((key, place) => {
    if (!place) return make("th", { scope: "row" }, cell[key]);
    const isNumber = cell[key] !== "" && !Number.isNaN(Number(cell[key])) && !parameters.includes(key);
    return make("td", {}, isNumber ? short(cell[key]) : cell[key] || "\u2013");
  })));
  return make("table", { className: "figures counters" }, make("caption", {}, "Every counter of every cell"),
              make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}

function addCounters(article) {
  const details = make("details", {}, make("summary", {}, "Every counter of every cell"));
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    const table = counterTable(article);
    const scroll = make("div", { className: "scroll", tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Every counter of every cell");
    details.append(scroll);
    addSorting(table);
    addFilter(table);
  });
  article.append(details);
}
