/* Nothing of all this is needed to see a figure: the page is whole without it. */

all("section.workload").forEach(addMetrics);
all("section.workload article, section.finding").forEach(addLegend);
all("section.workload article").forEach((article) => {
  all("svg", article).forEach((chart) => answers(chart, chart));
  all(".scroll", article).forEach((region) => { if (region.querySelector("[data-c]")) answers(region, region); });
  addExplorer(article);
  addCounters(article);
});
all("table.sortable").forEach((table) => { addSorting(table); addFilter(table); });
all("pre").forEach((block) => {
  const box = make("div", { className: "copy" });
  block.before(box);
  box.append(block, button("Copy", (event) => copy(block.textContent, event.currentTarget)));
});
addEventListener("hashchange", follow);
follow();
