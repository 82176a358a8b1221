#include "harness/recommend/compile_game.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "harness/build/interface.hpp"
#include "harness/errors.hpp"
#include "harness/recommend/generate.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// g++ shares headers that were compiled before, which is a third of the work for a strategy.
#if defined(__GNUC__) && !defined(__clang__)
constexpr const char* precompiled = "common.hpp";
#else
constexpr const char* precompiled = "";
#endif
constexpr const char* types = "types";

BuildPlan plan_of(const Profile& profile, const Toolchain& toolchain, const std::vector<Recipe>& strategies) {
  BuildPlan plan = game_build_plan(profile, toolchain, "bind_game");
  for (const Recipe& strategy : strategies) {
    plan.modules.push_back({strategy.name, strategy_source(strategy), strategy.compile_flags, strategy.link_flags});
  }
  return plan;
}

bool is_variant(const std::string& name) { return name.find('.') != std::string::npos; }

/// Base forms first, then the first variant of each family, the second, ...: no family is left out for being the last.
void take_turns(std::vector<std::string>& names) {
  std::map<std::string, std::size_t> seen;
  std::map<std::string, std::size_t> turns;
  for (const std::string& name : names) {
    if (is_variant(name)) turns[name] = ++seen[name.substr(0, name.find('.'))];
  }
  std::ranges::stable_sort(names, {}, [&turns](const std::string& name) { return turns[name]; });
}

class Compiler {
 public:
  Compiler(const Profile& profile, const Toolchain& toolchain, const std::vector<Recipe>& strategies,
           const CompileBench& bench)
      : profile_(profile), toolchain_(toolchain), bench_(bench), plan_(plan_of(profile, toolchain, strategies)) {
    for (const Recipe& strategy : strategies) names_.push_back(strategy.name);
  }

  GameProgram compile() {
    std::vector<std::string> stale = forecast(toolchain_, plan_, names_).stale;
    take_turns(stale);
    stale_ = stale.size();
    if (stale_ > 0) bench_.progress(0, stale_);
    // Modules that are ready go along: Ninja looks whether they still are.
    std::vector<std::string> wave = without(names_, stale);
    std::size_t begun = wave.size();
    auto next = stale.begin();
    for (; next != stale.end() && (!is_variant(*next) || begun == 0); ++next, ++begun) wave.push_back(*next);
    make(wave);
    while (next != stale.end() && (!bench_.has_time || bench_.has_time(begun))) {
      const auto end =
          next + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(bench_.together), stale.end() - next);
      make({next, end});
      begun += static_cast<std::size_t>(end - next);
      next = end;
    }
    const std::vector<std::string> late(next, stale.end());
    program_.too_late = without(names_, without(names_, late));
    program_.compiled = stale_ - late.size();
    collect(late);
    return std::move(program_);
  }

 private:
  [[nodiscard]] static std::vector<std::string> without(std::vector<std::string> names,
                                                        const std::vector<std::string>& others) {
    std::erase_if(names, [&](const std::string& name) { return std::ranges::find(others, name) != others.end(); });
    return names;
  }

  void make(const std::vector<std::string>& wave) {
    const auto progress = [&](std::size_t done, std::size_t of) {
      bench_.progress(std::min(stale_, made_ + done * wave.size() / of), stale_);
    };
    for (const auto& [unit, reason] : build(toolchain_, plan_, wave, {bench_.stop, progress}).failures) {
      if (unit == types) {
        throw UserError("{}: its types cannot be components: {}", profile_.file.string(), reason);
      }
      if (std::ranges::find(names_, unit) == names_.end()) {
        throw EnvironmentError("the game cannot be compiled: {}", reason);
      }
      program_.failures.push_back({unit, reason});
    }
    made_ += wave.size();
  }

  void collect(const std::vector<std::string>& late) {
    const std::vector<std::string> failed = names_of(program_.failures, &GameProgram::Failure::strategy);
    program_.strategies = without(without(names_, late), failed);
    for (const std::string& name : program_.strategies) {
      program_.modules[name] = module_file(plan_.directory, name).string();
    }
    if (!program_.strategies.empty()) return;
    throw UserError("{}: no strategy can be compiled with its components; {}: {}", profile_.file.string(),
                    program_.failures.front().strategy, program_.failures.front().reason);
  }

  const Profile& profile_;
  const Toolchain& toolchain_;
  const CompileBench& bench_;
  BuildPlan plan_;
  std::vector<std::string> names_;
  std::size_t stale_ = 0;
  std::size_t made_ = 0;
  GameProgram program_;
};

}  // namespace

BuildPlan game_build_plan(const Profile& profile, const Toolchain& toolchain, std::string_view bind) {
  const std::string game = game_header(profile);
  const std::string used_types = types_header(profile);  // says in which checkout of a game its headers are
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", game, used_types, bind, toolchain.compiler,
                                      fmt::join(toolchain.compile_flags, " "), module_interface);
  return {.directory = build_cache() / "games" / fingerprint(key),
          .root = build_cache(),
          .flags = {"-g0"},  // debug information takes time, and nothing reads it
          .headers = {{"types.hpp", used_types}, {"game.hpp", game}, {"common.hpp", common_source(bind)}},
          .precompiled = precompiled,
          .checks = {{.name = types, .text = "#include \"types.hpp\"\n"}},
          .objects = {{.name = "read_back", .text = read_back_source()}}};
}

GameProgram compile_game(const Profile& profile, const Toolchain& toolchain, const std::vector<Recipe>& strategies,
                         const CompileBench& bench) {
  return Compiler(profile, toolchain, strategies, bench).compile();
}

}  // namespace stowage::harness
