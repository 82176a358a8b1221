#include "harness/results/summary.hpp"

#include <map>
#include <string>
#include <vector>

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::cell;

std::map<std::string, Standing> standings(const BlockResult& block) {
  std::map<std::string, Standing> standings;
  for (const CellSummary& summary : summarise(block)) standings[summary.strategy()] = summary.standing;
  return standings;
}

TEST_CASE("the fastest strategy is best, those within its noise are tied, the rest is behind") {
  const BlockResult block = fake::sample_run().blocks[0];
  auto standing = standings(block);
  CHECK(standing["fast"] == Standing::best);
  CHECK(standing["twin"] == Standing::tied);
  CHECK(standing["plodder"] == Standing::behind);
  CHECK(standing["wrong"] == Standing::failed);
}

TEST_CASE("hand-written loops are no candidates, however fast") {
  const BlockResult block{
      "walk",
      "entities:1",
      {cell("reference", {1, 1}), cell("reference.loop", {1, 1}), cell("form.stack", {1, 1}), cell("fast", {9, 9})}};
  auto standing = standings(block);
  CHECK(standing["reference"] == Standing::unranked);
  CHECK(standing["reference.loop"] == Standing::unranked);
  CHECK(standing["form.stack"] == Standing::unranked);
  CHECK(standing["fast"] == Standing::best);
}

TEST_CASE("drift that all strategies share does not make them tie") {
  const BlockResult block{"walk",
                          "entities:1",
                          {cell("steady", {1, 2, 3, 4, 5, 6, 7}), cell("slower", {1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7})}};
  CHECK(standings(block)["slower"] == Standing::behind);
}

TEST_CASE("ratios to the reference are those of the same round") {
  const BlockResult block{"walk", "entities:1", {cell("reference", {1, 2, 4}), cell("fast", {2, 4, 8})}};
  CHECK(summarise(block)[1].ratio_to_reference == std::vector<double>{2, 2, 2});
}

TEST_CASE("without a verified reference there is no ratio") {
  const BlockResult none{"walk", "entities:1", {cell("fast", {2, 4})}};
  CHECK(summarise(none)[0].ratio_to_reference.empty());
  const BlockResult failed{"walk", "entities:1", {fake::failed_cell("reference", "threw"), cell("fast", {2, 4})}};
  CHECK(summarise(failed)[1].ratio_to_reference.empty());
}

TEST_CASE("a block in which everything failed has no best") {
  const BlockResult block{"walk", "entities:1", {fake::failed_cell("fast", "threw")}};
  CHECK(standings(block)["fast"] == Standing::failed);
}

}  // namespace
}  // namespace stowage::harness
