#pragma once

#include <array>
#include <string_view>

namespace stowage::harness {

/// The file of a run directory that holds everything that was measured.
inline constexpr std::string_view results_file = "results.json";
/// The hand-written floor: measured in every block, and never a candidate for the best strategy.
inline constexpr std::string_view reference_name = "reference";
/// The contract floors: the fastest hand-written code that keeps the storage contract, for a family of strategies each.
/// Those without a family are for all others: of the workloads of the list, and of a world. In the blocks of workloads
/// that have them.
struct ContractFloorName {
  std::string_view floor;
  std::string_view family;
};
inline constexpr std::array<ContractFloorName, 5> contract_floors{{{"reference.store", ""},
                                                                   {"reference.contract", ""},
                                                                   {"reference.sections", "archetype_sections"},
                                                                   {"reference.direct", "sparse_direct"},
                                                                   {"reference.interleaved", "interleaved_pairs"}}};

/// The floor, the other hand-written loops `reference.*`, and the forms of a hierarchy by themselves, `form.*`: none is
/// a storage that one could choose.
[[nodiscard]] constexpr bool is_hand_written(std::string_view strategy) noexcept {
  return strategy == reference_name || strategy.starts_with("reference.") || strategy.starts_with("form.");
}

}  // namespace stowage::harness
