#pragma once

// indirection_map.changed: packed rows, and for each the tick in which a program last could write to its components.
//
//     map        [gen|row][gen| - ][gen|row] ...                8 bytes per index, per pool; the first is the registry
//     rows       [ owner owner ... | A A A ... | B B B ... | tick of A, tick of A, ... ]     4 bytes for each Changed<>
//
//     schema           Schema<Group<Changed<A>, B>>           // ticks for A alone
//     next_tick()      return ++now
//     find<A>(e)       as indirection_map, and tick_of_A[row] = now         // find<const A> writes no tick
//     each<A>(fn)      all rows: tick_of_A[row] = now; then the loop
//     each_changed<A, B>(since, fn)
//                      for each 64 rows: subtract since from their ticks
//                          no tick is of since or later: nothing to do
//                          all are, with all that follow:  for (row ...) fn(A[row], B[row])            // vectors
//                          some are: a bit for each; for each set bit: fn(A[row], B[row])
//                      if B is in another pool: look it up for each row of A's that has changed
//
// Exactly what was written has changed: a tick goes with its row into a hole, and with its component from pool to pool.
// Files do not have ticks: what is loaded has changed.
//
// The code: StampedColumns below; PoolStorage (parts/pool_storage.hpp) notes what is written and has the loop,
// StorageForms (parts/storage_forms.hpp) has each_changed().
//
// By: bevy, whose components have a tick for each row that a mutable access sets. EnTT instead lists entities that were
//      replaced or patched, in a storage of their own.
// Pick it when few rows change, anywhere, and the work for one that did is dear. A read of all ticks is 0.8
// instructions a row; a write stores 4 bytes more.
// Misses per lookup: as indirection_map; find() that is not const writes to the line of the tick, too: 1 more.

#include <bit>
#include <cstring>

#include <stowage/indirection_map.hpp>
#include <stowage/parts/layout/columns.hpp>

namespace stowage {

namespace parts {

/// When a C was last written, in a column of its own.
template <class C>
struct StampOf {
  Tick written;
};

/// For rows from the first on: which of 64 have been written since.
///
///     ticks - since    has its highest bit set for a row that was not. All set, none set: 2 instructions a vector.
///     bytes            that bit of each row, in a byte; 8 of them are gathered by a multiplication.
class ChangedRows {
 public:
  ChangedRows(const Tick* stamps, std::size_t rows, Tick since) noexcept
      : stamps_(stamps), rows_(rows), since_(since) {}

  [[nodiscard]] PresenceWord operator()(std::size_t block) const noexcept {
    const std::size_t first = block * rows_per_word;
    if (rows_ - first >= rows_per_word) [[likely]]
      return full_word(stamps_ + first);
    PresenceWord word = 0;
    for (std::size_t row = first; row < rows_; ++row) {
      if (has_changed(stamps_[row], since_)) word |= presence_bit(row);
    }
    return word;
  }

 private:
  [[nodiscard]] PresenceWord full_word(const Tick* stamps) const noexcept {
    Tick all = ~Tick{0};
    Tick any = 0;
    for (std::size_t row = 0; row < rows_per_word; ++row) {
      all &= stamps[row] - since_;
      any |= stamps[row] - since_;
    }
    if (static_cast<std::int32_t>(all) < 0) return 0;
    if (static_cast<std::int32_t>(any) >= 0) return ~PresenceWord{0};
    return word_of(stamps);
  }
  [[nodiscard]] PresenceWord word_of(const Tick* stamps) const noexcept {
    std::array<std::uint8_t, rows_per_word> changed;
    for (std::size_t row = 0; row < rows_per_word; ++row) {
      changed[row] = static_cast<std::uint8_t>(~(stamps[row] - since_) >> 31);
    }
    PresenceWord word = 0;
    for (std::size_t byte = 0; byte < sizeof word; ++byte) {
      std::uint64_t eight;
      std::memcpy(&eight, changed.data() + byte * 8, sizeof eight);
      if constexpr (std::endian::native == std::endian::little) {
        word |= (eight * 0x0102'0408'1020'4080 >> 56) << byte * 8;
      } else {
        word |= (eight * 0x8040'2010'0804'0201 >> 56) << byte * 8;
      }
    }
    return word;
  }

  const Tick* stamps_;
  std::size_t rows_;
  Tick since_;
};

/// Columns, and columns of stamps behind them.
template <class Stamps, class Recorded, class Key, class... Cs>
class StampedColumns;
template <class... Stamps, class Recorded, class Key, class... Cs>
class StampedColumns<TypeList<Stamps...>, Recorded, Key, Cs...> : public Columns<Key, Cs..., Stamps...> {
  using Base = Columns<Key, Cs..., Stamps...>;
  template <class Q>
  static constexpr bool is_recorded = stowage::detail::list_contains<std::remove_const_t<Q>, Recorded>;

 public:
  static constexpr bool keeps_stamps = true;
  static constexpr std::size_t stamp_bytes = sizeof...(Stamps) * sizeof(Tick);  ///< of a row
  using RowStamps = std::array<Tick, sizeof...(Stamps)>;

  [[nodiscard]] Tick tick() const noexcept { return now_; }
  void begin_tick(Tick now) noexcept { now_ = now; }

  template <class C>
  [[nodiscard]] Tick* stamps() const noexcept {
    return reinterpret_cast<Tick*>(this->template cursor<StampOf<std::remove_const_t<C>>>());
  }
  /// A C, if it is recorded, may be written to in these rows.
  template <class C>
  void stamp(std::size_t first, std::size_t count) const noexcept {
    if constexpr (is_recorded<C>) std::fill_n(stamps<C>() + first, count, now_);
  }
  /// The words of rows of which C was written since the tick.
  template <class C>
  [[nodiscard]] ChangedRows changed_rows(std::size_t rows, Tick since) const noexcept {
    return ChangedRows(stamps<C>(), rows, since);
  }

  /// Whatever was here may have had other values, so all of it counts as written now.
  void copy_rows(const StampedColumns& other, std::size_t rows) const noexcept {
    Base::copy_rows(other, rows);
    (std::fill_n(this->template cursor<Stamps>(), rows, Stamps{now_}), ...);
  }

  [[nodiscard]] RowStamps stamps_of_row([[maybe_unused]] std::size_t row) const noexcept {
    return {this->template cursor<Stamps>()[row].written...};
  }
  void set_stamps_of_row([[maybe_unused]] std::size_t row, [[maybe_unused]] const RowStamps& stamps) const noexcept {
    [[maybe_unused]] std::size_t i = 0;
    ((this->template cursor<Stamps>()[row].written = stamps[i++]), ...);
  }

  template <class C, class... Arguments>
  void construct(std::size_t row, Arguments&&... arguments) const {
    Base::template construct<C>(row, std::forward<Arguments>(arguments)...);
    stamp<C>(row, 1);
  }
  template <class C>
  void construct_copies(std::size_t first, std::span<const C> components) const {
    Base::template construct_copies<C>(first, components);
    stamp<C>(first, components.size());
  }
  template <class C>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    Base::template relocate<C>(from, to);
    if constexpr (is_recorded<C>) stamps<C>()[to] = stamps<C>()[from];
  }

 private:
  Tick now_ = 1;
};

/// Over the components that a schema records.
template <class Recorded>
struct StampedColumnsLayout {
  template <class... Cs>
  using StampsOf = stowage::detail::concatenated<
      stowage::detail::TypeListIf<stowage::detail::list_contains<Cs, Recorded>, StampOf<Cs>>...>;
  template <class Key, class... Cs>
  using layout = StampedColumns<StampsOf<Cs...>, Recorded, Key, Cs...>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class IndirectionMapChanged
    : public IndirectionMap<SchemaType, Registry, parts::StampedColumnsLayout<typename SchemaType::recorded>> {};

static_assert(assert_storage<IndirectionMapChanged<ProbeSchema>>());

}  // namespace stowage
