#pragma once

// The storage contract: what each operation of a storage means, and a small named concept for each group of them.

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>

// The header of a strategy checks the concepts, with the probe schema below, by
// `static_assert(stowage::assert_storage<Strategy>())`. There is one assertion per capability, so that the first error
// names what is missing.
//
// What the operations mean (the conformance suite is the long form):
//
//   create()                a new entity without components
//   create(cs...)           a new entity with these components, moved or copied in
//   create(out, columns...) out.size() new entities; entity i takes columns[i] of every column. Bulk form. `out` and
//                           the columns are spans or other contiguous ranges: vectors, arrays
//   create(out)             the same without components
//   create_copies(out, cs...)
//                           the same with a copy of each of these components for each entity
//   create(out, columns)    the same for a set of components known at run time: see component_columns.hpp. Moves them
//   destroy(e)              false, and nothing changes, when e is not alive; see destroy_all() for many
//   emplace<C>(e, args...)  adds C(args...) or replaces the C that e has; throws DeadEntity. An added C is constructed
//                           in its final place if its array need not grow. It is constructed elsewhere and moved if it
//                           replaces one or the array grows, because the arguments may refer to what is replaced or
//                           moves; in indirection_map.paired also if it completes a group; and if C does not lie whole,
//                           as in lanes
//   remove<C>(e)            false, and nothing changes, when e has no C or is not alive; may throw if C leaves a
//                           complete group, whose other components then need rows of their own
//   clear<C>()              removes C from every entity that has one. Needs memory for a list of them
//   contains<Cs...>(e)      whether e is alive and has all of Cs
//   find<Cs...>(e)          pointer<C>, or a tuple of them for more than one; null where absent or not alive
//   each<Cs...>(fn)         fn(refs...) or fn(Entity, refs...) for every entity that has all of Cs; const C reads only
//   each<C, With<A>, Without<B>, Optional<D>>(fn)
//                           only entities that have C and A and lack B; fn is shown C and a pointer<D>, null if an
//                           entity has none, in this order: see query.hpp. No allocation; a row costs no more than the
//                           look at its filters. The same in each_step() and loop_steps()
//   each_block<Cs...>(fn)   the same rows as blocks: fn(span...) or fn(block_entities, span...), with one span (or
//                           StridedSpan) per component; the BlockEntities are the owners of the rows
//   each_step<Cs...>(first, end, fn)
//                           a part of each<Cs...>(fn): of the loop's steps, which are numbered from 0 to
//                           loop_steps<Cs...>() - 1 until the next structural change, those from `first` up to `end`. A
//                           step visits one entity or none, and each entity is visited in one of them. Only if the
//                           semantics card promises parallel_rows: see each_parallel.hpp
//   each_table(fn)          all components as they lie: fn(const RowTable&) for rows that have the same components.
//                           Each component of each entity comes once; an entity without components is in no table: see
//                           row_table.hpp. A table is valid while fn runs, and fn must not change the storage
//   entity_at(index)        the handle of the living entity with this index; if none lives, some handle with this
//                           index, which alive() may take for a living one
//   count<C>(), size()      entities that have C; entities alive
//   reserve(n)              room for n entities that have every component of the schema
//   reserve<Cs...>(n)       room for n entities that have exactly Cs, if there are no others: what is kept by index,
//                           as generations and direct rows are, grows with the highest one. Room is kept for later
//                           entities, reserved or not. Only defragment(), if a storage has it, gives some back
//   clear()                 destroys every entity; memory is kept
//   memory()                every byte held, as payload, index and slack
//
// A storage may have one more, for schemas whose components can be copied as bytes (see CopyableStorage):
//
//   copy_from(other)        the entities of `other`, another storage of the same type, instead of those that are here:
//                           the same handles find equal components, both hand out the same handles from here on, and
//                           loops visit in the same order. Uses the memory that is here, and takes more only where
//                           `other` has more; sections are given back if other sets came here, or in another order.
//                           Throws std::bad_alloc; then this storage is empty, as after clear()
//
// Every operation gives the strong guarantee: if a component's constructor or an allocation throws, nothing that a
// program can observe has changed. Arguments may refer to components in the same storage; the columns of the bulk form
// may not, and an argument passed as an rvalue may be moved from if an operation fails. The constructors and destructor
// of a component must not use the storage it lies in. A storage is neither copied nor moved: hold it through a pointer
// if it must change hands. The semantics card says which pointers, references and spans survive which operation.
//
// A const storage shows components as const: find<C> gives a pointer<const C>, each and each_block take const Cs only.
//
// Threads: any number of threads may use a const storage at the same time. A thread may also write components that it
// finds or visits, const storage or not, while no other thread touches the same components of the same entities.
// Everything that adds, removes, moves or reserves needs the storage for itself.

namespace stowage {

namespace probe {

struct Position {
  float x, y, z;
};
struct Velocity {
  float x, y, z;
};
struct Name {
  std::string text;
};
struct Frozen {};

}  // namespace probe

/// The schema that strategies are checked against where they are defined.
using ProbeSchema = Schema<Group<probe::Position, probe::Velocity>, probe::Name, probe::Frozen>;

/// Entities are created and destroyed one by one, and are known to be alive or not.
template <class S>
concept SingleLifecycle =
    requires(S storage, const S& fixed, typename S::entity_type entity, probe::Position position, probe::Name name) {
      { storage.create() } -> std::same_as<typename S::entity_type>;
      { storage.create(position, std::move(name)) } -> std::same_as<typename S::entity_type>;
      { storage.destroy(entity) } -> std::same_as<bool>;
      { fixed.alive(entity) } -> std::same_as<bool>;
    };

/// Destroys those of `entities` that are alive, and says how many: by `storage.destroy(entities)` if the storage has a
/// faster way than one after the other. None may be in the list twice.
template <class S>
std::size_t destroy_all(S& storage, std::span<const typename S::entity_type> entities) {
  if constexpr (requires { storage.destroy(entities); }) {
    return storage.destroy(entities);
  } else {
    std::size_t destroyed = 0;
    for (const auto entity : entities) destroyed += storage.destroy(entity) ? 1U : 0U;
    return destroyed;
  }
}

/// Gives those of `entities` that are alive a C each, the one at the same place of `components`, and says how many: by
/// `storage.emplace<C>(entities, components)` if the storage has a faster way than one after the other. None may be in
/// the list twice, and `components` must not lie in the storage. If it throws, some may have theirs and others not.
template <class C, class S>
std::size_t emplace_all(S& storage, std::span<const typename S::entity_type> entities, std::span<const C> components) {
  if constexpr (requires { storage.template emplace<C>(entities, components); }) {
    return storage.template emplace<C>(entities, components);
  } else {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < entities.size(); ++i) {
      if (!storage.alive(entities[i])) continue;
      storage.template emplace<C>(entities[i], components[i]);
      ++changed;
    }
    return changed;
  }
}

/// Takes C from those of `entities` that have one, and says how many: by `storage.remove<C>(entities)` if the storage
/// has a faster way than one after the other. None may be in the list twice.
template <class C, class S>
std::size_t remove_all(S& storage, std::span<const typename S::entity_type> entities) {
  if constexpr (requires { storage.template remove<C>(entities); }) {
    return storage.template remove<C>(entities);
  } else {
    std::size_t changed = 0;
    for (const auto entity : entities) changed += storage.template remove<C>(entity) ? 1U : 0U;
    return changed;
  }
}

/// Entities are created in bulk, from a column of each component.
template <class S>
concept BulkCreation =
    requires(S storage, std::span<typename S::entity_type> out, std::span<const probe::Position> positions) {
      { storage.create(out, positions) } -> std::same_as<void>;
    };

/// Entities are created, destroyed, and known to be alive or not.
template <class S>
concept EntityLifecycle = SingleLifecycle<S> && BulkCreation<S>;

/// Components are found by entity, one or several at a time.
template <class S>
concept ComponentAccess = requires(S storage, const S& fixed, typename S::entity_type entity) {
  { storage.template find<probe::Position>(entity) } -> std::same_as<typename S::template pointer<probe::Position>>;
  {
    storage.template find<probe::Position, probe::Name>(entity)
  }
  -> std::same_as<std::tuple<typename S::template pointer<probe::Position>, typename S::template pointer<probe::Name>>>;
  { fixed.template find<probe::Position>(entity) } -> std::same_as<typename S::template pointer<const probe::Position>>;
  { fixed.template contains<probe::Frozen>(entity) } -> std::same_as<bool>;
};

/// Components are added to and removed from living entities.
template <class S>
concept StructuralChange = requires(S storage, typename S::entity_type entity) {
  {
    storage.template emplace<probe::Velocity>(entity, 1.0f, 2.0f, 3.0f)
  } -> std::same_as<typename S::template reference<probe::Velocity>>;
  { storage.template remove<probe::Velocity>(entity) } -> std::same_as<bool>;
};

namespace probe {

/// Stands for any callable in the checks below without instantiating the loops.
struct Visitor {
  template <class... Ts>
  void operator()(Ts&&...) const {}
};
/// The same for a function that also takes the entities of a block.
template <class Entities>
struct BlockVisitor {
  template <class... Spans>
  void operator()(const Entities&, const Spans&...) const {}
};

}  // namespace probe

/// Every entity that has a set of components is visited.
template <class S>
concept RowIteration = requires(S storage, probe::Visitor visitor) {
  { storage.template each<probe::Position, const probe::Velocity>(visitor) } -> std::same_as<void>;
};
/// The same on a const storage, by several readers at a time.
template <class S>
concept ConstIteration = requires(const S& fixed, probe::Visitor visitor) {
  { fixed.template each<const probe::Position, const probe::Velocity>(visitor) } -> std::same_as<void>;
};
/// The same rows are visited block by block.
template <class S>
concept BlockIteration = requires(S storage, const S& fixed, probe::Visitor visitor,
                                  probe::BlockVisitor<typename S::block_entities> block_visitor) {
  { storage.template each_block<probe::Position, const probe::Velocity>(visitor) } -> std::same_as<void>;
  { fixed.template each_block<const probe::Position, const probe::Name>(block_visitor) } -> std::same_as<void>;
};

/// Loops take With, Without and Optional.
template <class S>
concept FilteredIteration = requires(S storage, probe::Visitor visitor) {
  {
    storage.template each<probe::Position, With<probe::Frozen>, Without<probe::Velocity>, Optional<const probe::Name>>(
        visitor)
  } -> std::same_as<void>;
};

/// Every entity that has a set of components is visited, row by row or block by block.
template <class S>
concept ComponentIteration = RowIteration<S> && ConstIteration<S> && BlockIteration<S> && FilteredIteration<S>;

/// The loop over a set of components can be run in parts, so that threads can share it.
template <class S>
concept DivisibleIteration = requires(S storage, const S& fixed, std::size_t step, probe::Visitor visitor) {
  { fixed.template loop_steps<const probe::Position>() } -> std::same_as<std::size_t>;
  { storage.template each_step<probe::Position, const probe::Velocity>(step, step, visitor) } -> std::same_as<void>;
  { fixed.template each_step<const probe::Position>(step, step, visitor) } -> std::same_as<void>;
};

/// Rows are read and created table by table, whatever components they have: save() and load() are made of this.
template <class S>
concept TableExchange =
    requires(S storage, const S& fixed, probe::Visitor visitor, std::span<typename S::entity_type> out,
             const ComponentColumns<typename S::schema_type>& columns, EntityIndex index) {
      { storage.create(out, columns) } -> std::same_as<void>;
      { fixed.each_table(visitor) } -> std::same_as<void>;
      { fixed.entity_at(index) } -> std::same_as<typename S::entity_type>;
    };

/// What StorageForms derives for every storage: many entities from any ranges or as copies, all of several components,
/// one component of all entities.
template <class S>
concept DerivedForms = requires(S storage, const S& fixed, std::vector<typename S::entity_type>& out,
                                std::vector<probe::Position>& positions, probe::Name name) {
  storage.create(out);
  storage.create(out, positions);
  storage.create_copies(out, name);
  { fixed.template contains<probe::Position, probe::Name>(out.front()) } -> std::same_as<bool>;
  storage.template clear<probe::Position>();
};

/// The storage knows how much it holds, and is emptied as a whole.
template <class S>
concept Population = requires(S storage, const S& fixed) {
  { fixed.size() } -> std::same_as<std::size_t>;
  { fixed.template count<probe::Name>() } -> std::same_as<std::size_t>;
  storage.clear();
};
/// The storage reserves room in advance.
template <class S>
concept Reservation = requires(S storage, std::size_t count) {
  storage.reserve(count);
  storage.template reserve<probe::Position, probe::Name>(count);
};

/// The storage knows how much it holds, takes room in advance, and is emptied as a whole.
template <class S>
concept Capacity = Population<S> && Reservation<S>;

/// The whole storage can be copied to another of the same type, ids kept, as rollback does. Not a part of Storage.
template <class S>
concept CopyableStorage = requires(S storage, const S& other) {
  { storage.copy_from(other) } -> std::same_as<void>;
};

/// Every byte held is accounted for.
template <class S>
concept MemoryAccounting = requires(const S& fixed) {
  { fixed.memory() } -> std::same_as<MemoryBreakdown>;
};

/// The strategy states what it promises beyond the contract.
template <class S>
concept StatedSemantics = std::same_as<std::remove_cv_t<decltype(S::semantics)>, SemanticsCard>;

/// The whole contract. `S` is a strategy over ProbeSchema.
template <class S>
concept Storage = EntityLifecycle<S> && ComponentAccess<S> && StructuralChange<S> && ComponentIteration<S> &&
                  TableExchange<S> && DerivedForms<S> && Capacity<S> && MemoryAccounting<S> && StatedSemantics<S>;

/// Rejects an incomplete storage at compile time, with the name of the first missing capability in the first error.
template <class S>
[[nodiscard]] consteval bool assert_storage() {
  static_assert(EntityLifecycle<S>,
                "EntityLifecycle: create(), create(cs...), create(out, columns...), destroy, alive");
  static_assert(ComponentAccess<S>, "ComponentAccess: find<C>, find<Cs...>, contains<C>, pointer<C>");
  static_assert(StructuralChange<S>, "StructuralChange: emplace<C>, remove<C>, reference<C>");
  static_assert(
      ComponentIteration<S>,
      "ComponentIteration: each<Cs...>, also with With<C>, Without<C> and Optional<C>, each_block<Cs...>, the "
      "same with const Cs on a const storage, block_entities");
  static_assert(TableExchange<S>, "TableExchange: create(out, ComponentColumns), each_table(fn), entity_at(index)");
  static_assert(DerivedForms<S>,
                "DerivedForms: create(out), create(vector, vectors...), create_copies(out, cs...), contains<Cs...>, "
                "clear<C>(): derive from parts::StorageForms and name what you hide, as in `using Forms::create`");
  static_assert(Capacity<S>, "Capacity: size(), count<C>(), reserve(n), reserve<Cs...>(n), clear()");
  static_assert(MemoryAccounting<S>, "MemoryAccounting: memory() returns a MemoryBreakdown");
  static_assert(StatedSemantics<S>, "StatedSemantics: a static constexpr SemanticsCard named semantics");
  static_assert(!requires { S::lacking; }, "a storage of the whole contract lacks nothing");
  if constexpr (StatedSemantics<S>) {
    static_assert(
        !S::semantics.parallel_rows.kept || DivisibleIteration<S>,
        "DivisibleIteration: loop_steps<Cs...>(), each_step<Cs...>(first, end, fn), as parallel_rows promises");
  }
  return true;
}

}  // namespace stowage
