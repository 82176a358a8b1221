#include "harness/cli/run_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/cli/select_cells.hpp"
#include "harness/errors.hpp"
#include "harness/results/run_directory.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

std::string entities_list(const std::vector<std::size_t>& entities) {
  return fmt::format("{}", fmt::join(entities, ","));
}

std::string name_list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ",")); }

/// Named strategies take part at every size, and the others not in every preset: where nobody named them, nobody does.
bool are_of_preset(const std::vector<std::string>& recorded, SelectionRequest request, const Catalogue& catalogue) {
  request.strategies.reset();
  std::vector<std::string> names;
  for (const StrategyEntry* strategy : resolve(request, catalogue).strategies) names.push_back(strategy->name);
  return names == recorded;
}

/// What was not said again is as it was.
void fill_from(RunRequest& request, const RunOptions& recorded, const Catalogue& catalogue) {
  const auto keep = [](auto& wanted, auto value) {
    if (!wanted) wanted = std::move(value);
  };
  keep(request.selection.preset, recorded.preset);
  if (!are_of_preset(recorded.strategies, request.selection, catalogue)) {
    keep(request.selection.strategies, name_list(recorded.strategies));
  }
  keep(request.selection.workloads, name_list(recorded.workloads));
  keep(request.selection.entities, entities_list(recorded.entities));
  keep(request.selection.shard, recorded.shard);
  keep(request.selection.filter, recorded.filter);
  keep(request.benchmark.repetitions, recorded.repetitions);
  keep(request.benchmark.min_time_s, recorded.min_time_s);
}

bool times_as(const Preset& preset, const RunOptions& options) {
  return options.repetitions == preset.repetitions && options.min_time_s == preset.min_time_s;
}

std::string precision_of(const RunOptions& options, const Preset& preset) {
  if (times_as(preset, options)) return std::string(preset.precision);
  return fmt::format("{} repetitions of about {:g} ms, as asked for", options.repetitions, options.min_time_s * 1e3);
}

/// Who sets the repetitions or their length wants exactly those: there is no budget then.
TimePlan time_plan_of(const RunOptions& options, const Preset& preset) {
  const bool as_preset = times_as(preset, options);
  return {.repetitions = options.repetitions,
          .fewest_repetitions = as_preset ? preset.fewest_repetitions : options.repetitions,
          .min_time_ns = options.min_time_s * 1e9,
          .budget_s = as_preset ? preset.budget_s : std::nullopt,
          .seed = options.seed};
}

StrategyRecord record_of(const StrategyEntry& entry) {
  StrategyRecord record{entry.name, entry.family, entry.source, entry.summary, std::nullopt};
  for (const Lack& lack : entry.lacks) record.lacks.emplace(name_of(lack.capability), lack.reason);
  if (!entry.semantics) return record;
  record.semantics.emplace();
  for (const auto& [line, promise] : entry.semantics->lines()) record.semantics->emplace(line, promise.kept);
  return record;
}

/// In which workloads a strategy takes no part, or not in all blocks, because of what it lacks.
std::map<std::string, std::string> not_offered_in(const Selection& selection, const std::vector<Block>& blocks,
                                                  const StrategyRecord& strategy, const Catalogue& catalogue) {
  std::map<std::string, std::string> reasons;
  if (strategy.lacks.empty()) return reasons;
  const auto note = [&](const WorkloadEntry& workload, const workloads::Parameters& parameters) {
    std::string why = catalogue.obstacle(strategy.name, workload.card.name, parameters);
    if (!why.empty()) reasons.try_emplace(std::string(workload.card.name), std::move(why));
  };
  for (const WorkloadEntry* workload : selection.workloads) {
    // whatever the parameters; there need not be a block of it
    if (catalogue.maker(strategy.name, workload->card.name) == nullptr) note(*workload, {});
  }
  for (const Block& block : blocks) note(*block.workload, block.parameters);
  return reasons;
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

void check_same(const fs::path& directory, std::string_view what, const std::string& recorded,
                const std::string& wanted) {
  if (recorded == wanted) return;
  throw UserError(fmt::format("cannot resume {}: {} was {} and is now {}; start another run", directory.string(), what,
                              recorded, wanted));
}

/// Figures of two builds, two machines or two precisions do not belong into one table.
void check_resumable(const fs::path& directory, const Run& recorded, const RunOptions& options) {
  const RunOptions& former = recorded.options;
  check_same(directory, "--preset", former.preset, options.preset);
  check_same(directory, "--strategies", name_list(former.strategies), name_list(options.strategies));
  check_same(directory, "--workloads", name_list(former.workloads), name_list(options.workloads));
  check_same(directory, "--entities", entities_list(former.entities), entities_list(options.entities));
  check_same(directory, "--storage", name_list(former.storages), name_list(options.storages));
  check_same(directory, "--shard", former.shard, options.shard);
  check_same(directory, "--cells", former.filter, options.filter);
  check_same(directory, "--benchmark_repetitions", fmt::to_string(former.repetitions),
             fmt::to_string(options.repetitions));
  check_same(directory, "--benchmark_min_time", fmt::to_string(former.min_time_s), fmt::to_string(options.min_time_s));
  check_same(directory, "the seed", fmt::to_string(former.seed), fmt::to_string(options.seed));
  const Environment now = describe_environment();
  const Build& build = recorded.environment.build;
  check_same(directory, "the commit of the binary", build.commit, now.build.commit);
  check_same(directory, "the compiler", build.compiler, now.build.compiler);
  check_same(directory, "the compiler's flags", build.flags, now.build.flags);
  check_same(directory, "the host", recorded.environment.host.host_name, now.host.host_name);
  check_same(directory, "the processor", recorded.environment.machine.cpu_model, now.machine.cpu_model);
}

/// The least that a case needs for an entity: a handle, and a component of 8 bytes.
constexpr std::uint64_t least_bytes_per_entity = 16;

/// All cases of a block are in memory together. What cannot fit would be killed by the system, without a word.
void check_memory(const std::vector<Block>& blocks, std::uint64_t memory_bytes) {
  for (const Block& block : blocks) {
    const std::uint64_t needed = least_bytes_per_entity * block.parameters.entities * block.strategies.size();
    if (needed <= memory_bytes) continue;
    throw UserError(
        fmt::format("{} needs {} GiB at least, and this machine has {}; give fewer --entities or --strategies",
                    block.name(), needed >> 30U, memory_bytes >> 30U));
  }
}

fs::path directory_for_new_run(const RunRequest& request, const Run& run) {
  if (!request.out) return new_run_directory(run.environment, run.options.preset);
  if (holds_results(*request.out)) {
    throw UserError(
        fmt::format("--out {} holds the results of another run; name another directory, or go on with that "
                    "run by --resume {}",
                    *request.out, *request.out));
  }
  return *request.out;
}

/// What a request means, new or resumed.
struct Work {
  RunOptions options;
  Selection selection;
  std::vector<Block> blocks;
};

Work work_of(const RunRequest& request, const CommandContext& context) {
  Selection selection = select_cells(request.selection, context);
  RunOptions options = options_of(selection, request.benchmark);
  options.storages = request.selection.storages;
  std::vector<Block> blocks = expand(selection, context.catalogue);
  return {std::move(options), std::move(selection), std::move(blocks)};
}

PlannedRun plan_resumed_run(RunRequest request, const fs::path& directory, const CommandContext& context) {
  if (request.out) throw UserError("--resume goes on in its own directory; remove --out");
  Run recorded = load_run(directory);
  if (request.selection.storages.empty()) request.selection.storages = recorded.options.storages;
  add_checked_storages(request.selection, context);
  fill_from(request, recorded.options, context.catalogue);
  Work work = work_of(request, context);
  check_resumable(directory, recorded, work.options);
  check_memory(work.blocks, recorded.environment.machine.memory_bytes);
  const TimePlan time = time_plan_of(work.options, *work.selection.preset);
  return {directory, std::move(recorded), std::move(work.blocks), time};
}

}  // namespace

RunOptions options_of(const Selection& selection, const BenchmarkFlags& flags) {
  RunOptions options{.preset = std::string(selection.preset->name),
                     .seed = workloads::default_seed,
                     .strategies = {},
                     .workloads = {},
                     .entities = selection.entities,
                     .shard = selection.shard.name(),
                     .filter = selection.filter,
                     .repetitions = flags.repetitions.value_or(selection.preset->repetitions),
                     .min_time_s = flags.min_time_s.value_or(selection.preset->min_time_s),
                     .precision = {}};
  options.precision = precision_of(options, *selection.preset);
  for (const StrategyEntry* strategy : selection.strategies) options.strategies.push_back(strategy->name);
  for (const WorkloadEntry* workload : selection.workloads) options.workloads.emplace_back(workload->card.name);
  return options;
}

Run new_run(const RunOptions& options, const Selection& selection, std::string command) {
  Run run{.environment = describe_environment(),
          .options = options,
          .state = {},
          .strategy_cards = {},
          .workload_cards = {},
          .passes = {},
          .omissions = {},
          .blocks = {}};
  run.state.command = std::move(command);
  for (const StrategyEntry* strategy : selection.strategies) run.strategy_cards.push_back(record_of(*strategy));
  for (const WorkloadEntry* workload : selection.workloads) run.workload_cards.push_back(record_of(*workload));
  return run;
}

PlannedRun plan_run(RunRequest request, const CommandContext& context) {
  if (request.resume) return plan_resumed_run(request, *request.resume, context);
  add_checked_storages(request.selection, context);
  Work work = work_of(request, context);
  Run run = new_run(work.options, work.selection, request.command);
  for (StrategyRecord& card : run.strategy_cards) {
    card.not_offered = not_offered_in(work.selection, work.blocks, card, context.catalogue);
  }
  check_memory(work.blocks, run.environment.machine.memory_bytes);
  const TimePlan time = time_plan_of(work.options, *work.selection.preset);
  fs::path directory = directory_for_new_run(request, run);
  return {std::move(directory), std::move(run), std::move(work.blocks), time};
}

}  // namespace stowage::harness
