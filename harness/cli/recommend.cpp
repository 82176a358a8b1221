#include "harness/recommend/recommend.hpp"

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/report_tool.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

void recommend(const RecommendOptions& options, const CommandContext& context) {
  const auto add_storages = [&] {
    SelectionRequest own;
    own.storages = options.storages;
    add_checked_storages(own, context);
    return own.storage_names;
  };
  const auto answer = run_recommend(options, context.catalogue, context.modules, add_storages);
  if (!answer) return;
  run_python_tool({.module = "stowage_report.recommendation", .what = "the page", .needs = {"jinja2"}},
                  {*answer, *options.profile, context.command()});
}

}  // namespace

void add_recommend_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("recommend", "Measures the game of a profile and ranks the strategies for it");
  const auto options = std::make_shared<RecommendOptions>();
  command->add_option("profile", options->profile, "PROFILE.toml: what the game does; see docs/profiles.md");
  command->add_flag("--quick", options->quick,
                    "45 s instead of 3 minutes: only base forms; no other games, placements or misses");
  command->add_option("--strategies", options->strategies, "A,B: only these, variants too");
  add_storage_option(*command, options->storages);
  command
      ->add_option("--require", options->required,
                   "CARD,CARD: only strategies that promise these, such as pointer_stability")
      ->allow_extra_args(false);
  command
      ->add_option("--search", options->search_s,
                   "Seconds to search for the best place of each component; default: the rest of 3 minutes; 0: none")
      ->check([](const std::string& given) {
        constexpr double most = 24 * 60 * 60;
        const auto seconds = parse_number<double>(given);
        if (seconds && *seconds >= 0 && *seconds <= most) return std::string();
        throw UserError("--search '{}' is no time; give seconds from 0 to {}", given, most);
      });
  add_cpus_option(*command, options->cpus);
  add_choice_option(*command, "--format", options->format, {"table", "json"}, "table (the default) or json");
  command->add_option("--out", options->out, "Writes recommendation.html, the answer as JSON and all results there");
  command->add_option("--from", options->from,
                      "Answers from what an earlier --out has kept, and measures nothing; the budget may be another");
  command->add_flag("--init", options->init, "Writes an example to PROFILE.toml (game.toml), and measures nothing");
  command->footer("Compiled games are kept in ~/.cache/stowage, or in STOWAGE_CACHE_DIR.");
  set_action(*command, context, [options, &context] { recommend(*options, context); });
}

}  // namespace stowage::harness
