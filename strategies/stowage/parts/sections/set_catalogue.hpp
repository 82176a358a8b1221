#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/sections/component_mask.hpp>
#include <stowage/parts/sections/mask_table.hpp>
#include <stowage/parts/sections/room_list.hpp>
#include <stowage/parts/sections/set_queries.hpp>

namespace stowage::parts {

/// Everything that sections with exactly the same components share. `Memory` is where they get their blocks.
template <std::size_t Components, class Memory>
struct ComponentSet {
  using mask_type = ComponentMask<Components>;
  template <class T>
  using Vector = std::vector<T, CountingAllocator<T>>;

  ComponentSet(const mask_type& components, HeapCount& heap)
      : mask(components), sections(CountingAllocator<std::uint32_t>(heap)), memory(heap) {}

  mask_type mask;
  /// The set that adding or removing a component leads to, once that has been asked for.
  std::array<ComponentSet*, Components> neighbours{};
  std::size_t payload_row_bytes = 0;
  std::size_t index_row_bytes = 0;   ///< owner, and what the layout writes beside the components
  std::size_t rows_per_section = 0;  ///< of the section added last
  Vector<std::uint32_t> sections;    ///< numbers of all sections, in order of creation
  RoomList with_room;                ///< those that are not full
  STOWAGE_NO_UNIQUE_ADDRESS Memory memory;
};

/// What was found last for masks with this short hash: spares most look-ups the table. `T` has a mask and stays where
/// it is.
template <class T>
class MaskMemo {
  static constexpr unsigned bits = 3;

 public:
  template <class Mask, class Find>
  [[nodiscard]] T& get(const Mask& mask, Find&& find) {
    T*& known = known_[mask.short_hash(bits)];
    if (known == nullptr || !(known->mask == mask)) [[unlikely]]
      known = &find(mask);
    return *known;
  }

 private:
  std::array<T*, std::size_t{1} << bits> known_{};
};

/// The component sets that have appeared, found by their mask, by the edge from a neighbour, or by a query. Sets never
/// disappear and never move.
template <class Set>
class SetCatalogue {
 public:
  using Mask = typename Set::mask_type;
  using Sets = std::deque<Set, CountingAllocator<Set>>;

  SetCatalogue()
      : heap_(std::make_unique<HeapCount>()), sets_(CountingAllocator<Set>(*heap_)), by_mask_(sets_, *heap_) {}

  [[nodiscard]] HeapCount& heap() const noexcept { return *heap_; }
  [[nodiscard]] Sets& sets() noexcept { return sets_; }
  [[nodiscard]] const Sets& sets() const noexcept { return sets_; }

  /// The set with exactly these components. O(1), one comparison where it was asked for lately.
  [[nodiscard]] Set& find_or_create(const Mask& mask) {
    return known_sets_.get(mask, [this](const Mask& wanted) -> Set& { return look_up_or_create(wanted); });
  }

  /// The set that an entity of `set` is in after adding or removing a component. One read once it has been asked for.
  [[nodiscard]] Set& neighbour(Set& set, std::size_t component) {
    Set*& edge = set.neighbours[component];
    if (edge == nullptr) {
      Set& other = find_or_create(set.mask.toggled(component));
      edge = &other;
      other.neighbours[component] = &set;
    }
    return *edge;
  }

  /// The sets that have all components of `wanted`: see SetQueries.
  [[nodiscard]] const typename SetQueries<Set>::Sets& matching(const Mask& wanted) const {
    return queries_.matching(wanted, sets_);
  }

  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return heap_->bytes + sizeof(HeapCount) + queries_.held().bytes;
  }
  [[nodiscard]] std::size_t allocations() const noexcept { return heap_->blocks + 1 + queries_.held().blocks; }

 private:
  STOWAGE_COLD Set& look_up_or_create(const Mask& mask) {
    if (Set* const known = by_mask_.find(mask)) return *known;
    sets_.emplace_back(mask, *heap_);
    OnFailure forget([this] { sets_.pop_back(); });
    by_mask_.add_last();
    forget.release();
    return sets_.back();
  }

  std::unique_ptr<HeapCount> heap_;
  Sets sets_;
  MaskTable<Sets> by_mask_;
  SetQueries<Set> queries_;
  MaskMemo<Set> known_sets_;
};

}  // namespace stowage::parts
