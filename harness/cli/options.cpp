#include <fmt/format.h>

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/selection/nearest_name.hpp"

namespace stowage::harness {
namespace {

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionRequest& request) {
  command.add_option("--preset", request.preset, "quick (the default), standard or full");
  command.add_option("--strategies", request.strategies, "A,B: only these, and the reference; all by default");
  command.add_option("--workloads", request.workloads, "X,Y: only these; all by default");
  command.add_option("--entities", request.entities, "1k,16k,1M: other sizes than the preset's (k = 1,024)");
  command.add_option("--cells", request.filter, "REGEX: only cells in whose name it is found");
  command.add_option("--shard", request.shard, "I/N: the I-th of N parts, counted from 1");
}

void refuse_leftovers(const CLI::App& command, const std::vector<std::string>& unexpected) {
  if (unexpected.empty()) return;
  const std::string& word = unexpected.front();
  const bool is_top = command.get_parent() == nullptr;
  const std::string help = is_top ? "stowage --help" : fmt::format("stowage {} --help", command.get_name());
  const std::string otherwise = fmt::format("`{}` shows what there is", help);
  if (word.starts_with("-")) {
    const std::string flag = word.substr(0, word.find('='));
    throw UserError(fmt::format("unknown flag '{}'{}", flag, suggestion(flag, flags_of(command), otherwise)));
  }
  if (is_top) {
    throw UserError(fmt::format("unknown command '{}'{}", word, suggestion(word, commands_of(command), otherwise)));
  }
  throw UserError(fmt::format("`stowage {}` has no use for '{}'; {}", command.get_name(), word, otherwise));
}

void refuse_benchmark_flags(const CommandContext& context) {
  if (context.benchmark_flags.empty()) return;
  throw UserError(fmt::format("'{}' after -- is for Google Benchmark, which only `stowage run` uses; leave it away",
                              context.benchmark_flags.front()));
}

void set_action(CLI::App& command, const std::function<void()>& action) {
  command.allow_extras();
  command.callback([&command, action] {
    refuse_leftovers(command, command.remaining());
    action();
  });
}

}  // namespace stowage::harness
