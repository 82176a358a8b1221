#pragma once

// All strategies and workloads, and how to make a case of each pair: what commands and passes look cells up in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/semantics.hpp>

#include "workloads/support/floor.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"

namespace stowage::harness {

/// What a line of `strategies/CMakeLists.txt` says of a strategy, plus what its header says in code.
struct StrategyEntry {
  std::string name;     ///< the CLI name: `hash_index` or `hash_index.node_hash`
  std::string family;   ///< its stem; `floor` for `reference`, `yardstick` for `reference.*` and `form.*`
  std::string source;   ///< the system and article it comes from: "S6 (B2)"
  std::string summary;  ///< one line: when to pick it
  std::optional<SemanticsCard> semantics;     ///< none for hand-written references
  std::string storage_folder = {};            ///< of the header, if that is not of this repository
  std::string form = "ours";                  ///< `exact` as its source has it, `near`, `tuned` or `ours`
  bool always_measured = false;               ///< a yardstick without which figures of its workload say little
  std::string why_uncounted = {};             ///< why no cell of it is counted; empty if they are
  std::vector<Lack> lacks = {};               ///< parts of the contract that it does not have
  std::optional<std::size_t> row_limit = {};  ///< rows of one component that it can number; none if that has no bound
  /// By unit, the shared library that has its cells; this program has those of other units.
  std::map<std::string, std::string> modules = {};
  std::size_t copy = 0;  ///< its number if it is the copy of another strategy, counted from 1

  [[nodiscard]] bool is_floor() const { return name == "reference"; }
  /// Comes with its workloads, whatever strategies are named.
  [[nodiscard]] bool is_company() const { return is_floor() || always_measured; }
  /// Hand-written loops and forms that are neither a strategy nor the floor. They are measured in presets with
  /// variants, and if they are named.
  [[nodiscard]] bool is_yardstick() const { return family == "yardstick"; }
  /// Why it does not have a part of the contract; empty if it does.
  [[nodiscard]] std::string reason_to_lack(Capability capability) const {
    for (const Lack& lack : lacks) {
      if (lack.capability == capability) return std::string(lack.reason);
    }
    return {};
  }
  /// A strategy is the base form of its family or a variant of that: `hash_index` or `hash_index.node_hash`.
  [[nodiscard]] bool is_variant() const { return !is_floor() && !is_yardstick() && name != family; }
};

/// A line of the list that this build left out, and why, in words that follow its name.
struct NotBuilt {
  std::string name;
  std::string reason;
};

struct WorkloadEntry {
  workloads::WorkloadCard card;
  std::vector<workloads::Axis> axes;
  workloads::Floor (*floor)(const workloads::Parameters&, workloads::Lines);
  /// Whether strategies have frames with these parameters; null if they never have.
  bool (*framed)(const workloads::Parameters&) = nullptr;
  /// Why misses and instructions cannot be counted with these parameters; empty if they can, null if they always
  /// can.
  std::string (*why_uncounted)(const workloads::Parameters&) = nullptr;
  /// Names what the cases begin with, if blocks may have that in common (SharedPopulations); null if not.
  std::string (*population)(const workloads::Parameters&) = nullptr;
  bool is_verified_first = false;  ///< of those that have a population in common
  bool repeats_memory = false;     ///< its bytes are those of another workload
  bool has_types_of_user = false;  ///< which may own memory that is not the storage's
  /// What a case needs for each entity, at least: a handle, and a component of 8 bytes.
  double least_bytes_per_entity = 16;
  std::string unit = {};  ///< what is compiled with it, for each strategy; empty if that is this program

  [[nodiscard]] bool is_framed(const workloads::Parameters& parameters) const {
    return framed != nullptr && framed(parameters);
  }
  [[nodiscard]] std::string population_of(const workloads::Parameters& parameters) const {
    return population == nullptr ? std::string() : population(parameters);
  }
  [[nodiscard]] std::string reason_not_to_count(const workloads::Parameters& parameters) const {
    return why_uncounted == nullptr ? std::string() : why_uncounted(parameters);
  }
};

/// Of a strategy in a world: between share() and part() all its cases use one population, which the first case makes.
struct SharedPopulations {
  void (*share)() = nullptr;
  void (*part)() = nullptr;
};

using MakeMeasurement = std::unique_ptr<workloads::Measurement> (*)(const workloads::Parameters&);
/// Why a strategy cannot take part in a workload with these parameters, in words that follow its name and a colon;
/// empty if it can.
using Obstacle = std::string (*)(const workloads::Parameters&);
/// Runs `operations` random operations from `seed` against the reference model; the failure in words, if any.
inline constexpr std::size_t model_operations = 20'000;
using CheckModel = std::optional<std::string> (*)(std::uint64_t seed, std::size_t operations);

/// The two lists, strategies and workloads, and how to make a case of each pair. The lists come from generated code, in
/// the order of `strategies/CMakeLists.txt` and `workloads/CMakeLists.txt`; `reference` comes first. The cells of a
/// strategy, or of the hand-written references, are added when their module is loaded; so is a strategy's check.
class Catalogue {
 public:
  /// Every module of a game brings the same workload: only the first is taken.
  void add_workload(WorkloadEntry entry) {
    const auto is_known = [&](const WorkloadEntry& known) { return known.card.name == entry.card.name; };
    if (std::ranges::none_of(workloads_, is_known)) workloads_.push_back(std::move(entry));
  }
  /// A strategy that is known keeps its entry, and gains what it did not say before. Invalidates pointers to entries
  /// if it was not known.
  void add_strategy(StrategyEntry entry) {
    const auto known = std::ranges::find(strategies_, entry.name, &StrategyEntry::name);
    if (known == strategies_.end()) {
      strategies_.push_back(std::move(entry));
      return;
    }
    known->always_measured = known->always_measured || entry.always_measured;
    if (!known->semantics) {
      known->semantics = entry.semantics;
      known->lacks = std::move(entry.lacks);
      known->row_limit = entry.row_limit;
    }
  }
  /// Adds a copy of a strategy under a name of its own. It has all cells of the original, also those added later.
  /// Does nothing if there is no such strategy. Invalidates pointers to entries.
  void add_copy(std::string_view strategy, const std::string& name) {
    const StrategyEntry* const original = find(strategy);
    if (original == nullptr) return;
    StrategyEntry copy = *original;
    copy.name = copy.family = name;
    originals_[name] = strategy;
    copy.copy = originals_.size();
    add_strategy(std::move(copy));
  }
  /// Adds the cells of another layout of a strategy's code; those that are known already stay layout 0.
  void add_layout(const Catalogue& cells) {
    for (const auto& [key, pair] : cells.pairs_) {
      if (pair.make != nullptr) pairs_[key].other_layouts.push_back(pair.make);
    }
  }
  void set_populations(std::string strategy, SharedPopulations shared) { populations_[std::move(strategy)] = shared; }
  /// Null functions if there are none.
  [[nodiscard]] SharedPopulations populations(std::string_view strategy) const {
    const auto found = populations_.find(original_of(strategy));
    return found == populations_.end() ? SharedPopulations{} : found->second;
  }
  /// Adds how the random-operations check of a strategy is run.
  void set_model(std::string strategy, CheckModel check_model) { models_[std::move(strategy)] = check_model; }
  void set_module(std::string_view strategy, const std::string& unit, std::string file) {
    std::ranges::find(strategies_, strategy, &StrategyEntry::name)->modules[unit] = std::move(file);
  }
  void add_not_built(NotBuilt entry) { not_built_.push_back(std::move(entry)); }
  /// If `obstacle` is null, the cells of the pair exist with all parameters. If `make` is null, none exists, and
  /// `obstacle` says why.
  void add_cell(std::string_view strategy, std::string_view workload, MakeMeasurement make,
                Obstacle obstacle = nullptr) {
    pairs_[{std::string(strategy), std::string(workload)}] = {make, obstacle, {}};
  }

  [[nodiscard]] const std::vector<StrategyEntry>& strategies() const noexcept { return strategies_; }
  [[nodiscard]] const std::vector<WorkloadEntry>& workloads() const noexcept { return workloads_; }
  [[nodiscard]] const std::vector<NotBuilt>& not_built() const noexcept { return not_built_; }

  /// The strategy of that name; null if there is none.
  [[nodiscard]] const StrategyEntry* find(std::string_view strategy) const {
    const auto found = std::ranges::find(strategies_, strategy, &StrategyEntry::name);
    return found == strategies_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool knows(std::string_view strategy) const {
    return find(strategy) != nullptr || std::ranges::count(not_built_, strategy, &NotBuilt::name) > 0;
  }
  /// Whether any of its cells were added: false as long as no module of it is loaded.
  [[nodiscard]] bool has_cells(std::string_view strategy) const {
    return std::ranges::any_of(pairs_, [strategy](const auto& pair) { return pair.first.first == strategy; });
  }
  /// How to make a case of this pair in one layout of its code: number `layout`, modulo the number of known layouts.
  /// Null if the strategy does not take part in the workload.
  [[nodiscard]] MakeMeasurement maker(std::string_view strategy, std::string_view workload,
                                      std::size_t layout = 0) const {
    const Pair found = pair(strategy, workload);
    const std::size_t number = layout % (found.other_layouts.size() + 1);
    return number == 0 ? found.make : found.other_layouts[number - 1];
  }
  /// Why there is no such cell; empty if there is one, or if the reason is not known.
  [[nodiscard]] std::string obstacle(std::string_view strategy, std::string_view workload,
                                     const workloads::Parameters& parameters) const {
    const Obstacle obstacle = pair(strategy, workload).obstacle;
    return obstacle == nullptr ? std::string() : obstacle(parameters);
  }
  /// Whether the cell exists: the strategy takes part in the workload, with these parameters too.
  [[nodiscard]] bool supports(std::string_view strategy, std::string_view workload,
                              const workloads::Parameters& parameters) const {
    return maker(strategy, workload) != nullptr && obstacle(strategy, workload, parameters).empty();
  }
  /// The random-operations check of a strategy; null for references, and as long as it is not loaded.
  [[nodiscard]] CheckModel model(std::string_view strategy) const {
    const auto found = models_.find(strategy);
    return found == models_.end() ? nullptr : found->second;
  }

 private:
  struct Pair {
    MakeMeasurement make = nullptr;
    Obstacle obstacle = nullptr;
    std::vector<MakeMeasurement> other_layouts = {};
  };
  [[nodiscard]] Pair pair(std::string_view strategy, std::string_view workload) const {
    const auto found = pairs_.find({std::string(original_of(strategy)), std::string(workload)});
    return found == pairs_.end() ? Pair{} : found->second;
  }
  [[nodiscard]] std::string_view original_of(std::string_view strategy) const {
    const auto found = originals_.find(strategy);
    return found == originals_.end() ? strategy : found->second;
  }

  std::vector<StrategyEntry> strategies_;
  std::vector<WorkloadEntry> workloads_;
  std::vector<NotBuilt> not_built_;
  std::map<std::pair<std::string, std::string>, Pair> pairs_;
  std::map<std::string, std::string, std::less<>> originals_;  // of copies
  std::map<std::string, CheckModel, std::less<>> models_;
  std::map<std::string, SharedPopulations, std::less<>> populations_;
};

/// Every strategy and workload of the lists, without cells. Defined in generated code.
[[nodiscard]] Catalogue make_catalogue();

}  // namespace stowage::harness
