#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "tests/support/altered_find.hpp"

namespace stowage::testing {

/// indirection_map that loses sight of one entity in a thousand: what a checksum must notice.
template <class SchemaType>
class WrongMap : public AlteredFind<WrongMap<SchemaType>, SchemaType> {
  using Base = AlteredFind<WrongMap, SchemaType>;
  friend Base;

  template <class Find>
  [[nodiscard]] static auto look_up(typename Base::Handle entity, Find&& find) noexcept {
    const bool is_forgotten = entity.index() % 1000 == 999;
    return is_forgotten ? decltype(find(entity)){} : find(entity);
  }

 public:
  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    std::size_t row = 0;
    Base::template each<Qs...>([&](typename Base::entity_type entity, auto&&... found) {
      if (row++ % 1000 != 999) parts::call_plainly(fn, [&] { return entity; }, found...);
    });
  }
};

}  // namespace stowage::testing
