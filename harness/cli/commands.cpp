// What the commands share: their common options, the messages for a mistyped line, and building what a selection needs.
#include "harness/cli/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "harness/errors.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/plan/preset.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/recommend/world.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

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
  return names_of(app.get_subcommands([](const CLI::App*) { return true; }), &CLI::App::get_name);
}

std::string help_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? "stowage --help" : fmt::format("stowage {} --help", command.get_name());
}

constexpr char between_choices = '|';

/// "table or json" if those are all that `option` takes; empty if it takes anything.
std::string choices_of(const CLI::Option& option) {
  std::string words = option.get_type_name();
  const std::size_t last = words.rfind(between_choices);
  if (last == std::string::npos) return "";
  words.replace(last, 1, " or ");
  for (std::size_t at = words.find(between_choices); at != std::string::npos; at = words.find(between_choices, at)) {
    words.replace(at, 1, ", ");
  }
  return words;
}

/// The option that has no value on the command line, or more than it takes; null if `error` is about something else.
const CLI::Option* mismatched_option(const CLI::App& command, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return nullptr;
  const std::string_view what = error.what();
  return command.get_option_no_throw(std::string(what.substr(0, what.find(':'))));
}

/// CLI11 says "Could not convert: --jobs = many". All options that it converts are numbers.
std::string not_a_number(std::string_view error) {
  const std::size_t option = std::min(error.find("--"), error.size());
  const std::size_t equals = std::min(error.find(" = ", option), error.size());
  const std::string_view value = error.substr(std::min(equals + 3, error.size()));
  return fmt::format("{} '{}' is not a number", error.substr(option, equals - option), value);
}

void add_world(const Profile& profile, BuildPlan plan, const CommandContext& context) {
  context.modules.add_workloads(workloads_of_world(profile), yardsticks_of_worlds(), std::move(plan));
}

}  // namespace

std::string CommandContext::command() const { return shell_line({"stowage"}) + " " + shell_line(arguments); }

void set_choices(CLI::Option& option, const std::vector<std::string>& choices) {
  option.type_name(fmt::format("{}", fmt::join(choices, std::string_view(&between_choices, 1))));
}

void add_choice_option(CLI::App& command, const std::string& name, std::string& value,
                       const std::vector<std::string>& choices, const std::string& description) {
  CLI::Option* const option = command.add_option(name, value, description);
  set_choices(*option, choices);
  option->check([choices, option](const std::string& given) {
    if (std::ranges::find(choices, given) != choices.end()) return std::string();
    throw UserError("unknown {} '{}'{}", option->get_single_name(), given,
                    suggestion(given, choices, "give " + choices_of(*option)));
  });
}

std::string message_for(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return fmt::format("{}; see `{}`", not_a_number(error.what()), help_of(command));
  }
  const CLI::Option* const option = mismatched_option(command, error);
  if (option == nullptr) return fmt::format("{}; see `{}`", error.what(), help_of(command));
  if (option->count() > static_cast<std::size_t>(option->get_expected_max())) {
    return fmt::format("{} is given {} times; give it once", option->get_name(), option->count());
  }
  const std::string choices = choices_of(*option);
  return fmt::format("{} needs a value{}{}; see `{}`", option->get_name(), choices.empty() ? "" : ": ", choices,
                     help_of(command));
}

void add_cpus_option(CLI::App& command, std::optional<std::string>& cpus) {
  command.add_option(
      "--cpus", cpus,
      "Cores to measure on: a list such as 0-3,8; or, if the machine has two kinds, fast (default) or slow");
}

void add_storage_option(CLI::App& command, std::vector<std::string>& storages) {
  command
      .add_option("--storage", storages,
                  "your own storage, such as my_storage.hpp:mine::MyStorage, beside the others; repeat it for several")
      ->type_name("[NAME=]FILE:TYPE")
      ->allow_extra_args(false);
}

void add_selection_options(CLI::App& command, SelectionRequest& request) {
  set_choices(*command.add_option("--preset", request.preset, "quick (the default), standard or full"),
              names_of(presets(), &Preset::name));
  command.add_option("--strategies", request.strategies,
                     "A,B: only these, the reference and the contract floors; by default those of the preset");
  add_storage_option(command, request.storages);
  command.add_option("--world", request.world, "PROFILE: every kind of work in that world, instead of the workloads");
  command.add_option("--workloads", request.workloads,
                     "X,Y: only these; by default all, but `run --preset quick` measures the typical world");
  command.add_option("--entities", request.entities, "1k,16k,1M: other sizes than the preset's (k = 1,024)");
  command.add_option("--cells", request.filter, "REGEX: only cells with a match in their name");
  command.add_option("--shard", request.shard, "I/N: the I-th of N parts, counted from 1");
}

void refuse_leftovers(const CLI::App& command, const std::vector<std::string>& unexpected) {
  if (unexpected.empty()) return;
  const std::string& word = unexpected.front();
  const bool is_top = command.get_parent() == nullptr;
  const std::string otherwise = fmt::format("`{}` shows what there is", help_of(command));
  if (word.starts_with("-")) {
    const std::string flag = word.substr(0, word.find('='));
    if (flag.starts_with("--benchmark_")) {
      throw UserError("flags of Google Benchmark go after --: `stowage run -- {}`", word);
    }
    throw UserError("unknown flag '{}'{}", flag, suggestion(flag, flags_of(command), otherwise));
  }
  if (is_top) {
    throw UserError("unknown command '{}'{}", word, suggestion(word, commands_of(command), otherwise));
  }
  throw UserError("`stowage {}` has no use for '{}'; {}", command.get_name(), word, otherwise);
}

void set_action(CLI::App& command, const CommandContext& context, const std::function<void()>& action) {
  command.allow_extras();
  command.callback([&command, &context, action] {
    refuse_leftovers(command, command.remaining());
    if (!context.benchmark_flags.empty() && command.get_name() != "run") {
      throw UserError("'{}' after -- is for Google Benchmark, which only `stowage run` uses; remove it",
                      context.benchmark_flags.front());
    }
    action();
  });
}

void add_storages(SelectionRequest& request, const CommandContext& context) {
  for (const std::string& storage : request.storages) {
    request.storage_names.push_back(context.modules.add_storage(storage));
  }
  if (!request.world) return;
  std::vector<Recipe> strategies = context.modules.toolchain().strategies;
  strategies.insert(strategies.end(), context.modules.storages().begin(), context.modules.storages().end());
  const Profile profile = read_profile(*request.world);
  if (profile.name == usual_world_name && world_name(profile) != world_name(read_profile(usual_world()))) {
    throw UserError("{}: stowage's own world is called '{}'; give this one another name in [profile]", *request.world,
                    usual_world_name);
  }
  add_world(profile, world_build_plan(profile, context.modules.toolchain(), strategies), context);
}

void add_checked_storages(SelectionRequest& request, const CommandContext& context) {
  add_storages(request, context);
  context.modules.require_models(request.storage_names);
  for (const std::string& name : request.storage_names) {
    say("comparing {} with the reference model", name);
    note_work(fmt::format("{}, compared with the reference model", name));
    const std::optional<std::string> failure = context.catalogue.model(name)(1, model_operations);
    if (failure) {
      throw NegativeAnswer("{} breaks the contract, so nothing is measured: {}; see `stowage verify`", name, *failure);
    }
    note_work("");
  }
}

void build_modules(std::vector<std::string> names, const CommandContext& context) {
  const Toolchain& toolchain = context.modules.toolchain();
  const bool is_all = names.empty();
  std::vector<std::string> units;  // those that are named, or all
  for (const std::string& unit : context.modules.units()) {
    if (std::erase(names, unit) > 0) units.push_back(unit);
  }
  if (units.empty()) units = context.modules.units();
  if (is_all) names = names_of(toolchain.strategies, &Recipe::name);
  if (toolchain.is_of_another_system) context.modules.require_models(names);  // there is no compiler there for `verify`
  names.emplace_back("reference");
  context.modules.require(names, units);
  if (!is_all || !context.modules.compiles()) return;
  // For a package: what `run` measures in the usual world.
  const Profile profile = read_profile(usual_world());
  BuildPlan plan = world_build_plan(profile, toolchain, toolchain.strategies);
  plan.root.clear();
  plan.directory = packaged_world(profile, toolchain);
  add_world(profile, std::move(plan), context);
  SelectionRequest usual;
  usual.world = usual_world().string();
  static_cast<void>(select_cells(usual, context));
}

void add_cells(const Selection& selection, const CommandContext& context) {
  const auto [names, units] = needed_for(selection);
  context.modules.require({names.begin(), names.end()}, {units.begin(), units.end()});
}

Selection select_cells(const SelectionRequest& request, const CommandContext& context) {
  Selection selection = resolve(request, context.catalogue);
  add_cells(selection, context);
  return selection;
}

void say_left_out(const Selection& selection, const std::vector<Block>& blocks, const Catalogue& catalogue) {
  std::set<const StrategyEntry*> said;
  for (const Block& block : blocks) said.insert(block.strategies.begin(), block.strategies.end());
  for (const MissingCell& cell : missing_cells(selection, catalogue)) {
    if (!cell.strategy->is_company() && said.insert(cell.strategy).second) {
      say("{} is not measured: {}", cell.strategy->name, cell.reason);
    }
  }
}

void add_layouts(const Selection& selection, std::size_t layouts, const CommandContext& context) {
  if (layouts == 1) return;
  const auto [names, units] = needed_for(selection);
  context.modules.require_layouts({names.begin(), names.end()}, {units.begin(), units.end()}, layouts);
}

}  // namespace stowage::harness
