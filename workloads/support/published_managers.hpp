#pragma once

// Bitsquid's managers of entities and components as published ("Building a Data-Oriented Entity System", parts 1 and
// 2): yardsticks of claims about them.
//
//     entities    [gen][gen][gen] ...                       a byte per index; freed indices wait in a queue
//     manager     [handle handle ... | A A A ... ]          one for each component type
//     its map     handle -> row                             the whole handle, so that rows of two lives of an index
//                                                           may be there at once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/hash_index_list_in_array.hpp>

#include "workloads/floors/rows.hpp"

namespace stowage::workloads {

/// Bitsquid's entity manager as published: a generation for each index, and nothing beside it. In the article it is a
/// byte, so that a handle from 256 lives ago looks alive again; a wider one is the rival of that. An index is not
/// checked against the number of them. An index is used again if more than 1024 wait, as the article's code has it; its
/// text says at least 1024.
template <class EntityType>
class PublishedRegistry {
 public:
  using entity_type = EntityType;

  [[nodiscard]] EntityType create() {
    if (free_.size() > minimum_free) return handle_at(free_.pop());
    generations_.push_back(0);
    return handle_at(static_cast<EntityIndex>(generations_.size() - 1));
  }
  [[nodiscard]] bool alive(EntityType entity) const noexcept {
    return generations_[entity.index()] == entity.generation();
  }
  void destroy(EntityType entity) {
    ++generations_[entity.index()];
    free_.push_back(entity.index());
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = free_.memory();
    bytes.index_bytes += generations_.size() * sizeof(Generation);
    bytes.slack_bytes += (generations_.capacity() - generations_.size()) * sizeof(Generation);
    bytes.allocations += 1;
    return bytes;
  }

 private:
  using Generation = std::conditional_t<EntityType::generation_bits == 8, std::uint8_t, std::uint32_t>;
  static constexpr std::size_t minimum_free = 1024;

  [[nodiscard]] EntityType handle_at(EntityIndex index) const noexcept {
    return EntityType(index, generations_[index]);
  }

  std::vector<Generation> generations_;
  parts::IndexQueue free_;
};

/// A component manager: rows in one buffer. Its map is the `Hash` of Bitsquid's foundation library.
template <class C>
class PublishedManager {
 public:
  void create(Entity30 entity, const C& component) {
    data_.make_room_for_one();
    rows_.insert(key(entity.word()), static_cast<parts::RowNumber>(data_.size));
    data_.owners()[data_.size] = entity.word();
    data_.put(data_.size++, component);
  }
  /// The last row moves into the hole.
  void destroy(std::size_t row) {
    std::uint32_t* const owners = data_.owners();
    static_cast<void>(rows_.take(key(owners[row])));
    const std::size_t last = --data_.size;
    if (row == last) return;
    owners[row] = owners[last];
    data_.put_from(data_, last, row);
    rows_.assign(key(owners[row]).index(), static_cast<parts::RowNumber>(row));
  }
  [[nodiscard]] parts::RowNumber row_of(Entity30 entity) const noexcept { return rows_.find(key(entity.word())); }
  [[nodiscard]] C* at(parts::RowNumber row) const noexcept {
    return row == parts::no_row ? nullptr : data_.template column<C>() + row;
  }

  /// `gc()` of part 2: random rows, until four in a row are of the living.
  template <class Entities, class Draw>
  void collect(const Entities& entities, Draw& draw) {
    for (unsigned living = 0; data_.size != 0 && living < 4;) {
      const std::size_t row = draw(data_.size);
      if (entities.alive(Entity30::from_word(data_.owners()[row]))) {
        ++living;
      } else {
        living = 0;
        destroy(row);
      }
    }
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = rows_.memory();
    bytes.payload_bytes = data_.size * sizeof(C);
    bytes.index_bytes += data_.size * sizeof(std::uint32_t);
    bytes.slack_bytes += data_.held_bytes() - data_.size * (sizeof(C) + sizeof(std::uint32_t));
    bytes.allocations += data_.allocations();
    return bytes;
  }

 private:
  [[nodiscard]] static Entity key(std::uint32_t word) noexcept { return Entity(word, 0); }

  ColumnRows<C> data_;
  parts::ListInArray rows_;
};

/// A row among so many. Marsaglia's xorshift, always from the same seed.
class RowDraw {
 public:
  [[nodiscard]] std::size_t operator()(std::size_t rows) noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 32) * rows >> 32);
  }

 private:
  std::uint64_t state_ = 0x9e37'79b9'7f4a'7c15;
};

/// An entity manager and a component manager for each of Cs, which end the rows of the dead once a frame
/// (`EndedByCalls` false), or hear of each death by a function in a list.
template <bool EndedByCalls, class... Cs>
class PublishedManagers {
 public:
  using entity_type = Entity30;

  PublishedManagers() {
    if constexpr (EndedByCalls) (callbacks_.push_back({&end_row<Cs>, &manager<Cs>()}), ...);
  }
  PublishedManagers(const PublishedManagers&) = delete;
  PublishedManagers& operator=(const PublishedManagers&) = delete;

  /// Arrays grow as they are needed.
  template <class...>
  void reserve(std::size_t) noexcept {}
  Entity30 create(const Cs&... components) {
    const Entity30 entity = entities_.create();
    (manager<Cs>().create(entity, components), ...);
    ++size_;
    return entity;
  }
  void destroy(Entity30 entity) {
    if (!entities_.alive(entity)) return;
    for (const Callback& callback : callbacks_) callback.function(callback.manager, entity);
    entities_.destroy(entity);
    --size_;
  }
  void collect()
    requires(!EndedByCalls)
  {
    (manager<Cs>().collect(entities_, draw_), ...);
  }
  /// Leaves rows of the dead as many frames of so many `deaths` among so many `living` would. If a share d of the rows
  /// is dead, a frame ends 1 / (1 - d)^4 - 1 of them.
  void settle(std::size_t living, std::size_t deaths, const Cs&... components)
    requires(!EndedByCalls)
  {
    const double rows = static_cast<double>(living) * std::pow(1.0 + static_cast<double>(deaths), 0.25);
    std::vector<Entity30> doomed;
    for (auto left = static_cast<std::size_t>(rows) - living; left != 0; left -= doomed.size()) {
      doomed.resize(std::min(living, left));
      for (Entity30& entity : doomed) entity = create(components...);
      for (const Entity30 entity : doomed) destroy(entity);
    }
  }

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> find(Entity30 entity) noexcept {
    return {manager<Qs>().at(manager<Qs>().row_of(entity))...};
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = entities_.memory();
    ((bytes += std::get<PublishedManager<Cs>>(managers_).memory()), ...);
    const std::size_t living = size_ * (sizeof(Cs) + ...);
    bytes.slack_bytes += bytes.payload_bytes - living + callbacks_.capacity() * sizeof(Callback);
    bytes.payload_bytes = living;
    bytes.allocations += EndedByCalls ? 1 : 0;
    return bytes;
  }

 private:
  struct Callback {
    void (*function)(void* manager, Entity30 entity);
    void* manager;
  };
  template <class C>
  static void end_row(void* manager, Entity30 entity) {
    auto& its = *static_cast<PublishedManager<C>*>(manager);
    if (const parts::RowNumber row = its.row_of(entity); row != parts::no_row) its.destroy(row);
  }
  template <class C>
  [[nodiscard]] PublishedManager<C>& manager() noexcept {
    return std::get<PublishedManager<C>>(managers_);
  }

  PublishedRegistry<Entity30> entities_;
  std::tuple<PublishedManager<Cs>...> managers_;
  std::vector<Callback> callbacks_;
  RowDraw draw_;  // one for all managers: they would end the same rows
  std::size_t size_ = 0;
};

}  // namespace stowage::workloads
