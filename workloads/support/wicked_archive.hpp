#pragma once

// Saving and loading as Wicked Engine's article has it ("Entity-component system", 2019), to compare others with it.
// Component managers dump their two arrays. Loading takes every entity of the file through a std::unordered_map,
// combines it with a seed, or keeps it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/contract/counted_heap.hpp>
#include <stowage/contract/memory.hpp>

#include "workloads/support/array.hpp"
#include "workloads/support/components.hpp"

namespace stowage::workloads {

template <class T>
using CountedVector = std::vector<T, parts::CountingAllocator<T>>;
template <class Key, class Value>
using CountedMap = std::unordered_map<Key, Value, std::hash<Key>, std::equal_to<>,
                                      parts::CountingAllocator<std::pair<const Key, Value>>>;

using WickedEntity = std::uint32_t;
struct WickedCompanion {
  WickedEntity entity;
};

/// Components in an array, which is dumped and read whole: as published.
template <class C>
class WickedArray {
 public:
  explicit WickedArray(parts::HeapCount& heap) : array_(parts::CountingAllocator<C>(heap)) {}

  [[nodiscard]] std::size_t size() const noexcept { return array_.size(); }
  [[nodiscard]] C& operator[](std::size_t place) noexcept { return array_[place]; }
  [[nodiscard]] const C& operator[](std::size_t place) const noexcept { return array_[place]; }
  void push_back(const C& component) { array_.push_back(component); }
  void clear() { array_.clear(); }

  void write(std::byte* to) const noexcept {
    if (!array_.empty()) std::memcpy(to, array_.data(), array_.size() * sizeof(C));
  }
  void read(const std::byte* from, std::size_t count) {
    const std::size_t first = array_.size();
    array_.resize(first + count);
    if (count != 0) std::memcpy(array_.data() + first, from, count * sizeof(C));
  }

  /// What it holds past the counted heap, by itself and as blocks.
  [[nodiscard]] std::size_t object_bytes() const noexcept { return 0; }
  [[nodiscard]] std::size_t objects() const noexcept { return 0; }
  [[nodiscard]] std::size_t slack_bytes() const noexcept { return (array_.capacity() - array_.size()) * sizeof(C); }

 private:
  CountedVector<C> array_;
};

/// The rival of the array: an object for each component, which are written and made one by one.
template <class C>
class WickedObjects {
 public:
  explicit WickedObjects(parts::HeapCount& heap) : objects_(parts::CountingAllocator<C>(heap)) {}

  [[nodiscard]] std::size_t size() const noexcept { return objects_.size(); }
  [[nodiscard]] C& operator[](std::size_t place) noexcept { return *objects_[place]; }
  [[nodiscard]] const C& operator[](std::size_t place) const noexcept { return *objects_[place]; }
  void push_back(const C& component) { objects_.push_back(std::make_unique<C>(component)); }
  void clear() { objects_.clear(); }

  void write(std::byte* to) const noexcept {
    for (const std::unique_ptr<C>& object : objects_) {
      std::memcpy(to, object.get(), sizeof(C));
      to += sizeof(C);
    }
  }
  void read(const std::byte* from, std::size_t count) {
    objects_.reserve(objects_.size() + count);
    for (; count != 0; --count) {
      std::memcpy(objects_.emplace_back(std::make_unique<C>()).get(), from, sizeof(C));
      from += sizeof(C);
    }
  }

  [[nodiscard]] std::size_t object_bytes() const noexcept { return objects_.size() * sizeof(C); }
  [[nodiscard]] std::size_t objects() const noexcept { return objects_.size(); }
  [[nodiscard]] std::size_t slack_bytes() const noexcept {
    return (objects_.capacity() - objects_.size()) * sizeof objects_.front();
  }

 private:
  CountedVector<std::unique_ptr<C>> objects_;
};

/// Components and the entities that have them, and a map from the entity to its place.
template <class C, template <class> class Components>
struct WickedManager {
  using component = C;

  Components<C> components;
  CountedVector<WickedEntity> entities;
  CountedMap<WickedEntity, std::size_t> places;

  explicit WickedManager(parts::HeapCount& heap)
      : components(heap),
        entities(parts::CountingAllocator<WickedEntity>(heap)),
        places(parts::CountingAllocator<WickedEntity>(heap)) {}

  void create(WickedEntity entity, const C& component) {
    places.emplace(entity, components.size());
    components.push_back(component);
    entities.push_back(entity);
  }
  [[nodiscard]] const C* find(WickedEntity entity) const {
    const auto found = places.find(entity);
    return found != places.end() ? &components[found->second] : nullptr;
  }
  void clear() {
    components.clear();
    entities.clear();
    places.clear();
  }
};

/// What becomes of an entity's number in a file.
class WickedNumbers {
 public:
  enum class As { saved, remapped, seeded };

  /// A new number for each, by the article's later `EntitySerializer`; as it was without its `allow_remap`; or combined
  /// with a seed, by its first scheme, which leaves finding a free number to chance.
  WickedNumbers(As as, std::uint32_t seed, WickedEntity& last, parts::HeapCount& heap)
      : as_(as), seed_(seed), last_(&last), remap_(parts::CountingAllocator<WickedEntity>(heap)) {}

  [[nodiscard]] WickedEntity of(WickedEntity saved) {
    if (as_ == As::saved) return saved;
    if (as_ == As::seeded) return saved != 0 && seed_ != 0 ? ((saved << 1) ^ seed_) >> 1 : saved;
    const auto [at, is_new] = remap_.try_emplace(saved);
    if (is_new) at->second = ++*last_;
    return at->second;
  }

 private:
  As as_;
  std::uint32_t seed_;
  WickedEntity* last_;
  CountedMap<WickedEntity, WickedEntity> remap_;
};

template <template <class> class Components>
class WickedManagers {
 public:
  WickedManagers() = default;
  WickedManagers(const WickedManagers&) = delete;
  WickedManagers& operator=(const WickedManagers&) = delete;

  template <class C>
  [[nodiscard]] WickedManager<C, Components>& of() noexcept {
    return std::get<WickedManager<C, Components>>(managers_);
  }
  /// Entities of this program are numbered one after the other.
  [[nodiscard]] WickedEntity create_entity() noexcept { return ++last_; }

  void save(Array<std::byte>& file) const {
    std::size_t bytes = 0;
    each([&](const auto& manager) { bytes += file_bytes(manager); });
    file.resize(bytes);
    std::byte* to = file.data();
    each([&](const auto& manager) {
      const std::uint64_t count = manager.components.size();
      std::memcpy(to, &count, sizeof count);
      manager.components.write(to + sizeof count);
      to += file_bytes(manager) - count * sizeof(WickedEntity);
      if (count != 0) std::memcpy(to, manager.entities.data(), count * sizeof(WickedEntity));
      to += count * sizeof(WickedEntity);
    });
  }

  /// Adds what the file has.
  void load(const Array<std::byte>& file, WickedNumbers::As as, std::uint32_t seed = 0) {
    WickedNumbers numbers(as, seed, last_, heap_);
    const std::byte* from = file.data();
    const auto read = [&]<class Manager>(Manager& into) {
      using C = typename Manager::component;
      std::uint64_t count = 0;
      std::memcpy(&count, from, sizeof count);
      from += sizeof count;
      const std::size_t first = into.components.size();
      into.components.read(from, count);
      from += count * sizeof(C);
      into.entities.resize(first + count);
      if (count != 0) std::memcpy(into.entities.data() + first, from, count * sizeof(WickedEntity));
      from += count * sizeof(WickedEntity);
      for (std::size_t place = first; place < first + count; ++place) {
        if constexpr (std::is_same_v<C, WickedCompanion>) {
          into.components[place].entity = numbers.of(into.components[place].entity);
        }
        into.entities[place] = numbers.of(into.entities[place]);
        into.places[into.entities[place]] = place;
      }
    };
    std::apply([&](auto&... manager) { (read(manager), ...); }, managers_);
  }

  void clear() {
    std::apply([](auto&... manager) { (manager.clear(), ...); }, managers_);
  }

  /// Whether no two components of a type belong to entities of one number: each place is in the map.
  [[nodiscard]] bool has_distinct_numbers() const noexcept {
    bool are_distinct = true;
    each([&](const auto& manager) { are_distinct &= manager.places.size() == manager.entities.size(); });
    return are_distinct;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    std::size_t payload = 0, slack = 0, object_bytes = 0, objects = 0;
    each([&]<class Manager>(const Manager& manager) {
      payload += manager.components.size() * sizeof(typename Manager::component);
      slack += manager.components.slack_bytes() +
               (manager.entities.capacity() - manager.entities.size()) * sizeof(WickedEntity);
      object_bytes += manager.components.object_bytes();
      objects += manager.components.objects();
    });
    return {.payload_bytes = payload,
            .index_bytes = heap_.bytes + object_bytes - payload - slack,
            .slack_bytes = slack,
            .allocations = heap_.blocks + objects};
  }

 private:
  template <class Visit>
  void each(Visit&& visit) const {
    std::apply([&](const auto&... manager) { (visit(manager), ...); }, managers_);
  }
  template <class C>
  [[nodiscard]] static std::size_t file_bytes(const WickedManager<C, Components>& manager) noexcept {
    return sizeof(std::uint64_t) + manager.components.size() * (sizeof(C) + sizeof(WickedEntity));
  }

  template <class... Cs>
  using Managers = std::tuple<WickedManager<Cs, Components>...>;

  parts::HeapCount heap_;
  Managers<Mass, Position, Velocity, Acceleration, WickedCompanion> managers_{heap_, heap_, heap_, heap_, heap_};
  WickedEntity last_ = 0;
};

}  // namespace stowage::workloads
