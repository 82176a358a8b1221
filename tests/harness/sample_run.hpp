#pragma once

#include <string>
#include <vector>

#include "harness/results/run.hpp"

namespace stowage::harness::fake {

/// A cell of `items` items whose n-th repetition took `ns_per_item[n]` for each.
inline CellResult cell(const std::string& strategy, const std::vector<double>& ns_per_item,
                       std::uint64_t items = 1000) {
  CellResult result{.strategy = strategy, .items = items, .repetitions = {}, .error = {}, .counters = {}};
  for (const double ns : ns_per_item) {
    const double real_ns = ns * static_cast<double>(items);
    result.repetitions.push_back({.real_ns = real_ns, .cpu_ns = real_ns, .iterations = 5});
  }
  return result;
}

inline CellResult failed_cell(const std::string& strategy, const std::string& error) {
  return {.strategy = strategy, .items = 1000, .repetitions = {}, .error = error, .counters = {}};
}

/// Two blocks of one workload; `twin` is open beside `fast`, `plodder` is three times slower, `wrong` failed.
inline Run sample_run() {
  Run run;
  run.environment.host.date = "2026-11-20T19:00:00+01:00";
  run.environment.host.host_name = "a host/with odd characters";
  run.environment.host.caches = {{"Data", 1, 49152, 1}};
  run.environment.host.load_avg = {0.5, 0.25, 0.125};
  run.environment.machine.cpu_model = "A processor";
  run.environment.build.compiler = "a compiler";
  run.options.preset = "quick";
  run.options.seed = 20'140'908;
  run.options.strategies = {"reference", "fast"};
  run.options.entities = {1024, 16384};
  run.options.repetitions = 7;
  run.state.command = "stowage run";
  run.state.blocks_planned = 2;
  run.strategy_cards = {{"reference", "floor", "hand-written", "the floor", std::nullopt},
                        {"fast", "fast", "S0 (XX)", "in a hurry", {{{"creation_order", true}}}}};
  run.passes = {{"cache", "simulated", {{"model", "reference"}}}};
  run.omissions = {{"cache", "walk/twin/entities:16384/via:each", "would take longer than there is time"}};
  run.workload_cards.resize(1);
  run.workload_cards[0].name = "walk";
  run.workload_cards[0].item = "entity";
  for (const char* entities : {"entities:1024", "entities:16384"}) {
    run.blocks.push_back(
        {.workload = "walk",
         .parameters = std::string(entities) + "/via:each",
         .cells = {cell("reference", {1, 1, 1, 1, 1, 1, 1}), cell("plodder", {6, 6, 6, 6, 6, 6, 6}),
                   cell("twin", {1.9, 2.2, 2.1, 1.9, 2.2, 2.1, 2.2}), cell("fast", {2, 2, 2, 2, 2, 2, 2}),
                   failed_cell("wrong", "checksum 0x1 differs from 0x2 of reference")}});
    run.blocks.back().cells[1].counters = {{"l1d_misses_per_item", 0.5625}, {"bytes_per_entity", 56}};
  }
  return run;
}

}  // namespace stowage::harness::fake
