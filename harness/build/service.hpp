#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/build/toolchain.hpp"

namespace stowage::harness {

/// A source file to compile. Its object file, or the shared library that is linked from it, has its name.
struct SourceUnit {
  std::string name;
  std::string text;
  std::vector<std::string> compile_flags = {};
  std::vector<std::string> link_flags = {};
  bool has_layouts = false;  ///< a module that is linked in several layouts (layout.hpp), each when it is asked for
};

/// What a directory is to hold: sources, and a `build.ninja` that says how modules are made from them. Ninja decides
/// what is stale, by the dependencies that the compiler lists and by the command lines.
struct BuildPlan {
  std::filesystem::path directory;
  std::filesystem::path root = {};                  ///< the uppermost one that is ours, if that is another
  std::filesystem::path prebuilt = {};              ///< where a package has some of the modules
  std::vector<std::string> flags = {};              ///< beside those of the toolchain
  std::map<std::string, std::string> headers = {};  ///< by file name, beside the sources
  std::string precompiled = {};                     ///< the header that is compiled once and included by every module
  std::vector<SourceUnit> checks =
      {};  ///< compiled without code generation before any module: mistakes show in seconds
  std::vector<SourceUnit> objects = {};  ///< linked into every module
  std::vector<SourceUnit> modules = {};  ///< each becomes stowage_<name>.so
};

/// What building reports, and is stopped by.
struct BuildBench {
  std::function<bool()> stop;
  std::function<void(std::size_t done, std::size_t of)> progress;  ///< in steps: files compiled or linked
};

struct BuildResult {
  std::size_t steps = 0;                        ///< that were done; 0 if nothing was stale
  std::map<std::string, std::string> failures;  ///< by unit: the compiler's first error, and where all of them are
};

/// What a module is called in another layout than that of the compiler; the module itself in layout 0.
[[nodiscard]] std::string layout_name(const std::string& module, std::size_t layout);

/// The shared library of a module.
[[nodiscard]] std::filesystem::path module_file(const std::filesystem::path& directory, const std::string& name);

/// Which modules are missing or stale, and how long building them will take on this machine.
struct BuildForecast {
  std::vector<std::string> stale;  ///< to compile
  std::size_t steps = 0;           ///< to compile or to link; 0 if nothing is to be done
  double seconds = 0;
};
[[nodiscard]] BuildForecast forecast(const Toolchain& toolchain, const BuildPlan& plan,
                                     const std::vector<std::string>& modules);

/// Builds these modules of `plan`, all others are left as they are. One process at a time builds in a directory; a
/// second one waits. No half-written file is ever taken for a module: Ninja removes what an interruption leaves, and
/// builds again what a crash leaves. Throws Interrupted, UserError if the directory cannot be made,
/// EnvironmentError if it is another user's and closed, if a disk is full, or if there is no compiler or no Ninja.
[[nodiscard]] BuildResult build(const Toolchain& toolchain, const BuildPlan& plan,
                                const std::vector<std::string>& modules, const BuildBench& bench);

/// What the compiler or the linker said of each unit: in the log of Ninja, what follows "FAILED: unit.o", or
/// "FAILED: [code=1] unit.o" from Ninja 1.13 on.
[[nodiscard]] std::map<std::string, std::string> failures_in(const std::string& log);

/// "game.hpp:3:1: error: no such type" of what a compiler says; its first line if no line has an error.
[[nodiscard]] std::string first_complaint(const std::string& log);

/// Where modules of the user and games are kept: STOWAGE_CACHE_DIR, or `stowage` in XDG_CACHE_HOME or ~/.cache. Throws
/// EnvironmentError if none of these is set.
[[nodiscard]] std::filesystem::path build_cache();

/// 32 hexadecimal digits: a name for `text` that no other text is expected to have.
[[nodiscard]] std::string fingerprint(std::string_view text);

}  // namespace stowage::harness
