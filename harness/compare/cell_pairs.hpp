#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/results/measured_file.hpp"

namespace stowage::harness {

/// A cell that both files have. Strategy and block are empty where the file is not of stowage.
struct CellPair {
  const MeasuredCell* before = nullptr;
  const MeasuredCell* after = nullptr;
  std::string_view strategy;  ///< part of the name
  std::string block;          ///< its name without the strategy

  [[nodiscard]] const std::string& name() const { return before->name; }
};

/// The cells of two files by where they are. Points into both.
struct CellPairs {
  std::vector<CellPair> both;  ///< measured in both, in the order of `before`
  std::vector<const MeasuredCell*> only_before;
  std::vector<const MeasuredCell*> only_after;
  std::vector<const MeasuredCell*> failed_before;  ///< in `before`, whatever became of them
  std::vector<const MeasuredCell*> failed_after;   ///< in `after`, and measured before
};

/// O(cells).
[[nodiscard]] CellPairs pair_cells(const MeasuredFile& before, const MeasuredFile& after);

}  // namespace stowage::harness
