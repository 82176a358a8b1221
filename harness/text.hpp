#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/errors.hpp"

// Text of users: lists, numbers with units, names that may be misspelled, and words of a command line.
namespace stowage::harness {

/// "a,b" -> {"a", "b"}. An empty part stays, so that the lookup of its name fails.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, char separator = ',');

/// All of `text` as a number; none if it is not one or does not fit.
template <class Number = std::uint64_t>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "16k" -> 16384: a whole number with a unit or none; `k` is 1024 and `M` is 1024 * 1024. None for other text, and for
/// what does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// "64MB" -> 67108864: the same for bytes; a kB is 1024 of them, or KiB, then MB and GB.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// 16384 -> "16k": the inverse of parse_count(), for tables.
[[nodiscard]] std::string entities_text(std::uint64_t entities);

/// A digest of `text` that is the same everywhere (FNV-1a, 64 bits); another one for each `seed`.
[[nodiscard]] std::uint64_t digest_of(std::string_view text, std::uint64_t seed = 0) noexcept;

/// A name for C++: what cannot be in one becomes '_'.
[[nodiscard]] std::string cpp_name_of(std::string name);

/// Insertions, deletions, substitutions and swaps of neighbours that it takes to turn `from` into `to`
/// (Damerau-Levenshtein, optimal string alignment). O(|from| * |to|).
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// "; did you mean 'join'?" if one of `names` is close enough to be a slip of `wrong`, else "; <otherwise>".
[[nodiscard]] std::string suggestion(std::string_view wrong, const std::vector<std::string>& names,
                                     std::string_view otherwise);

/// `word` as a shell takes it for that one word: `fast` -> fast, `it's` -> 'it'\''s'.
[[nodiscard]] std::string shell_word(std::string_view word);

/// The same for a path, which a command must not take for an option: `-x` -> ./-x.
[[nodiscard]] std::string shell_path(const std::filesystem::path& path);

/// The words of a command line that a shell takes apart into `words` again.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

/// The words of shell_line(), or of a line that is quoted otherwise; none if a quotation does not end.
[[nodiscard]] std::optional<std::vector<std::string>> parse_shell_line(std::string_view line);

/// `text` on one line that moves no cursor: ESC, a line break and other control characters -> \x1b, \x0a. Other text,
/// with accents too, is as before.
[[nodiscard]] std::string on_terminal(std::string_view text);

using TextRow = std::vector<std::string>;

/// Aligns columns below their headings and wraps them at words: the last one so that no line is longer than
/// `page_width` characters, the others so that they leave it room.
[[nodiscard]] std::string text_table(const TextRow& headings, const std::vector<TextRow>& rows,
                                     std::size_t page_width = 100);

/// The same with one line for each row: what is too long ends with "...".
[[nodiscard]] std::string lines_table(const TextRow& headings, const std::vector<TextRow>& rows,
                                      std::size_t page_width = 100);

/// What `name_of` says of each of `entries`, such as their names for suggestion().
template <class Entries, class NameOf>
[[nodiscard]] std::vector<std::string> names_of(const Entries& entries, NameOf name_of) {
  std::vector<std::string> names;
  names.reserve(std::size(entries));
  for (const auto& entry : entries) names.emplace_back(std::invoke(name_of, entry));
  return names;
}

/// The one of `all` with that name. Throws UserError with the nearest name, which may be one of `others`, or with
/// `otherwise`.
template <class All, class NameOf>
[[nodiscard]] const auto& find_named(const All& all, std::string_view name, NameOf name_of, std::string_view kind,
                                     std::string_view otherwise, std::vector<std::string> others = {}) {
  const auto found = std::ranges::find(all, name, name_of);
  if (found != std::end(all)) return *found;
  std::ranges::move(names_of(all, name_of), std::back_inserter(others));
  throw UserError("unknown {} '{}'{}", kind, name, suggestion(name, others, otherwise));
}

}  // namespace stowage::harness
