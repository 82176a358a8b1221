#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <stowage/contract/type_list.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/serialize/serialize.hpp>

#include "workloads/game/game.hpp"
#include "workloads/support/random.hpp"

// Reading a game's save. In a header of its own, because what one storage has saved any other loads: it is compiled
// once for a game and not for each strategy.

namespace stowage::workloads::game {

template <class Game>
std::uint64_t counts_in_save([[maybe_unused]] std::span<const std::byte> file) {
  if constexpr (GameWorkload<Game>::saves) {
    IndirectionMap<typename Game::Storage> loaded;
    load(loaded, file);
    return [&loaded]<class... Cs>(TypeList<Cs...>) {
      std::uint64_t counts = loaded.size();
      stowage::detail::for_each_type(TypeList<Cs...>{},
                                     [&]<class C>(TypeList<C>) { counts = mixed(counts, loaded.template count<C>()); });
      return counts;
    }(typename Game::Components{});
  } else {
    return 0;
  }
}

}  // namespace stowage::workloads::game
