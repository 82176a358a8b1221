#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// Insertions, deletions, substitutions and swaps of neighbours that it takes to turn `from` into `to`
/// (Damerau-Levenshtein, optimal string alignment). O(|from| * |to|).
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// "; did you mean 'join'?" where one of `names` is close enough to be a slip of `wrong`, else "; <otherwise>".
[[nodiscard]] std::string suggestion(std::string_view wrong, const std::vector<std::string>& names,
                                     std::string_view otherwise);

/// The names of all `entries`, for suggestion().
template <class Entries, class NameOf>
[[nodiscard]] std::vector<std::string> names_of(const Entries& entries, NameOf name_of) {
  std::vector<std::string> names;
  names.reserve(std::size(entries));
  for (const auto& entry : entries) names.emplace_back(std::invoke(name_of, entry));
  return names;
}

}  // namespace stowage::harness
