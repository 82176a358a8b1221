#pragma once

// A pool for several instances of one component per entity: packed rows that are chained by their numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage {

///     heads_       [gen|first] [gen|first] [ - |  -  ] ...              owner.index() -> row of its first instance
///                            |
///                            v
///     instances_   [ C0 ] [ C1 ] [ C2 ] [ C3 ] ...                      row -> instance
///     links_       [own|->2] [own|--] [own|->1] ...                     row -> owner's index, next row
///     previous_    [  --   ] [ ->2  ] [ ->0   ] ...                     row -> row before it in the chain
///
/// add(owner)     append an instance; links_[row].next = the owner's first; heads_[owner] = row
/// remove(row)    the row before it points to the row behind it; the last row moves into the hole, and the row or head
///                that pointed to it points to the hole. Nothing is ever searched for
/// for_each_of()  row = heads_[owner]; until none: fn(instances_[row]), row = links_[row].next
///
/// `previous_` is an array of its own, because walking a chain does not read it. The pool does not know which entities
/// are alive: end an entity's instances with remove_all() when it dies. Source: Bitsquid, "Building a Data-Oriented
/// Entity System, part 2" (2014), which leaves the links of moved rows to the reader.
///
/// `RowNumber` is an unsigned integer. Its largest value means no row, and is the most instances that there can be.
/// Strong exception guarantee. Not thread-safe. add() and reserve() invalidate references and pointers. remove() and
/// remove_all() move the last rows, which invalidates their numbers as well.
template <class C, class EntityType = Entity, class RowNumber = std::uint32_t>
class MultiInstancePool {
  static_assert(ComponentRequirements<C>::met);
  static_assert(std::is_nothrow_move_assignable_v<C>, "an instance is moved into a hole: nothrow move assignable");

 public:
  using entity_type = EntityType;
  using Row = RowNumber;
  /// No instance: the end of a chain.
  static constexpr Row none = static_cast<Row>(~std::uint64_t{0});

  /// A new instance C(arguments...), before the others of its owner. O(1) amortised. Throws what the constructor
  /// throws, std::bad_alloc, RowsExhausted.
  template <class... Arguments>
  Row add(EntityType owner, Arguments&&... arguments) {
    STOWAGE_ASSERT(!owner.is_null(), "the null handle owns nothing");
    make_room(owner.index());
    Head& head = heads_[owner.index()];
    STOWAGE_ASSERT(head.first == none || head.generation == owner.generation(),
                   "an earlier entity at this index left instances behind");
    instances_.push_back({detail::make<C>(std::forward<Arguments>(arguments)...)});
    const auto row = static_cast<Row>(instances_.size() - 1);
    if (head.first != none) previous_[head.first] = row;
    links_.push_back({owner.index(), head.first});
    previous_.push_back(none);
    head = {owner.generation(), row};
    return row;
  }

  /// Ends one instance. O(1).
  void remove(Row row) noexcept {
    STOWAGE_ASSERT(row < size(), "there is no such row");
    link_to(row) = links_[row].next;
    if (links_[row].next != none) previous_[links_[row].next] = previous_[row];
    const auto last = static_cast<Row>(size() - 1);
    if (row != last) {
      link_to(last) = row;
      if (links_[last].next != none) previous_[links_[last].next] = row;
      instances_[row] = std::move(instances_[last]);
      links_[row] = links_[last];
      previous_[row] = previous_[last];
    }
    instances_.pop_back();
    links_.pop_back();
    previous_.pop_back();
  }

  /// Ends all instances of an owner and says how many they were. O(those).
  std::size_t remove_all(EntityType owner) noexcept {
    std::size_t removed = 0;
    for (Row row = first(owner); row != none; row = first(owner), ++removed) remove(row);
    return removed;
  }

  /// The instance of an owner that was added last; none if it has none.
  [[nodiscard]] Row first(EntityType owner) const noexcept {
    if (owner.index() >= heads_.size()) return none;
    const Head& head = heads_[owner.index()];
    return head.generation == owner.generation() ? head.first : none;
  }
  /// The one that was added before this one.
  [[nodiscard]] Row next(Row row) const noexcept { return links_[row].next; }

  [[nodiscard]] C& operator[](Row row) noexcept { return instances_[row].value; }
  [[nodiscard]] const C& operator[](Row row) const noexcept { return instances_[row].value; }
  [[nodiscard]] EntityType owner(Row row) const noexcept {
    const EntityIndex index = links_[row].owner;
    return {index, heads_[index].generation};
  }

  /// Calls `fn(instance)` for those of an owner, the last added first. `fn` must neither add nor remove.
  template <class Fn>
  void for_each_of(EntityType owner, Fn&& fn) {
    for (Row row = first(owner); row != none; row = links_[row].next) fn((*this)[row]);
  }
  template <class Fn>
  void for_each_of(EntityType owner, Fn&& fn) const {
    for (Row row = first(owner); row != none; row = links_[row].next) fn((*this)[row]);
  }
  /// Calls `fn(owner, instance)` for all, in the order of their rows. `fn` must neither add nor remove.
  template <class Fn>
  void each(Fn&& fn) {
    for (Row row = 0; row < size(); ++row) fn(owner(row), (*this)[row]);
  }
  template <class Fn>
  void each(Fn&& fn) const {
    for (Row row = 0; row < size(); ++row) fn(owner(row), (*this)[row]);
  }

  /// How many an owner has. O(that).
  [[nodiscard]] std::size_t count(EntityType owner) const noexcept {
    std::size_t instances = 0;
    for (Row row = first(owner); row != none; row = links_[row].next) ++instances;
    return instances;
  }
  [[nodiscard]] std::size_t size() const noexcept { return instances_.size(); }

  /// Room for owners with indices below `owners` and so many instances. Throws std::bad_alloc, or std::length_error if
  /// no array can be so long; then the instances are as they were.
  void reserve(std::size_t owners, std::size_t instances) {
    heads_.reserve(owners);
    instances_.reserve(instances);
    links_.reserve(instances);
    previous_.reserve(instances);
  }
  /// Ends all instances; keeps the memory.
  void clear() noexcept {
    instances_.clear();
    links_.clear();
    previous_.clear();
    heads_.clear();
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = size() * sizeof(C);
    const std::size_t index = size() * (sizeof(Link) + sizeof(Row)) + heads_.size() * sizeof(Head);
    const std::size_t held = instances_.capacity() * sizeof(C) + links_.capacity() * sizeof(Link) +
                             previous_.capacity() * sizeof(Row) + heads_.capacity() * sizeof(Head);
    const auto block = [](const auto& array) { return array.capacity() != 0 ? std::size_t{1} : std::size_t{0}; };
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = block(instances_) + block(links_) + block(previous_) + block(heads_)};
  }

 private:
  /// Lies in memory by itself, even if it is a bool.
  struct Held {
    C value;
  };
  /// At the index of its owner.
  struct Head {
    typename EntityType::generation_type generation = 0;
    Row first = none;
  };
  struct Link {
    EntityIndex owner;
    Row next;
  };

  /// Everything that may fail, but for the constructor, before anything is changed. A head without instances has no
  /// owner.
  void make_room(EntityIndex owner) {
    if (size() == none) STOWAGE_THROW(RowsExhausted(none));
    const std::size_t doubled = std::max<std::size_t>(16, 2 * size());
    if (size() == links_.capacity()) links_.reserve(doubled);
    if (size() == previous_.capacity()) previous_.reserve(doubled);
    if (owner >= heads_.size()) heads_.resize(std::size_t{owner} + 1);
  }

  /// What points to `row`: the link of the instance before it in the chain of its owner, or the head of the chain.
  [[nodiscard]] Row& link_to(Row row) noexcept {
    return previous_[row] == none ? heads_[links_[row].owner].first : links_[previous_[row]].next;
  }

  std::vector<Head> heads_;
  std::vector<Held> instances_;
  std::vector<Link> links_;
  std::vector<Row> previous_;
};

}  // namespace stowage
