// Puts shards together: checks that they are complete and of one kind, and restores the order of their blocks.
#include "harness/plan/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "harness/errors.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/plan/selection.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

Shard shard_of(const MergedPart& part) {
  const std::optional<Shard> shard = find_shard(part.run.options.shard);
  if (!shard) {
    throw UserError("{} is damaged: its shard '{}' is not I/N with 1 <= I <= N <= {}; repeat the run", part.directory,
                    part.run.options.shard, most_shards);
  }
  if (shard->count > 1) return *shard;
  throw UserError("{} is a whole run, not a shard; `stowage report` and `stowage compare` show several whole runs",
                  part.directory);
}

/// Without what may differ between shards.
RunOptions comparable(RunOptions options) {
  options.shard.clear();
  options.cpus.clear();  // cores of another kind are another processor
  return options;
}

/// What must be equal in all parts: its name, and its value in one.
std::vector<std::pair<std::string, std::string>> kinds_of(const Run& run) {
  const Environment& environment = run.environment;
  std::vector<std::pair<std::string, std::string>> all{
      {"commit", environment.build.commit},
      {"version", environment.build.version},
      {"compiler", environment.build.compiler},
      {"flags", environment.build.flags},
      {"processor", environment.machine.cpu_model},
      {"number of processors", fmt::to_string(environment.host.num_cpus)},
      {"system", environment.machine.os},
      {"hypervisor", environment.machine.virtualisation},
      {"frequency governor", environment.machine.governor},
      {"setting of huge pages", environment.machine.transparent_hugepages},
      {"seed", fmt::to_string(run.options.seed)},
      {"preset", run.options.preset}};
  std::string caches;
  for (const CacheLevel& level : environment.host.caches) {
    caches += fmt::format("{} {} of {} bytes for {}; ", level.type, level.level, level.size, level.num_sharing);
  }
  all.emplace_back("caches", caches);
  for (const PassRecord& pass : run.passes) {
    const auto& details = pass.details;
    if (const auto model = details.find("model"); model != details.end())
      all.emplace_back("cache model", model->second);
  }
  return all;
}

void check_is_like(const MergedPart& part, const MergedPart& first) {
  const auto own = kinds_of(part.run);
  const auto wanted = kinds_of(first.run);
  for (std::size_t i = 0; i < std::min(own.size(), wanted.size()); ++i) {
    if (own[i] == wanted[i]) continue;
    throw UserError("{} was measured with another {} than {}: {}, not {}; only shards of one kind are one run",
                    part.directory, own[i].first, first.directory, own[i].second, wanted[i].second);
  }
  if (comparable(part.run.options) == comparable(first.run.options)) return;
  throw UserError(
      "{} is a shard of another selection than {}; give all shards the same strategies, workloads, entities, cells and "
      "flags",
      part.directory, first.directory);
}

/// The command of a shard, changed to another shard or to the whole run.
std::string command_of(const Run& run, const std::string& shard) {
  std::vector<std::string> typed = parse_shell_line(run.state.command).value_or(std::vector<std::string>());
  if (typed.size() < 2 || typed[0] != "stowage" || typed[1] != "run") typed = {"stowage", "run"};
  std::vector<std::string> words;
  const auto options_end = std::ranges::find(typed, "--");
  for (auto word = typed.begin(); word != options_end; ++word) {
    if (*word == "--shard" || *word == "--out") {
      if (std::next(word) != options_end) ++word;
    } else if (!word->starts_with("--shard=") && !word->starts_with("--out=")) {
      words.push_back(*word);
    }
  }
  if (!shard.empty()) words.insert(words.end(), {"--shard", shard});
  words.insert(words.end(), options_end, typed.end());
  return shell_line(words);
}

std::size_t index_of(const MergedPart& part) { return shard_of(part).index; }

/// `parts` are in their order.
void check_are_all(const std::vector<MergedPart>& parts) {
  const auto twice = std::ranges::adjacent_find(parts, {}, index_of);
  if (twice != parts.end()) {
    throw UserError("shard {} is there twice, in {} and {}; name one of them", twice->run.options.shard,
                    twice->directory, std::next(twice)->directory);
  }
  const std::size_t count = shard_of(parts.front()).count;
  std::vector<std::string> missing;
  for (std::size_t index = 1; index <= count; ++index) {
    if (!std::ranges::binary_search(parts, index, {}, index_of)) missing.push_back(Shard{index, count}.name());
  }
  if (missing.empty()) return;
  constexpr std::size_t most_named = 8;
  const std::span named(missing.begin(), std::min(missing.size(), most_named));
  const std::string more = fmt::format(" and {} more", missing.size() - named.size());
  throw UserError("shard{} {}{} {} missing; measure {} with `{}`", missing.size() == 1 ? "" : "s",
                  fmt::join(named, ", "), named.size() < missing.size() ? more : "", missing.size() == 1 ? "is" : "are",
                  missing.size() == 1 ? "it" : "the first", command_of(parts.front().run, missing.front()));
}

std::string hosts_of(const std::vector<MergedPart>& parts) {
  std::set<std::string> names;
  for (const MergedPart& part : parts) names.insert(part.run.environment.host.host_name);
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class Record, class Key>
void add_new(std::vector<Record>& all, const std::vector<Record>& more, Key key) {
  for (const Record& record : more) {
    const auto same = [&](const Record& known) { return std::invoke(key, known) == std::invoke(key, record); };
    if (std::ranges::none_of(all, same)) all.push_back(record);
  }
}

/// Shards took blocks in turn, so the first block of each comes first, then the second. Refuses a block that two have.
void deal_blocks(Run& merged, std::vector<MergedPart>& parts) {
  const bool is_one_host = hosts_of(parts) == parts.front().run.environment.host.host_name;
  std::set<std::string> names;
  for (std::size_t turn = 0;; ++turn) {
    bool any = false;
    for (MergedPart& part : parts) {
      std::vector<BlockResult>& blocks = part.run.blocks;
      if (turn >= blocks.size()) continue;
      any = true;
      if (!names.insert(fmt::format("{}/{}", blocks[turn].workload, blocks[turn].parameters)).second) {
        throw UserError("{} has a block that another shard has, {} {}; measure all shards again", part.directory,
                        blocks[turn].workload, blocks[turn].parameters);
      }
      merged.blocks.push_back(std::move(blocks[turn]));
      if (!is_one_host) merged.blocks.back().host = part.run.environment.host.host_name;
    }
    if (!any) return;
  }
}

void check_is_finished(const std::string& directory, const Run& run) {
  const std::size_t done = blocks_done(run);
  if (!run.state.interrupted && done >= run.state.blocks_planned) return;
  throw UserError("{} has {} of its {} blocks; finish it with `{}`", directory, done, run.state.blocks_planned,
                  command_to_resume(directory, run));
}

}  // namespace

void check_is_whole(const std::string& directory, const Run& run) {
  check_is_finished(directory, run);
  if (run.options.shard.empty() || find_shard(run.options.shard).value_or(Shard{0, 0}).count == 1) return;
  throw UserError("{} is shard {}, not a whole run; merge all shards: `stowage merge RUN_DIR... --out DIR`", directory,
                  run.options.shard);
}

Run merge_shards(std::vector<MergedPart> parts) {
  for (const MergedPart& part : parts) {
    const MergedPart& first = parts.front();
    if (shard_of(part).count != shard_of(first).count) {
      throw UserError("{} is shard {}, and {} is shard {}; only parts of one division are one run", part.directory,
                      part.run.options.shard, first.directory, first.run.options.shard);
    }
    check_is_like(part, first);
    check_is_finished(part.directory, part.run);
  }
  std::ranges::stable_sort(parts, {}, index_of);
  check_are_all(parts);

  Run merged = parts.front().run;
  merged.blocks.clear();
  merged.options.shard = "1/1";
  merged.state.command = command_of(merged, "");
  merged.environment.host.host_name = hosts_of(parts);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Run& run = parts[i].run;
    merged.state.blocks_planned += run.state.blocks_planned;
    merged.state.wall_s += run.state.wall_s;
    std::optional<double>& time_pass_s = merged.state.time_pass_s;
    time_pass_s =
        time_pass_s && run.state.time_pass_s ? std::optional(*time_pass_s + *run.state.time_pass_s) : std::nullopt;
    merged.state.doctor = worse_verdict(merged.state.doctor, run.state.doctor);
    if (run.state.other_programs) {
      merged.state.other_programs = std::max(merged.state.other_programs.value_or(0), *run.state.other_programs);
    }
    add_new(merged.strategy_cards, run.strategy_cards, &StrategyRecord::name);
    add_new(merged.workload_cards, run.workload_cards, &WorkloadRecord::name);
    add_new(merged.passes, run.passes, [](const PassRecord& pass) { return std::tuple(pass.pass, pass.source); });
    add_new(merged.omissions, run.omissions,
            [](const Omission& omission) { return std::tuple(omission.pass, omission.cell); });
  }
  const auto has_no_verdict = [](const MergedPart& part) { return part.run.state.doctor.empty(); };
  if (!merged.state.doctor.starts_with("not ") && std::ranges::any_of(parts, has_no_verdict)) {
    merged.state.doctor.clear();  // that other shards are fit says nothing about that one
  }
  deal_blocks(merged, parts);
  return merged;
}

}  // namespace stowage::harness
