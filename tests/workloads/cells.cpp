// Every cell of every workload: checksums, items, frames and bytes that agree on all strategies, and the floors.
#include <cmath>
#include <cstdlib>
#include <typeindex>

#include <boost/version.hpp>

#include <stowage/contract/events.hpp>

#include "harness/build/modules.hpp"
#include "harness/catalogue.hpp"
#include "harness/measure/memory.hpp"
#include "harness/text.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using workloads::Measurement;
using workloads::Parameters;

/// Every parameter set of a workload at one size.
std::vector<Parameters> parameter_sets(const WorkloadEntry& workload, std::size_t entities) {
  Parameters first;
  first.entities = entities;
  std::vector<Parameters> sets{first};
  for (const workloads::Axis& axis : workload.axes) {
    std::vector<Parameters> longer;
    for (const Parameters& set : sets) {
      for (const std::string_view value : axis.values) {
        longer.push_back(set);
        longer.back().values.push_back({std::string(axis.key), std::string(value)});
      }
    }
    sets = longer;
  }
  return sets;
}

std::uint64_t checksum_of(MakeMeasurement make, const Parameters& parameters) {
  const auto measurement = make(parameters);
  measurement->prepare();
  measurement->run(1);
  if (measurement->repeatable()) measurement->run(2);
  return measurement->checksum();
}

/// True for the strategies that STOWAGE_TEST_STRATEGIES names. Without it, for all if STOWAGE_TEST_ALL is set, or else
/// for the base forms.
bool is_tested(const StrategyEntry& strategy) {
  if (const char* named = std::getenv("STOWAGE_TEST_STRATEGIES"); named != nullptr) {
    const std::vector<std::string> names = split_list(named);
    return std::ranges::find(names, strategy.name) != names.end();
  }
  return std::getenv("STOWAGE_TEST_ALL") != nullptr || !strategy.is_variant();
}

/// The catalogue with the cells of the tested strategies, which are compiled if needed.
const Catalogue& loaded_catalogue() {
  static const Catalogue loaded = [] {
    Catalogue catalogue = make_catalogue();
    Modules modules(catalogue);
    std::vector<std::string> names;
    for (const StrategyEntry& strategy : catalogue.strategies()) {
      if (strategy.semantics && is_tested(strategy)) names.push_back(strategy.name);
    }
    if (const char* named = std::getenv("STOWAGE_TEST_STRATEGIES")) REQUIRE(names.size() == split_list(named).size());
    names.emplace_back("reference");
    std::vector<std::string> units = modules.units();
    // 300 types take a fifth of the time to compile.
    if (std::getenv("STOWAGE_TEST_BRIEFLY") != nullptr) std::erase(units, "wide");
    modules.require(names, units);
    return catalogue;
  }();
  return loaded;
}

/// Calls `visit(workload, parameters, strategy, make)` for every cell that exists at the given size.
template <class Visit>
void for_each_cell(std::size_t entities, Visit&& visit) {
  const Catalogue& catalogue = loaded_catalogue();
  for (const WorkloadEntry& workload : catalogue.workloads()) {
    for (const Parameters& parameters : parameter_sets(workload, entities)) {
      for (const StrategyEntry& strategy : catalogue.strategies()) {
        const MakeMeasurement make = catalogue.maker(strategy.name, workload.card.name);
        if (catalogue.supports(strategy.name, workload.card.name, parameters)) {
          visit(workload, parameters, strategy, make);
        }
      }
    }
  }
}

TEST_CASE("every strategy and every reference does equal work in every cell") {
  for (const std::size_t entities : {1u, 63u, 1000u}) {
    std::map<std::string, std::uint64_t> expected;
    std::set<std::string_view> of_strategies;
    for_each_cell(entities, [&](const auto& workload, const auto& parameters, const auto& strategy, auto make) {
      const std::string cell = std::string(workload.card.name) + "/" + parameters.name();
      INFO(cell << " on " << strategy.name);
      const std::uint64_t found = checksum_of(make, parameters);
      const bool is_first = expected.try_emplace(cell, found).second;
      CHECK(expected[cell] == found);
      if (strategy.semantics && !is_first) of_strategies.insert(workload.card.name);
    });
    CHECK(of_strategies.size() > 10);  // workloads in which a strategy did the work of another, or of a reference
  }
}

TEST_CASE("a registry of few bits takes no part if its indices would run out") {
  const Catalogue& catalogue = loaded_catalogue();
  Parameters parameters;
  parameters.entities = 1'048'576;
  CHECK(catalogue.supports("reference.registry_22_8_1024", "alive", parameters));
  parameters.entities = 4'194'304;
  CHECK_FALSE(catalogue.supports("reference.registry_22_8_1024", "alive", parameters));
  CHECK(catalogue.supports("reference.registry_64bit", "alive", parameters));
  CHECK(catalogue.supports("reference.registry_published_wide", "alive", parameters));
#if BOOST_VERSION >= 108100
  CHECK(catalogue.supports("reference.registry_hash_set", "alive", parameters));
#endif
}

TEST_CASE("a cell is the same work each time it is made, and other work from another seed") {
  for_each_cell(257, [](const auto& workload, const auto& parameters, const auto& strategy, auto make) {
    INFO(workload.card.name << "/" << strategy.name << "/" << parameters.name());
    CHECK(checksum_of(make, parameters) == checksum_of(make, parameters));
    Parameters other = parameters;
    other.seed += 1;
    // the same entities are destroyed whatever the values are, about half of the handles are stale from any seed, and
    // entities without components have no values
    if (workload.card.name == "destroy" || workload.card.name == "alive") return;
    if (workload.card.name == "create" && parameters.get("components") == "0") return;
    CHECK(checksum_of(make, parameters) != checksum_of(make, other));
  });
}

TEST_CASE("every strategy of the list runs code of its own") {
  std::map<std::string, std::set<std::type_index>> types;
  std::map<std::string, std::size_t> cells;
  for_each_cell(1, [&](const auto& workload, const auto& parameters, const auto&, auto make) {
    const auto measurement = make(parameters);
    const Measurement& made = *measurement;
    const std::string cell = std::string(workload.card.name) + "/" + parameters.name();
    types[cell].insert(typeid(made));
    ++cells[cell];
  });
  for (const auto& [cell, distinct] : types) {
    INFO(cell);
    CHECK(distinct.size() == cells[cell]);
  }
}

/// How many items a pass has over 1000 entities, by the workload's own words.
std::uint64_t expected_items(std::string_view workload, const Parameters& parameters) {
  if (workload == "occupancy") return 10 * std::stoul(parameters.get("share"));
  if (workload == "filters") {
    const std::uint64_t with = 10 * std::stoul(parameters.get("share"));
    const std::string& filter = parameters.get("filter");
    if (filter == "optional") return 1000;
    return filter == "with" ? with : (1000 - with) / (filter == "without" ? 1 : 2);
  }
  if (workload == "churn") {
    const double rate = std::stod(parameters.get("rate"));
    return (rate < 5 ? 8 : 1) * static_cast<std::uint64_t>(10 * rate);
  }
  if (workload == "observed") return 3 * 8 * 10;
  if (workload == "aging" && parameters.get("work") == "despawn") return 100;
  if (workload == "deferred") return 2 * 100 * std::stoul(parameters.get("changes"));
  if (workload == "structural" || workload == "bulk") return 2 * 1000;
  if (workload == "toggle") {
    const std::string& rate = parameters.get("rate");
    return 2 * (rate == "0.1" ? 8 * 1 : rate == "1" ? 8 * 10 : rate == "5" ? 8 * 50 : 200);
  }
  if (workload == "despawn") return 64;
  if (workload == "removal") return 1000 / 64;
  if (workload == "spike") return 64 * 1 + 250;
  if (workload == "hierarchy_attach") return parameters.get("work") == "attach" ? 2 * 1000 : 1000;
  if (workload == "serialize") return parameters.get("what") == "twice" ? 2000 : 1000;
  if (workload == "prefab") return 1000 / std::stoul(parameters.get("nodes")) * std::stoul(parameters.get("nodes"));
  if (workload == "wide") {
    const std::string& what = parameters.get("do");
    return what == "destroy" ? 375 : what == "10_systems" ? 10 : 100;
  }
  if (workload == "streams") return 1000 * std::stoul(parameters.get("components"));
  if (workload == "multi_instance") return 1000 * std::stoul(parameters.get("instances"));
  return 1000;
}

TEST_CASE("items are what the card says a cost is divided by") {
  for_each_cell(1000, [](const auto& workload, const auto& parameters, const auto& strategy, auto make) {
    INFO(workload.card.name << "/" << strategy.name << "/" << parameters.name());
    const auto measurement = make(parameters);
    measurement->prepare();
    measurement->run(1);
    CHECK(measurement->items() == expected_items(workload.card.name, parameters));
  });
}

/// Neither a reference nor an adapter that lacks parts of the contract.
bool is_whole(const StrategyEntry& strategy) {
  return strategy.semantics && strategy.lacks.empty() && !strategy.is_yardstick();
}

/// The contract leaves that to each storage; without it nothing says why a frame of ours was long.
TEST_CASE("every strategy of this library counts what makes a frame long") {
  const auto& strategies = loaded_catalogue().strategies();
  std::set<std::string> asked;
  for_each_cell(64, [&](const auto& workload, const auto& parameters, const auto& strategy, auto make) {
    if (!workload.is_framed(parameters) || !is_whole(strategy)) return;
    INFO(workload.card.name << "/" << strategy.name << "/" << parameters.name());
    const auto measurement = make(parameters);
    measurement->prepare();
    const std::optional<StorageEvents> events = measurement->events();
    CHECK(events.has_value());
    asked.insert(strategy.name);
  });
  CHECK(asked.size() == static_cast<std::size_t>(std::ranges::count_if(strategies, [](const StrategyEntry& strategy) {
          return is_whole(strategy) && loaded_catalogue().has_cells(strategy.name);
        })));
}

/// The contract lets a storage have no copy_from(). A wrong `requires` in a part of ours would take it away unnoticed.
TEST_CASE("every strategy of this library can be copied") {
  const Catalogue& catalogue = loaded_catalogue();
  for (const StrategyEntry& strategy : catalogue.strategies()) {
    if (!is_whole(strategy) || !catalogue.has_cells(strategy.name)) continue;
    INFO(strategy.name);
    Parameters parameters{.entities = 64, .values = {{"changed", "all"}}};
    CHECK(catalogue.supports(strategy.name, "snapshot", parameters));
  }
}

TEST_CASE("frames are framed cells' alone, and as much work on every strategy") {
  std::map<std::string, std::uint64_t> expected;
  std::map<std::string, std::size_t> warming;
  for_each_cell(1000, [&](const auto& workload, const auto& parameters, const auto& strategy, auto make) {
    if (!workload.is_framed(parameters)) return;
    const std::string cell = std::string(workload.card.name) + "/" + parameters.name();
    INFO(cell << " on " << strategy.name);
    const auto measurement = make(parameters);
    measurement->prepare();
    if (strategy.is_floor() && measurement->frames() == 0) return;
    // A sequence with one frame that matters is shorter than 100, or the p99 would be the frame beside it.
    const bool has_one_that_matters = workload.card.name == "spike" || workload.card.name == "despawn";
    CHECK(measurement->frames() == (has_one_that_matters ? 64 : 100));
    if (measurement->repeatable()) {
      CHECK(warming.try_emplace(cell, measurement->warming_frames()).first->second == measurement->warming_frames());
      if (workload.card.name == "aging") CHECK(warming[cell] > 100);  // each replaces 1 %
    }
    for (std::size_t frame = 0; frame < measurement->frames(); ++frame) measurement->step(frame);
    const std::uint64_t found = measurement->checksum();
    CHECK(expected.try_emplace(cell, found).first->second == found);
  });
  CHECK_FALSE(expected.empty());
}

TEST_CASE("every cell accounts for its memory to the byte, full and emptied") {
  for (const std::size_t entities : {1u, 63u, 1000u}) {
    for_each_cell(entities, [](const auto& workload, const auto& parameters, const auto& strategy, auto make) {
      INFO(workload.card.name << "/" << strategy.name << "/" << parameters.name());
      const MemoryCount count = count_memory(make, parameters);
      CHECK(count.disagreement.empty());
      CHECK(count.held.peak_bytes >= count.held.live_bytes);
      CHECK(count.bytes_emptied.has_value() == strategy.semantics.has_value());
    });
  }
}

TEST_CASE("rows that use every processor are not counted") {
  const Catalogue catalogue = make_catalogue();
  for (const StrategyEntry& strategy : catalogue.strategies()) {
    INFO(strategy.name);
    CHECK(strategy.why_uncounted.empty() != strategy.name.ends_with("_parallel"));
  }
}

TEST_CASE("a floor asks for whole bytes, and for no fewer lines than they fill") {
  const Catalogue catalogue = make_catalogue();
  for (const WorkloadEntry& workload : catalogue.workloads()) {
    for (const Parameters& parameters : parameter_sets(workload, 1000)) {
      INFO(workload.card.name << "/" << parameters.name());
      const workloads::Floor floor = workload.floor(parameters, {});
      CHECK(floor.says_something() == (floor.bytes_per_item > 0));
      CHECK(floor.bytes_per_item == std::floor(floor.bytes_per_item));
      double of_shorter = 4 * floor.lines_per_item;
      for (const std::size_t line_bytes : {32, 64, 128, 256}) {
        const workloads::Floor of_line = workload.floor(parameters, {line_bytes});
        CHECK(of_line.bytes_per_item == floor.bytes_per_item);
        CHECK(of_line.lines_per_item >= floor.bytes_per_item / static_cast<double>(line_bytes));
        CHECK(of_line.lines_per_item <= of_shorter);
        of_shorter = of_line.lines_per_item;
      }
    }
  }
}

TEST_CASE("floors are what the workloads' headers derive") {
  const std::map<std::string, workloads::Floor> derived = {
      {"point_mass/entities:9", {36.0 / 64, 36}},
      {"point_mass_mixed/entities:9", {36.0 / 64, 36}},
      {"by_entity/entities:9/by:entity", {36.0 / 64, 36}},
      {"streams/entities:9/components:16", {8.0 / 64, 8}},
      {"duplicated/entities:9/read:copy/writes:10", {16.0 / 64, 16}},
      {"duplicated/entities:9/read:lookup/writes:10", {16.0 / 64 + 1, 20}},
      {"join/entities:9/order:unrelated/via:find", {48.0 / 64, 20}},
      {"lookup/entities:9/components:1", {1.125, 16}},
      {"lookup/entities:9/components:4", {1.625, 28}},
      {"fields/entities:9/find:each", {1.625, 28}},
      {"sorted/entities:9/how:in_place", {20.0 / 64, 20}},
      {"alive/entities:9", {1.125, 12}},
      {"create/entities:9/how:single/memory:growing/components:4", {80.0 / 64, 80}},
      {"create/entities:9/how:bulk/memory:reserved/components:2", {32.0 / 64, 32}},
      {"create/entities:9/how:bulk/memory:reserved/components:0", {}},
      {"destroy/entities:9/how:each", {12.0 / 64, 12}},
      {"destroy/entities:9/how:each_shuffled", {1.125, 12}},
      {"destroy/entities:9/how:list", {1.125, 12}},
      {"destroy/entities:9/how:clear", {}},
      {"point_mass_subset/entities:9/bytes:256", {8.0 / 64, 8}},
      {"occupancy/entities:9/share:5", {36.0 / 64, 36}},
      {"churn/entities:9/rate:1/payload:16", {4.0 / 64 + 1, 20}},
      {"churn/entities:9/rate:1/payload:64", {4.0 / 64 + 1, 68}},
      {"observed/entities:9/how:called/listeners:4", {(8.0 / 64 + 2) / 3, 10}},
      {"aging/entities:9/work:join/frames:10/defragment:no", {48.0 / 64, 20}},
      {"aging/entities:9/work:lookup/frames:10/defragment:no", {1.625, 28}},
      {"aging/entities:9/work:despawn/frames:0/defragment:no", {36.0 / 64, 36}},
      {"structural/entities:9/others:4/sets:100/grouped:no", {1.125, 20}},
      {"bulk/entities:9/how:bulk/others:4", {29.0 / 64, 29}},
      {"deferred/entities:9/changes:1/how:list", {40.0 / 64 + 1, 40 + 8 + 16 / 2}},
      {"deferred/entities:9/changes:3/how:batched", {(40.0 / 64 + 1) / 3, 20}},  // (40 + 8 + 28 / 2) / 3
      // two toggles a frame, while two other entities burn
      {"toggle/entities:9/rate:5/loops:10/as:flag", {8.0 / 64 + 1 + 12.0 / 64, 8 + 4 + 12 / 2 + 8}},
      {"changed/entities:9/changed:one/how:record", {}},
      {"changed/entities:9/changed:set/how:record", {16.0 / 64, 16}},
      {"changed/entities:9/changed:set/how:everything", {40.0 / 64, 40}},
      {"changed/entities:9/changed:all/how:record", {36.0 / 64, 36}},
      {"relations/entities:9/target:near/fan_in:16/retarget:0", {(16 + 1.0) / 64, 13}},
      {"relations/entities:9/target:any/fan_in:1/retarget:10", {16.0 / 64 + 1 + 0.1 * (12.0 / 64 + 1), 30}},
      {"despawn/entities:9/dead:0", {}},
      {"despawn/entities:9/dead:90", {}},
      {"removal/entities:9/rows:ordered", {4.0 / 64 + 9.0 / 512, 4}},
      {"fragmented/entities:9/sets:10000", {12.0 / 64, 12}},
      {"filters/entities:9/filter:two_without/share:90/sets:16", {24.0 / 64, 24}},
      {"filters/entities:9/filter:optional/share:50/sets:1", {26.0 / 64, 26}},
      {"filters/entities:9/filter:optional/share:99/sets:1", {(24 + 3.96) / 64, 27}},
      {"wide/entities:9/do:destroy/types:300", {1.125, 12}},
      {"wide/entities:9/do:100_systems/types:8", {}},
      {"snapshot/entities:9/changed:10", {60.0 / 64, 60}},
      {"prefab/entities:9/how:single/nodes:8", {140.0 / 64, 140}},
      {"serialize/entities:9/what:save/ids:none", {88.0 / 64, 88}},
      {"serialize/entities:9/what:twice/ids:remap", {104.0 / 64, 104}},
      {"spike/entities:9/memory:growing", {80.0 / 64, 80}},
      {"multi_instance/entities:9/instances:4", {16.0 / 64, 8}},
      {"point_mass_parallel/entities:9/threads:1", {36.0 / 64, 36}},
      {"hierarchy_beside/entities:9/threads:2/shape:fours", {(132 + 16 * 36) / 64.0, 132 + 16 * 36}},
      {"hierarchy_tree/entities:9/order:kept/dirty:100", {132.0 / 64, 132}},
      {"hierarchy_tree/entities:9/order:kept/dirty:10", {}},
      {"hierarchy_deep/entities:9/depth:64/order:kept/dirty:100", {132.0 / 64, 132}},
      {"hierarchy_deep/entities:9/depth:64/order:kept/dirty:none_kept", {132.0 / 64, 132}},
  };
  std::size_t found = 0;
  const Catalogue catalogue = make_catalogue();
  for (const WorkloadEntry& workload : catalogue.workloads()) {
    for (const Parameters& parameters : parameter_sets(workload, 9)) {
      const auto expected = derived.find(std::string(workload.card.name) + "/" + parameters.name());
      if (expected == derived.end()) continue;
      INFO(expected->first);
      ++found;
      const workloads::Floor floor = workload.floor(parameters, {});
      CHECK(floor.lines_per_item == expected->second.lines_per_item);
      CHECK(floor.bytes_per_item == expected->second.bytes_per_item);
    }
  }
  CHECK(found == derived.size());
}

}  // namespace
}  // namespace stowage::harness
