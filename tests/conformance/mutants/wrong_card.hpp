#pragma once

#include <stowage/contract/registry.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/indirection_map.hpp>

// The faults that are types of their own: a semantics card, and a parameter of the registry.
namespace stowage::conformance::mutants {

/// indirection_map with a card of which every line is wrong.
template <class SchemaType>
class WrongCard : public IndirectionMap<SchemaType> {
 public:
  static constexpr SemanticsCard semantics{
      .pointer_stability_on_erase = not_promised(""),
      .creation_order = not_promised("the last row moves into the hole"),
      .immediate_destruction = not_promised("components are ended later"),
      .parallel_rows = not_promised(""),
      .growth = not_promised("all memory is taken at first"),
      .handles_stay_stale = not_promised("a generation has few bits"),
  };
};

/// indirection_map in which freed indices do not wait.
template <class SchemaType, class Registry>
using QueuesNothing = IndirectionMap<SchemaType, EntityRegistry<typename Registry::entity_type, 0>>;

}  // namespace stowage::conformance::mutants
