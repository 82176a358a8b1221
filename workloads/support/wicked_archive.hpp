#pragma once

// Saving and loading as Wicked Engine's article has it ("Entity-component system", 2019), to compare others with it.
// Component managers dump their two arrays. Loading takes every entity of the file through a std::unordered_map, or
// combines it with a seed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
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

/// Arrays of components and of the entities that have them, and a map from the entity to its place.
template <class C>
struct WickedManager {
  CountedVector<C> components;
  CountedVector<WickedEntity> entities;
  CountedMap<WickedEntity, std::size_t> places;

  explicit WickedManager(parts::HeapCount& heap) : WickedManager(parts::CountingAllocator<C>(heap)) {}

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

 private:
  explicit WickedManager(const parts::CountingAllocator<C>& heap) : components(heap), entities(heap), places(heap) {}
};

class WickedManagers {
 public:
  WickedManagers() = default;
  WickedManagers(const WickedManagers&) = delete;
  WickedManagers& operator=(const WickedManagers&) = delete;

  template <class C>
  [[nodiscard]] WickedManager<C>& of() noexcept {
    return std::get<WickedManager<C>>(managers_);
  }
  /// Entities of this program are numbered one after the other.
  [[nodiscard]] WickedEntity create_entity() noexcept { return ++last_; }

  void save(Array<std::byte>& file) const {
    std::size_t bytes = 0;
    each([&](const auto& manager) { bytes += file_bytes(manager); });
    file.resize(bytes);
    std::byte* to = file.data();
    const auto put = [&to](const void* from, std::size_t count) {
      if (count != 0) std::memcpy(to, from, count);
      to += count;
    };
    each([&](const auto& manager) {
      const std::uint64_t count = manager.components.size();
      put(&count, sizeof count);
      put(manager.components.data(), count * sizeof manager.components[0]);
      put(manager.entities.data(), count * sizeof(WickedEntity));
    });
  }

  /// Adds what the file has: with a seed of 0 as new entities, otherwise as numbers combined with it.
  void load(const Array<std::byte>& file, std::uint32_t seed) {
    CountedMap<WickedEntity, WickedEntity> loaded{parts::CountingAllocator<WickedEntity>(heap_)};
    const auto entity_of = [&](WickedEntity saved) {
      if (seed != 0) return saved ^ seed;
      const auto [at, is_new] = loaded.try_emplace(saved);
      if (is_new) at->second = create_entity();
      return at->second;
    };
    const std::byte* from = file.data();
    const auto get = [&from](void* to, std::size_t count) {
      if (count != 0) std::memcpy(to, from, count);
      from += count;
    };
    std::apply(
        [&](auto&... manager) {
          const auto read = [&]<class C>(WickedManager<C>& into) {
            std::uint64_t count = 0;
            get(&count, sizeof count);
            const std::size_t first = into.components.size();
            into.components.resize(first + count);
            into.entities.resize(first + count);
            get(into.components.data() + first, count * sizeof(C));
            get(into.entities.data() + first, count * sizeof(WickedEntity));
            for (std::size_t place = first; place < first + count; ++place) {
              if constexpr (std::is_same_v<C, WickedCompanion>) {
                into.components[place].entity = entity_of(into.components[place].entity);
              }
              into.entities[place] = entity_of(into.entities[place]);
              into.places[into.entities[place]] = place;
            }
          };
          (read(manager), ...);
        },
        managers_);
  }

  void clear() {
    std::apply([](auto&... manager) { (manager.clear(), ...); }, managers_);
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    std::size_t payload = 0;
    std::size_t slack = 0;
    each([&](const auto& manager) {
      payload += manager.components.size() * sizeof manager.components[0];
      slack += (manager.components.capacity() - manager.components.size()) * sizeof manager.components[0] +
               (manager.entities.capacity() - manager.entities.size()) * sizeof(WickedEntity);
    });
    return {.payload_bytes = payload,
            .index_bytes = heap_.bytes - payload - slack,
            .slack_bytes = slack,
            .allocations = heap_.blocks};
  }

 private:
  template <class Visit>
  void each(Visit&& visit) const {
    std::apply([&](const auto&... manager) { (visit(manager), ...); }, managers_);
  }
  template <class C>
  [[nodiscard]] static std::size_t file_bytes(const WickedManager<C>& manager) noexcept {
    return sizeof(std::uint64_t) + manager.components.size() * (sizeof(C) + sizeof(WickedEntity));
  }

  template <class... Cs>
  using Managers = std::tuple<WickedManager<Cs>...>;

  parts::HeapCount heap_;
  Managers<Mass, Position, Velocity, Acceleration, WickedCompanion> managers_{heap_, heap_, heap_, heap_, heap_};
  WickedEntity last_ = 0;
};

}  // namespace stowage::workloads
