#include "harness/plan/new_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/random_order.hpp"
#include "harness/system/environment.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

std::string precision_of(const RunOptions& options, const Preset& preset) {
  if (times_as(preset, options)) return std::string(preset.precision);
  return fmt::format("{} repetitions of about {:g} ms, as asked for", options.repetitions, options.min_time_s * 1e3);
}

/// The profile that the command of a run names, or what it is likely to be called.
std::string typed_world(const Run& run) {
  const std::vector<std::string> typed = parse_shell_line(run.state.command).value_or(std::vector<std::string>());
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i].starts_with("--world=")) return typed[i].substr(std::string_view("--world=").size());
    if (typed[i] == "--world" && i + 1 < typed.size()) return typed[i + 1];
  }
  return run.options.world.substr(0, run.options.world.rfind('-')) + ".toml";
}

StrategyRecord record_of(const StrategyEntry& entry) {
  StrategyRecord record{entry.name, entry.family, entry.source, entry.summary, std::nullopt, entry.form};
  for (const Lack& lack : entry.lacks) record.lacks.emplace(name_of(lack.capability), lack.reason);
  if (!entry.semantics) return record;
  record.semantics.emplace();
  for (const auto& [line, promise] : entry.semantics->lines()) record.semantics->emplace(line, promise.kept);
  return record;
}

WorkloadRecord record_of(const WorkloadEntry& entry) {
  const workloads::WorkloadCard& card = entry.card;
  return {.name = std::string(card.name),
          .item = std::string(card.item),
          .setup = std::string(card.setup),
          .measured = std::string(card.measured),
          .checksum = std::string(card.checksum),
          .favours = std::string(card.favours),
          .disadvantages = std::string(card.disadvantages),
          .floor = std::string(card.floor)};
}

}  // namespace

bool times_as(const Preset& preset, const RunOptions& options) {
  return options.repetitions == preset.repetitions && options.min_time_s == preset.min_time_s;
}

RunOptions options_of(const Selection& selection, std::optional<std::size_t> repetitions,
                      std::optional<double> min_time_s) {
  RunOptions options{.preset = std::string(selection.preset->name),
                     .seed = workloads::default_seed,
                     .strategies = names_of(selection.strategies, &StrategyEntry::name),
                     .world = selection.world(),
                     .workloads = names_of(selection.workloads, [](const auto* entry) { return entry->card.name; }),
                     .entities = selection.entities,
                     .shard = selection.shard.name(),
                     .filter = selection.filter,
                     .repetitions = repetitions.value_or(selection.preset->repetitions),
                     .min_time_s = min_time_s.value_or(selection.preset->min_time_s)};
  options.precision = precision_of(options, *selection.preset);
  return options;
}

std::string command_to_resume(const std::filesystem::path& directory, const Run& run, const std::string& profile) {
  const RunOptions& options = run.options;
  std::string command = "stowage run --resume " + shell_path(directory);
  for (const std::string& storage : options.storages) command += " --storage " + shell_word(storage);
  if (!options.filter.empty()) command += " --cells " + shell_word(options.filter);
  if (!options.world.empty() && !is_usual_world(options.world)) {
    command += " --world " + shell_path(profile.empty() ? typed_world(run) : profile);
  }
  return command;
}

Run new_run(const RunOptions& options, const Selection& selection, std::string command) {
  Run run{.environment = describe_environment(), .options = options};
  run.state.command = std::move(command);
  for (const StrategyEntry* strategy : selection.strategies) run.strategy_cards.push_back(record_of(*strategy));
  for (const WorkloadEntry* workload : selection.workloads) run.workload_cards.push_back(record_of(*workload));
  return run;
}

std::uint64_t order_seed(const Run& run) { return generator_for(run.options.seed, run.environment.host.date)(); }

}  // namespace stowage::harness
