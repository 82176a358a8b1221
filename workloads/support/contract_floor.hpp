#pragma once

#include <memory>
#include <string_view>

#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"

namespace stowage::workloads {

// The contract floor of a workload: the fastest hand-written code for exactly its components that keeps what a storage
// promises. Stale handles are rejected, rows are packed (direct rows stay where they are, with bits for what is there),
// and no entity has an allocation of its own.

/// A reference without a name is the floor, `reference`.
struct FloorName {};
/// Of storages made of pools.
struct StoreName {
  static constexpr std::string_view name = "reference.store";
  static constexpr std::string_view summary = "the contract floor: generations, packed rows, hand-written";
  static constexpr bool always_measured = true;
};
/// Of storages made of sections, in workloads for which that is another machine.
struct SectionsName {
  static constexpr std::string_view name = "reference.sections";
  static constexpr std::string_view summary = "the contract floor of sections: known sets, hand-written";
  static constexpr bool always_measured = true;
};
/// Of direct rows, in workloads in which packed rows need more work: where components are missing, are made in another
/// order than the entities, come and go, or leave holes.
struct DirectName {
  static constexpr std::string_view name = "reference.direct";
  static constexpr std::string_view summary = "the contract floor of direct rows: row = index, hand-written";
  static constexpr bool always_measured = true;
};
/// Of interleaved rows, where they make another machine.
struct InterleavedName {
  static constexpr std::string_view name = "reference.interleaved";
  static constexpr std::string_view summary =
      "the contract floor of interleaved rows: an array of structs, hand-written";
  static constexpr bool always_measured = true;
};

/// What a workload says in its list of references: the case that its strategies run, over a hand-written store, or
/// over a form of hierarchies.
template <class Name, class Case>
struct ContractFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<Case>(parameters);
  }
};

}  // namespace stowage::workloads
