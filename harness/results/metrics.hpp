#pragma once

#include <array>
#include <string_view>

namespace stowage::harness {

/// One counter of a results file. Its name may not change: reports, claims and users' own scripts read it.
struct Metric {
  std::string_view name;
  std::string_view unit;
  std::string_view pass;
  std::string_view description;
};

inline constexpr std::array<Metric, 7> metrics = {{
    {"ns_per_item", "ns", "time", "median time of one item over the repetitions"},
    {"ns_per_item_low", "ns", "time", "low end of the 95 % interval of that median"},
    {"ns_per_item_high", "ns", "time", "high end of the 95 % interval of that median"},
    {"ratio_to_reference", "1", "time",
     "median over the rounds of the time relative to the reference's in the same round"},
    {"ratio_to_reference_low", "1", "time", "low end of the 95 % interval of that ratio"},
    {"ratio_to_reference_high", "1", "time", "high end of the 95 % interval of that ratio"},
    {"items", "items", "time", "how many items one pass works through"},
}};

}  // namespace stowage::harness
