#include "harness/compare/cell_pairs.hpp"

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

MeasuredFile file_of(const std::vector<std::pair<std::string, std::string>>& names_and_errors, bool is_of_stowage) {
  MeasuredFile file{.path = {}, .is_of_stowage = is_of_stowage, .facts = {}, .exact_passes = {}, .cells = {}};
  for (const auto& [name, error] : names_and_errors) {
    file.cells.push_back({.name = name, .rounds = {}, .median_ns = std::nullopt, .figures = {}, .error = error});
  }
  return file;
}

TEST_CASE("cells are paired by name; what one side has alone is named") {
  const MeasuredFile before = file_of({{"w/a/entities:1", ""}, {"w/b/entities:1", ""}}, true);
  const MeasuredFile after = file_of({{"w/c/entities:1", ""}, {"w/b/entities:1", ""}}, true);
  const CellPairs pairs = pair_cells(before, after);
  REQUIRE(pairs.both.size() == 1);
  CHECK(pairs.both[0].name() == "w/b/entities:1");
  CHECK(pairs.both[0].strategy == "b");
  CHECK(pairs.both[0].block == "w/entities:1");
  CHECK(pairs.only_before.at(0)->name == "w/a/entities:1");
  CHECK(pairs.only_after.at(0)->name == "w/c/entities:1");
}

TEST_CASE("what failed is not compared, and is news only where it was measured before") {
  const MeasuredFile before = file_of({{"always", "x"}, {"mended", "x"}, {"broken", ""}}, false);
  const MeasuredFile after = file_of({{"always", "x"}, {"mended", ""}, {"broken", "x"}, {"new", "x"}}, false);
  const CellPairs pairs = pair_cells(before, after);
  CHECK(pairs.both.empty());
  CHECK(pairs.failed_before.size() == 2);
  REQUIRE(pairs.failed_after.size() == 1);
  CHECK(pairs.failed_after[0]->name == "broken");
  CHECK(pairs.only_after.at(0)->name == "new");
}

TEST_CASE("names of other programs have no strategy in them") {
  const MeasuredFile file = file_of({{"BM_Copy/8/real_time", ""}}, false);
  CHECK(pair_cells(file, file).both.at(0).strategy.empty());
}

}  // namespace
}  // namespace stowage::harness
