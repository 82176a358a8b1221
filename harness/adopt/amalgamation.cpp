#include "harness/adopt/amalgamation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace stowage::harness::adopt {
namespace {

constexpr std::string_view library_prefix = "stowage/";

/// Takes the first line, without its end, from `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// What follows the `#` of a directive; nothing where the line is none.
std::optional<std::string_view> directive_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  return trimmed(line.substr(1));
}

/// `include <vector>` -> `vector`. Throws where the name is relative: which file it means depends on where it stands.
std::optional<std::string> included_by(std::string_view directive, const std::string& path) {
  if (!directive.starts_with("include")) return std::nullopt;
  const std::size_t open = directive.find('<');
  const std::size_t close = directive.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos) {
    throw AmalgamationError(fmt::format("{} includes by a relative name: #{}", path, directive));
  }
  return std::string(directive.substr(open + 1, close - open - 1));
}

/// FNV-1a, 64 bits.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const char character : text) {
    digest = (digest ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  }
  return digest;
}

/// Reads one header line by line: what it includes, what it says of itself, and the rest.
class PartReader {
 public:
  explicit PartReader(const LibraryFile& file) {
    part_.path = file.path;
    part_.digest = digest_of(file.text);
    std::string_view rest = file.text;
    while (!rest.empty()) read(take_line(rest));
    split_comment();
  }

  /// In the order in which they stand.
  [[nodiscard]] const std::vector<std::string>& includes() const { return includes_; }
  [[nodiscard]] Part take_part() { return std::move(part_); }

 private:
  void read(std::string_view line) {
    const std::optional<std::string_view> directive = directive_of(line);
    if (directive && is_taken_out(*directive)) return;
    const bool would_be_second_blank = line.empty() && (part_.code.empty() || part_.code.ends_with("\n\n"));
    if (!would_be_second_blank) part_.code.append(line).append("\n");
  }

  bool is_taken_out(std::string_view directive) {
    if (directive.starts_with("if")) ++conditions_;
    if (directive.starts_with("endif")) --conditions_;
    if (directive.starts_with("pragma once")) return true;
    std::optional<std::string> included = included_by(directive, part_.path);
    if (!included) return false;
    if (conditions_ == 0) {
      includes_.push_back(std::move(*included));
      return true;
    }
    if (included->starts_with(library_prefix)) {
      throw AmalgamationError(fmt::format("{} includes {} under a condition", part_.path, *included));
    }
    return false;
  }

  /// The comment lines at the top belong to the file where nothing follows them at once that they could belong to.
  void split_comment() {
    std::string_view rest = part_.code;
    while (rest.starts_with("//") && !rest.starts_with("///")) take_line(rest);
    const std::size_t size = part_.code.size() - rest.size();
    if (size == 0 || !rest.starts_with("\n")) return;
    part_.comment = part_.code.substr(0, size);
    part_.code.erase(0, size + 1);
  }

  Part part_;
  std::vector<std::string> includes_;
  int conditions_ = 0;
};

class Amalgamator {
 public:
  explicit Amalgamator(std::span<const LibraryFile> files) : files_(files) {}

  void add(const std::string& path, std::string_view wanted_by) {
    if (!known_.insert(path).second) return;
    const auto file = std::ranges::find(files_, std::string_view(path), &LibraryFile::path);
    if (file == files_.end()) throw AmalgamationError(fmt::format("{}, wanted by {}, is not there", path, wanted_by));
    PartReader reader(*file);
    for (const std::string& included : reader.includes()) {
      if (included.starts_with(library_prefix)) {
        add(included, path);
      } else {
        // The headers of the standard library are those without a directory or an ending.
        const bool is_standard = included.find_first_of("/.") == std::string::npos;
        (is_standard ? result_.standard : result_.third_party).insert(included);
      }
    }
    result_.parts.push_back(reader.take_part());
  }

  [[nodiscard]] Amalgamation take() { return std::move(result_); }

 private:
  std::span<const LibraryFile> files_;
  std::set<std::string> known_;
  Amalgamation result_;
};

}  // namespace

Amalgamation amalgamate(std::span<const LibraryFile> files, std::span<const std::string> roots) {
  Amalgamator amalgamator(files);
  for (const std::string& root : roots) amalgamator.add(root, "nobody");
  return amalgamator.take();
}

std::string guard_of(const std::string& path) {
  std::string name = path.starts_with(library_prefix) ? path.substr(library_prefix.size()) : path;
  std::ranges::transform(name, name.begin(), [](unsigned char character) {
    return std::isalnum(character) != 0 ? static_cast<char>(std::toupper(character)) : '_';
  });
  return "STOWAGE_PART_" + name;
}

std::string guarded(const Part& part) {
  const std::string guard = guard_of(part.path);
  const std::string digest = fmt::format("{:#018x}ULL", part.digest);
  std::string text = fmt::format("#ifndef {}\n#define {} {}\n\n", guard, guard, digest);
  if (!part.comment.empty()) text += part.comment + "\n";
  text += fmt::format(
      "{}\n#elif {} != {}\n#error \"two adopted headers have different versions of {}: adopt both anew, with one "
      "stowage\"\n#endif\n",
      part.code, guard, digest, part.path);
  return text;
}

}  // namespace stowage::harness::adopt
