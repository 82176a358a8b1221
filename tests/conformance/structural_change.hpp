#pragma once

// Checks of emplace() and remove(): groups form and dissolve, arguments may be the storage's own, growth loses nothing.
#include "tests/conformance/components.hpp"

namespace stowage::conformance {

template <template <class> class Strategy>
void emplace_adds_and_remove_takes_away() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t i = 0; i < 5; ++i) roster.template create<>();
  roster.template emplace<Unique>(1, 10);
  roster.template emplace<Frozen>(3);
  roster.template emplace<Half>(1, 11);
  roster.template emplace<Unique>(4, 12);
  roster.check();
  roster.template remove<Unique>(1);
  roster.check();
  roster.template remove<Unique>(1);  // has none
  roster.template remove<Frozen>(3);
  roster.template remove<Name>(2);  // never had any
  roster.check();
}

template <template <class> class Strategy>
void emplace_replaces() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t i = 0; i < 20; ++i) create_assorted(roster, i);
  for (std::uint32_t i = 0; i < 20; i += 3) {
    roster.template emplace<Fragile>(i, 100 + i);
    roster.template emplace<Name>(i, 200 + i);
    roster.template emplace<Unique>(i, 300 + i);
    roster.template emplace<Wide>(i, 400 + i);
    roster.template emplace<Frozen>(i);
  }
  roster.check();
  require(Fragile::living == 20, "a replaced component was not destroyed, or destroyed twice");
}

/// Adds the members of a group in one order and takes them away in another, between entities on both sides of it.
template <template <class> class Strategy>
void groups_form_and_dissolve_in_every_order() {
  std::array<int, 3> adding{0, 1, 2};
  Roster<Strategy<World>> roster;
  for (std::uint32_t i = 0; i < 4; ++i) {
    create_whole_group(roster, i);
    create_partial(roster, i);
  }
  const auto add = [&](int member, std::size_t entity, std::uint32_t number) {
    if (member == 0) roster.template emplace<Position>(entity, number);
    if (member == 1) roster.template emplace<Fragile>(entity, number);
    if (member == 2) roster.template emplace<Wide>(entity, number);
  };
  const auto take = [&](int member, std::size_t entity) {
    if (member == 0) roster.template remove<Position>(entity);
    if (member == 1) roster.template remove<Fragile>(entity);
    if (member == 2) roster.template remove<Wide>(entity);
  };
  do {
    const std::size_t first = create_second_group(roster, 50);
    const std::size_t second = create_partial(roster, 60);
    for (const int member : adding) add(member, first, 70);
    for (const int member : adding) add(member, second, 80);
    roster.check();
    std::array<int, 3> taking{0, 1, 2};
    do {
      for (const int member : taking) take(member, first);
      roster.check();
      for (const int member : taking) add(member, first, 90);
    } while (std::ranges::next_permutation(taking).found);
    roster.check();
  } while (std::ranges::next_permutation(adding).found);
}

/// Many entities change sets in an order that follows no pattern, so that rows move into holes everywhere.
template <template <class> class Strategy>
void thousands_change_their_components() {
  Roster<Strategy<Plain>> roster;
  constexpr std::size_t count = 3000;
  for (std::uint32_t i = 0; i < count; ++i) roster.template create<Position, Team>(i);
  for (const std::size_t i : shuffled(count)) {
    if (i % 2 == 0) roster.template emplace<Velocity>(i, static_cast<std::uint32_t>(i));
    if (i % 3 == 0) roster.template remove<Team>(i);
    if (i % 5 == 0) roster.template emplace<Frozen>(i);
    if (i % 7 == 0) roster.destroy(i);
  }
  roster.check();
  for (const std::size_t i : shuffled(count)) {
    if (!roster.entry(i).alive) continue;
    if (i % 4 == 0) roster.template remove<Position>(i);
    if (i % 6 == 0) roster.template emplace<Team>(i, static_cast<std::uint32_t>(i));
  }
  roster.check();
}

/// Clears components of complete groups, of incomplete ones and of none, with dead entities in between.
template <template <class> class Strategy>
void clear_takes_one_component_from_all() {
  if constexpr (DerivedForms<Strategy<ProbeSchema>>) {
    Roster<Strategy<World>> roster;
    for (const std::uint32_t count : {0, 9}) {
      populate(roster, count);
      for (std::size_t i = 3; i < roster.created(); i += 7) {
        if (roster.entry(i).alive) roster.destroy(i);
      }
      roster.template clear<Fragile>();
      roster.template clear<Unique>();
      roster.check();
    }
    roster.template emplace<Fragile>(0, 5);
    roster.template clear<Name>();
    populate(roster, 2);
    roster.check();
  }
}

// ---- arguments that refer to components of the same storage

/// At every size, so also where the array with the argument in it is about to move.
template <template <class> class Strategy>
void creation_from_own_components_at_every_size() {
  Roster<Strategy<World>> roster;
  create_partial(roster, 1000);
  for (std::uint32_t i = 1; i < 300; ++i) {
    const std::size_t source = i * 7 % i;
    const auto [name, fragile] = roster.storage.template find<Name, Fragile>(roster[source]);
    const std::uint32_t number = number_of(*name);
    roster.template note<Name, Fragile>(roster.storage.create(*name, *fragile), number);
    roster.check_entity(source);
    roster.check_entity(i);
  }
  roster.check();
}

template <template <class> class Strategy>
void creation_of_thousands_from_own_components() {
  Roster<Strategy<Plain>> roster;
  roster.template create<Position, Velocity, Team>(4000);
  for (std::size_t i = 1; i < 6200; ++i) {
    const std::size_t source = i * 31 % i;
    const auto [position, velocity] = roster.storage.template find<const Position, const Velocity>(roster[source]);
    roster.template note<Position, Velocity>(roster.storage.create(*position, *velocity), 4000);
    roster.check_entity(i);
  }
  roster.check();
}

template <template <class> class Strategy>
void emplace_from_own_components_at_every_size() {
  Roster<Strategy<World>> roster;
  create_assorted(roster, 7);
  for (std::uint32_t i = 1; i < 300; ++i) {
    const std::size_t entity = roster.template create<>();
    const std::size_t source = i * 5 % i;
    const auto [name, fragile, position, wide] =
        roster.storage.template find<Name, Fragile, Position, Wide>(roster[source]);
    roster.storage.template emplace<Name>(roster[entity], *name);
    roster.storage.template emplace<Fragile>(roster[entity], *roster.storage.template find<Fragile>(roster[source]));
    roster.storage.template emplace<Wide>(roster[entity], *roster.storage.template find<Wide>(roster[source]));
    roster.storage.template emplace<Position>(roster[entity], *roster.storage.template find<Position>(roster[source]));
    roster.template note_component<Name>(entity, 7);
    roster.template note_component<Fragile>(entity, 7);
    roster.template note_component<Wide>(entity, 7);
    roster.template note_component<Position>(entity, 7);
    roster.check_entity(entity);
    roster.check_entity(source);
  }
  roster.check();
}

/// The component that is replaced is the argument.
template <template <class> class Strategy>
void emplace_from_the_component_it_replaces() {
  Roster<Strategy<World>> roster;
  create_assorted(roster, 1);
  const std::size_t entity = create_assorted(roster, 2);
  create_partial(roster, 3);
  auto& storage = roster.storage;
  storage.template emplace<Name>(roster[entity], *storage.template find<Name>(roster[entity]));
  storage.template emplace<Fragile>(roster[entity], *storage.template find<Fragile>(roster[entity]));
  storage.template emplace<Unique>(roster[entity], std::move(*storage.template find<Unique>(roster[entity])));
  roster.check();
}

// ---- growth

[[nodiscard]] inline bool is_growth_boundary(std::size_t size) {
  // powers of two, the 3/8 steps after them, and one more and one less of each
  constexpr std::array<std::size_t, 10> boundaries{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 5632};
  return std::ranges::any_of(boundaries,
                             [size](std::size_t boundary) { return size + 1 >= boundary && size <= boundary + 1; });
}

/// Growing one by one and shrinking again, everything stays where it belongs on both sides of every boundary.
template <template <class> class Strategy>
void growth_keeps_everything() {
  Roster<Strategy<Plain>> roster;
  const std::uint32_t most = is_brief() ? 2200 : 6500;
  for (std::uint32_t i = 0; i < most; ++i) {
    roster.template create<Position, Velocity, Team>(i);
    if (is_growth_boundary(roster.living())) roster.check();
  }
  roster.check();
  for (const std::size_t ordinal : shuffled(most)) {
    roster.destroy(ordinal);
    if (roster.living() > 2000 ? roster.living() % 1024 == 0 : is_growth_boundary(roster.living())) roster.check();
  }
  roster.check();
}

/// The same with components of every kind, grown through partial groups too: 100 rows fill several sections.
template <template <class> class Strategy>
void growth_moves_components_of_every_kind() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t i = 0; i < 700; ++i) {
    create_assorted(roster, i);
    create_second_group(roster, i);
    if (i % 4 == 3) create_partial(roster, i);
    if (is_growth_boundary(roster.living())) roster.check();
  }
  roster.check();
  for (const std::size_t ordinal : shuffled(roster.created())) {
    roster.destroy(ordinal);
    if (roster.living() % 100 == 0) roster.check();
  }
}

template <template <class> class Strategy>
inline constexpr std::array structural_change_checks{
    STOWAGE_CHECK(emplace_adds_and_remove_takes_away, structural_change),
    STOWAGE_CHECK(emplace_replaces, structural_change),
    STOWAGE_CHECK(groups_form_and_dissolve_in_every_order, structural_change),
    STOWAGE_CHECK(thousands_change_their_components, structural_change),
    STOWAGE_CHECK(clear_takes_one_component_from_all, structural_change),
    STOWAGE_CHECK(creation_from_own_components_at_every_size, own_arguments),
    STOWAGE_CHECK(creation_of_thousands_from_own_components, own_arguments),
    STOWAGE_CHECK(emplace_from_own_components_at_every_size, structural_change, own_arguments),
    STOWAGE_CHECK(emplace_from_the_component_it_replaces, structural_change, own_arguments),
    STOWAGE_CHECK(growth_keeps_everything),
    STOWAGE_CHECK(growth_moves_components_of_every_kind),
};

}  // namespace stowage::conformance
