#pragma once

// The component sets of a storage on sections, found by their mask, by the edge from a neighbour, or by a query.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/counted_heap.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/sections/component_mask.hpp>
#include <stowage/parts/sections/room_list.hpp>

namespace stowage::parts {

/// The section number of a set that has at most one section, in the set itself.
class OneNumber {
 public:
  explicit OneNumber(CountingAllocator<std::uint32_t>) noexcept {}

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] const std::uint32_t* begin() const noexcept { return &number_; }
  [[nodiscard]] const std::uint32_t* end() const noexcept { return &number_ + count_; }
  [[nodiscard]] std::uint32_t front() const noexcept { return number_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t) const noexcept { return number_; }

  void push_back(std::uint32_t number) noexcept {
    STOWAGE_ASSERT(count_ == 0, "a set that grows has one section");
    number_ = number;
    count_ = 1;
  }
  void clear() noexcept { count_ = 0; }
  template <class Gone>
  friend void erase_if(OneNumber& numbers, Gone&& gone) noexcept {
    if (!numbers.empty() && gone(numbers.number_)) numbers.clear();
  }

 private:
  std::uint32_t number_ = 0;
  std::uint32_t count_ = 0;
};

/// Everything that sections with exactly the same components share. `Memory` is where they get their blocks; `HasMany`
/// says that there may be several.
template <std::size_t Components, class Memory, bool HasMany>
struct ComponentSet {
  using mask_type = ComponentMask<Components>;
  template <class T>
  using Vector = std::vector<T, CountingAllocator<T>>;
  using Numbers = std::conditional_t<HasMany, Vector<std::uint32_t>, OneNumber>;

  ComponentSet(const mask_type& components, HeapCount& heap)
      : mask(components), sections(CountingAllocator<std::uint32_t>(heap)), memory(heap) {}

  mask_type mask;
  Numbers sections;  ///< of all sections, in order of creation
  /// The set that adding or removing a component leads to, once that has been asked for.
  std::array<ComponentSet*, Components> neighbours{};
  std::size_t payload_row_bytes = 0;
  std::size_t index_row_bytes = 0;   ///< owner, and what the layout writes beside the components
  std::size_t rows_per_section = 0;  ///< of the section added last
  RoomList with_room;                ///< those that are not full
  STOWAGE_NO_UNIQUE_ADDRESS Memory memory;
};

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

  /// To be called when the list has been emptied.
  void clear() noexcept { slots_.clear(); }

  /// Makes the last element of the list known. If it throws std::bad_alloc, nothing has changed.
  void add_last() {
    if (2 * list_.size() > slots_.size()) {
      slots_ = Slots((std::max)(2 * slots_.size(), fewest_slots), 0, slots_.get_allocator());
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

/// What was found last for masks with this short hash: spares most lookups the table. `T` has a mask and stays where
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

/// Which component sets have all components of a query, remembered for every query there has been. Loops of several
/// threads may ask at once: an answer that is known and complete costs three reads, anything else a lock. Sets come
/// only while no thread asks.
template <class Set>
class SetQueries {
 public:
  using Mask = typename Set::mask_type;
  using Sets = typename Set::template Vector<const Set*>;

  SetQueries() : answers_(CountingAllocator<Answer>(heap_)), by_mask_(answers_, heap_) {}
  SetQueries(const SetQueries&) = delete;
  SetQueries& operator=(const SetQueries&) = delete;

  /// The sets among `all` that have everything in `wanted`. Looks only at sets that came since it was asked last, and
  /// allocates only when the first query for `wanted` or a new set makes the answer longer. The list stays where it is
  /// and only ever grows. `count` is the number of `all`, which a deque would compute at each call. Throws
  /// std::bad_alloc.
  template <class AllSets>
  [[nodiscard]] const Sets& matching(const Mask& wanted, const AllSets& all, std::size_t count) const {
    std::atomic<const Answer*>& known = known_[wanted.short_hash(known_bits)];
    const Answer* answer = known.load(std::memory_order_acquire);
    if (answer == nullptr || !(answer->mask == wanted) || !answer->is_complete(count)) [[unlikely]] {
      answer = &complete(wanted, all);
      known.store(answer, std::memory_order_release);
    }
    return answer->sets;
  }

  /// The sets are gone.
  void clear() noexcept {
    for (auto& known : known_) known.store(nullptr, std::memory_order_relaxed);
    by_mask_.clear();
    answers_.clear();
  }

  /// What all of this holds on the heap.
  [[nodiscard]] HeapCount held() const {
    const std::lock_guard lock(mutex_);
    return heap_;
  }

 private:
  /// Written under the lock only; read without it once is_complete().
  struct Answer {
    Answer(const Mask& wanted, HeapCount& heap) : mask(wanted), sets(CountingAllocator<const Set*>(heap)) {}

    [[nodiscard]] bool is_complete(std::size_t set_count) const noexcept {
      return seen.load(std::memory_order_acquire) == set_count;
    }

    Mask mask;
    std::atomic<std::size_t> seen = 0;  ///< sets that were looked at
    Sets sets;
  };
  using Answers = std::deque<Answer, CountingAllocator<Answer>>;

  template <class AllSets>
  STOWAGE_COLD const Answer& complete(const Mask& wanted, const AllSets& all) const {
    const std::lock_guard lock(mutex_);
    Answer& answer = look_up_or_ask(wanted);
    for (std::size_t seen = answer.seen; seen < all.size(); ++seen) {
      if (all[seen].mask.includes(wanted)) answer.sets.push_back(&all[seen]);
      answer.seen.store(seen + 1, std::memory_order_release);
    }
    return answer;
  }

  [[nodiscard]] Answer& look_up_or_ask(const Mask& wanted) const {
    if (Answer* const known = by_mask_.find(wanted)) return *known;
    answers_.emplace_back(wanted, heap_);
    OnFailure forget([this] { answers_.pop_back(); });
    by_mask_.add_last();
    forget.release();
    return answers_.back();
  }

  static constexpr unsigned known_bits = 3;

  mutable std::mutex mutex_;  // of all but known_
  mutable HeapCount heap_;
  mutable Answers answers_;
  mutable MaskTable<Answers> by_mask_;
  /// What was found last for masks with this short hash: spares most lookups the lock and the table.
  mutable std::array<std::atomic<const Answer*>, std::size_t{1} << known_bits> known_{};
};

/// Sets never disappear and never move.
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

  /// The set with exactly these components. O(1), one comparison if it was asked for lately.
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
    return queries_.matching(wanted, sets_, size_);
  }

  /// Whether the sets here are the first that came there.
  [[nodiscard]] bool begins(const SetCatalogue& other) const noexcept {
    return size_ <= other.size_ &&
           std::equal(sets_.begin(), sets_.end(), other.sets_.begin(),
                      [](const Set& set, const Set& theirs) { return set.mask == theirs.mask; });
  }
  /// Forgets all sets, which must have no rows.
  void clear() noexcept {
    known_sets_ = {};
    queries_.clear();
    by_mask_.clear();
    sets_.clear();
    size_ = 0;
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
    ++size_;
    return sets_.back();
  }

  std::unique_ptr<HeapCount> heap_;
  Sets sets_;
  std::size_t size_ = 0;  // of sets_
  MaskTable<Sets> by_mask_;
  SetQueries<Set> queries_;
  MaskMemo<Set> known_sets_;
};

}  // namespace stowage::parts
