#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stowage/contract/type_list.hpp>
#include <stowage/hierarchy/hierarchy.hpp>

#include "workloads/game/course.hpp"
#include "workloads/game/description.hpp"
#include "workloads/game/population.hpp"

namespace stowage::workloads::game {

/// What the types of a game say, for code that is compiled once for all games.
template <class Game>
class NumbersOf {
  using Components = typename Game::Components;

  template <class... Reads, class... Writes>
  [[nodiscard]] static consteval std::uint32_t named_by(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) {
    return set_of<Components>(TypeList<Reads..., Writes...>{});
  }
  template <class... Accesses>
  [[nodiscard]] static consteval auto sets_of(TypeList<Accesses...>) {
    return std::array<std::uint32_t, sizeof...(Accesses)>{named_by(TypeList<Accesses>{})...};
  }
  template <class... Cs>
  [[nodiscard]] static consteval auto places_of(TypeList<Cs...>) {
    return std::array<std::uint32_t, sizeof...(Cs)>{static_cast<std::uint32_t>(place_of<Cs>(Components{}))...};
  }
  [[nodiscard]] static consteval std::uint32_t of_nodes() {
    if constexpr (Game::tree.exists) {
      return set_of<Components>(TypeList<LocalTransform>{});
    } else {
      return 0;
    }
  }

  static constexpr auto looked_up = sets_of(typename Game::Lookups{});
  static constexpr auto changing = places_of(typename Game::Changes{});

 public:
  static constexpr GameNumbers value{.entities = Game::entities,
                                     .owners = Game::owners,
                                     .runs_per_frame = Game::runs_per_frame,
                                     .lookups = Game::lookups,
                                     .looked_up = looked_up,
                                     .changes_per_frame = Game::changes_per_frame,
                                     .changing = changing,
                                     .creations_per_frame = Game::creations_per_frame,
                                     .tree = Game::tree,
                                     .of_nodes = of_nodes()};
};

}  // namespace stowage::workloads::game
