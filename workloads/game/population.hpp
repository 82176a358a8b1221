#pragma once

// Makes the entities of a game: prefabs for the commonest sets, what is special one by one, and values for it all.

#include <stowage/contract/query.hpp>
#include <stowage/hierarchy/hierarchy.hpp>
#include <stowage/parts/flat_tuple.hpp>
#include <stowage/parts/sections/component_mask.hpp>

#include "workloads/game/component.hpp"
#include "workloads/support/trees.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads::game {

/// The place of a component in a list of them.
template <class C, class... Cs>
[[nodiscard]] consteval std::size_t place_of(TypeList<Cs...>) {
  constexpr std::size_t place = stowage::detail::position_of<C, Cs...>();
  static_assert(place < sizeof...(Cs), "a component that is used is one of the game's");
  return place;
}

/// Which of a game's components these are.
template <class Components, std::size_t Bits = Components::size, class... Cs>
[[nodiscard]] consteval parts::ComponentMask<Bits> set_of(TypeList<Cs...>) {
  parts::ComponentMask<Bits> set;
  for (const std::size_t place : std::initializer_list<std::size_t>{place_of<Cs>(Components{})...}) {
    set = set.with(place);
  }
  return set;
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
  STOWAGE_COLD void fill(std::uint64_t seed) {
    seed_ = seed;
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

  std::uint64_t seed_ = 0;
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
  using Set = parts::ComponentMask<Components::size>;

  STOWAGE_COLD explicit Maker(std::uint64_t seed) {
    stowage::detail::for_each_type(Components{}, [&]<class C>(TypeList<C>) {
      constexpr std::size_t place = place_of<C>(Components{});
      parts::element<place>(values_).fill(seed + 64 * (1 + place));
    });
  }

  /// Creates an entity with the components whose bits are in `words`. Components that may be off are there in any case,
  /// and off if they are not among them.
  Handle create(Storage& storage, const std::uint64_t* words) {
    ++made_;
    const Set set = Set::of_words(words);
    if constexpr (requires { storage.create_of(Components{}, words, [](auto) {}); }) {  // a yardstick
      return storage.create_of(Components{}, words, [&](auto construct) {
        for_each_in(set, [&]<class C>(TypeList<C> component) { construct(component, values_of<C>()[made_]); });
      });
    } else {
      Handle entity;
      Set given;
      const Set held = set | set_of<Components>(Toggled{});
      if (!create_prefab(typename Game::Prefabs{}, storage, held, entity, given)) entity = storage.create();
      if (!(given == held)) {
        for_each_in(held.minus(given),
                    [&]<class C>(TypeList<C>) { storage.template emplace<C>(entity, values_of<C>()[made_]); });
      }
      switch_off(Toggled{}, storage, set, entity);
      return entity;
    }
  }

  /// The next value of a component.
  template <class C>
  [[nodiscard]] decltype(auto) value() {
    return values_of<C>()[++made_];
  }

 private:
  template <class... Cs>
  static auto values_of_all(TypeList<Cs...>) -> parts::FlatTuple<Values<Cs>...>;
  template <class C>
  [[nodiscard]] const Values<C>& values_of() const noexcept {
    return parts::element<place_of<C>(Components{})>(values_);
  }

  /// Creates the first prefab, of which the largest come first, that has nothing that the set lacks.
  template <class... Prefabs>
  bool create_prefab(TypeList<Prefabs...>, Storage& storage, const Set& set, Handle& entity, Set& given) {
    return (create_if_within(decltype(with_toggled(Prefabs{}, Components{})){}, storage, set, entity, given) || ...);
  }
  template <class... Cs>
  bool create_if_within(TypeList<Cs...> prefab, Storage& storage, const Set& set, Handle& entity, Set& given) {
    constexpr Set wanted = set_of<Components>(prefab);
    if (!set.includes(wanted)) return false;
    given = wanted;
    entity = storage.create(values_of<Cs>()[made_]...);
    return true;
  }
  /// Calls `fn(TypeList<C>{})` for each component of the set.
  template <class Fn>
  static void for_each_in(const Set& set, Fn&& fn) {
    if constexpr (Components::size > parts::few_components) {
      parts::for_each_component_in(set, Components{}, fn);
    } else {
      stowage::detail::for_each_type(Components{}, [&]<class C>(TypeList<C> component) {
        if (set.has(place_of<C>(Components{}))) fn(component);
      });
    }
  }

  template <class... Cs>
  void switch_off(TypeList<Cs...>, [[maybe_unused]] Storage& storage, [[maybe_unused]] const Set& set,
                  [[maybe_unused]] Handle entity) {
    ((set.has(place_of<Cs>(Components{})) ? void() : storage.template set_enabled<Cs>(entity, false)), ...);
  }

  decltype(values_of_all(Components{})) values_;
  std::size_t made_ = 0;
};

}  // namespace stowage::workloads::game
