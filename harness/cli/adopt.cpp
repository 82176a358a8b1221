// `stowage adopt`: checks the request, collects the figures of a strategy, and writes it as one header.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/game_schema.hpp"
#include "harness/adopt/header.hpp"
#include "harness/adopt/library.hpp"
#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/plan/selection.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/environment.hpp"
#include "harness/system/files.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

struct AdoptOptions {
  std::string strategy;
  std::optional<std::string> out;
  std::optional<std::string> run;
  std::optional<std::string> from;
  std::string with;
};

/// Comes before the check for missing libraries: an adapter cannot be adopted even if its library is installed.
void refuse_adapter(const std::string& name) {
  const auto adapters = adopt::adapters();
  const auto found = std::ranges::find(adapters, std::string_view(name), &adopt::Adapter::name);
  if (found == adapters.end()) return;
  throw UserError("'{}' is an adapter to {}: take {} itself", name, found->library, found->library);
}

/// The strategy that `name` names. Throws what find_strategy() does, and UserError for something that is no storage.
const StrategyEntry& find_storage(const std::string& name, const Catalogue& catalogue) {
  const StrategyEntry& entry = find_strategy(name, catalogue);
  if (!entry.is_floor() && !entry.is_yardstick()) return entry;
  throw UserError(
      "'{}' is no storage but hand-written loops, one for each workload, that strategies are compared with; `stowage "
      "list strategies` names the strategies",
      name);
}

/// Finds a strategy in the library. Throws UserError for one that another project has added to this binary.
const adopt::LibraryStrategy& find_in_library(const std::string& name) {
  const auto strategies = adopt::library_strategies();
  const auto found = std::ranges::find(strategies, std::string_view(name), &adopt::LibraryStrategy::name);
  if (found != strategies.end()) return *found;
  throw UserError(
      "'{}' is not part of the stowage library; copy its header from the project that added it to this program", name);
}

std::vector<adopt::Companion> find_companions(const std::string& list) {
  std::vector<adopt::Companion> found;
  if (list.empty()) return found;
  const auto all = adopt::companions();
  for (const std::string& name : split_list(list)) {
    const auto companion = std::ranges::find(all, std::string_view(name), &adopt::Companion::name);
    if (companion == all.end()) {
      const std::vector<std::string> names = names_of(all, &adopt::Companion::name);
      throw UserError("--with has no '{}'{}", name,
                      suggestion(name, names, fmt::format("it has {}", fmt::join(names, ", "))));
    }
    const bool is_new = std::ranges::find(found, companion->name, &adopt::Companion::name) == found.end();
    if (is_new) found.push_back(*companion);
  }
  return found;
}

/// The command that measures what a header says of a strategy (reports/stowage_report/evidence.py).
std::string command_for_evidence(const std::string& strategy, const std::string& preset) {
  return shell_line({"stowage", "run", "--preset", preset, "--strategies", strategy, "--workloads",
                     "point_mass,join,lookup,create,destroy,churn,structural"});
}

/// Figures of the named run, or of the newest one; if it has none of this strategy, the command that measures them.
std::string evidence_of(const std::string& strategy, const std::optional<std::string>& named, const Build& build) {
  const std::optional<fs::path> directory = named ? std::optional<fs::path>(*named) : find_newest_run_directory();
  if (directory) {
    const Run run = load_run(*directory);
    const PythonTool tool{.module = "stowage_report.evidence", .what = "the figures"};
    std::string figures;
    try {
      if (!run.blocks.empty()) figures = answer_of_python_tool(tool, {directory->string(), strategy, build.commit});
    } catch (const EnvironmentError& error) {
      say("{}; the header has no figures", error.what());
      return "No figures: no Python could read the run.\n";
    }
    if (!figures.empty()) {
      return fmt::format("{}\nAgain: {}\n", figures, command_for_evidence(strategy, run.options.preset));
    }
    if (named) {
      throw UserError("{} has not measured '{}' in a workload that the header quotes; `{}` does", *named, strategy,
                      command_for_evidence(strategy, run.options.preset));
    }
  }
  return fmt::format(
      "No figures: {}. To have them here, adopt it again after\n    {}\n",
      directory ? directory->string() + " has not measured it in a workload that is quoted here" : "no run in results/",
      command_for_evidence(strategy, "standard"));
}

/// Writing replaces what is at `path`. Throws UserError if that is not an adopted header.
void check_replaceable(const fs::path& path) {
  std::error_code unreadable;
  if (!fs::exists(path, unreadable)) return;
  std::string beginning(std::size_t{1} << 10U, '\0');
  if (fs::is_regular_file(path, unreadable)) {
    std::ifstream file(path, std::ios::binary);
    file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(file.gcount()));
    if (adopt::is_adopted_header(beginning)) return;
  }
  throw UserError("{} exists and is not an adopted header; remove it, or choose another --out", path.string());
}

void adopt_strategy(AdoptOptions options, const Catalogue& catalogue) {
  std::optional<adopt::GameSchema> game;
  if (options.from) {
    game = adopt::read_game_schema(*options.from);
    if (!options.strategy.empty() && options.strategy != game->strategy) {
      throw UserError("--from {} has placed the components of {} on '{}'; leave out '{}'", *options.from, game->game,
                      game->strategy, options.strategy);
    }
    options.strategy = game->strategy;
  }
  if (options.strategy.empty()) {
    throw UserError("name a strategy: `stowage adopt STRATEGY`; `stowage list strategies` has them all");
  }
  refuse_adapter(options.strategy);
  const StrategyEntry& strategy = find_storage(options.strategy, catalogue);
  const adopt::LibraryStrategy& place = find_in_library(strategy.name);
  const Build build = describe_build();
  adopt::Adoption adoption{.strategy = strategy.name,
                           .request = options.from ? "--from " + shell_path(*options.from) : strategy.name,
                           .summary = strategy.summary,
                           .type = std::string(place.type),
                           .header = std::string(place.header),
                           .with = find_companions(options.with),
                           .semantics = strategy.semantics,
                           .version = fmt::format("{} ({})", build.version, build.commit)};
  if (options.out) check_replaceable(*options.out);
  adoption.evidence = evidence_of(strategy.name, options.run, build);
  std::string text = adopt::header_text(adoption, adopt::library_files());
  if (game) text += "\n" + adopt::game_schema_text(*game, adoption.type);
  if (!options.out) {
    std::cout << text << std::flush;
    if (!std::cout) throw EnvironmentError("the header could not be written to standard output; use --out FILE");
    return;
  }
  replace_file(*options.out, text);
  say("{} has {}<Schema>", *options.out, place.type);
}

}  // namespace

void add_adopt_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("adopt", "Writes a strategy as one header that needs nothing else of stowage");
  const auto options = std::make_shared<AdoptOptions>();
  command->add_option("strategy", options->strategy, "Which one; `stowage list strategies` has them all");
  command->add_option("--out", options->out,
                      "The file to write, replacing an adopted header; standard output by default");
  command->add_option("--run", options->run,
                      "The run with the figures for its header comment; the newest one in results/ by default");
  command->add_option(
      "--from", options->from,
      "An answer of `stowage recommend --out`: its strategy, with the game's components placed as it says");
  command->add_option("--with", options->with,
                      fmt::format("A,B: what else to take along: {}",
                                  fmt::join(names_of(adopt::companions(), &adopt::Companion::name), ", ")));
  set_action(*command, context, [options, &context] { adopt_strategy(*options, context.catalogue); });
}

}  // namespace stowage::harness
