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
// The code: StampedColumns below; IndirectionMapChanged notes what is written and has the loop, StorageForms
// (parts/storage_forms.hpp) has each_changed().
//
// By: bevy, whose components have a tick for each row that a mutable access sets. EnTT instead lists entities that were
//      replaced or patched, in a storage of their own.
// Pick it when few rows change, anywhere, and the work for one that did is dear. A read of all ticks is 0.8
// instructions a row; a write stores 4 bytes more.
// Misses per lookup: as indirection_map; find() that is not const writes to the line of the tick, too: 1 more.

#include <bit>
#include <cstring>

#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// What was found of a component that a program may write to, and where that is noted. See written().
template <class C>
struct StampedPointer {
  C* component = nullptr;
  Tick* stamp = nullptr;
  Tick now = 0;

  friend bool operator==(const StampedPointer& found, std::nullptr_t) noexcept { return found.component == nullptr; }
};
template <class C>
[[nodiscard]] C* written(StampedPointer<C> found) noexcept {
  if (found.component != nullptr) *found.stamp = found.now;
  return found.component;
}

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
  /// A C, if it is recorded and not const, may be written to in these rows.
  template <class C>
  void stamp(std::size_t first, std::size_t count) const noexcept {
    if constexpr (!std::is_const_v<C> && is_recorded<C>) std::fill_n(stamps<C>() + first, count, now_);
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
  template <class... All>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    Base::template relocate<All..., Stamps...>(from, to);
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
    : public parts::PoolStorage<SchemaType, Registry, parts::ArrayIndexPolicy,
                                parts::StampedColumnsLayout<typename SchemaType::recorded>,
                                parts::Placement<SchemaType>, IndirectionMapChanged<SchemaType, Registry>> {
  using Base = typename IndirectionMapChanged::PoolStorage;
  friend Base;
  friend typename Base::Forms;
  friend typename Base::Rows;
  using Places = parts::Placement<SchemaType>;

 public:
  /// Whether it is recorded when C was last written, which it is for each row.
  template <class C>
  static constexpr bool records = detail::is_recorded<C, SchemaType>;
  static constexpr bool records_each_row = true;

  /// See contract/changes.hpp.
  [[nodiscard]] Tick tick() const noexcept { return this->template pool<0>().layout().tick(); }
  /// O(pools).
  Tick next_tick() noexcept {
    const Tick next = tick() + 1;
    detail::for_each_index<Places::pool_count>([&](auto p) { this->template pool<p>().begin_tick(next); });
    return next;
  }

 private:
  template <class Q>
  static constexpr bool writes = !std::is_const_v<Q> && records<Q>;

  // ---- what PoolRows and PoolStorage ask for

  template <std::size_t P, class... Qs>
  void note_writes([[maybe_unused]] std::size_t first, [[maybe_unused]] std::size_t count) const noexcept {
    (this->template pool<P>().layout().template stamp<Qs>(first, count), ...);
  }

  template <class C, std::size_t From, std::size_t To>
  void carry_stamp([[maybe_unused]] parts::RowNumber row) const noexcept {
    if constexpr (records<C>) {
      const auto& to = this->template pool<To>();
      to.layout().template stamps<C>()[to.size()] = this->template pool<From>().layout().template stamps<C>()[row];
    }
  }

  template <class Q>
  [[nodiscard]] auto finder() const noexcept {
    if constexpr (writes<Q>) {
      constexpr std::size_t first = Base::template first_pool<Q>;
      constexpr std::size_t single = Places::template single_pool<Q>;
      return [in_group = this->row_index().template reader<first>(), group_row = row_of_pool<first, Q>(),
              alone = this->row_index().template reader<single>(),
              single_row = row_of_pool<single, Q>()](EntityIndex owner) -> parts::StampedPointer<Q> {
        if constexpr (first != single) {
          if (const parts::RowNumber row = in_group(owner); row != parts::no_row) return group_row(row);
        }
        const parts::RowNumber row = alone(owner);
        return row != parts::no_row ? single_row(row) : parts::StampedPointer<Q>{};
      };
    } else {
      return Base::template finder<Q>();
    }
  }

  template <std::size_t P, class Q>
  [[nodiscard]] auto resolver() const noexcept {
    if constexpr (Places::template holds_all<P, Q> && writes<Q>) {
      return [at = row_of_pool<P, Q>()](std::size_t row, EntityIndex) { return at(row); };
    } else {
      return Base::template resolver<P, Q>();
    }
  }

  /// Takes a row of pool P to its recorded Q.
  template <std::size_t P, class Q>
  [[nodiscard]] auto row_of_pool() const noexcept {
    const auto& layout = this->template pool<P>().layout();
    return [column = layout.template cursor<Q>(), stamps = layout.template stamps<Q>(), now = tick()](std::size_t row) {
      return parts::StampedPointer<Q>{parts::address_of(column, row), stamps + row, now};
    };
  }

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    if constexpr (parts::is_changed_loop<Slice>) {
      const parts::IterationGuard::Scope<Slice> looping(this->guard_);
      loop_changed<Qs...>(slice, fn);
    } else {
      Base::template loop_rows<Qs...>(slice, fn);
    }
  }

  template <std::size_t P, class... Qs, class Slice, class OnRow>
  void drive_pool(Slice& slice, OnRow& on_row) const {
    if constexpr (parts::is_changed_loop<Slice>) {
      const auto join = [&](parts::RowRange rows) {
        parts::join_rows<Qs...>(rows, this->template pool<P>().layout().keys(), on_row,
                                resolver<P, detail::asked_of<Qs>>()...);
      };
      for_each_changed<P>(slice, join, [&](std::size_t row) { join(parts::RowRange{row, row + 1}); });
    } else {
      Base::template drive_pool<P, Qs...>(slice, on_row);
    }
  }

  // ---- each_changed(): rows of the component that has changed, with what else they have or a lookup of it

  template <class C, class... Qs, class Changed, class Fn>
  void loop_changed(Changed& changed, Fn& fn) const {
    constexpr bool is_filtered = detail::has_filters<Qs...>;
    constexpr bool is_in_home = !is_filtered && Base::template are_in_one_pool<C, Qs...>;
    if constexpr (is_in_home) loop_changed_pool<Base::template home_of<C, Qs...>, C, Qs...>(changed, fn);
    if constexpr (is_in_home && Base::template are_in_second_pool<C, Qs...>) {
      loop_changed_pool<Base::template second_of<C, Qs...>, C, Qs...>(changed, fn);
    } else if constexpr (is_filtered || Base::template are_in_several_pools<C, Qs...>) {
      const auto on_row = [&](EntityIndex owner, auto... found) {
        parts::call_with_found<C, Qs...>(
            fn, [&] { return parts::owner_for<Fn>(this->registry_, owner); }, parts::written(found)...);
      };
      this->template drive<!is_in_home, C, C, Qs...>(changed, on_row);
    }
  }

  template <std::size_t P, class... Qs, class Changed, class Fn>
  void loop_changed_pool(Changed& changed, Fn& fn) const {
    const auto& layout = this->template pool<P>().layout();
    const auto entity_of = [this, owners = layout.keys()](std::size_t row) {
      return parts::owner_for<Fn>(this->registry_, owners[row]);
    };
    const auto visit = [&](auto... cursors) {
      for_each_changed<P>(
          changed,
          [&](parts::RowRange run) {
            note_writes<P, Qs...>(run.first, run.size());
            parts::visit_rows<false>(run, fn, entity_of, cursors...);
          },
          [&](std::size_t row) {
            note_writes<P, Qs...>(row, 1);
            parts::call(fn, [&] { return entity_of(row); }, cursors[row]...);
          });
    };
    visit(layout.template cursor<Qs>()...);
  }

  template <std::size_t P, class Changed, class VisitRun, class VisitRow>
  void for_each_changed(const Changed& changed, VisitRun&& visit_run, VisitRow&& visit_row) const {
    const parts::RowRange rows{0, this->template pool<P>().size()};
    parts::for_each_present_run<parts::WholeLoop>(
        rows,
        this->template pool<P>().layout().template changed_rows<typename Changed::changing>(rows.end, changed.since),
        visit_run, visit_row);
  }
};

static_assert(assert_storage<IndirectionMapChanged<ProbeSchema>>());

}  // namespace stowage
