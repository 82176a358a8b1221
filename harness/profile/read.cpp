#include "harness/profile/read.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "harness/errors.hpp"
#include "harness/profile/checks.hpp"
#include "harness/profile/table.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view what_would_do = "`stowage recommend --init` writes an example";

/// What lies beside a path that leads nowhere and could have been meant.
std::vector<std::string> profiles_beside(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, unreadable)) {
    if (entry.path().extension() != ".toml") continue;
    names.push_back((path.has_parent_path() ? entry.path() : entry.path().filename()).string());
  }
  return names;
}

std::string file_text(const fs::path& path) {
  std::error_code unreadable;
  if (fs::is_directory(path, unreadable)) {
    throw UserError(fmt::format("{} is a directory; give a profile, a TOML file: {}", path.string(), what_would_do));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw UserError(fmt::format("cannot read {}{}", path.string(),
                                suggestion(path.string(), profiles_beside(path), what_would_do)));
  }
  // Of a file that never ends no more than tells that it is none of ours.
  std::string text(most_profile_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw UserError(fmt::format("cannot read {} to its end; {}", path.string(), what_would_do));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

toml::table parse_toml(std::string_view text, const fs::path& file) {
  constexpr std::string_view prefix = "Error while parsing ";
  const toml::source_position start{1, 1};
  if (text.size() > most_profile_bytes) {
    refuse_at(file, start,
              fmt::format("this is longer than {} bytes: no profile; {}", most_profile_bytes, what_would_do));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    std::string_view reason = error.description();
    if (reason.starts_with(prefix)) reason.remove_prefix(prefix.size());
    const toml::source_position place = error.source().begin;
    refuse_at(file, place ? place : start, fmt::format("this is not TOML: {}; https://toml.io explains it", reason));
  }
}

class ProfileReader {
 public:
  ProfileReader(const toml::table& root, const fs::path& file) : root_(root), file_(file) {}

  Profile read() {
    check_known_tables(root_, file_);
    read_game();
    read_components();
    read_systems();
    read_lookups();
    read_changes();
    read_rates();
    read_hierarchy();
    read_budget();
    check_work(profile_, tables("profile").front());
    return std::move(profile_);
  }

 private:
  [[nodiscard]] std::vector<ProfileTable> tables(std::string_view name) const {
    return tables_of(root_, profile_rule(name), file_);
  }

  void read_game() {
    const ProfileTable table = tables("profile").front();
    profile_.file = file_;
    profile_.name = table.text("name");
    profile_.entities = table.count("entities", 0);
    profile_.frames_per_second = table.number("frames_per_second", profile_.frames_per_second);
  }

  void read_components() {
    const std::vector<ProfileTable> list = tables("component");
    for (const ProfileTable& table : list) {
      ProfileComponent component{.name = table.text("name"),
                                 .bytes = table.count("bytes", 0),
                                 .type = table.text("type"),
                                 .header = table.has("header") ? header_path(table.text("header")) : fs::path(),
                                 .share = table.number("share", 1),
                                 .together = table.text("together")};
      profile_.components.push_back(std::move(component));
    }
    check_components(profile_, list);
  }

  [[nodiscard]] fs::path header_path(const fs::path& header) const {
    return (fs::absolute(file_).parent_path() / header).lexically_normal();
  }

  void read_systems() {
    const std::vector<ProfileTable> list = tables("system");
    for (const ProfileTable& table : list) {
      auto [reads, writes] = touched_in(table);
      profile_.systems.push_back({.name = table.text("name"),
                                  .reads = std::move(reads),
                                  .writes = std::move(writes),
                                  .runs_per_frame = table.number("runs_per_frame", 1)});
    }
    check_systems(profile_, list);
  }

  void read_lookups() {
    const std::vector<ProfileTable> list = tables("lookup");
    for (const ProfileTable& table : list) {
      auto [reads, writes] = touched_in(table);
      profile_.lookups.push_back({.reads = std::move(reads),
                                  .writes = std::move(writes),
                                  .per_frame = table.number("per_frame", 0),
                                  .order = table.text("order") == "local" ? LookupOrder::local : LookupOrder::random});
    }
    check_lookups(profile_, list);
  }

  void read_changes() {
    const std::vector<ProfileTable> list = tables("change");
    for (const ProfileTable& table : list) {
      const double per_frame = table.number("per_frame", 0);
      profile_.changes.push_back({.component = component_in(profile_, table, "component"),
                                  .additions_per_frame = per_frame,
                                  .removals_per_frame = per_frame});
    }
    check_changes(profile_, list);
  }

  void read_rates() {
    for (const ProfileTable& table : tables("turnover")) {
      profile_.creations_per_frame = table.number("creations_per_frame", 0);
      check_turnover(profile_, table);
    }
    for (const ProfileTable& table : tables("saves")) {
      profile_.saves_per_minute = table.number("per_minute", 0);
      check_saves(profile_, table);
    }
  }

  void read_hierarchy() {
    for (const ProfileTable& table : tables("hierarchy")) {
      profile_.hierarchy = ProfileHierarchy{.share = table.number("share", 1),
                                            .depth = table.count("depth", 1),
                                            .fan_out = table.count("fan_out", 1),
                                            .dirty_share = table.number("dirty_share", 1)};
      check_hierarchy(profile_, table);
    }
  }

  void read_budget() {
    for (const ProfileTable& table : tables("budget")) {
      ProfileBudget& budget = profile_.budget;
      if (table.has("frame_ms")) budget.frame_ms = table.number("frame_ms", 0);
      if (table.has("worst_frame_ms")) budget.worst_frame_ms = table.number("worst_frame_ms", 0);
      if (table.has("memory")) budget.memory_bytes = table.count("memory", 0);
      check_budget(profile_, table);
    }
  }

  /// What is read and what is written. A component in both lists counts as written, which says that it is read.
  [[nodiscard]] std::pair<std::vector<std::size_t>, std::vector<std::size_t>> touched_in(
      const ProfileTable& table) const {
    std::vector<std::size_t> reads = components_in(profile_, table, "reads");
    std::vector<std::size_t> writes = components_in(profile_, table, "writes");
    std::erase_if(reads, [&](std::size_t component) { return std::ranges::find(writes, component) != writes.end(); });
    return {std::move(reads), std::move(writes)};
  }

  const toml::table& root_;
  const fs::path& file_;
  Profile profile_;
};

}  // namespace

Profile parse_profile(std::string_view text, const fs::path& path) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse_at(path, {1, 1}, fmt::format("the file is empty; {}", what_would_do));
  }
  const toml::table root = parse_toml(text, path);
  return ProfileReader(root, path).read();
}

Profile read_profile(const fs::path& path) { return parse_profile(file_text(path), path); }

}  // namespace stowage::harness
