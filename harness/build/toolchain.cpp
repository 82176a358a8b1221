#include "harness/build/toolchain.hpp"

#include <cstdlib>
#include <sstream>

#include "harness/build/trust.hpp"
#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/process.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// A flag that is one string in CMake, as the words that a shell would make of it.
void append_words(std::vector<std::string>& words, const std::string& text) {
  std::istringstream stream(text);
  words.insert(words.end(), std::istream_iterator<std::string>(stream), {});
}

std::vector<std::string> list_at(const nlohmann::json& root, const char* key) {
  std::vector<std::string> all = root.at(key).get<std::vector<std::string>>();
  std::erase(all, "");
  return all;
}

std::vector<std::string> lines_at(const nlohmann::json& entry, const char* key) {
  std::vector<std::string> lines = split_list(entry.value(key, ""), '\n');
  std::erase(lines, "");
  return lines;
}

Recipe recipe_of(const nlohmann::json& entry) {
  return {.name = entry.at("name"),
          .header = entry.at("header"),
          .template_name = entry.at("template"),
          .source = entry.at("source"),
          .summary = entry.at("summary"),
          .compile_flags = lines_at(entry, "flags"),
          .link_flags = lines_at(entry, "libraries"),
          .workloads = lines_at(entry, "workloads"),
          .storage_folder = entry.value("storage_folder", ""),
          .plays_games = entry.value("plays_games", true)};
}

/// A package can be moved, so its paths are relative.
std::string resolved(const fs::path& base, const std::string& path) {
  const fs::path given(path);
  return given.is_absolute() || path.starts_with("-") ? path : (base / given).lexically_normal().string();
}

/// Empty if ccache is not installed here: a package does not depend on it.
std::string launcher_of(const nlohmann::json& root) {
  const std::string launcher = root.at("launcher");
  return launcher.empty() || !find_program(launcher) ? "" : launcher;
}

Toolchain toolchain_of(const nlohmann::json& root, const fs::path& file) {
  const fs::path base = file.parent_path();
  Toolchain toolchain{.file = file,
                      .compiler = root.at("compiler"),
                      .launcher = launcher_of(root),
                      .modules = resolved(base, root.at("modules")),
                      .modules_are_prebuilt = root.at("modules_are_prebuilt"),
                      .is_of_another_system = root.at("system") != build_info::system};
  append_words(toolchain.compile_flags, root.at("flags"));
  for (const std::string& option : list_at(root, "options")) toolchain.compile_flags.push_back(option);
  for (const std::string& definition : list_at(root, "definitions")) {
    toolchain.compile_flags.push_back("-D" + definition);
  }
  for (const std::string& directory : list_at(root, "include_directories")) {
    toolchain.compile_flags.push_back("-I" + resolved(base, directory));
  }
  for (const std::string& library : list_at(root, "libraries")) {
    toolchain.link_flags.push_back(resolved(base, library));
  }
  for (const nlohmann::json& entry : root.at("strategies")) toolchain.strategies.push_back(recipe_of(entry));
  return toolchain;
}

}  // namespace

fs::path toolchain_file() {
  if (const char* named = std::getenv("STOWAGE_TOOLCHAIN"); named != nullptr && *named != '\0') return named;
  std::error_code error;
  const fs::path directory = own_executable().parent_path();
  for (const fs::path& place : {directory / "toolchain.json", directory / "../share/stowage/toolchain.json"}) {
    if (fs::is_regular_file(place, error)) return place.lexically_normal();
  }
  throw EnvironmentError(
      "no toolchain.json in {} or ../share/stowage, so nothing says how to compile a strategy; build or install "
      "stowage with CMake, or name the file by STOWAGE_TOOLCHAIN",
      directory.string());
}

Toolchain read_toolchain(const fs::path& file) {
  const std::string text = system_text(file);
  if (text.empty()) {
    throw EnvironmentError("cannot read {}, which says how to compile a strategy; build or install stowage again",
                           file.string());
  }
  check_is_trusted(file);  // it names the compiler
  return parse_toolchain(text, file);
}

Toolchain parse_toolchain(std::string_view text, const fs::path& file) {
  try {
    return toolchain_of(nlohmann::json::parse(text), file);
  } catch (const nlohmann::json::exception& error) {
    throw EnvironmentError("{} is not as the build writes it: {}; build or install stowage again", file.string(),
                           error.what());
  }
}

void check_has_compiler(const Toolchain& toolchain) {
  if (find_program(toolchain.compiler)) return;
  throw EnvironmentError("no compiler {}, which {} names; install g++, or build stowage with another compiler",
                         toolchain.compiler, toolchain.file.string());
}

void check_can_build(const Toolchain& toolchain) {
  check_has_compiler(toolchain);
  if (!find_program("ninja")) throw EnvironmentError("no ninja to compile with; install the package ninja-build");
}

}  // namespace stowage::harness
