#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stowage/contract/type_list.hpp>
#include <stowage/parts/sections/component_mask.hpp>

// What the C++ that is generated from a game's profile says of the game: types where the work is compiled for them,
// numbers elsewhere. `Game` in the headers beside this one is a struct that has
//
//   static constexpr std::string_view title;
//   static constexpr std::size_t entities;
//   using Components = TypeList<...>;         // transforms of a hierarchy last, local before world
//   using Storage = Schema<...>;              // of the same components; those that may be off are Toggled<>
//   static constexpr std::array<Ownership, N> owners;            // of each component
//   static constexpr std::array<Kind, N> kinds;                  // none: components are given out by `owners`
//   static constexpr std::array<ChildKind, N> children;           // of all kinds, one kind after the other
//   using Prefabs = TypeList<TypeList<...>, ...>;                // the commonest sets of components
//   using Systems = TypeList<Access<TypeList<...>, TypeList<...>, Without<...>, Optional<const ...>>, ...>;
//                                            // or Derivation<..., TypeList<...>>, or InParts<Access<...>, N>
//   static constexpr std::array<double, N> runs_per_frame;       // of each system
//   using Deferred = TypeList<TypeList<...>, ...>;               // what each system changes behind its loop, at once
//   using Lookups = TypeList<Access<TypeList<...>, TypeList<...>>, ...>;
//   static constexpr std::array<LookupRate, N> lookups;
//   using Changes = TypeList<...>;                               // components
//   static constexpr std::array<double, N> changes_per_frame;    // entities that lose each; as many others get it
//   static constexpr double creations_per_frame;
//   static constexpr Tree tree;
//   static constexpr bool saves;
//   static constexpr std::size_t threads;                        // may be left out, with the next one: 1
//   static constexpr std::array<std::size_t, N> stages;          // of each system; those of one may run side by side

namespace stowage::workloads::game {

/// 300 of a profile, and the transforms of a hierarchy.
inline constexpr std::size_t most_components = 302;
/// Some of a game's components.
using ComponentSet = parts::ComponentMask<most_components>;

/// Components that something reads, others that it writes, and what a loop asks for beside them.
template <class Reads, class Writes, class... Filters>
struct Access;
template <class System>
inline constexpr bool access_has_filters = false;
template <class Reads, class Writes, class... Filters>
inline constexpr bool access_has_filters<Access<Reads, Writes, Filters...>> = sizeof...(Filters) > 0;

/// A system that makes what it writes anew from one component: for entities of which that has changed since it last
/// ran, if the storage records changes, and else for all.
template <class Source, class Writes>
struct Derivation;

/// A system that reads all of its entities, and writes one of so many parts of them, another one at each run.
template <class System, std::size_t Parts>
struct InParts;
template <class System, std::size_t Parts>
inline constexpr bool access_has_filters<InParts<System, Parts>> = access_has_filters<System>;

/// Whether systems of the game run beside each other.
template <class Game>
inline constexpr bool has_threads = false;
template <class Game>
  requires requires { Game::threads; }
inline constexpr bool has_threads<Game> = Game::threads > 1;
/// Why its caches are not counted then.
inline constexpr const char* counted_on_one_thread = "caches are counted for one thread only";

/// The share of the entities that have a component. Components of the same `lot` are given to the same entities, as far
/// as their shares go.
struct Ownership {
  double share = 1;
  std::size_t lot = 0;
};

/// So many entities of one kind hang on each entity of another. The number need not be whole: some have one more.
struct ChildKind {
  std::size_t kind = 0;
  double count = 1;
};
/// Entities that have the same components. One that is destroyed takes all that hangs on it along.
struct Kind {
  double share = 1;  ///< of the entities
  ComponentSet components = {};
  double created_per_frame = 0;               ///< as many are destroyed
  std::size_t first_child = 0, children = 0;  ///< its part of the game's `children`
};

struct LookupRate {
  double per_frame = 0;
  bool local = false;     ///< entities that were created one after the other, and not any
  double hot_share = 1;   ///< of the entities; nine tenths of the lookups find one of these
  bool in_space = false;  ///< cell by cell of a grid: see Walk
};

/// Trees of so many levels, root included, in which each node above the last has `fan_out` children. If entities
/// have kinds, these say what hangs on what, and only `dirty_share` counts.
struct Tree {
  bool exists = false;
  std::size_t depth = 1;
  std::size_t fan_out = 1;
  double dirty_share = 1;
};

/// How much larger than described a cell is, to see whether that has another answer.
struct Scale {
  double rates = 1;   ///< of creations and of components that are added and removed
  double shares = 1;  ///< of components that not all entities have
};

}  // namespace stowage::workloads::game
