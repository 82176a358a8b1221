#pragma once

// How generated code puts strategies, workloads and references into the catalogue, and the rules for which cells exist.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/contract/type_list.hpp>

#include "harness/card.hpp"
#include "harness/catalogue.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/completed.hpp"

namespace stowage::harness {

/// The most rows that a workload gives one component: one for each entity, unless it says otherwise.
template <class Workload>
[[nodiscard]] std::size_t most_rows(const workloads::Parameters& parameters) {
  if constexpr (requires { Workload::rows(parameters); }) {
    return Workload::rows(parameters);
  } else {
    return parameters.entities;
  }
}

/// Why a strategy has no such cell of a workload. A strategy whose rows are numbered in few bits says how many of one
/// component it can have (`row_limit`). A workload that asks for more than the contract names the strategies that can
/// do it (`supports`), or says why one cannot (`obstacle`).
template <template <class> class Strategy, class Workload>
[[nodiscard]] std::string obstacle_of(const workloads::Parameters& parameters) {
  using Storage = Strategy<ProbeSchema>;
  if constexpr (requires { Storage::row_limit; }) {
    if (most_rows<Workload>(parameters) > Storage::row_limit) {
      return "it has at most " + std::to_string(Storage::row_limit) + " rows of a component";
    }
  }
  if constexpr (requires { Workload::template supports<Strategy>(parameters); }) {
    if (!Workload::template supports<Strategy>(parameters)) {
      return "it cannot do what " + std::string(Workload::card.name) + " asks for with these parameters";
    }
  }
  if constexpr (requires { Workload::template obstacle<Strategy>(parameters); }) {
    return Workload::template obstacle<Strategy>(parameters);
  }
  return {};
}

/// Why there is no such cell of a hand-written loop, which may say how many entities it can have at most, and with
/// which parameters there are none.
template <class Reference>
[[nodiscard]] std::string obstacle_of_reference([[maybe_unused]] const workloads::Parameters& parameters) {
  if constexpr (requires { Reference::most_entities; }) {
    if (parameters.entities > Reference::most_entities) {
      return "it has at most " + std::to_string(Reference::most_entities) + " entities";
    }
  }
  if constexpr (requires { Reference::supports(parameters); }) {
    if (!Reference::supports(parameters)) return "there is no cell with " + parameters.name();
  }
  return {};
}

/// Makes a case of a hand-written loop. A loop that has several forms has a make() of its own.
template <class Reference>
[[nodiscard]] std::unique_ptr<workloads::Measurement> make_reference(const workloads::Parameters& parameters) {
  if constexpr (requires { Reference::make(parameters); }) {
    return Reference::make(parameters);
  } else {
    return std::make_unique<workloads::MeasurementOf<Reference>>(parameters);
  }
}

/// Why no cell of a workload exists: the storage lacks the first of what the workload says that it `needs`.
template <class Storage, class Workload>
[[nodiscard]] std::string need_not_met(const workloads::Parameters&) {
  if constexpr (requires { Workload::needs; }) {
    for (const Capability needed : Workload::needs) {
      std::string why = workloads::not_offered<Storage>(needed);
      if (!why.empty()) return why;
    }
  }
  return {};
}
/// The same at compile time: a workload is not compiled for a storage that lacks what it needs.
template <class Storage, class Workload>
[[nodiscard]] consteval bool meets_needs() {
  if constexpr (requires { Workload::needs; }) {
    for (const Capability needed : Workload::needs) {
      if (!reason_to_lack<Storage>(needed).empty()) return false;
    }
  }
  return true;
}

/// True if this form does the same in a workload as the base form of its strategy. It is not compiled for it then.
template <class Storage, class Workload>
[[nodiscard]] consteval bool base_form_stands_for() {
  if constexpr (requires { Workload::template tells_forms_apart<Storage>; }) {
    return !Workload::template tells_forms_apart<Storage>;
  } else {
    return false;
  }
}
[[nodiscard]] inline std::string as_its_base_form(const workloads::Parameters&) {
  return "the base form of this strategy shows the same";
}

/// Whether a strategy is compiled for a workload of that name.
using IsWanted = bool(std::string_view workload);
[[nodiscard]] constexpr bool every_workload(std::string_view) { return true; }

template <template <class> class Strategy, bool IsBase, IsWanted is_wanted, class Workload>
void bind_cell(Catalogue& catalogue, const std::string& name) {
  using Probe = Strategy<ProbeSchema>;
  if constexpr (!is_wanted(Workload::card.name)) {
    return;
  } else if constexpr (!meets_needs<Probe, Workload>()) {
    catalogue.add_cell(name, Workload::card.name, nullptr, &need_not_met<Probe, Workload>);
  } else if constexpr (!IsBase && base_form_stands_for<Probe, Workload>()) {
    catalogue.add_cell(name, Workload::card.name, nullptr, &as_its_base_form);
  } else if constexpr (lacks_of<Probe>().empty()) {
    catalogue.add_cell(name, Workload::card.name, &Workload::template make<Strategy>, &obstacle_of<Strategy, Workload>);
  } else {
    catalogue.add_cell(name, Workload::card.name,
                       &Workload::template make<workloads::Completed<Strategy>::template storage>,
                       &obstacle_of<Strategy, Workload>);
  }
}

/// Puts a strategy, and a cell of it for every workload that needs no more than it offers, into the catalogue. Called
/// by generated code. `IsBase` is false for a form that has its strategy's name and a name of its own.
template <template <class> class Strategy, bool IsBase = true, IsWanted is_wanted = every_workload, class... Workloads>
void bind_strategy(Catalogue& catalogue, StrategyEntry entry, TypeList<Workloads...>) {
  (bind_cell<Strategy, IsBase, is_wanted, Workloads>(catalogue, entry.name), ...);
  catalogue.add_strategy(with_card<Strategy<ProbeSchema>>(std::move(entry)));
}

/// A hand-written reference that does not say another name is the floor.
template <class Reference>
constexpr std::string_view reference_name() {
  if constexpr (requires { Reference::name; }) {
    return Reference::name;
  } else {
    return "reference";
  }
}

/// Puts the workloads of a unit into the catalogue, and the names of their hand-written references: `reference`, the
/// floor, which every workload has, and the yardsticks `reference.*` and `form.*` that some have beside it.
template <class... Workloads>
void bind_workloads(Catalogue& catalogue, const char* unit, TypeList<Workloads...>) {
  const auto note_reference = [&]<class Reference>(TypeList<Reference>) {
    if constexpr (requires { Reference::name; }) {  // the floor is there
      StrategyEntry entry{std::string(Reference::name), "yardstick", "hand-written", std::string(Reference::summary),
                          std::nullopt};
      if constexpr (requires { Reference::form; }) entry.form = Reference::form;
      if constexpr (requires { Reference::why_uncounted; }) entry.why_uncounted = Reference::why_uncounted;
      if constexpr (requires { Reference::always_measured; }) entry.always_measured = Reference::always_measured;
      catalogue.add_strategy(std::move(entry));
    }
  };
  const auto bind_workload = [&]<class Workload, class... References>(TypeList<Workload>, TypeList<References...>) {
    WorkloadEntry entry{Workload::card, Workload::axes(), &Workload::floor};
    entry.unit = unit;
    if constexpr (requires { &Workload::framed; }) entry.framed = &Workload::framed;
    if constexpr (requires { &Workload::why_uncounted; }) entry.why_uncounted = &Workload::why_uncounted;
    catalogue.add_workload(std::move(entry));
    (note_reference(TypeList<References>{}), ...);
  };
  (bind_workload(TypeList<Workloads>{}, typename Workloads::References{}), ...);
}

/// Whether one of them is the floor, and each has a name of its own. (One that derives from another has its name.)
template <class... References>
consteval bool are_well_named(TypeList<References...>) {
  const std::array names{reference_name<References>()...};
  return std::ranges::count(names, "reference") == 1 &&
         std::ranges::all_of(names, [&](std::string_view name) { return std::ranges::count(names, name) == 1; });
}

/// Puts the cells of hand-written references into the catalogue.
template <class... Workloads>
void bind_references(Catalogue& catalogue, TypeList<Workloads...>) {
  const auto bind_reference = [&]<class Reference>(std::string_view workload, TypeList<Reference>) {
    constexpr std::string_view name = reference_name<Reference>();
    catalogue.add_cell(name, workload, &make_reference<Reference>, &obstacle_of_reference<Reference>);
  };
  const auto bind_those_of = [&]<class Workload, class... References>(TypeList<Workload>, TypeList<References...>) {
    static_assert(are_well_named(TypeList<References...>{}));
    (bind_reference(Workload::card.name, TypeList<References>{}), ...);
  };
  (bind_those_of(TypeList<Workloads>{}, typename Workloads::References{}), ...);
}

}  // namespace stowage::harness
