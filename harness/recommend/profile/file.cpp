#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <fstream>
#include <vector>

#include "harness/errors.hpp"
#include "harness/locations.hpp"
#include "harness/recommend/profile/embedded.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/recommend/profile/table.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view how_to_get_one = "`stowage recommend --init` writes an example";

/// What is beside a path that leads nowhere and could have been meant. Only stems are compared: that two paths share a
/// long directory does not make their names alike.
std::vector<std::string> profiles_beside(const fs::path& path) {
  const std::string stem = path.stem().string();
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::absolute(path).parent_path(), unreadable)) {
    const fs::path other = entry.path().filename();
    const bool is_near = edit_distance(stem, other.stem().string()) <= std::max<std::size_t>(1, stem.size() / 3);
    if (other.extension() == ".toml" && is_near) names.push_back((path.parent_path() / other).string());
  }
  return names;
}

std::string file_text(const fs::path& path) {
  std::error_code unreadable;
  if (fs::is_directory(path, unreadable)) {
    throw UserError("{} is a directory; give a profile, a TOML file: {}", path.string(), how_to_get_one);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw UserError("cannot read {}{}", path.string(),
                    suggestion(path.string(), profiles_beside(path), how_to_get_one));
  }
  // A file that never ends is read only as far as it takes to see that it is no profile.
  std::string text(most_profile_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw UserError("cannot read {} to its end; {}", path.string(), how_to_get_one);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

toml::table parse_toml(std::string_view text, const fs::path& file) {
  constexpr std::string_view prefix = "Error while parsing ";
  const toml::source_position start{1, 1};
  if (text.size() > most_profile_bytes) {
    refuse_at(file, start, "this is longer than {} bytes: no profile; {}", most_profile_bytes, how_to_get_one);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    std::string_view reason = error.description();
    if (reason.starts_with(prefix)) reason.remove_prefix(prefix.size());
    const toml::source_position place = error.source().begin;
    refuse_at(file, place ? place : start, "this is not TOML: {}; https://toml.io explains it", reason);
  }
}

}  // namespace

Profile parse_profile(std::string_view text, const fs::path& path) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse_at(path, {1, 1}, "the file is empty; {}", how_to_get_one);
  }
  const toml::table root = parse_toml(text, path);
  return read_tables(root, path);
}

Profile read_profile(const fs::path& path) { return parse_profile(file_text(path), path); }

std::string example_profile() {
  const std::string_view rest = example_profile_text.substr(example_profile_text.find('\n') + 1);
  const std::optional<fs::path> files = find_shared_files();
  if (!files) return std::string(rest);
  return fmt::format("#:schema {}\n{}", (*files / "profiles/schema.json").string(), rest);
}

void write_example_profile(const fs::path& path) {
  std::error_code unreadable;
  if (fs::symlink_status(path, unreadable).type() != fs::file_type::not_found) {
    throw UserError("{} exists already; name a new file: `stowage recommend --init OTHER.toml`", path.string());
  }
  replace_file(path, example_profile());
}

}  // namespace stowage::harness
