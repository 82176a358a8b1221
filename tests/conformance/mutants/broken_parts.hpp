#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <stowage/contract/registry.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>

#include "tests/conformance/components.hpp"

// Parts of the library with one fault each: registries, indices, layouts.
namespace stowage::conformance::mutants {

// ---- registries

/// Every life of an index has generation 0.
class GenerationIsNotBumped : public EntityRegistry<> {
 public:
  [[nodiscard]] Entity create() {
    const Entity entity = EntityRegistry::create();
    if (entity.index() >= living_.size()) living_.resize(entity.index() + std::size_t{1});
    living_[entity.index()] = true;
    return {entity.index(), 0};
  }
  bool destroy(Entity entity) noexcept {
    if (!alive(entity)) return false;
    living_[entity.index()] = false;
    return EntityRegistry::destroy(EntityRegistry::entity_at(entity.index()));
  }
  [[nodiscard]] bool alive(Entity entity) const noexcept {
    return entity.index() < living_.size() && entity.generation() == 0 && living_[entity.index()];
  }
  [[nodiscard]] static Entity entity_at(EntityIndex index) noexcept { return {index, 0}; }

 private:
  std::vector<bool> living_;
};

/// Whose index has ever been given out is alive.
class AliveIgnoresTheGeneration : public EntityRegistry<> {
 public:
  [[nodiscard]] bool alive(Entity entity) const noexcept { return entity.index() < index_count(); }
};

/// Running out of indices is some error or other.
template <class Registry>
class ExhaustionIsUntyped : public Registry {
 public:
  using Registry::create;
  [[nodiscard]] typename Registry::entity_type create() {
    if (this->size() == Registry::entity_type::max_entities) throw std::runtime_error("full");
    return Registry::create();
  }
};

/// Freed indices come back at once.
template <class Registry>
using FreedIndicesDoNotWait = EntityRegistry<typename Registry::entity_type, 0>;

// ---- indices

template <template <class, std::size_t> class Index>
struct PolicyOf {
  template <class EntityType, std::size_t Pools>
  using index = Index<EntityType, Pools>;
};

/// An entity that moved into a hole is still looked for at its old row.
template <class EntityType, std::size_t Pools>
class ForgetsWhoMoved : public parts::ArrayIndex<EntityType, Pools> {
 public:
  template <std::size_t P>
  void assign(EntityIndex, parts::RowNumber) noexcept {}
};

/// A stale handle finds the rows of its successor.
template <class EntityType, std::size_t Pools>
class FindIgnoresTheGeneration : public parts::ArrayIndex<EntityType, Pools> {
 public:
  template <std::size_t P>
  [[nodiscard]] parts::RowNumber find(EntityType entity) const noexcept {
    return this->template reader<P>()(entity.index());
  }
};

// ---- layouts

template <template <class, class...> class Layout>
struct LayoutPolicyOf {
  template <class Key, class... Cs>
  using layout = Layout<Key, Cs...>;
};

/// The last of the rows to be destroyed keeps its component.
template <class Key, class... Cs>
class SkipsADestructor : public parts::Columns<Key, Cs...> {
 public:
  template <class C>
  void destroy(std::size_t first, std::size_t count) const noexcept {
    parts::Columns<Key, Cs...>::template destroy<C>(first, count - 1);
  }
};

/// Only single rows are destroyed: emptying a pool leaks its components.
template <class Key, class... Cs>
class EmptyingLeaks : public parts::Columns<Key, Cs...> {
 public:
  template <class C>
  void destroy(std::size_t first, std::size_t count) const noexcept {
    if (count == 1) parts::Columns<Key, Cs...>::template destroy<C>(first, count);
  }
};

/// One of several components stays behind when a row moves.
template <class Key, class... Cs>
class RelocatesAllButOne : public parts::Columns<Key, Cs...> {
 public:
  template <class C>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    if constexpr (!std::is_same_v<C, Wide>) parts::Columns<Key, Cs...>::template relocate<C>(from, to);
  }
};

/// Columns begin 16 bytes after a cache line.
template <std::size_t ColumnCount>
class ShiftedBlock : public parts::OneBlock<ColumnCount> {
  using Base = parts::OneBlock<ColumnCount>;
  static constexpr std::size_t shift_bytes = 16;

 public:
  ShiftedBlock() = default;
  ShiftedBlock(std::size_t rows, const std::array<parts::ColumnShape, ColumnCount>& shapes)
      : Base(rows + shift_bytes, shapes) {}
  [[nodiscard]] std::byte* start(std::size_t column) const noexcept { return Base::start(column) + shift_bytes; }
};
template <class Key, class... Cs>
using Misaligns = parts::Arrays<ShiftedBlock, parts::WholeColumn, Key, Cs...>;

// ---- the composition that has them

template <class SchemaType, class Registry = EntityRegistry<>, class Index = parts::ArrayIndexPolicy,
          class Layout = parts::ColumnsLayout>
class Composed : public parts::PoolStorage<SchemaType, Registry, Index, Layout> {
 public:
  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
};

}  // namespace stowage::conformance::mutants
