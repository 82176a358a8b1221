// `stowage build-cost`: chooses the strategies, and gives their headers and the recorded compiler to the Python that
// compiles and counts.
#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/plan/selection.hpp"
#include "harness/report_tool.hpp"
#include "harness/system/environment.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

struct BuildCostOptions {
  std::optional<std::string> strategies;
  std::vector<std::string> storages;
  std::string format = "table";
  std::optional<std::string> out;
};

/// Those of `names`, or all base forms; and the user's.
std::vector<Recipe> choose(const BuildCostOptions& options, const CommandContext& context) {
  const std::vector<std::string> names = options.strategies ? split_list(*options.strategies) : TextRow{};
  for (const std::string& name : names) {
    const StrategyEntry& entry = find_strategy(name, context.catalogue);
    if (entry.is_floor() || entry.is_yardstick()) {
      throw UserError("'{}' is no storage, but hand-written loops; the row hand-written is always there", name);
    }
  }
  std::vector<Recipe> chosen;
  for (const Recipe& recipe : context.modules.toolchain().strategies) {
    const bool is_named = std::ranges::find(names, recipe.name) != names.end();
    if (is_named && !recipe.plays_games) {
      throw UserError("'{}' has a part of the storage contract, and the game needs all of it; leave it out",
                      recipe.name);
    }
    if (is_named || (!options.strategies && !recipe.is_variant() && recipe.plays_games)) chosen.push_back(recipe);
  }
  for (const std::string& storage : options.storages) static_cast<void>(context.modules.add_storage(storage));
  chosen.insert(chosen.end(), context.modules.storages().begin(), context.modules.storages().end());
  if (chosen.empty()) throw UserError("toolchain.json says of none of them how it is compiled; name other strategies");
  return chosen;
}

void build_cost(const BuildCostOptions& options, const CommandContext& context) {
  const std::vector<Recipe> strategies = choose(options, context);
  const Toolchain& toolchain = context.modules.toolchain();
  check_has_compiler(toolchain);
  const Build build = describe_build();
  const OrderedJson request{{"compiler", toolchain.compiler},
                            {"flags", toolchain.compile_flags},
                            {"about",
                             {{"compiler", build.compiler},
                              {"flags", build.flags},
                              {"commit", build.commit},
                              {"processor", describe_environment().machine.cpu_model}}},
                            {"strategies", list_of(strategies, [](const Recipe& recipe) {
                               return OrderedJson{{"name", recipe.name},
                                                  {"header", recipe.header},
                                                  {"template", recipe.template_name},
                                                  {"flags", recipe.compile_flags},
                                                  {"libraries", recipe.link_flags}};
                             })}};
  const InterruptGuard guard;
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "request.json").string();
  replace_file(file, request.dump());
  std::vector<std::string> arguments{file, "--format", options.format};
  if (options.out) arguments.push_back("--out=" + *options.out);  // a name may begin with a dash
  run_python_tool({.module = "stowage_report.build_cost", .what = "the cost", .stop = InterruptGuard::interrupted},
                  arguments);
}

}  // namespace

void add_build_cost_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "build-cost",
      "Compiles a small game with each strategy: seconds, bytes of code, and instructions of debug builds");
  const auto options = std::make_shared<BuildCostOptions>();
  command->add_option("--strategies", options->strategies, "A,B: only these, variants too; all base forms by default");
  add_storage_option(*command, options->storages);
  add_choice_option(*command, "--format", options->format, {"table", "json"}, "table (the default) or json");
  command->add_option("--out", options->out,
                      "Also writes FILE as JSON; `stowage report RUN` shows RUN/build_cost.json if there is one");
  set_action(*command, context, [options, &context] { build_cost(*options, context); });
}

}  // namespace stowage::harness
