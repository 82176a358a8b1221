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
std::uint64_t digest_of_save([[maybe_unused]] std::span<const std::byte> file) {
  if constexpr (GameWorkload<Game>::saves) {
    IndirectionMap<typename Game::Storage> loaded;
    load(loaded, file);
    return [&loaded]<class... Cs>(TypeList<Cs...>) {
      std::uint64_t digest = loaded.size();
      stowage::detail::for_each_type(TypeList<Cs...>{}, [&]<class C>(TypeList<C>) {
        std::uint64_t sum = 0;  // in no order: a file has its entities in that of the storage
        loaded.template each<const C>([&sum](const C& component) { sum += mixed(1, hash_all(component)); });
        digest = mixed(digest + sum, loaded.template count<C>());
      });
      return digest;
    }(typename Game::Components{});
  } else {
    return 0;
  }
}

}  // namespace stowage::workloads::game
