#pragma once

// A registry that tells listeners of each entity that dies, so that sounds, bodies or files elsewhere end with it.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/contract/registry.hpp>

namespace stowage {

/// A storage over this registry calls the listeners in destroy() and clear(), in the order in which they were added,
/// while the entity still has all its components; `storage.on_destroy(listener)` adds one. A storage that is itself
/// destroyed calls no listener.
///
/// A listener may read what the entity has. It must not change the storage, and must not throw.
/// Costs a bit per index, so that clear() knows which entities were alive, and one test of a count per destruction.
/// Source: Bitsquid, part 2 (2014), "destroying components": the entity manager calls back.
template <class Base = EntityRegistry<>>
class NotifyingRegistry : public Base {
 public:
  using entity_type = typename Base::entity_type;
  template <class OtherData>
  using with_slot_data = NotifyingRegistry<typename Base::template with_slot_data<OtherData>>;

  /// `listener(entity)` is called for every entity that dies from now on. It is referred to, not copied, and must
  /// outlive the entities. Throws std::bad_alloc; then nothing has changed.
  template <std::invocable<entity_type> Listener>
  void on_destroy(Listener& listener) {
    void* const place = const_cast<void*>(static_cast<const void*>(std::addressof(listener)));
    listeners_.append({place, [](void* known, entity_type dying) { (*static_cast<Listener*>(known))(dying); }});
  }

  /// Tells the listeners that this entity is about to die. For storages, which know when.
  void announce(entity_type dying) const noexcept {
    for (std::size_t i = 0; i < listeners_.size(); ++i) listeners_[i].call(listeners_[i].place, dying);
  }
  /// The same for every living entity. O(indices / 64 + living) if there are listeners.
  void announce_all() const noexcept {
    if (listeners_.size() == 0) return;
    for (std::size_t word = 0; word < living_.size(); ++word) {
      for (std::uint64_t left = living_[word]; left != 0; left &= left - 1) {
        const std::size_t index = word * bits_per_word + static_cast<std::size_t>(std::countr_zero(left));
        announce(this->entity_at(static_cast<EntityIndex>(index)));
      }
    }
  }

  [[nodiscard]] entity_type create() {
    cover(this->index_count() + 1);
    const entity_type entity = Base::create();
    note(entity);
    return entity;
  }
  parts::NewEntities<entity_type> create(std::span<entity_type> out) {
    cover(this->index_count() + out.size());
    const parts::NewEntities<entity_type> entities = Base::create(out);
    for (const entity_type entity : out) note(entity);
    return entities;
  }
  bool destroy(entity_type entity) noexcept {
    if (!this->alive(entity)) return false;
    end(entity);
    return true;
  }
  void end(entity_type entity) noexcept {
    Base::end(entity);
    living_[entity.index() / bits_per_word] &= ~bit_of(entity);
  }
  void reserve(std::size_t count) {
    Base::reserve(count);
    living_.reserve(
        words_for(std::min<std::uint64_t>(std::uint64_t{count} + Base::minimum_free, entity_type::max_entities)));
  }
  void clear() {
    Base::clear();
    std::fill_n(living_.data(), living_.size(), std::uint64_t{0});
  }
  void copy_from(const NotifyingRegistry&) = delete;  // its listeners would not hear which lives end

  /// As in `Base`; bits of indices in use and listeners are index.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t used = living_.size() * sizeof(std::uint64_t) + listeners_.size() * sizeof(Entry);
    return Base::memory() + parts::memory_of(used, living_, listeners_);
  }
  [[nodiscard]] StorageEvents events() const noexcept {
    return Base::events() + StorageEvents{.growths = living_.growths() + listeners_.growths()};
  }

 private:
  static constexpr std::size_t bits_per_word = 64;

  struct Entry {
    void* place;
    void (*call)(void* listener, entity_type dying);
  };

  [[nodiscard]] static constexpr std::size_t words_for(std::size_t indices) noexcept {
    return (indices + bits_per_word - 1) / bits_per_word;
  }
  [[nodiscard]] static constexpr std::uint64_t bit_of(entity_type entity) noexcept {
    return std::uint64_t{1} << entity.index() % bits_per_word;
  }
  /// Bits for indices below `count`, before any of them comes to life.
  void cover(std::size_t count) {
    living_.extend(words_for(std::min<std::size_t>(count, entity_type::max_entities)), 0);
  }
  void note(entity_type entity) noexcept { living_[entity.index() / bits_per_word] |= bit_of(entity); }

  parts::GrowingArray<std::uint64_t> living_;
  parts::GrowingArray<Entry> listeners_;
};

/// A registry with listeners; a storage over it has on_destroy().
template <class Registry>
concept Notifying = requires(const Registry& registry, typename Registry::entity_type entity) {
  registry.announce(entity);
  registry.announce_all();
};

namespace parts {

/// Tells the listeners that the entity is about to die; does nothing if the registry has no listeners.
template <class Registry>
void announce_end(const Registry& registry, typename Registry::entity_type entity) noexcept {
  if constexpr (Notifying<Registry>) registry.announce(entity);
}
/// Tells the listeners, then ends the entity's life. False, and nothing changes, if it is not alive. For storages that
/// find rows by the handle alone, and so end them after this. Without listeners the handle is checked once.
template <class Registry>
bool announce_and_end(Registry& registry, typename Registry::entity_type entity) noexcept {
  if (Notifying<Registry> && !registry.alive(entity)) return false;
  announce_end(registry, entity);
  return registry.destroy(entity);
}
template <class Registry>
void announce_all_ends(const Registry& registry) noexcept {
  if constexpr (Notifying<Registry>) registry.announce_all();
}

}  // namespace parts
}  // namespace stowage
