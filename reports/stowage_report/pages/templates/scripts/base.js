/* Helpers, and the figures: the CSV that the page holds of each parameter set. */

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const button = (text, click, properties = {}) => {
  const element = make("button", { type: "button", ...properties }, text);
  element.addEventListener("click", click);
  return element;
};
const drawn = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const SERIES = JSON.parse(document.getElementById("series").textContent);

function parsedCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

const known = new WeakMap();
function figuresOf(article) {
  if (!known.has(article)) {
    const link = article.querySelector("a.data").href;
    const [head, ...rows] = parsedCsv(decodeURIComponent(link.slice(link.indexOf(",") + 1)));
    const parameters = head.slice(head.indexOf("entities") + 1, head.indexOf("repetitions"));
    const cells = rows.map((row) => Object.fromEntries(head.map((name, place) => [name, row[place]])));
    known.set(article, { head, parameters, cells });
  }
  return known.get(article);
}

const placeOf = (cell, parameters) =>
  ["entities", ...parameters].filter((key) => cell[key] !== "").map((key) => `${key}:${cell[key]}`);
const nameOf = (cell, parameters) => [cell.workload, cell.strategy, ...placeOf(cell, parameters)].join("/");

/* As Python's shlex.quote(). */
const shellWord = (word) => (/^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

function commandOf(article, cell, parameters) {
  const beginning = article.closest("[data-command]").dataset.command;
  const expression = nameOf(cell, parameters).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const strategies = cell.strategy === "reference" ? "" : ` --strategies ${shellWord(cell.strategy)}`;
  const reference = cell.strategy === "reference" ? "" : `|^${expression.replace(/\/[^/]+\//, "/reference/")}$`;
  return `${beginning} --workloads ${shellWord(cell.workload)}${strategies} ` +
    `--entities ${shellWord(cell.entities)} --cells ${shellWord(`^${expression}$${reference}`)}`;
}

async function copy(text, control) {
  control.dataset.label ??= control.textContent;
  try {
    await navigator.clipboard.writeText(text);
    control.textContent = "Copied";
  } catch {
    const selection = getSelection();
    selection.selectAllChildren(control.parentElement.querySelector("code"));
    control.textContent = "Selected";
  }
  setTimeout(() => { control.textContent = control.dataset.label; }, 1500);
}
