#pragma once

#include <memory>
#include <utility>

#include <stowage/contract/storage.hpp>
#include <stowage/contract/type_list.hpp>

#include "harness/catalogue.hpp"
#include "harness/verify/model_check.hpp"

namespace stowage::harness {

/// Puts a strategy, and a cell of it for every workload, into the catalogue. Called by generated code.
template <template <class> class Strategy, class... Workloads>
void bind_strategy(Catalogue& catalogue, StrategyEntry entry, TypeList<Workloads...>) {
  entry.semantics = Strategy<ProbeSchema>::semantics;
  (catalogue.add_cell(entry.name, Workloads::card.name, &Workloads::template make<Strategy>), ...);
  catalogue.add_strategy(std::move(entry), &verify::check_model<Strategy>);
}

/// Puts the workloads and their hand-written references into the catalogue: `reference`, the floor, which every
/// workload has, and the yardsticks `reference.*` that some have beside it.
template <class... Workloads>
void bind_workloads(Catalogue& catalogue, TypeList<Workloads...>) {
  catalogue.add_strategy({"reference", "floor", "hand-written",
                          "the floor: plain arrays written by hand for the one workload", std::nullopt},
                         nullptr);
  const auto bind_reference = [&]<class Reference>(std::string_view workload, TypeList<Reference>) {
    if (catalogue.maker(Reference::name, workload) != nullptr) return;
    catalogue.add_cell(Reference::name, workload, [](const workloads::Parameters& parameters) {
      return std::unique_ptr<workloads::Measurement>(std::make_unique<workloads::MeasurementOf<Reference>>(parameters));
    });
    for (const StrategyEntry& known : catalogue.strategies()) {
      if (known.name == Reference::name) return;
    }
    catalogue.add_strategy(
        {std::string(Reference::name), "yardstick", "hand-written", std::string(Reference::summary), std::nullopt},
        nullptr);
  };
  const auto bind_workload = [&]<class Workload, class... References>(TypeList<Workload>, TypeList<References...>) {
    catalogue.add_workload({Workload::card, Workload::axes(), &Workload::floor});
    (bind_reference(Workload::card.name, TypeList<References>{}), ...);
  };
  (bind_workload(TypeList<Workloads>{}, typename Workloads::References{}), ...);
}

}  // namespace stowage::harness
