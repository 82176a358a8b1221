#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// A strategy that a game can be compiled for: a line of the list of strategies, ours or of another project.
struct ToolchainStrategy {
  std::string name;
  std::string header;         ///< as it is included
  std::string template_name;  ///< of one parameter at least, the schema
  std::string source;
  std::string summary;
  std::vector<std::string> compile_flags = {};  ///< its own, where its header needs more than the toolchain has
  std::vector<std::string> link_flags = {};

  [[nodiscard]] std::string family() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] bool is_variant() const { return name != family(); }
};

/// How this binary was compiled, so that more can be compiled that is linked with the same archives.
struct Toolchain {
  std::filesystem::path file;  ///< where that is written
  std::string compiler;
  std::vector<std::string> compile_flags;  ///< definitions and include directories as well
  std::vector<std::string> link_flags;     ///< archives and libraries, in their order
  std::vector<ToolchainStrategy> strategies;
};

/// `toolchain.json`: the file that STOWAGE_TOOLCHAIN names, or else the one beside this program, where it was built, or
/// in ../share/stowage, where it was installed. Throws EnvironmentError where there is none.
[[nodiscard]] std::filesystem::path toolchain_file();

/// Throws EnvironmentError where the file is not what the build writes, or the compiler is not there any more.
[[nodiscard]] Toolchain read_toolchain(const std::filesystem::path& file);

}  // namespace stowage::harness
