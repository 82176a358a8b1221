#include "tests/support/throwing_assert.hpp"

#include <bit>
#include <functional>

#include <stowage/contract/changes.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_changed.hpp>
#include <stowage/naive_objects.hpp>

#include "tests/conformance/mutants/faulty_pools.hpp"
#include "tests/conformance/suite.hpp"

namespace stowage::conformance::mutants {
namespace {

// ---- naive_objects with the faults that break a promise which packed rows do not give

template <class SchemaType>
class FaultyObjects : public NaiveObjects<SchemaType> {
  using Base = NaiveObjects<SchemaType>;

 public:
  using typename Base::entity_type;

  entity_type create() { return Base::create(); }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    const entity_type entity = Base::create(std::forward<Cs>(components)...);
    if (has("growth_moves_components") && std::has_single_bit(this->size())) move_positions(this->size());
    return entity;
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    Base::create(out, columns...);
  }

  bool destroy(entity_type entity) {
    const bool was_alive = Base::destroy(entity);
    if (was_alive && has("a_hole_is_filled")) move_positions(1);
    return was_alive;
  }

  template <class... Qs, class Fn>
    requires(stowage::detail::has_filters<Qs...>)
  void each(Fn&& fn) {
    Base::template each<Qs...>(fn);
  }
  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    show_rows<Qs...>(
        [&](entity_type entity, Qs&... components) { parts::call(fn, [&] { return entity; }, components...); });
  }

 private:
  /// Not deduced, because Qs are given.
  template <class... Qs>
  using ShowRow = std::type_identity_t<std::function<void(entity_type, Qs&...)>>;

  /// Of the first `count` entities that have one.
  void move_positions(std::size_t count) {
    Base::template each<Position>([&](entity_type entity, Position& position) {
      if (count == 0) return;
      --count;
      Base::template emplace<Position>(entity, Position(position));
    });
  }

  template <class... Qs>
  void show_rows(const ShowRow<Qs...>& show) {
    const auto loop = [this](const ShowRow<Qs...>& visit) { Base::template each<Qs...>(visit); };
    const std::size_t size = this->size();
    if (has("a_loop_skips_behind_the_destroyed")) {
      bool skips = false;
      loop([&](entity_type entity, Qs&... components) {
        if (std::exchange(skips, false)) return;
        show(entity, components...);
        skips = !this->alive(entity);
      });
    } else if (has("a_loop_shows_the_dead")) {
      std::vector<std::tuple<entity_type, Qs*...>> rows;
      loop([&](entity_type entity, Qs&... components) { rows.emplace_back(entity, std::addressof(components)...); });
      for (const auto& row : rows) {
        std::apply([&](entity_type entity, Qs*... components) { show(entity, *components...); }, row);
      }
    } else if (has("a_changed_entity_comes_twice")) {
      for (const bool frozen : {false, true}) {
        loop([&](entity_type entity, Qs&... components) {
          if (this->template contains<Frozen>(entity) == frozen) show(entity, components...);
        });
      }
    } else {
      loop(show);
      if (has("a_loop_starts_again_after_growth") && this->size() > size) loop(show);
      for (std::size_t seen = size; has("a_loop_follows_its_end") && seen != this->size();) {
        seen = this->size();
        loop(show);
      }
    }
  }
};

// ---- indirection_map.changed with every fault of what is recorded

template <class SchemaType>
class FaultyTicks : public IndirectionMapChanged<SchemaType> {
  using Base = IndirectionMapChanged<SchemaType>;

 public:
  using typename Base::entity_type;

  bool destroy(entity_type entity) {
    const bool was_alive = Base::destroy(entity);
    if (has("destruction_changes_all")) this->template each<Position>([](const Position&) {});
    return was_alive;
  }

  template <class C>
  [[nodiscard]] C* find(entity_type entity) noexcept {
    if (has("a_lookup_writes_no_tick")) return const_cast<C*>(Base::template find<const C>(entity));
    return Base::template find<C>(entity);
  }
  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return Base::template find<Cs...>(entity);
  }

  template <class... Qs, class Fn>
  void each_changed(Tick since, Fn&& fn) const {
    Base::template each_changed<Qs...>(has("what_rests_has_changed") ? 0 : since, fn);
  }
};

// ---- the faults that are types of their own: a semantics card, and a parameter of the registry

/// indirection_map with a card of which every line is wrong.
template <class SchemaType>
class WrongCard : public IndirectionMap<SchemaType> {
 public:
  static constexpr SemanticsCard semantics{
      .pointer_stability_on_erase = not_promised(""),
      .creation_order = not_promised("the last row moves into the hole"),
      .immediate_destruction = not_promised("components are ended later"),
      .parallel_rows = not_promised(""),
      .growth = not_promised("all memory is taken at first"),
      .handles_stay_stale = not_promised("a generation has few bits"),
  };
};

/// indirection_map in which freed indices do not wait.
template <class SchemaType, class Registry>
using QueuesNothing = IndirectionMap<SchemaType, EntityRegistry<typename Registry::entity_type, 0>>;

// ---- what is checked of each

template <class SchemaType>
using PoolsOfSchema = FaultyPools<SchemaType>;
template <class SchemaType, class Registry>
using PoolsWith = FaultyPools<SchemaType, Registry>;

[[nodiscard]] std::vector<Check> all_checks() {
  std::vector<Check> checks = contract_checks();
  const auto add = [&](const Check& check) { checks.push_back(check); };
  for_each_packed_check<PoolsOfSchema>(add);
  for_each_reserved_check<PoolsOfSchema>(add);
  for_each_registry_check<PoolsWith>(add);
  return checks;
}

template <template <class> class Strategy>
[[nodiscard]] std::vector<Check> card_checks() {
  return {semantics_checks<Strategy>.begin(), semantics_checks<Strategy>.end()};
}

}  // namespace

const std::vector<Check>& checks_of(Original original) {
  static const std::vector<Check> of_pools = all_checks();
  static const std::vector<Check> of_objects = card_checks<FaultyObjects>();
  static const std::vector<Check> of_card = card_checks<WrongCard>();
  static const std::vector<Check> of_ticks{Check{"changes_are_recorded", &changes_are_recorded<FaultyTicks>}};
  static const std::vector<Check> of_queue{Check{"freed_indices_wait", &freed_indices_wait<QueuesNothing>}};
  switch (original) {
    case Original::pools:
      return of_pools;
    case Original::objects:
      return of_objects;
    case Original::card:
      return of_card;
    case Original::ticks:
      return of_ticks;
    case Original::queue:
      break;
  }
  return of_queue;
}

}  // namespace stowage::conformance::mutants
