#pragma once

#include <cstddef>
#include <cstdint>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// What one collection did.
struct Collected {
  std::size_t probes = 0;  ///< rows looked at
  std::size_t rows = 0;    ///< of these, rows whose entity was dead: they have been ended
};

/// Ends the rows that destroyed entities have left behind: some in every frame, and only where there are any.
///
/// A probe looks at a random row. One of a dead entity is ended and makes the next probe worth while; four of living
/// entities in a row end the collection of a pool. So a pool in which a share d of the rows is dead loses about
/// 1 / (1 - d)^4 - 1 of them at a time: next to nothing is looked at where little has died, and nearly everything goes
/// at once where nearly all have. In between it takes its time: of 16,384 rows half of which are dead a tenth of these
/// is left after some 2,900 collections and none after 17,000, and of one dead row in a hundred after 9,200 and 23,000.
/// Who wants the memory back earlier calls collect_all(). Source: Bitsquid, "Building a Data-Oriented Entity System,
/// part 2" (2014); that a pool without dead rows is not probed at all is ours (published, it costs four probes),
/// because the registry knows how many there are.
template <class Self, std::size_t Pools>
class RowCollection {
  static constexpr unsigned living_in_a_row = 4;

 public:
  /// Looks at random rows of each pool until four in a row belong to the living. Invalidates what remove() of the
  /// ended components would. Never throws.
  Collected collect() {
    self().guard().assert_no_loop();
    Collected sum;
    stowage::detail::for_each_index<Pools>([&](auto pool) { probe<pool>(sum); });
    return sum;
  }

  /// Ends every row that is left behind. O(rows of the pools that have any).
  void collect_all() {
    self().guard().assert_no_loop();
    stowage::detail::for_each_index<Pools>([&](auto pool) { sweep<pool>(); });
  }

 protected:
  /// Ends all that the dead have left in pool P, from the first row on. O(rows).
  template <std::size_t P>
  void sweep() noexcept {
    for (std::size_t row = 0; self().registry_.left_rows(P) != 0;) {
      if (!end_if_dead<P>(row)) ++row;
    }
  }

  /// Growing can wait while an eighth of the rows is nobody's: that much pays for looking at all.
  template <std::size_t P>
  void sweep_before_growing(std::size_t more) noexcept {
    const auto& pool = self().template pool<P>();
    const std::size_t left = self().registry_.left_rows(P);
    if (left != 0 && pool.size() + more > pool.layout().capacity() && left >= pool.size() / 8) sweep<P>();
  }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

  template <std::size_t P>
  void probe(Collected& sum) noexcept {
    for (unsigned living = 0; living < living_in_a_row && self().registry_.left_rows(P) != 0; ++sum.probes) {
      if (end_if_dead<P>(random_row(self().template pool<P>().size()))) {
        ++sum.rows;
        living = 0;
      } else {
        ++living;
      }
    }
  }

  template <std::size_t P>
  bool end_if_dead(std::size_t row) noexcept {
    const EntityIndex owner = self().template pool<P>().owner(row);
    if (!self().registry_.is_dead(owner)) return false;
    self().registry_.note_collected();
    self().template end_row<P>(self().registry_.entity_at(owner), static_cast<RowNumber>(row));
    return true;
  }

  /// Marsaglia's xorshift, always from the same seed: a run can be repeated.
  [[nodiscard]] std::size_t random_row(std::size_t rows) noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 32) * rows >> 32);
  }

  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace stowage::parts
