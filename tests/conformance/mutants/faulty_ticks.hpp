#pragma once

#include <stowage/contract/changes.hpp>
#include <stowage/indirection_map_changed.hpp>

#include "tests/conformance/components.hpp"
#include "tests/conformance/mutants/mutants.hpp"

namespace stowage::conformance::mutants {

/// indirection_map.changed with every fault of what is recorded.
template <class SchemaType>
class FaultyTicks : public IndirectionMapChanged<SchemaType> {
  using Base = IndirectionMapChanged<SchemaType>;

 public:
  using typename Base::entity_type;

  bool destroy(entity_type entity) {
    const bool was_alive = Base::destroy(entity);
    if (has("destruction_changes_all")) this->template each<Position>([](const Position&) {});
    return was_alive;
  }

  template <class C>
  [[nodiscard]] C* find(entity_type entity) noexcept {
    if (has("a_lookup_writes_no_tick")) return const_cast<C*>(Base::template find<const C>(entity));
    return Base::template find<C>(entity);
  }
  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return Base::template find<Cs...>(entity);
  }

  template <class... Qs, class Fn>
  void each_changed(Tick since, Fn&& fn) const {
    Base::template each_changed<Qs...>(has("what_rests_has_changed") ? 0 : since, fn);
  }
};

}  // namespace stowage::conformance::mutants
