#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include <boost/unordered/unordered_flat_set.hpp>

#include <stowage/contract/counted_heap.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage {

/// The rival of EntityRegistry: the living entities are kept in a hash set of their ids, and a new id is the next one
/// that is not alive. Nothing is spent on dead entities, at the price of a hash lookup per `alive`.
/// On Boost's open-addressing set, the strongest form of the idea. Source: Bitsquid (2014), the version it discards.
template <class Id = std::uint32_t>
class HashSetRegistry {
 public:
  using entity_type = Id;

  HashSetRegistry() = default;
  HashSetRegistry(const HashSetRegistry&) = delete;  // the set knows where heap_ is
  HashSetRegistry& operator=(const HashSetRegistry&) = delete;

  /// O(1) expected while most ids are free. Throws IndexExhausted, std::bad_alloc; then nothing has changed.
  [[nodiscard]] Id create() {
    if (living_.size() == (std::numeric_limits<Id>::max)())
      STOWAGE_THROW(IndexExhausted((std::numeric_limits<Id>::max)()));
    Id candidate = next_;
    do {
      ++candidate;
    } while (candidate == 0 || living_.contains(candidate));  // 0 is the null handle
    living_.insert(candidate);
    return next_ = candidate;
  }

  /// False, and nothing changes, when it is not alive.
  bool destroy(Id entity) noexcept { return living_.erase(entity) != 0; }
  [[nodiscard]] bool alive(Id entity) const noexcept { return living_.contains(entity); }
  [[nodiscard]] std::size_t size() const noexcept { return living_.size(); }
  /// Throws IndexExhausted if there cannot be so many ids, or std::bad_alloc; then nothing has changed.
  void reserve(std::size_t count) {
    if (count > (std::numeric_limits<Id>::max)()) STOWAGE_THROW(IndexExhausted((std::numeric_limits<Id>::max)()));
    // asked first, because the set gives room back where it has more
    if (count > living_.max_load()) living_.reserve(count);
  }
  void clear() noexcept { living_.clear(); }

  /// Ids in the set are index; the rest of it is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t used = living_.size() * sizeof(Id);
    return {.payload_bytes = 0, .index_bytes = used, .slack_bytes = heap_.bytes - used, .allocations = heap_.blocks};
  }

 private:
  using Allocator = parts::CountingAllocator<Id>;

  parts::HeapCount heap_;  // before the set, which writes to it until its end
  boost::unordered_flat_set<Id, boost::hash<Id>, std::equal_to<>, Allocator> living_{Allocator(heap_)};
  Id next_ = 0;
};

}  // namespace stowage
