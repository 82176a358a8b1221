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

/// A component manager. Its map is the `Hash` of Bitsquid's foundation library.
template <class C>
class PublishedManager {
 public:
  void create(Entity30 entity, const C& component) {
    rows_.insert(key(entity), static_cast<std::uint32_t>(owners_.size()));
    owners_.push_back(entity);
    components_.push_back(component);
  }
  /// The last row moves into the hole.
  void destroy(std::size_t row) {
    const Entity30 last = owners_.back();
    static_cast<void>(rows_.take(key(owners_[row])));
    if (row + 1 != owners_.size()) {
      owners_[row] = last;
      components_[row] = components_.back();
      rows_.assign(key(last).index(), static_cast<std::uint32_t>(row));
    }
    owners_.pop_back();
    components_.pop_back();
  }
  [[nodiscard]] parts::RowNumber row_of(Entity30 entity) const noexcept { return rows_.find(key(entity)); }
  [[nodiscard]] C* at(parts::RowNumber row) noexcept { return row == parts::no_row ? nullptr : &components_[row]; }

  /// `gc()` of part 2: random rows, until four in a row are of the living.
  template <class Entities>
  void collect(const Entities& entities) {
    for (unsigned living = 0; !owners_.empty() && living < 4;) {
      const std::size_t row = random_row();
      if (entities.alive(owners_[row])) {
        ++living;
      } else {
        living = 0;
        destroy(row);
      }
    }
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = rows_.memory();
    bytes.payload_bytes = owners_.size() * sizeof(C);
    bytes.index_bytes += owners_.size() * sizeof(Entity30);
    bytes.slack_bytes += (components_.capacity() - components_.size()) * sizeof(C) +
                         (owners_.capacity() - owners_.size()) * sizeof(Entity30);
    bytes.allocations += 2;
    return bytes;
  }

 private:
  [[nodiscard]] static Entity key(Entity30 entity) noexcept { return Entity(entity.word(), 0); }
  /// Marsaglia's xorshift, always from the same seed.
  [[nodiscard]] std::size_t random_row() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 32) * owners_.size() >> 32);
  }

  std::vector<Entity30> owners_;
  std::vector<C> components_;
  parts::ListInArray rows_;
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
    (manager<Cs>().collect(entities_), ...);
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
  std::size_t size_ = 0;
};

}  // namespace stowage::workloads
