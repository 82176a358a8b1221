#include "harness/recommend/game_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/errors.hpp"
#include "harness/measure/system/durable_file.hpp"
#include "harness/measure/system/process.hpp"
#include "harness/recommend/compile_cache.hpp"
#include "harness/recommend/generate.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

std::string words(const std::vector<std::string>& text) { return fmt::format("{}", fmt::join(text, " ")); }

/// Runs a compiler; what it said where it failed. Throws Interrupted, and EnvironmentError where there is none to run.
struct Compilation {
  std::vector<std::string> command;
  fs::path log;
};
bool succeeds(const Compilation& compilation, const CompileBench& bench) {
  std::vector<std::string> command = compilation.command;
  if (command.front().find('/') == std::string::npos) {
    for (const fs::path& directory : search_path()) {
      if (is_executable(directory / command.front())) {
        command.front() = (directory / command.front()).string();
        break;
      }
    }
  }
  const std::optional<int> code = run_until_stopped(command, bench.stop, compilation.log);
  if (!code) throw Interrupted("interrupted while compiling; what was compiled is kept for the next time");
  if (*code == 127)
    throw EnvironmentError(fmt::format("cannot run the compiler {}; install it again", command.front()));
  return *code == 0;
}

/// g++ can share headers that were compiled before, and collects garbage as if memory were short. Nobody debugs a
/// game's program.
#if defined(__GNUC__) && !defined(__clang__)
constexpr bool shares_headers = true;
const std::vector<std::string> quickly{"-g0", "--param=ggc-min-heapsize=524288"};
#else
constexpr bool shares_headers = false;
const std::vector<std::string> quickly{"-g0"};
#endif
/// With fewer files the headers are compiled in less time where they are included.
constexpr std::size_t fewest_to_share = 4;

using Job = std::function<void()>;

/// By so many threads; rethrows what the first of them threw that failed, after which none begins another.
void run_jobs(const std::vector<Job>& jobs, std::size_t workers) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < jobs.size(); i = next++) jobs[i]();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = jobs.size();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t worker = 1; worker < std::min(workers, jobs.size()); ++worker) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

class Compiler {
 public:
  Compiler(const Profile& profile, const Toolchain& toolchain, const CompileBench& bench)
      : profile_(profile), toolchain_(toolchain), bench_(bench) {}

  GameProgram compile(const std::vector<ToolchainStrategy>& strategies) {
    const std::string types = types_header(profile_);
    const std::string game = game_header(profile_);
    const std::string user_text = text_of_user_types(types);
    directory_ =
        game_cache_directory() / fingerprint(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", game, user_text, toolchain_.compiler,
                                                         words(toolchain_.compile_flags), words(toolchain_.link_flags),
                                                         build_of_this_program()));
    make_directory(directory_);
    replace_file(directory_ / "types.hpp", types);
    replace_file(directory_ / "game.hpp", game);
    replace_file(common_header(), common_source());
    compile_all(strategies);
    return link(strategies);
  }

 private:
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& extra) const {
    std::vector<std::string> all{toolchain_.compiler};
    all.insert(all.end(), toolchain_.compile_flags.begin(), toolchain_.compile_flags.end());
    all.insert(all.end(), quickly.begin(), quickly.end());
    all.insert(all.end(), extra.begin(), extra.end());
    return all;
  }

  /// What the preprocessor makes of the user's headers and all that they include, after the compiler has accepted the
  /// types in them.
  [[nodiscard]] std::string text_of_user_types(const std::string& types) const {
    const bool has_any =
        std::ranges::any_of(profile_.components, [](const auto& component) { return !component.type.empty(); });
    if (!has_any) return {};
    const fs::path scratch = game_cache_directory() / fmt::format("types-{}", fingerprint(types));
    make_directory(scratch);
    const fs::path source = scratch / "types.cpp";
    const fs::path log = scratch / "types.log";
    replace_file(source, types);
    if (!succeeds({command({"-w", "-fsyntax-only", source.string()}), log}, bench_)) {
      throw UserError(fmt::format("{}: its types cannot be components: {} (all of it: {})", profile_.file.string(),
                                  first_complaint(text_of(log)), log.string()));
    }
    Emerging text(scratch / "types.ii");
    if (!succeeds({command({"-E", "-P", source.string(), "-o", text.temporary().string()}), log}, bench_)) return types;
    return text_of(text.temporary());
  }

  /// One file of the program: a strategy, or main().
  struct Unit {
    std::string name;  ///< of the files that belong to it
    std::string text;
    std::vector<std::string> flags;
    bool can_wait = false;  ///< the answer can do without it
    std::size_t turn = 0;   ///< who comes first where the time is short
  };

  [[nodiscard]] static Unit unit_of(const ToolchainStrategy& strategy) {
    return {strategy.name,
            fmt::format("// Compiled with: {}\n{}", words(strategy.compile_flags), strategy_source(strategy)),
            strategy.compile_flags, strategy.is_variant()};
  }
  /// For those of these strategies that are linked to it.
  [[nodiscard]] static Unit main_of(const std::vector<ToolchainStrategy>& strategies) {
    std::vector<std::string> names;
    for (const ToolchainStrategy& strategy : strategies) names.push_back(strategy.name);
    return {"main-" + fingerprint(words(names)).substr(0, 16), main_source(strategies), {}};
  }

  [[nodiscard]] fs::path source_of(const Unit& unit) const { return directory_ / (unit.name + ".cpp"); }
  [[nodiscard]] fs::path object_of(const Unit& unit) const { return directory_ / (unit.name + ".o"); }
  [[nodiscard]] fs::path headers_of(const Unit& unit) const { return directory_ / (unit.name + ".o.d"); }
  [[nodiscard]] fs::path common_header() const { return directory_ / "common.hpp"; }
  [[nodiscard]] fs::path precompiled() const { return directory_ / "common.hpp.gch"; }
  [[nodiscard]] fs::path headers_of_common() const { return directory_ / "common.hpp.d"; }

  [[nodiscard]] bool is_compiled(const Unit& unit) const {
    return is_up_to_date(object_of(unit), source_of(unit), headers_of(unit)) && text_of(source_of(unit)) == unit.text;
  }

  /// On all processors; a strategy that fails is noted, and the others go on. main() is compiled for all of them while
  /// what they share is.
  void compile_all(const std::vector<ToolchainStrategy>& strategies) {
    std::vector<Unit> stale;
    for (const ToolchainStrategy& strategy : strategies) {
      if (Unit unit = unit_of(strategy); !is_compiled(unit)) stale.push_back(std::move(unit));
    }
    take_turns(stale);
    const Unit main = main_of(strategies);
    files_ = stale.size() + (is_compiled(main) ? 0 : 1);
    bench_.progress(0, files_);
    std::vector<Job> first;
    if (stale.size() >= fewest_to_share) first.emplace_back([this] { precompile(); });
    if (!is_compiled(main)) first.emplace_back([&] { static_cast<void>(compile_unit(main, false)); });
    run_jobs(first, bench_.jobs);
    const Forgotten after(precompiled());
    std::vector<Job> jobs;
    std::atomic<std::size_t> begun{strategies.size() - stale.size()};  // those in the cache, too
    for (const Unit& unit : stale) {
      jobs.emplace_back([&] {
        const std::size_t others = begun++;
        if (unit.can_wait && others > 0 && bench_.has_time && !bench_.has_time(others)) {
          --begun;
          --files_;
          const std::scoped_lock lock(mutex_);
          program_.too_late.push_back(unit.name);
          return;
        }
        const std::string reason = compile_unit(unit, true);
        const std::scoped_lock lock(mutex_);
        if (!reason.empty()) program_.failures.push_back({unit.name, reason});
      });
    }
    run_jobs(jobs, bench_.jobs);
  }

  /// The first of each family, then the second of each, so that no family is left out for being the last.
  static void take_turns(std::vector<Unit>& units) {
    std::map<std::string, std::size_t> turns;
    for (Unit& unit : units) unit.turn = turns[unit.name.substr(0, unit.name.find('.'))]++;
    std::ranges::stable_sort(units, {}, [](const Unit& unit) { return std::pair(unit.can_wait, unit.turn); });
  }

  /// A third of what a strategy takes is spent on what all of them include. Where it cannot be shared, it is not.
  void precompile() const {
    if (!shares_headers) return;
    Emerging made(precompiled());
    const bool is_made = succeeds({command({"-w", "-MMD", "-MF", headers_of_common().string(), "-x", "c++-header",
                                            common_header().string(), "-o", made.temporary().string()}),
                                   directory_ / "common.log"},
                                  bench_);
    if (is_made) made.emerge();
  }

  /// Empty where its object file is in the cache now; the reason why it cannot be made else.
  std::string compile_unit(const Unit& unit, bool may_share) {
    std::error_code error;
    fs::remove(object_of(unit), error);  // that of another source, should we be stopped
    replace_file(source_of(unit), unit.text);
    const bool shares = may_share && fs::exists(precompiled(), error);
    Emerging made(object_of(unit));
    const fs::path log = directory_ / (unit.name + ".log");
    std::vector<std::string> extra = unit.flags;
    if (shares) extra.insert(extra.end(), {"-include", common_header().string()});
    extra.insert(extra.end(), {"-MMD", "-MF", headers_of(unit).string(), "-w", "-c", source_of(unit).string(), "-o",
                               made.temporary().string()});
    if (!succeeds({command(extra), log}, bench_)) {
      return fmt::format("{} (all of it: {})", first_complaint(text_of(log)), log.string());
    }
    // The compiler lists nothing of what it has found precompiled.
    if (shares) replace_file(headers_of(unit), text_of(headers_of(unit)) + text_of(headers_of_common()));
    made.emerge();
    bench_.progress(++compiled_, files_);
    return {};
  }

  /// What could be compiled.
  GameProgram link(const std::vector<ToolchainStrategy>& strategies) {
    std::vector<ToolchainStrategy> good;
    std::vector<std::string> too_late;
    for (const ToolchainStrategy& strategy : strategies) {
      if (std::ranges::find(program_.too_late, strategy.name) != program_.too_late.end()) {
        too_late.push_back(strategy.name);
      } else if (std::ranges::find(program_.failures, strategy.name, &GameProgram::Failure::strategy) ==
                 program_.failures.end()) {
        good.push_back(strategy);
        program_.strategies.push_back(strategy.name);
      }
    }
    program_.too_late = std::move(too_late);
    if (good.empty()) {
      throw UserError(fmt::format("{}: no strategy can be compiled with its components; {}: {}", profile_.file.string(),
                                  program_.failures.front().strategy, program_.failures.front().reason));
    }
    const Unit main = main_of(strategies);
    const std::string reason = is_compiled(main) ? std::string() : compile_unit(main, false);
    if (!reason.empty()) throw EnvironmentError(fmt::format("the game's program cannot be compiled: {}", reason));
    std::vector<std::string> objects{object_of(main).string()};
    for (const ToolchainStrategy& strategy : good) objects.push_back(object_of(unit_of(strategy)).string());
    program_.executable = directory_ / ("game-" + main_of(good).name.substr(std::string_view("main-").size()));
    if (!is_linked(objects)) {
      for (const ToolchainStrategy& strategy : good) {
        objects.insert(objects.end(), strategy.link_flags.begin(), strategy.link_flags.end());
      }
      link_objects(std::move(objects));
    }
    program_.compiled = compiled_;
    return std::move(program_);
  }
  /// From the objects that are there now.
  [[nodiscard]] bool is_linked(const std::vector<std::string>& objects) const {
    if (!fs::exists(program_.executable)) return false;
    const fs::file_time_type linked = fs::last_write_time(program_.executable);
    return std::ranges::none_of(objects, [&](const fs::path& object) { return fs::last_write_time(object) > linked; });
  }
  void link_objects(std::vector<std::string> extra) {
    Emerging made(program_.executable);
    extra.insert(extra.end(), toolchain_.link_flags.begin(), toolchain_.link_flags.end());
    extra.insert(extra.end(), {"-o", made.temporary().string()});
    const fs::path log = directory_ / "link.log";
    if (!succeeds({command(extra), log}, bench_)) {
      throw EnvironmentError(fmt::format("the game's program cannot be linked: {} (all of it: {})",
                                         first_complaint(text_of(log)), log.string()));
    }
    made.emerge();
  }

  const Profile& profile_;
  const Toolchain& toolchain_;
  const CompileBench& bench_;
  fs::path directory_;
  std::atomic<std::size_t> files_{0};  ///< that are not in the cache, and do not wait
  std::atomic<std::size_t> compiled_{0};
  std::mutex mutex_;  ///< of the failures
  GameProgram program_;
};

}  // namespace

std::string first_complaint(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error:") != std::string::npos || line.find("undefined reference") != std::string::npos) return line;
  }
  return first.empty() ? "the compiler says nothing" : first;
}

GameProgram compile_game(const Profile& profile, const Toolchain& toolchain,
                         const std::vector<ToolchainStrategy>& strategies, const CompileBench& bench) {
  return Compiler(profile, toolchain, bench).compile(strategies);
}

}  // namespace stowage::harness
