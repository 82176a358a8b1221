// Compiles modules: writes build.ninja, says what is stale and how long it takes, runs Ninja, and picks out its errors.
#include "harness/build/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/build/layout.hpp"
#include "harness/build/trust.hpp"
#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// What a module needs beside the flags of the program. Calls out of a module go through its table of addresses
/// directly (-fno-plt), so they cost one instruction as in a static program; nothing in a module can be replaced by a
/// symbol of another one.
const std::vector<std::string> module_flags{"-fPIC", "-fvisibility=hidden", "-fno-plt", "-fno-semantic-interposition",
                                            "-ffunction-sections"};
const std::vector<std::string> link_flags{"-shared", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,--as-needed"};
/// What a module takes on an ordinary machine: used until something was built here.
constexpr double usual_module_s = 25;
constexpr std::string_view plan_file = "build.ninja";
constexpr std::string_view log_file = "build.log";
constexpr std::string_view lock_file = "lock";
constexpr const char* compiling = "compile ";

/// Leaves a file alone if its text is the same, so that nothing becomes stale.
void write_if_new(const fs::path& file, const std::string& text) {
  if (!fs::exists(file) || system_text(file) != text) replace_file(file, text);
}

/// Words for the shell, in a string of Ninja; on Windows it has none.
std::string command_words(const std::vector<std::string>& words) {
  std::string escaped;
  for (const char letter : command_line(words)) escaped += letter == '$' ? "$$" : std::string(1, letter);
  return escaped;
}
/// The simulator knows a header by its path in the debug information, which ccache would make a relative one. See
/// ccache.cmake for CCACHE_DEPEND.
std::string launcher_of(const Toolchain& toolchain) {
  if (toolchain.launcher.empty() || path_separator == ';') return "";  // no shell, no assignments
  return "CCACHE_BASEDIR= CCACHE_DEPEND=1 " + command_words({toolchain.launcher});
}
/// A path in a build statement of Ninja.
std::string ninja_path(const std::string& path) {
  std::string escaped;
  for (const char letter : path) {
    if (letter == ' ' || letter == ':' || letter == '$') escaped += '$';
    escaped += letter;
  }
  return escaped;
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The files among the words of a linker: a module is linked again if one of them changes.
std::string archives_among(const std::vector<std::string>& words) {
  std::string paths;
  for (const std::string& word : words) {
    if (fs::path(word).is_absolute()) paths += " " + ninja_path(word);
  }
  return paths;
}

/// The flags that link the sanitizers' runtime, which a module needs as well.
std::vector<std::string> sanitizers_among(const std::vector<std::string>& flags) {
  std::vector<std::string> sanitizers;
  std::ranges::copy_if(flags, std::back_inserter(sanitizers),
                       [](const std::string& flag) { return flag.starts_with("-fsanitize="); });
  return sanitizers;
}

std::string module_name(const std::string& name) { return fmt::format("stowage_{}.so", name); }

class NinjaFile {
 public:
  NinjaFile(const Toolchain& toolchain, const BuildPlan& plan) : plan_(plan) {
    text_ = "# Written by stowage before each use.\nninja_required_version = 1.8\n";
    const std::string compiler = command_words({toolchain.compiler});
    const std::string compile = fmt::format(
        "{} {} -w", compiler, command_words(joined(joined(toolchain.compile_flags, module_flags), plan.flags)));
    rule("compile", fmt::format("{} {} $own -MD -MF $out.d -c $in -o $out", launcher_of(toolchain), compile));
    // Not by ccache: the precompiled header holds the same text for all files.
    rule("precompile", fmt::format("{} $own -MMD -MF $out.d -x c++-header -c $in -o $out", compile));
    rule("check", fmt::format("{} $own -MMD -MF $out.d -MT $out -fsyntax-only $in && touch $out", compile));
    const std::string link = fmt::format("{} {} $script $in $own {} -o $out", compiler,
                                         command_words(joined(link_flags, sanitizers_among(toolchain.compile_flags))),
                                         command_words(toolchain.link_flags));
    const std::string program = command_words({own_executable().string()});
    text_ += fmt::format("rule link\n  command = {}\n  description = link $unit\n", link);
    text_ += fmt::format("rule lay_out\n  command = {} {} $in $layout > $out.ld && {}\n  description = link $unit\n",
                         program, layout_argument, link);
    archives_ = archives_among(toolchain.link_flags);
    compiler_ = fs::path(toolchain.compiler).is_absolute() ? " " + ninja_path(toolchain.compiler) : "";
    add_edges();
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void rule(const std::string& name, const std::string& command) {
    text_ += fmt::format("rule {}\n  command = {}\n  description = {}$unit\n  deps = gcc\n  depfile = $out.d\n", name,
                         command, compiling);
  }
  void edge(const std::string& rule, const std::string& out, const std::string& in, const std::string& needs,
            const std::string& unit, const std::vector<std::string>& own) {
    text_ += fmt::format("build {}: {} {} |{}{}\n  unit = {}\n  own = {}\n", ninja_path(out), rule, in, compiler_,
                         needs, unit, command_words(own));
  }
  void add_edges() {
    std::string checks;
    for (const SourceUnit& unit : plan_.checks) {
      edge("check", unit.name + ".checked", ninja_path(unit.name + ".cpp"), "", unit.name, unit.compile_flags);
      checks += " " + ninja_path(unit.name + ".checked");
    }
    std::string objects;
    for (const SourceUnit& unit : plan_.objects) {
      edge("compile", unit.name + ".o", ninja_path(unit.name + ".cpp"), checks, unit.name, unit.compile_flags);
      objects += " " + ninja_path(unit.name + ".o");
    }
    std::string precompiled;
    std::vector<std::string> include;
    if (!plan_.precompiled.empty()) {
      const std::string compiled = plan_.precompiled + ".gch";
      edge("precompile", compiled, ninja_path(plan_.precompiled), checks, plan_.precompiled, {});
      precompiled = " " + ninja_path(compiled);
      include = {"-include", plan_.precompiled};
    }
    for (const SourceUnit& unit : plan_.modules) {
      const std::string object = unit.name + ".o";
      edge("compile", object, ninja_path(unit.name + ".cpp"), precompiled + checks, unit.name,
           joined(unit.compile_flags, include));
      edge("link", module_name(unit.name), ninja_path(object) + objects, archives_ + archives_among(unit.link_flags),
           unit.name, unit.link_flags);
      for (std::size_t layout = 1; unit.has_layouts && layout < most_layouts; ++layout) {
        const std::string name = layout_name(unit.name, layout);
        edge("lay_out", module_name(name), ninja_path(object) + objects, archives_ + archives_among(unit.link_flags),
             name, unit.link_flags);
        text_ += fmt::format("  layout = {0}\n  script = -Wl,-T,{1}.ld\n", layout, module_name(name));
      }
    }
  }

  const BuildPlan& plan_;
  std::string text_;
  std::string archives_;
  std::string compiler_;
};

/// Throws EnvironmentError if another user's directory, or what it is to be made in, cannot be written.
void check_is_writable(const BuildPlan& plan) {
  fs::path directory = plan.directory;
  while (!fs::exists(directory) && directory.has_relative_path()) directory = directory.parent_path();
  if (is_writable(directory) || !fs::is_directory(directory)) return;
  throw EnvironmentError("cannot compile in {}, which belongs to {}; {}", directory.string(), owner_of(directory),
                         plan.root.empty() ? "use stowage from a clone of your own"
                                           : "set STOWAGE_CACHE_DIR to a directory that you may write to");
}

/// Throws EnvironmentError if a compiler could not write its files, which is no mistake in its source.
void check_compilers_had_room(const fs::path& directory, const std::string& log) {
  check_room(directory);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const char* const sign : {"No space left on device", "Disk quota exceeded", "Cannot create temporary file"}) {
      if (line.find(sign) == std::string::npos) continue;
      throw EnvironmentError("{}; free some space, or set TMPDIR to a directory that has room", line);
    }
  }
}

void write_plan(const Toolchain& toolchain, const BuildPlan& plan) try {
  for (const auto& [name, text] : plan.headers) write_if_new(plan.directory / name, text);
  for (const auto* units : {&plan.checks, &plan.objects, &plan.modules}) {
    for (const SourceUnit& unit : *units) write_if_new(plan.directory / (unit.name + ".cpp"), unit.text);
  }
  write_if_new(plan.directory / plan_file, NinjaFile(toolchain, plan).text());
} catch (const UserError&) {
  check_is_writable(plan);
  throw;
}

const ExtraEnvironment steps_of_all{"NINJA_STATUS=[%f/%t] "};

/// After check_can_build().
std::vector<std::string> ninja_command(const BuildPlan& plan, const std::vector<std::string>& modules,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> command{find_program("ninja").value().string(), "-C", plan.directory.string()};
  command = joined(std::move(command), options);
  for (const std::string& name : modules) command.push_back(module_name(name));
  return command;
}

/// The last "[3/12] ..." of Ninja's output.
std::optional<std::pair<std::size_t, std::size_t>> steps_in(const std::string& log) {
  for (std::size_t at = log.rfind("\n["); at != std::string::npos && at > 0; at = log.rfind("\n[", at - 1)) {
    std::istringstream line(log.substr(at + 2, 32));
    std::size_t done = 0;
    std::size_t of = 0;
    char slash = ' ';
    if (line >> done >> slash >> of && slash == '/') return std::pair(done, of);
  }
  return std::nullopt;
}

/// Median of what compiling one module took here.
double module_s(const fs::path& directory) {
  std::ifstream log(directory / ".ninja_log");
  std::vector<double> seconds;
  for (std::string line; std::getline(log, line);) {
    std::istringstream fields(line);
    double begun_ms = 0;
    double ended_ms = 0;
    std::string modified;
    std::string out;
    if (fields >> begun_ms >> ended_ms >> modified >> out && out.ends_with(".o")) {
      seconds.push_back((ended_ms - begun_ms) / 1000);
    }
  }
  if (seconds.empty()) return usual_module_s;
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  return std::max(1.0, seconds[seconds.size() / 2]);
}

}  // namespace

std::string layout_name(const std::string& module, std::size_t layout) {
  return layout == 0 ? module : fmt::format("{}.layout{}", module, layout);
}

fs::path module_file(const fs::path& directory, const std::string& name) { return directory / module_name(name); }

BuildForecast forecast(const Toolchain& toolchain, const BuildPlan& plan, const std::vector<std::string>& modules) {
  check_can_build(toolchain);
  const Umask others_may_read(S_IWGRP | S_IWOTH);
  check_is_writable(plan);
  make_trusted_directory(plan.directory, plan.root);
  const Lock lock(plan.directory / lock_file, InterruptGuard::interrupted);
  write_plan(toolchain, plan);
  std::istringstream lines(capture_process(ninja_command(plan, modules, {"-n"}), steps_of_all).output);
  BuildForecast forecast;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("[")) continue;
    ++forecast.steps;
    const std::size_t what = line.find(compiling);
    if (what == std::string::npos) continue;
    const std::string unit = line.substr(what + std::string_view(compiling).size());
    if (std::ranges::find(modules, unit) != modules.end()) forecast.stale.push_back(unit);
  }
  const std::size_t at_once = std::max<std::size_t>(1, std::min(forecast.stale.size(), processors()));
  forecast.seconds =
      static_cast<double>(forecast.stale.size()) * module_s(plan.directory) / static_cast<double>(at_once);
  return forecast;
}

BuildResult build(const Toolchain& toolchain, const BuildPlan& plan, const std::vector<std::string>& modules,
                  const BuildBench& bench) {
  check_can_build(toolchain);
  check_is_writable(plan);
  const Umask others_may_read(S_IWGRP | S_IWOTH);
  make_trusted_directory(plan.directory, plan.root);
  const Lock lock(plan.directory / lock_file, bench.stop);
  write_plan(toolchain, plan);
  const fs::path log = plan.directory / log_file;
  BuildResult result;
  const auto watch = [&] {
    if (const auto steps = steps_in(system_text(log)); steps && steps->first > result.steps) {
      result.steps = steps->first;
      bench.progress(steps->first, steps->second);
    }
    return bench.stop();
  };
  const std::optional<int> code =
      run_until_stopped(ninja_command(plan, modules, {"-k", "0", "-j", std::to_string(processors())}), watch, log,
                        AtOurDeath::asked_to_end, steps_of_all);
  if (!code) throw Interrupted("interrupted while compiling; the modules that are complete are kept");
  if (*code == 0) return result;
  const std::string text = system_text(log);
  check_compilers_had_room(plan.directory, text);
  for (const auto& [unit, said] : failures_in(text)) {
    const fs::path own = plan.directory / (unit + ".log");
    replace_file(own, said);
    result.failures[unit] = fmt::format("{} (all of it: {})", first_complaint(said), own.string());
  }
  if (result.failures.empty()) {
    throw EnvironmentError("cannot compile in {}: {}", plan.directory.string(), first_complaint(text));
  }
  return result;
}

std::map<std::string, std::string> failures_in(const std::string& log) {
  std::map<std::string, std::string> failures;
  std::istringstream lines(log);
  std::string unit;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("FAILED: ")) {
      const std::size_t at = line.find(line.starts_with("FAILED: [") ? "] " : ": ") + 2;
      const fs::path out(line.substr(at, line.find(' ', at) - at));
      unit = out.stem().string();
      if (out.extension() == ".so") unit = unit.substr(module_name("").size() - 3);
      std::getline(lines, line);  // the command
      failures[unit];
    } else if (line.starts_with("[") || line.starts_with("ninja: ")) {
      unit.clear();
    } else if (!unit.empty()) {
      failures[unit] += line + "\n";
    }
  }
  return failures;
}

std::string first_complaint(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("ninja: Entering directory")) continue;
    if (first.empty()) first = line;
    if (line.find("error:") != std::string::npos || line.find("undefined reference") != std::string::npos) return line;
  }
  return first.empty() ? "the compiler says nothing" : first;
}

fs::path build_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? fs::path() : fs::path(value);
  };
  if (const fs::path own = variable("STOWAGE_CACHE_DIR"); !own.empty()) return fs::absolute(own);
  if (const fs::path caches = variable("XDG_CACHE_HOME"); !caches.empty()) return fs::absolute(caches) / "stowage";
  if (const fs::path home = variable("HOME"); !home.empty()) return fs::absolute(home) / ".cache" / "stowage";
  if (const fs::path local = variable("LOCALAPPDATA"); !local.empty()) return local / "stowage";  // Windows
  throw EnvironmentError(
      "no place for compiled games and storages: HOME is not set; set STOWAGE_CACHE_DIR to a directory");
}

std::string fingerprint(std::string_view text) {
  return fmt::format("{:016x}{:016x}", digest_of(text), digest_of(text, 0x9e3779b97f4a7c15u));
}

}  // namespace stowage::harness
