#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "harness/bind.hpp"
#include "workloads/game/works.hpp"

namespace stowage::harness {

/// Puts the cells of a strategy in a world into the catalogue. Called by generated code.
template <template <class> class Strategy, class Game>
void bind_world(Catalogue& catalogue, const std::string& name) {
  const auto bind = [&]<class... Works>(TypeList<Works...>) {
    (bind_cell<Strategy, true, every_workload, Works>(catalogue, name), ...);
  };
  bind(workloads::game::WorldWorks<Game>{});
}

}  // namespace stowage::harness
