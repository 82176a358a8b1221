#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <stowage/contract/query.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/hierarchy/hierarchy.hpp>

#include "harness/recommend/game/component.hpp"
#include "workloads/support/array.hpp"
#include "workloads/support/random.hpp"
#include "workloads/support/trees.hpp"

namespace stowage::workloads::game {

/// The place of a component in a list of them.
template <class C, class... Cs>
[[nodiscard]] consteval std::size_t place_of(TypeList<Cs...>) {
  static_assert((std::is_same_v<C, Cs> || ...), "a component that is used is one of the game's");
  std::size_t place = 0;
  static_cast<void>(((std::is_same_v<C, Cs> || (++place, false)) || ...));
  return place;
}

/// Which of a game's components these are: bit i for the i-th.
template <class Components, class... Cs>
[[nodiscard]] consteval std::uint32_t set_of(TypeList<Cs...>) {
  return (0U | ... | (1U << place_of<Cs>(Components{})));
}

/// Whether entities keep a component while they do not have it, by the schema and as far as the storage can.
template <class C, class Storage>
inline constexpr bool may_be_off =
    requires(Storage& storage, typename Storage::entity_type entity) { storage.template set_enabled<C>(entity, true); };

/// What components of one type are made from, one value after the other. Few enough to stay in the cache, and a prime
/// number of them, so that a place gets other values each time.
template <class C>
class Values {
  static constexpr std::size_t count = 251;
  static constexpr bool is_listed =
      !is_tag<C> && std::is_trivially_copyable_v<C> && alignof(C) <= alignof(std::max_align_t);

 public:
  explicit Values(std::uint64_t seed) : seed_(seed) {
    if constexpr (is_listed) {
      values_.reserve(count);
      for (std::size_t i = 0; i < count; ++i) values_.push_back(made(i));
    }
  }

  /// The value with that number: one of a list, or a fresh one of a type that cannot be in it.
  [[nodiscard]] decltype(auto) operator[](std::size_t number) const {
    if constexpr (is_listed) {
      return static_cast<const C&>(values_[number % count]);
    } else {
      return made(number);
    }
  }

 private:
  [[nodiscard]] C made(std::size_t number) const {
    if constexpr (std::is_same_v<C, LocalTransform>) {
      return {local_transform(seed_, number, 0)};
    } else if constexpr (std::is_same_v<C, WorldTransform>) {
      return {hierarchy::identity()};
    } else {
      return make_component<C>(mixed(seed_, number));
    }
  }

  std::uint64_t seed_;
  Array<std::conditional_t<is_listed, C, char>> values_;
};

/// Makes entities with the components that their places have: a game's commonest sets at once, as its prefabs are, and
/// what others have beyond the largest prefab that is part of them one by one, as a game adds what is special.
template <class Game, class Storage>
class Maker {
  using Components = typename Game::Components;

  /// A set of components, and of `Cs` those that may be off.
  template <class Set, class... Cs>
  static auto with_toggled(Set, TypeList<Cs...>) -> stowage::detail::concatenated<
      Set, stowage::detail::TypeListIf<may_be_off<Cs, Storage> && !stowage::detail::list_contains<Cs, Set>, Cs>...>;
  using Toggled = decltype(with_toggled(TypeList<>{}, Components{}));

 public:
  using Handle = typename Storage::entity_type;

  explicit Maker(std::uint64_t seed) : values_(make_values(Components{}, seed)) {}

  /// Every entity has what may be off, and what is not in its set is off.
  Handle create(Storage& storage, std::uint32_t set) {
    ++made_;
    Handle entity;
    std::uint32_t given = 0;
    const std::uint32_t held = set | set_of<Components>(Toggled{});
    if (!create_prefab(typename Game::Prefabs{}, storage, held, entity, given)) entity = storage.create();
    if (given != held) add_rest(Components{}, storage, held & ~given, entity);
    switch_off(Toggled{}, storage, set, entity);
    return entity;
  }

  /// The next value of a component.
  template <class C>
  [[nodiscard]] decltype(auto) value() {
    return std::get<Values<C>>(values_)[++made_];
  }

 private:
  template <class... Cs>
  [[nodiscard]] static auto make_values(TypeList<Cs...>, std::uint64_t seed) {
    return std::tuple<Values<Cs>...>{Values<Cs>(seed + 64 * (1 + place_of<Cs>(Components{})))...};
  }

  /// The first of the prefabs, which come largest first, that has nothing that the set has not.
  template <class... Prefabs>
  bool create_prefab(TypeList<Prefabs...>, Storage& storage, std::uint32_t set, Handle& entity, std::uint32_t& given) {
    return (create_if_within(decltype(with_toggled(Prefabs{}, Components{})){}, storage, set, entity, given) || ...);
  }
  template <class... Cs>
  bool create_if_within(TypeList<Cs...> prefab, Storage& storage, std::uint32_t set, Handle& entity,
                        std::uint32_t& given) {
    constexpr std::uint32_t wanted = set_of<Components>(prefab);
    if ((wanted & ~set) != 0) return false;
    given = wanted;
    entity = storage.create(std::get<Values<Cs>>(values_)[made_]...);
    return true;
  }
  template <class... Cs>
  void add_rest(TypeList<Cs...>, Storage& storage, std::uint32_t rest, Handle entity) {
    const auto add = [&]<class C>(TypeList<C>) {
      if ((rest >> place_of<C>(Components{}) & 1U) != 0) {
        storage.template emplace<C>(entity, std::get<Values<C>>(values_)[made_]);
      }
    };
    (add(TypeList<Cs>{}), ...);
  }

  template <class... Cs>
  void switch_off(TypeList<Cs...>, [[maybe_unused]] Storage& storage, [[maybe_unused]] std::uint32_t set,
                  [[maybe_unused]] Handle entity) {
    [[maybe_unused]] const auto switch_one = [&]<class C>(TypeList<C>) {
      if ((set >> place_of<C>(Components{}) & 1U) == 0) storage.template set_enabled<C>(entity, false);
    };
    (switch_one(TypeList<Cs>{}), ...);
  }

  decltype(make_values(Components{}, 0)) values_;
  std::size_t made_ = 0;
};

}  // namespace stowage::workloads::game
