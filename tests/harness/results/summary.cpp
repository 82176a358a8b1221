#include "harness/results/summary.hpp"

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

TEST_CASE("hand-written loops are no candidates, however fast") {
  BlockResult block{"walk", "entities:1", {cell("fast", {9, 9})}};
  for (const char* name : {"reference", "reference.loop", "reference.store", "form.stack"}) {
    block.cells.push_back(cell(name, {1, 1}));
    CHECK(standings(block)[name] == Standing::hand_written);
  }
  CHECK(standings(block)["fast"] == Standing::best);
}

/// Of each strategy the one that its ratio to the contract floor is relative to, and that ratio in the first round.
using Floors = std::map<std::string, std::pair<std::string, double>>;
Floors contract_floors(const std::vector<CellResult>& cells) {
  const BlockResult block{"walk", "entities:1", cells};
  Floors found;
  for (const CellSummary& summary : summarise(block)) {
    if (summary.ratio_to_contract.empty()) continue;
    found[summary.strategy()] = {summary.contract_floor->strategy, summary.ratio_to_contract.front()};
  }
  return found;
}

TEST_CASE("the contract floor is the hand-written store; sections, direct and interleaved rows have their own") {
  const Floors floors = contract_floors(
      {cell("reference", {1, 2}), cell("reference.store", {2, 4}), cell("reference.sections", {4, 8}),
       cell("fast", {8, 16}), cell("archetype_sections", {8, 16}), cell("archetype_sections.lanes", {4, 8}),
       cell("archetype_sectionsish", {2, 4}), cell("reference.interleaved", {3, 6}), cell("interleaved_pairs", {6, 12}),
       cell("reference.direct", {5, 10}), cell("sparse_direct", {5, 10})});
  CHECK(floors == Floors{{"reference", {"reference.store", 0.5}},
                         {"reference.store", {"reference.store", 1}},
                         {"reference.sections", {"reference.sections", 1}},
                         {"fast", {"reference.store", 4}},
                         {"archetype_sections", {"reference.sections", 2}},
                         {"archetype_sections.lanes", {"reference.sections", 1}},
                         {"archetype_sectionsish", {"reference.store", 1}},
                         {"reference.interleaved", {"reference.interleaved", 1}},
                         {"interleaved_pairs", {"reference.interleaved", 2}},
                         {"reference.direct", {"reference.direct", 1}},
                         {"sparse_direct", {"reference.direct", 1}}});
}

TEST_CASE("without a row of its own a family's contract floor is the store, and without a store the reference") {
  const Floors with_store = contract_floors({cell("reference", {1}), cell("reference.store", {2}),
                                             cell("archetype_sections", {8}), cell("interleaved_pairs", {2})});
  CHECK(with_store.at("archetype_sections") == Floors::mapped_type("reference.store", 4));
  CHECK(with_store.at("interleaved_pairs") == Floors::mapped_type("reference.store", 1));
  CHECK(contract_floors({cell("reference", {1}), cell("fast", {8})}).at("fast") == Floors::mapped_type("reference", 8));
  const Floors of_a_world =
      contract_floors({cell("reference", {1}), cell("reference.contract", {4}), cell("archetype_sections", {8})});
  CHECK(of_a_world.at("archetype_sections") == Floors::mapped_type("reference.contract", 2));
}

TEST_CASE("a contract floor that failed is not replaced by another, and without any there is no ratio") {
  CHECK(contract_floors({cell("reference", {1}), fake::failed_cell("reference.store", "threw"), cell("fast", {8})})
            .empty());
  CHECK(contract_floors({cell("fast", {8})}).empty());
}

TEST_CASE("without a verified reference there is no ratio, and if everything failed no best") {
  const BlockResult drifting{"walk", "entities:1", {cell("reference", {1, 2, 4}), cell("fast", {2, 4, 8})}};
  CHECK(summarise(drifting)[1].ratio_to_reference == std::vector<double>{2, 2, 2});
  const BlockResult none{"walk", "entities:1", {cell("fast", {2, 4})}};
  CHECK(summarise(none)[0].ratio_to_reference.empty());
  const BlockResult failed{"walk", "entities:1", {fake::failed_cell("reference", "threw"), cell("fast", {2, 4})}};
  CHECK(summarise(failed)[1].ratio_to_reference.empty());
  const BlockResult nothing{"walk", "entities:1", {fake::failed_cell("fast", "threw")}};
  CHECK(standings(nothing)["fast"] == Standing::failed);
}

TEST_CASE("what a pass left out is listed by reason, and each cell that failed by name") {
  Run run = fake::sample_run();
  run.omissions = {{"cache", "a/b/entities:1", "too long"},
                   {"cache", "c/d/entities:1", "too long"},
                   {"cache", "e/f/entities:1", "threw: no"},
                   {"memory", "g/h/entities:1", "too long"}};
  CHECK(omissions_text(run, "cache") ==
        "stowage: e/f/entities:1 left out of the cache pass: threw: no\n"
        "stowage: 2 cells left out of the cache pass: too long\n");
  CHECK_THAT(failures_text(run), ContainsSubstring("ERROR walk/wrong/entities:1024/via:each: checksum 0x1 differs"));
}

}  // namespace
}  // namespace stowage::harness
