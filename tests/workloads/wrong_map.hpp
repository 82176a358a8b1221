#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include <stowage/indirection_map.hpp>

namespace stowage::testing {

/// indirection_map that loses sight of one entity in a thousand: what a checksum must notice.
template <class SchemaType>
class WrongMap : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

  [[nodiscard]] static bool forgotten(typename Base::entity_type entity) noexcept {
    return entity.index() % 1000 == 999;
  }

 public:
  template <class... Cs>
  [[nodiscard]] auto find(typename Base::entity_type entity) noexcept {
    using Found = decltype(Base::template find<Cs...>(entity));
    return forgotten(entity) ? Found{} : Base::template find<Cs...>(entity);
  }
  template <class... Cs>
  [[nodiscard]] auto find(typename Base::entity_type entity) const noexcept {
    using Found = decltype(Base::template find<Cs...>(entity));
    return forgotten(entity) ? Found{} : Base::template find<Cs...>(entity);
  }

  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    std::size_t row = 0;
    const auto visit = [&](auto&&... arguments) {
      if (row++ % 1000 != 999) fn(std::forward<decltype(arguments)>(arguments)...);
    };
    if constexpr (std::is_invocable_v<Fn&, typename Base::template reference<Qs>...>) {
      Base::template each<Qs...>([&](typename Base::template reference<Qs>... found) { visit(found...); });
    } else {
      Base::template each<Qs...>([&](typename Base::entity_type entity,
                                     typename Base::template reference<Qs>... found) { visit(entity, found...); });
    }
  }
};

}  // namespace stowage::testing
