/* Series to be hidden, and metrics to be switched between. */

/* A toolbar is one stop of the Tab key, because it has many buttons; arrow keys go from button to button. */
function makeOneStop(toolbar) {
  const controls = all("button", toolbar);
  controls.forEach((control, place) => { control.tabIndex = place ? -1 : 0; });
  toolbar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const here = controls.indexOf(document.activeElement);
    const next = controls[(here + step + controls.length) % controls.length];
    controls[here].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    event.preventDefault();
  });
}

function addLegend(root) {
  const curves = all("svg g[data-s]", root);
  const drawn = curves.length ? curves : all("svg [data-s]", root);
  const numbers = [...new Set(drawn.map((element) => element.dataset.s))].sort((a, b) => a - b);
  if (numbers.length < 2) return;
  const legend = make("div", { className: "legend" });
  legend.setAttribute("role", "toolbar");
  legend.setAttribute("aria-label", "Strategies in these charts");
  const set = (control, on) => {
    control.setAttribute("aria-pressed", String(on));
    for (const element of all(`svg [data-s="${control.dataset.of}"]`, root)) element.classList.toggle("off", !on);
  };
  for (const number of numbers) {
    const [name, glyph, variable] = SERIES[number];
    const mark = make("span", { textContent: glyph, ariaHidden: "true" });
    mark.style.color = `var(${variable})`;
    const control = button("", () => set(control, control.getAttribute("aria-pressed") === "false"));
    control.dataset.of = number;
    control.append(mark, ` ${name}`);
    set(control, true);
    legend.append(control);
  }
  const series = all("button", legend);
  legend.append(button("show all", () => series.forEach((control) => set(control, true)), { className: "plain" }),
                button("hide all", () => series.forEach((control) => set(control, false)), { className: "plain" }));
  makeOneStop(legend);
  root.querySelector(".metric, .charts").before(legend);
}

function showMetric(section, metric) {
  for (const input of all(".metrics input", section)) input.checked = input.value === metric;
  for (const part of all(".metric", section)) part.hidden = metric !== "all" && part.dataset.metric !== metric;
  for (const article of all("article", section)) {
    article.querySelector(".missing").hidden = all(".metric", article).some((part) => !part.hidden);
  }
}

function addMetrics(section) {
  const metrics = section.dataset.metrics.split(" ").filter(Boolean);
  if (metrics.length < 2) return;
  const group = make("fieldset", { className: "tabs metrics" }, make("legend", {}, "Charts of"));
  for (const metric of [...metrics, "all"]) {
    const id = `${section.id}-metric-${metric}`;
    const input = make("input", { type: "radio", name: `${section.id}-metric`, id, value: metric });
    input.addEventListener("change", () => {
      showMetric(section, metric);
      history.replaceState(null, "", `#${section.id}?metric=${metric}`);
    });
    group.append(input, make("label", { htmlFor: id }, metric));
  }
  section.querySelector("article").before(group);
  for (const article of all("article", section)) {
    article.querySelector(".metric, .note, table")?.before(
      make("p", { className: "note missing", hidden: true }, "These parameters have no chart of this metric."));
  }
  showMetric(section, metrics[0]);
}

function follow() {
  const [anchor, metric] = decodeURIComponent(location.hash.slice(1)).split("?metric=");
  const section = document.getElementById(anchor);
  if (!section || !metric) return;
  if (all(".metrics input", section).some((input) => input.value === metric)) showMetric(section, metric);
  section.scrollIntoView();
}
