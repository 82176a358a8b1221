#pragma once

#include <string>

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
  using Probe = Strategy<ProbeSchema>;
  using Frame = workloads::game::WorldWork<Game, workloads::game::Work::frame>;
  if constexpr (meets_needs<Probe, Frame>() && lacks_of<Probe>().empty()) {
    using Populations = workloads::game::Populations<Game, Strategy<typename Game::Storage>>;
    catalogue.set_populations(name, {&Populations::share, &Populations::part});
  }
}

}  // namespace stowage::harness
