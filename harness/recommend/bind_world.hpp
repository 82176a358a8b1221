#pragma once

#include <string>
#include <type_traits>

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
  [[maybe_unused]] const auto share_by = [&]<class Storage>(std::type_identity<Storage>) {
    using Populations = workloads::game::Populations<Game, Storage>;
    catalogue.set_populations(name, {&Populations::share, &Populations::part});
  };
  // Whatever has a cell: a population of its own would not have lived through the work of the cells before.
  if constexpr (!meets_needs<Probe, workloads::game::WorldWork<Game, workloads::game::Work::structural>>()) {
    return;
  } else if constexpr (lacks_of<Probe>().empty()) {
    share_by(std::type_identity<Strategy<typename Game::Storage>>{});
  } else {
    share_by(std::type_identity<typename workloads::Completed<Strategy>::template storage<typename Game::Storage>>{});
  }
}

}  // namespace stowage::harness
