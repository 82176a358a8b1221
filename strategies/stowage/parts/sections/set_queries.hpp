#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>

#include <stowage/contract/assert.hpp>
#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/sections/mask_table.hpp>

namespace stowage::parts {

/// Which component sets have all components of a query, remembered for every query there has been. Loops of several
/// threads may ask at once: an answer that is known and complete costs three reads, anything else a lock. Sets come
/// only while nobody asks.
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
  /// and only ever grows. Throws std::bad_alloc.
  template <class AllSets>
  [[nodiscard]] const Sets& matching(const Mask& wanted, const AllSets& all) const {
    std::atomic<const Answer*>& known = known_[wanted.short_hash(known_bits)];
    const Answer* answer = known.load(std::memory_order_acquire);
    if (answer == nullptr || !(answer->mask == wanted) || !answer->is_complete(all.size())) [[unlikely]] {
      answer = &complete(wanted, all);
      known.store(answer, std::memory_order_release);
    }
    return answer->sets;
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
  /// What was found last for masks with this short hash: spares most look-ups the lock and the table.
  mutable std::array<std::atomic<const Answer*>, std::size_t{1} << known_bits> known_{};
};

}  // namespace stowage::parts
