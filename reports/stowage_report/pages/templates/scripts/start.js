/* Nothing of all this is needed to see a figure: the page is whole without it. */

/* Tables travel packed, and are saved as they are read from here on. A browser that cannot unpack them ends here. */
await Promise.all(all('a[href^="data:application/gzip"]').map(async (link) => {
  const packed = Uint8Array.from(atob(link.href.slice(link.href.indexOf(",") + 1)), (byte) => byte.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(await new Response(plain).text())}`;
  link.download = link.download.replace(/\.gz$/, "");
}));

all("figure[data-name]").forEach(addFiles);
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
document.documentElement.classList.add("scripted");
