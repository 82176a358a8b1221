#pragma once

#include <bit>
#include <functional>

#include <stowage/naive_objects.hpp>

#include "tests/conformance/components.hpp"
#include "tests/conformance/mutants/mutants.hpp"

// naive_objects with the faults that break a promise which packed rows do not give.
namespace stowage::conformance::mutants {

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

}  // namespace stowage::conformance::mutants
