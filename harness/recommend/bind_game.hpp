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

/// Puts the workload of a game into a catalogue, without hand-written floor. Called by generated code, as is
/// bind_game().
template <class Game>
void bind_workload_of(Catalogue& catalogue) {
  using Workload = workloads::game::GameWorkload<Game>;
  WorkloadEntry entry{Workload::card, Workload::axes(), &Workload::floor};
  entry.framed = &Workload::framed;
  if constexpr (workloads::game::has_threads<Game>) {
    entry.why_uncounted = [](const workloads::Parameters&) {
      return std::string(workloads::game::counted_on_one_thread);
    };
  }
  catalogue.add_workload(std::move(entry));
}

/// Puts a strategy and its cells of that workload into a catalogue. Its source and summary come from the toolchain.
template <template <class> class Strategy, class Game>
void bind_game(Catalogue& catalogue, std::string_view name) {
  using Workload = workloads::game::GameWorkload<Game>;
  StrategyEntry entry = with_card<Strategy<ProbeSchema>>(
      {std::string(name), std::string(name.substr(0, name.find('.'))), "", "", std::nullopt});
  bind_cell<Strategy, true, every_workload, Workload>(catalogue, entry.name);
  catalogue.add_strategy(std::move(entry));
}

}  // namespace stowage::harness
