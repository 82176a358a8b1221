/* Each chart as a file: SVG and PNG as it is seen, in light colours, and CSV of the cells behind it. */

const RULES = [...document.styleSheets[0].cssRules];
const LIGHT = RULES.find((rule) => rule.selectorText === ":root").style;
const PNG_SCALE = 2;

function save(content, name) {
  const url = URL.createObjectURL(content);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/* The styles and shapes that charts of this page share, as far as this chart needs them. */
function standalone(chart) {
  const copy = chart.cloneNode(true);
  const shapes = make("div");
  const needed = (text) => [...text.matchAll(/(?:href="|url\("?)#([\w-]+)/g)].map(([, name]) => name);
  const rulesOf = (root) => RULES.filter((rule) => {
    const name = rule.selectorText ?? "";
    return /^(svg )?\S+$/.test(name) && !/[:[]/.test(name) && root.querySelector(name.replace(/^svg /, ""));
  }).map((rule) => rule.cssText);
  const wanted = needed(copy.innerHTML + rulesOf(copy).join(""));
  for (const name of wanted) {
    const shape = document.getElementById(name);
    if (!shape || shapes.querySelector(`#${name}`)) continue;
    shapes.append(shape.cloneNode(true));
    wanted.push(...needed(shape.outerHTML));
  }
  const { x, y, width, height } = chart.viewBox.baseVal;
  const styles = [...new Set([...rulesOf(copy), ...rulesOf(shapes)])].join("\n")
    .replaceAll(/var\((--[\w-]+)\)/g, (_, name) => LIGHT.getPropertyValue(name).trim());
  copy.prepend(drawn("defs", {}, drawn("style", {}, styles), ...shapes.childNodes),
               drawn("rect", { x, y, width, height, fill: LIGHT.getPropertyValue("--paper").trim() }));
  for (const [name, value] of Object.entries({ width, height, "font-family": getComputedStyle(document.body).fontFamily })) {
    copy.setAttribute(name, value);
  }
  copy.removeAttribute("style");
  return new XMLSerializer().serializeToString(copy);
}

async function pngOf(chart) {
  const { width, height } = chart.viewBox.baseVal;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(chart))}`;
  await picture.decode();
  const canvas = make("canvas", { width: width * PNG_SCALE, height: height * PNG_SCALE });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/* Of a chart of one parameter set its own cells; of others those of the workloads, parameters, size or family that it is
   about. */
function csvOf(figure) {
  const own = figure.closest("article");
  const rows = new Set(all("[data-c]", figure).flatMap((element) => element.dataset.c.split(" ").map(Number)));
  const workloads = figure.closest("[data-workloads]")?.dataset.workloads.split(" ");
  const { entities, family, parameters = "" } = figure.dataset;
  const isAbout = (cell) => (!workloads || workloads.includes(cell.workload)) && (!entities || cell.entities === entities)
    && (!family || cell.strategy.split(".")[0] === family)
    && parameters.split(" ").filter(Boolean).every((each) => cell[each.split(":")[0]] === each.split(":")[1]);
  const runs = own ? [own.closest("[data-command]")] : all("[data-command]").filter(
    (run) => run.contains(figure) || !figure.closest("[data-command]"));
  const lines = runs.flatMap((run) => (own ? [own] : all("section.workload article", run)).flatMap((article) =>
    figuresOf(article).cells
      .filter((cell, place) => (own ? !rows.size || rows.has(place) : isAbout(cell)))
      .map((cell) => ({ run: run.querySelector("h2").textContent, ...cell }))));
  const head = [...new Set(lines.flatMap(Object.keys))].filter((key) => lines.some((line) => line[key]));
  const quoted = (text = "") => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return [head, ...lines.map((line) => head.map((key) => line[key]))]
    .map((line) => `${line.map(quoted).join(",")}\n`).join("");
}

function addFiles(figure) {
  const chart = figure.querySelector("svg");
  const name = figure.dataset.name;
  const files = make("span", { className: "files" });
  files.append(
    button("SVG", () => save(new Blob([standalone(chart)], { type: "image/svg+xml" }), `${name}.svg`)),
    button("PNG", async () => save(await pngOf(chart), `${name}.png`)),
    button("CSV", () => save(new Blob([csvOf(figure)], { type: "text/csv" }), `${name}.csv`)));
  for (const control of files.children) control.setAttribute("aria-label", `Save this chart as ${control.textContent}`);
  figure.querySelector("figcaption").append(files);
}
