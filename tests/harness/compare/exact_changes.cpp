#include "harness/compare/exact_changes.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

MeasuredCell counted(const std::string& name, std::map<std::string, double> figures) {
  return {.name = name, .rounds = {}, .median_ns = std::nullopt, .figures = std::move(figures), .error = {}};
}

MeasuredFile counts_of(std::vector<MeasuredCell> cells) {
  return {.path = "a run",
          .is_of_stowage = true,
          .facts = {{"seed", "1"}},
          .exact_passes = {{"cache", "caches warm, L1d 48 KiB"}, {"memory", "counted"}},
          .cells = std::move(cells)};
}

/// Keeps the files that the comparison points into.
struct Compared {
  Compared(MeasuredFile a, MeasuredFile b)
      : before(std::move(a)),
        after(std::move(b)),
        pairs(pair_cells(before, after)),
        counts(compare_counts(before, after, pairs.both)) {}

  MeasuredFile before;
  MeasuredFile after;
  CellPairs pairs;
  ExactComparison counts;
};

MeasuredFile sample() {
  return counts_of({counted("w/a/entities:1", {{"instructions_per_item", 40}, {"l1d_misses_per_item", 0.002}}),
                    counted("w/b/entities:1", {{"instructions_per_item", 20}, {"bytes_per_entity", 56}}),
                    counted("w/c/entities:1", {})});
}

TEST_CASE("equal counts are equal, and counted") {
  const Compared same(sample(), sample());
  CHECK(same.counts.changes.empty());
  CHECK(same.counts.figures == 4);
  CHECK(same.counts.cells == 2);
  CHECK(same.counts.not_compared.empty());
}

TEST_CASE("the smallest difference is one, with its size") {
  MeasuredFile after = sample();
  after.cells[1].figures["instructions_per_item"] = std::nextafter(20.0, 21.0);
  const Compared compared(sample(), after);
  REQUIRE(compared.counts.changes.size() == 1);
  CHECK(compared.counts.changes[0].pair->name() == "w/b/entities:1");
  CHECK(compared.counts.changes[0].before == 20);
  CHECK(*compared.counts.changes[0].growth > 0);
}

TEST_CASE("differences are grouped by figure, grown most first") {
  MeasuredFile after = sample();
  after.cells[0].figures["instructions_per_item"] = 38;
  after.cells[1].figures["instructions_per_item"] = 25;
  after.cells[1].figures["bytes_per_entity"] = 112;
  const Compared compared(sample(), after);
  REQUIRE(compared.counts.changes.size() == 3);
  CHECK(*compared.counts.changes[0].growth == Approx(0.25));
  CHECK(*compared.counts.changes[1].growth == Approx(-0.05));
  CHECK(compared.counts.changes[2].figure == "bytes_per_entity");
  CHECK(*compared.counts.changes[2].growth == Approx(1));
}

TEST_CASE("a second miss where there was hardly one is no doubling") {
  MeasuredFile after = sample();
  after.cells[0].figures["l1d_misses_per_item"] = 0.004;
  const Compared compared(sample(), after);
  REQUIRE(compared.counts.changes.size() == 1);
  CHECK(*compared.counts.changes[0].growth == Approx(0.002 * 16));
}

TEST_CASE("what is part of another figure, or need not be small, differs without growing") {
  MeasuredFile before = sample();
  MeasuredFile after = sample();
  for (const char* figure :
       {"l1d_misses_index_per_item", "line_use_share", "slack_bytes_per_entity", "floor_lines_per_item"}) {
    before.cells[0].figures[figure] = 0.5;
    after.cells[0].figures[figure] = 0.75;
  }
  const Compared compared(before, after);
  CHECK(compared.counts.changes.size() == 4);
  for (const ExactChange& change : compared.counts.changes) CHECK_FALSE(change.growth);
}

TEST_CASE("a figure that one of them lacks is counted, not compared with nothing") {
  MeasuredFile after = sample();
  after.cells[1].figures.erase("instructions_per_item");
  const Compared compared(sample(), after);
  CHECK(compared.counts.changes.empty());
  CHECK(compared.counts.only_one_has == 1);
}

TEST_CASE("a pass that one of them lacks is said to be lacking") {
  MeasuredFile after = sample();
  after.cells[1].figures.erase("bytes_per_entity");
  const Compared compared(sample(), after);
  CHECK(compared.counts.only_one_has == 0);
  REQUIRE(compared.counts.not_compared.size() == 1);
  CHECK(compared.counts.not_compared[0] == "only before has figures of the memory pass");
}

TEST_CASE("the simulator's figures are compared only where the caches are the same") {
  MeasuredFile after = sample();
  after.exact_passes["cache"] = "caches warm, L1d 32 KiB";
  after.cells[1].figures = {{"instructions_per_item", 21}, {"bytes_per_entity", 57}};
  const Compared compared(sample(), after);
  REQUIRE(compared.counts.changes.size() == 1);
  CHECK(compared.counts.changes[0].figure == "bytes_per_entity");
  REQUIRE(compared.counts.not_compared.size() == 1);
  CHECK_THAT(compared.counts.not_compared[0], ContainsSubstring("32 KiB"));
}

TEST_CASE("hardware counters are no exact counts") {
  MeasuredFile after = sample();
  after.exact_passes.erase("cache");
  after.cells[0].figures["instructions_per_item"] = 41;
  const Compared compared(sample(), after);
  CHECK(compared.counts.changes.empty());
  CHECK_THAT(compared.counts.not_compared.at(0), ContainsSubstring("not exact counts in both"));
}

TEST_CASE("other inputs are other work") {
  MeasuredFile after = sample();
  after.facts = {{"seed", "2"}};
  after.cells[0].figures["instructions_per_item"] = 41;
  const Compared compared(sample(), after);
  CHECK(compared.counts.figures == 0);
  CHECK(compared.counts.changes.empty());
  CHECK_THAT(compared.counts.not_compared.at(0), ContainsSubstring("seeds differ"));
}

TEST_CASE("what the C library rounds up is not ours to compare") {
  MeasuredFile before = sample();
  MeasuredFile after = sample();
  before.cells[0].figures["allocator_overhead_bytes_per_entity"] = 1;
  after.cells[0].figures["allocator_overhead_bytes_per_entity"] = 2;
  CHECK(Compared(before, after).counts.changes.empty());
}

TEST_CASE("times of frames are no counts") {
  MeasuredFile before = sample();
  MeasuredFile after = sample();
  before.cells[0].figures["frame_p99_ns"] = 1000;
  after.cells[0].figures["frame_p99_ns"] = 2000;
  CHECK(Compared(before, after).counts.changes.empty());
}

}  // namespace
}  // namespace stowage::harness
