#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stowage/parts/index/counted_heap.hpp>

namespace stowage::parts {

/// Finds the element of a list by its mask. Elements have different masks and are only ever added, at the end.
/// Open addressing: a slot holds the number of an element plus one, 0 if it is free. At most half of the slots are in
/// use. The mask itself is read from the element, so a slot takes 4 bytes.
template <class List>
class MaskTable {
 public:
  using Element = typename List::value_type;

  /// Elements of `list` are found, with memory counted by `heap`. Both must outlive the table.
  MaskTable(List& list, HeapCount& heap) : list_(list), slots_(CountingAllocator<std::uint32_t>(heap)) {}

  /// The element with exactly this mask; null if there is none. O(1) expected.
  template <class Mask>
  [[nodiscard]] Element* find(const Mask& mask) const noexcept {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(mask);; at = next(at)) {
      if (slots_[at] == 0) return nullptr;
      Element& element = list_[slots_[at] - 1];
      if (element.mask == mask) return &element;
    }
  }

  /// Makes the last element of the list known. If it throws std::bad_alloc, nothing has changed.
  void add_last() {
    if (2 * list_.size() > slots_.size()) {
      slots_ = Slots(std::max(2 * slots_.size(), fewest_slots), 0, slots_.get_allocator());
      for (std::size_t i = 0; i + 1 < list_.size(); ++i) enter(i);
    }
    enter(list_.size() - 1);
  }

 private:
  using Slots = std::vector<std::uint32_t, CountingAllocator<std::uint32_t>>;
  static constexpr std::size_t fewest_slots = 16;

  template <class Mask>
  [[nodiscard]] std::size_t home(const Mask& mask) const noexcept {
    return mask.short_hash(static_cast<unsigned>(std::countr_zero(slots_.size())));
  }
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & (slots_.size() - 1); }

  void enter(std::size_t number) noexcept {
    std::size_t at = home(list_[number].mask);
    while (slots_[at] != 0) at = next(at);
    slots_[at] = static_cast<std::uint32_t>(number + 1);
  }

  List& list_;
  Slots slots_;
};

}  // namespace stowage::parts
