#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <stowage/indirection_map.hpp>
#include <stowage/parts/loop.hpp>

// A whole storage with one faulty operation each.
namespace stowage::conformance::mutants {

template <class SchemaType>
class EachLosesTheLastRow : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    std::size_t left = 0;
    Base::template each<Qs...>([&](Qs&...) { ++left; });
    Base::template each<Qs...>([&](typename Base::entity_type entity, Qs&... components) {
      if (--left != 0) parts::call(fn, [&] { return entity; }, components...);
    });
  }
};

/// Each block names the entities of its rows from the last to the first.
template <class SchemaType>
class BlocksNameOthers : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  struct block_entities : Base::block_entities {
    [[nodiscard]] auto operator[](std::size_t position) const noexcept {
      return Base::block_entities::operator[](this->size() - 1 - position);
    }
  };
  template <class... Qs, class Fn>
  void each_block(Fn&& fn) const {
    Base::template each_block<Qs...>([&](const typename Base::block_entities& entities, const auto&... spans) {
      fn(block_entities{entities}, spans...);
    });
  }
};

template <class SchemaType>
class BlocksRepeatTheFirst : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  template <class... Qs, class Fn>
  void each_block(Fn&& fn) {
    bool first = true;
    Base::template each_block<Qs...>([&](const auto&... spans) {
      fn(spans...);
      if (std::exchange(first, false)) fn(spans...);
    });
  }
};

/// find<A, B> finds the B of the entity that was asked for before.
template <class SchemaType>
class FindMixesEntities : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  using typename Base::entity_type;
  template <class C>
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return Base::template find<C>(entity);
  }
  template <class C>
  [[nodiscard]] C* find(entity_type entity) noexcept {
    return Base::template find<C>(entity);
  }
  template <class A, class B, class... Cs>
  [[nodiscard]] std::tuple<A*, B*, Cs*...> find(entity_type entity) {
    auto found = Base::template find<A, B, Cs...>(entity);
    B* const other = Base::template find<B>(std::exchange(previous_, entity));
    if (std::get<B*>(found) != nullptr && other != nullptr) std::get<B*>(found) = other;
    return found;
  }

 private:
  entity_type previous_;
};

template <class SchemaType>
class ListLosesTheLast : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  using typename Base::entity_type;

  using Base::destroy;
  std::size_t destroy(std::span<const entity_type> entities) {
    std::size_t destroyed = 0;
    for (const entity_type entity : entities.first(entities.size() - 1)) destroyed += Base::destroy(entity) ? 1 : 0;
    return destroyed + 1;
  }
};

template <class SchemaType>
class CountIsOff : public IndirectionMap<SchemaType> {
 public:
  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    const std::size_t count = IndirectionMap<SchemaType>::template count<C>();
    return count > 16 ? count - 1 : count;
  }
};

template <class SchemaType>
class BulkRepeatsAValue : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  using typename Base::entity_type;
  template <class... Cs>
  entity_type create(Cs&&... components) {
    return Base::create(std::forward<Cs>(components)...);
  }
  template <class... Cs>
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    const std::tuple<std::vector<Cs>...> repeated(with_last_repeated(columns)...);
    Base::create(out, std::span<const Cs>(std::get<std::vector<Cs>>(repeated))...);
  }

 private:
  template <class C>
  [[nodiscard]] static std::vector<C> with_last_repeated(std::span<const C> column) {
    std::vector<C> components;
    for (std::size_t i = 0; i < column.size(); ++i) components.push_back(column[i + 1 < column.size() ? i : 0]);
    return components;
  }
};

template <class SchemaType>
class TablesLackARow : public IndirectionMap<SchemaType> {
 public:
  template <class Fn>
  void each_table(Fn&& fn) const {
    IndirectionMap<SchemaType>::each_table([&](RowTable table) {
      if (table.rows > 1) table.owners = table.owners.first(--table.rows);
      fn(table);
    });
  }
};

template <class SchemaType>
class ColumnsChangeOwners : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  using Base::create;
  void create(std::span<typename Base::entity_type> out, const ComponentColumns<SchemaType>& columns) {
    Base::create(out, columns);
    if (!out.empty()) std::swap(out.front(), out.back());
  }
};

template <class SchemaType>
class SlackIsMiscounted : public IndirectionMap<SchemaType> {
 public:
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = IndirectionMap<SchemaType>::memory();
    bytes.slack_bytes -= bytes.slack_bytes % 64;
    return bytes;
  }
};

template <class SchemaType>
class BlocksAreMiscounted : public IndirectionMap<SchemaType> {
 public:
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = IndirectionMap<SchemaType>::memory();
    bytes.allocations += bytes.allocations > 3 ? 1 : 0;
    return bytes;
  }
};

/// Makes room for the new component by ending the old one, before it is known whether there will be a new one.
template <class SchemaType>
class EmplaceEndsTheOldFirst : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  template <class C, class... Arguments>
  C& emplace(typename Base::entity_type entity, Arguments&&... arguments) {
    Base::template remove<C>(entity);
    return Base::template emplace<C>(entity, std::forward<Arguments>(arguments)...);
  }
};

template <class SchemaType>
class EmplaceRaisesTheDead : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  template <class C, class... Arguments>
  C& emplace(typename Base::entity_type entity, Arguments&&... arguments) {
    const auto living = this->alive(entity) ? entity : this->create();
    return Base::template emplace<C>(living, std::forward<Arguments>(arguments)...);
  }
};

template <class SchemaType>
class CreationAllocates : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  template <class... Cs>
  auto create(Cs&&... components) {
    static_cast<void>(std::make_unique<std::size_t>(sizeof...(Cs)));
    return Base::create(std::forward<Cs>(components)...);
  }
};

template <class SchemaType>
class LoopsAllocate : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    const std::vector<std::size_t> owners(this->size());
    Base::template each<Qs...>(fn);
  }
};

// ---- semantics cards

template <class SchemaType>
class CardPromisesTooMuch : public IndirectionMap<SchemaType> {
 public:
  static constexpr SemanticsCard semantics = [] {
    SemanticsCard card = parts::packed_pool_semantics;
    card.pointer_stability_on_insert = promised;
    return card;
  }();
};

template <class SchemaType>
class CardDeniesTooMuch : public IndirectionMap<SchemaType> {
 public:
  static constexpr SemanticsCard semantics = [] {
    SemanticsCard card = parts::packed_pool_semantics;
    card.creation_order = not_promised("the last row moves into the hole");
    return card;
  }();
};

template <class SchemaType>
class CardGivesNoReason : public IndirectionMap<SchemaType> {
 public:
  static constexpr SemanticsCard semantics = [] {
    SemanticsCard card = parts::packed_pool_semantics;
    card.pointer_stability_on_erase = not_promised("");
    return card;
  }();
};

}  // namespace stowage::conformance::mutants
