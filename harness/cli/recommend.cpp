#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/profile/example.hpp"
#include "harness/profile/read.hpp"
#include "harness/recommend/answer_json.hpp"
#include "harness/recommend/answer_text.hpp"
#include "harness/recommend/choice.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/session.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr const char* default_profile = "game.toml";
constexpr const char* answer_file = "recommendation.json";

struct RecommendOptions {
  std::optional<std::string> profile;
  std::optional<std::string> strategies;
  std::vector<std::string> required;
  std::vector<std::string> storages;
  std::optional<std::string> from;
  std::string format = "table";
  std::optional<std::string> out;
  std::string command;
  bool quick = false;
  bool init = false;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One line that is rewritten in place; nothing where nobody watches.
class StatusLine {
 public:
  StatusLine() = default;
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { write(""); }

  void write(const std::string& what) const {
    constexpr std::string_view erase_line = "\r\x1b[K";
    if (stderr_is_terminal()) std::cerr << erase_line << what << std::flush;
  }
};

void begin_profile(const RecommendOptions& options) {
  const std::filesystem::path path = options.profile.value_or(default_profile);
  write_example(path);
  std::cerr << fmt::format(
      "stowage: {} is an example with every key; change it to your game, then `stowage recommend {}`\n", path.string(),
      path.string());
}

std::vector<std::string> required_cards(const std::vector<std::string>& named) {
  std::vector<std::string> cards;
  for (const std::string& list : named) {
    for (const std::string& name : split_list(list)) {
      const std::vector<std::string> meant = cards_named(name);
      cards.insert(cards.end(), meant.begin(), meant.end());
    }
  }
  return cards;
}

/// An answer goes into a directory that is new, empty, or has an earlier answer, whole or interrupted, and in which the
/// user may write.
void check_room(const std::filesystem::path& out) {
  std::error_code error;
  const bool is_used = std::filesystem::exists(out, error) && !std::filesystem::is_empty(out, error);
  const bool is_ours = std::filesystem::exists(out / answer_file, error) || holds_results(process_directory(out, 1));
  if (is_used && !is_ours) {
    throw UserError(fmt::format("--out {} holds something else; name a directory that is new or has an earlier answer",
                                out.string()));
  }
  make_directory(out);
  if (access(out.c_str(), W_OK | X_OK) != 0) {
    throw UserError(fmt::format("--out {} cannot be written to; name a directory of yours", out.string()));
  }
}

/// What else is in the directory is somebody's.
void remove_earlier_answer(const std::filesystem::path& out) {
  std::error_code error;
  std::vector<std::filesystem::path> processes = process_directories(out);
  std::ranges::reverse(processes);  // the first tells whose directory this is, should something stop us
  for (const std::filesystem::path& process : processes) std::filesystem::remove_all(process, error);
}

void write_page(const RecommendOptions& options, const Answer& answer) {
  const std::filesystem::path file = std::filesystem::path(*options.out) / answer_file;
  replace_file(file, answer_json(answer));
  run_python_tool({.module = "stowage_report.recommendation",
                   .what = "the page",
                   .needs = {"jinja2"},
                   .packages = "python3-jinja2"},
                  {file.string(), *options.profile, options.command});
}

Answer measure(const RecommendOptions& options, ChoiceRequest choice, const Profile& profile,
               const CommandContext& context) {
  if (options.out) check_room(*options.out);
  const Catalogue& catalogue = context.catalogue;
  SelectionRequest own;
  own.storages = options.storages;
  add_checked_storages(own, context);
  if (!choice.named.empty()) choice.named.insert(choice.named.end(), own.storage_names.begin(), own.storage_names.end());
  const Toolchain& toolchain = context.modules.toolchain();
  std::vector<Recipe> known = toolchain.strategies;
  known.insert(known.end(), context.modules.storages().begin(), context.modules.storages().end());
  RecommendRequest request{.quick = options.quick,
                           .strategies = choose_strategies(known, catalogue, choice),
                           .without_variants = !takes_variants(choice),
                           .variants_may_wait = choice.named.empty(),
                           .out = {}};
  if (options.out) {
    request.out = *options.out;
    request.before_measuring = [&options] { remove_earlier_answer(*options.out); };
  }
  const InterruptGuard guard;
  const StatusLine status;
  const RecommendBench bench{.stop = InterruptGuard::interrupted,
                             .now_s = seconds_now,
                             .progress = [&status](const std::string& what) { status.write(what); }};
  return recommend(profile, toolchain, catalogue, request, bench);
}

/// From what was measured before. What only measuring could obey is refused.
Answer decide_again(const RecommendOptions& options, const Profile& profile, const Catalogue& catalogue) {
  for (const auto& [flag, is_given] :
       {std::pair("--quick", options.quick), std::pair("--out", options.out.has_value()),
        std::pair("--strategies", options.strategies.has_value()), std::pair("--require", !options.required.empty()),
        std::pair("--storage", !options.storages.empty())}) {
    if (is_given) throw UserError(fmt::format("--from measures nothing, so {} has no meaning beside it", flag));
  }
  return decide(profile, read_measured_game(profile, *options.from), catalogue);
}

void recommend(const RecommendOptions& options, const CommandContext& context) {
  if (options.init) return begin_profile(options);
  if (!options.profile) {
    throw UserError("name a profile: `stowage recommend PROFILE.toml`; `stowage recommend --init` writes an example");
  }
  const ChoiceRequest choice{.named = options.strategies ? split_list(*options.strategies) : std::vector<std::string>(),
                             .required = required_cards(options.required),
                             .plain_only = options.quick};
  const Profile profile = read_profile(*options.profile);
  const Answer answer =
      options.from ? decide_again(options, profile, context.catalogue) : measure(options, choice, profile, context);
  std::cout << (options.format == "json" ? answer_json(answer) : answer_text(answer, page_columns())) << std::flush;
  if (options.out) write_page(options, answer);
}

}  // namespace

void add_recommend_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("recommend", "Measures the game of a profile and ranks the strategies for it");
  const auto options = std::make_shared<RecommendOptions>();
  command->add_option("profile", options->profile, "PROFILE.toml: what the game does; see docs/profiles.md");
  command->add_flag("--quick", options->quick, "45 s instead of 3 minutes: plain forms, no other games, no misses");
  command->add_option("--strategies", options->strategies, "A,B: only these, variants too");
  add_storage_option(*command, options->storages);
  command
      ->add_option("--require", options->required,
                   "CARD,CARD: only strategies that promise these, such as pointer_stability")
      ->allow_extra_args(false);
  add_format_option(*command, options->format, {"table", "json"}, "table (the default) or json");
  command->add_option("--out", options->out, "Writes recommendation.html, the answer as JSON and all results there");
  command->add_option("--from", options->from,
                      "Answers from what an earlier --out has kept, and measures nothing; the budget may be another");
  command->add_flag("--init", options->init, "Writes an example to PROFILE.toml (game.toml), and measures nothing");
  command->footer("Compiled games are kept in ~/.cache/stowage, or where STOWAGE_CACHE_DIR says.");
  set_action(*command, [options, &context] {
    refuse_benchmark_flags(context);
    options->command = fmt::format("stowage {}", fmt::join(context.arguments, " "));
    recommend(*options, context);
  });
}

}  // namespace stowage::harness
