#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// How one strategy is compiled: a line of the list of strategies, or a header that the user named.
struct Recipe {
  std::string name;
  std::string header;         ///< as it is included
  std::string template_name;  ///< of one parameter at least, the schema
  std::string source;
  std::string summary;
  std::vector<std::string> compile_flags = {};  ///< its own, if its header needs more than the toolchain has
  std::vector<std::string> link_flags = {};
  std::vector<std::string> workloads = {};  ///< names of the workloads to compile; all if empty
  std::string storage_folder = {};  ///< of a header outside this repository: separates its code from the harness's
  std::string schema = {};          ///< of a game, in place of its own; empty if that is meant
  bool plays_games = true;          ///< has the whole contract, so `recommend` can use it

  [[nodiscard]] std::string family() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] bool is_variant() const { return name != family(); }
};

/// How modules are compiled and linked: what CMake wrote into toolchain.json when it configured this program.
struct Toolchain {
  std::filesystem::path file;
  std::string compiler;
  std::string launcher;                         ///< ccache, or empty
  std::vector<std::string> compile_flags = {};  ///< definitions and include directories as well
  std::vector<std::string> link_flags = {};     ///< archives and libraries, in their order
  std::filesystem::path modules;                ///< where modules of the list are built when they are needed
  bool modules_are_prebuilt = false;  ///< a package has brought them there; what is missing goes into the cache
  bool is_of_another_system = false;  ///< its modules are compiled here, and loaded elsewhere
  std::vector<Recipe> strategies = {};
};

/// `toolchain.json`: the file that STOWAGE_TOOLCHAIN names, or the one beside this program (a build directory), or the
/// one in ../share/stowage (a package). Throws EnvironmentError if there is none.
[[nodiscard]] std::filesystem::path toolchain_file();

/// Throws EnvironmentError if the file is not what the build writes.
[[nodiscard]] Toolchain read_toolchain(const std::filesystem::path& file);

/// The same for the text of `file`, which need not exist.
[[nodiscard]] Toolchain parse_toolchain(std::string_view text, const std::filesystem::path& file);

/// Throws EnvironmentError if the compiler is not installed.
void check_has_compiler(const Toolchain& toolchain);

/// The same if the compiler or Ninja is not installed.
void check_can_build(const Toolchain& toolchain);

}  // namespace stowage::harness
