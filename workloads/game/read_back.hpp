#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <stowage/indirection_map.hpp>
#include <stowage/serialize/serialize.hpp>

#include "workloads/game/game.hpp"

// Reading a game's save. In a header of its own, because what one storage has saved any other loads: it is compiled
// once for a game and not for each strategy.

namespace stowage::workloads::game {

template <class Game>
std::uint64_t digest_of_save([[maybe_unused]] std::span<const std::byte> file) {
  if constexpr (GameWorkload<Game>::saves) {
    IndirectionMap<typename Game::Storage> loaded;
    load(loaded, file);
    return digest_of_components<Game>(loaded);
  } else {
    return 0;
  }
}

}  // namespace stowage::workloads::game
