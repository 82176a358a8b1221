#include "harness/recommend/game_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "harness/build_commit.hpp"
#include "harness/errors.hpp"
#include "harness/measure/system/durable_file.hpp"
#include "harness/measure/system/process.hpp"
#include "harness/recommend/generate.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Fowler, Noll and Vo, 1a: the same everywhere.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}
std::string fingerprint(std::string_view text) {
  return fmt::format("{:016x}{:016x}", hash_of(text, 0), hash_of(text, 0x9e3779b97f4a7c15u));
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Figures of two builds of the library do not belong together, committed or not.
std::string build_of_this_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const auto written = fs::last_write_time(program, error).time_since_epoch().count();
  return fmt::format("{} {} {}", build_info::commit, fs::file_size(program, error), written);
}

/// A file that is only seen when it is whole, and gone again when something went wrong on the way.
class Emerging {
 public:
  explicit Emerging(fs::path target)
      : target_(std::move(target)), temporary_(fmt::format("{}.{}.part", target_.string(), getpid())) {}
  Emerging(const Emerging&) = delete;
  Emerging& operator=(const Emerging&) = delete;
  ~Emerging() {
    std::error_code gone;
    fs::remove(temporary_, gone);
  }
  [[nodiscard]] const fs::path& temporary() const noexcept { return temporary_; }
  void emerge() { fs::rename(temporary_, target_); }

 private:
  fs::path target_;
  fs::path temporary_;
};

/// Whether `object` is there and none of what it was made from, which the compiler has listed for make in `list`, has
/// been written since `source` was. What is beside the source is known by its text.
bool is_up_to_date(const fs::path& object, const fs::path& source, const fs::path& list) {
  std::error_code error;
  std::ifstream names(list);
  if (!fs::exists(object, error) || !names) return false;
  const fs::file_time_type compiled = fs::last_write_time(source, error);
  std::string name;
  for (std::string word; !error && names >> word;) {
    if (word == "\\" || word.ends_with(':')) continue;  // a line that goes on, and what is made
    name += word;
    if (name.ends_with('\\')) {  // a blank in a name
      name.back() = ' ';
      continue;
    }
    if (fs::path(name).parent_path() != source.parent_path() && fs::last_write_time(name, error) > compiled) {
      return false;
    }
    name.clear();
  }
  return !error;
}

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
    compile_all(strategies);
    return link(strategies);
  }

 private:
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& extra) const {
    std::vector<std::string> all{toolchain_.compiler};
    all.insert(all.end(), toolchain_.compile_flags.begin(), toolchain_.compile_flags.end());
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

  /// Compiles on all processors; a strategy that fails is noted, and the others go on.
  void compile_all(const std::vector<ToolchainStrategy>& strategies) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        for (std::size_t i = next++; i < strategies.size(); i = next++) {
          const std::string reason = compile_strategy(strategies[i]);
          const std::scoped_lock lock(mutex);
          if (!reason.empty()) program_.failures.push_back({strategies[i].name, reason});
          bench_.progress(++done, strategies.size() + 1);
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failure = std::current_exception();
        next = strategies.size();
      }
    };
    bench_.progress(0, strategies.size() + 1);
    std::vector<std::thread> threads;
    for (std::size_t job = 1; job < std::min(bench_.jobs, strategies.size()); ++job) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  [[nodiscard]] fs::path object_of(const ToolchainStrategy& strategy) const {
    return directory_ / (strategy.name + ".o");
  }

  /// Empty where its object file is in the cache now; the reason why it cannot be made else.
  std::string compile_strategy(const ToolchainStrategy& strategy) {
    const fs::path source = directory_ / (strategy.name + ".cpp");
    const std::string text =
        fmt::format("// Headers in: {}\n{}", strategy.include_directory, strategy_source(strategy));
    const fs::path object = object_of(strategy);
    const fs::path headers = fs::path(object).concat(".d");
    if (is_up_to_date(object, source, headers) && text_of(source) == text) return {};
    std::error_code gone;
    fs::remove(object, gone);  // that of another source, should we be stopped
    replace_file(source, text);
    std::vector<std::string> extra{"-MMD", "-MF", headers.string()};
    if (!strategy.include_directory.empty()) extra.push_back("-I" + strategy.include_directory);
    return compile_file(source, object, std::move(extra));
  }

  std::string compile_file(const fs::path& source, const fs::path& object, std::vector<std::string> extra) {
    Emerging made(object);
    const fs::path log = fs::path(object).replace_extension(".log");
    extra.insert(extra.end(), {"-w", "-c", source.string(), "-o", made.temporary().string()});
    if (!succeeds({command(extra), log}, bench_)) {
      return fmt::format("{} (all of it: {})", first_complaint(text_of(log)), log.string());
    }
    made.emerge();
    ++compiled_;
    return {};
  }

  /// What could be compiled. Another choice of strategies is another program.
  GameProgram link(const std::vector<ToolchainStrategy>& strategies) {
    std::vector<ToolchainStrategy> good;
    for (const ToolchainStrategy& strategy : strategies) {
      if (std::ranges::find(program_.failures, strategy.name, &GameProgram::Failure::strategy) ==
          program_.failures.end()) {
        good.push_back(strategy);
        program_.strategies.push_back(strategy.name);
      }
    }
    if (good.empty()) {
      throw UserError(fmt::format("{}: no strategy can be compiled with its components; {}: {}", profile_.file.string(),
                                  program_.failures.front().strategy, program_.failures.front().reason));
    }
    const std::string choice = fingerprint(words(program_.strategies)).substr(0, 16);
    program_.executable = directory_ / ("game-" + choice);
    if (!is_linked(good)) link(good, directory_ / ("main-" + choice + ".cpp"));
    bench_.progress(strategies.size() + 1, strategies.size() + 1);
    program_.compiled = compiled_;
    return std::move(program_);
  }
  /// From the objects that are there now.
  [[nodiscard]] bool is_linked(const std::vector<ToolchainStrategy>& strategies) const {
    if (!fs::exists(program_.executable)) return false;
    const fs::file_time_type linked = fs::last_write_time(program_.executable);
    return std::ranges::none_of(strategies, [&](const ToolchainStrategy& strategy) {
      return fs::last_write_time(object_of(strategy)) > linked;
    });
  }
  void link(const std::vector<ToolchainStrategy>& strategies, const fs::path& source) {
    replace_file(source, main_source(strategies));
    const fs::path object = fs::path(source).replace_extension(".o");
    const std::string reason = compile_file(source, object, {});
    if (!reason.empty()) throw EnvironmentError(fmt::format("the game's program cannot be compiled: {}", reason));
    Emerging made(program_.executable);
    std::vector<std::string> extra{object.string()};
    for (const ToolchainStrategy& strategy : strategies) extra.push_back(object_of(strategy).string());
    extra.insert(extra.end(), toolchain_.link_flags.begin(), toolchain_.link_flags.end());
    extra.insert(extra.end(), {"-o", made.temporary().string()});
    const fs::path log = fs::path(source).replace_extension(".log");
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
  std::atomic<std::size_t> compiled_{0};
  GameProgram program_;
};

}  // namespace

fs::path game_cache_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? fs::path() : fs::path(value);
  };
  if (const fs::path own = variable("STOWAGE_CACHE_DIR"); !own.empty()) return fs::absolute(own);
  if (const fs::path caches = variable("XDG_CACHE_HOME"); !caches.empty()) return fs::absolute(caches) / "stowage";
  if (const fs::path home = variable("HOME"); !home.empty()) return fs::absolute(home) / ".cache" / "stowage";
  throw EnvironmentError("there is no place for compiled games; set STOWAGE_CACHE_DIR to a directory");
}

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
