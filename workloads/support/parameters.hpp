#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::workloads {

/// The seed of every published figure. A cell is the same work on every machine because all its inputs come from it.
inline constexpr std::uint64_t default_seed = 20'140'908;

/// One `key:value` of a cell's name.
struct Parameter {
  std::string key;
  std::string value;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// One dimension that a workload sweeps beside the number of entities, with the values that each preset takes.
struct Axis {
  std::string_view key;
  std::vector<std::string_view> values;        ///< swept by `standard` and `full`
  std::vector<std::string_view> quick_values;  ///< swept by `quick`: a subset of `values`
};

/// What distinguishes the cells of one workload and one strategy from each other.
struct Parameters {
  std::size_t entities = 0;
  std::vector<Parameter> values;  ///< one per axis of the workload, in the order of its axes
  std::uint64_t seed = default_seed;
  std::size_t copy = 0;  ///< of several cases that do the same, each on entities of its own; no part of the name

  /// The value of `key`. Throws std::out_of_range naming the key when the workload has no such axis.
  [[nodiscard]] const std::string& get(std::string_view key) const {
    for (const Parameter& parameter : values) {
      if (parameter.key == key) return parameter.value;
    }
    throw std::out_of_range("no parameter named '" + std::string(key) + "' in this cell");
  }

  /// The tail of a cell's name: `entities:16384/via:each`.
  [[nodiscard]] std::string name() const {
    std::string text = "entities:" + std::to_string(entities);
    for (const Parameter& parameter : values) text += "/" + parameter.key + ":" + parameter.value;
    return text;
  }

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

}  // namespace stowage::workloads
