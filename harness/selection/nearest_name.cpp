#include "harness/selection/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace stowage::harness {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& names, std::string_view otherwise) {
  const auto distance = [wrong](const std::string& name) { return edit_distance(wrong, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  // Beyond a third of the letters a name is another word, not a slip.
  const std::size_t largest_slip = std::max<std::size_t>(1, wrong.size() / 3);
  if (nearest == names.end() || distance(*nearest) > largest_slip) return fmt::format("; {}", otherwise);
  return fmt::format("; did you mean '{}'?", *nearest);
}

}  // namespace stowage::harness
