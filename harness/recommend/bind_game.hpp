#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stowage/contract/storage.hpp>

#include "harness/bind.hpp"
#include "harness/catalogue.hpp"
#include "workloads/game/game.hpp"

namespace stowage::harness {

/// Puts the workload of a game, without hand-written floor, and a strategy with its cells of that workload into a
/// catalogue. The source and the summary of the strategy come from the toolchain. Called by generated code.
template <template <class> class Strategy, class Game>
void bind_game(Catalogue& catalogue, std::string_view name) {
  using Workload = workloads::game::GameWorkload<Game>;
  WorkloadEntry entry{Workload::card, Workload::axes(), &Workload::floor};
  entry.framed = &Workload::framed;
  if constexpr (workloads::game::has_threads<Game>) {
    entry.why_uncounted = [](const workloads::Parameters&) {
      return std::string(workloads::game::counted_on_one_thread);
    };
  }
  catalogue.add_workload(std::move(entry));
  StrategyEntry strategy = with_card<Strategy<ProbeSchema>>(
      {std::string(name), std::string(name.substr(0, name.find('.'))), "", "", std::nullopt});
  bind_cell<Strategy, true, every_workload, Workload>(catalogue, strategy.name);
  catalogue.add_strategy(std::move(strategy));
}

}  // namespace stowage::harness
