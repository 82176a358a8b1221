#pragma once

// Packed rows of one or several components with their owners: adding, moving, and removal by swap and pop.

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/changes.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/moves.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/room.hpp>

namespace stowage::parts {

/// True for a layout that keeps beside some components when they were last written: see indirection_map_changed.hpp. It
/// notes that for what it constructs.
template <class Layout>
inline constexpr bool keeps_stamps = requires { requires Layout::keeps_stamps; };

/// The stamps of a row that was taken out of its pool.
template <class Layout>
struct HeldStamps {
  explicit HeldStamps(const Layout&, std::size_t) noexcept {}
  void put_in(const Layout&, std::size_t) const noexcept {}
};
template <class Layout>
  requires keeps_stamps<Layout>
struct HeldStamps<Layout> {
  HeldStamps(const Layout& layout, std::size_t row) noexcept : stamps(layout.stamps_of_row(row)) {}
  void put_in(const Layout& layout, std::size_t row) const noexcept { layout.set_stamps_of_row(row, stamps); }

  typename Layout::RowStamps stamps;
};

/// A layout says where the rows lie. Removal moves the last row into the hole (swap and pop), so rows stay packed and
/// their order is lost.
template <class LayoutPolicy, class... Cs>
class Pool {
 public:
  using layout_type = typename LayoutPolicy::template layout<EntityIndex, Cs...>;

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return layout_.capacity(); }
  [[nodiscard]] bool full() const noexcept { return size_ == layout_.capacity(); }
  [[nodiscard]] const layout_type& layout() const noexcept { return layout_; }
  [[nodiscard]] EntityIndex owner(std::size_t row) const noexcept { return layout_.keys()[row]; }
  /// What is written from now on is written in this tick.
  void begin_tick(Tick now) noexcept
    requires keeps_stamps<layout_type>
  {
    layout_.begin_tick(now);
  }

  /// Room for `count` rows in all. Throws what `Room` says (see room.hpp) or std::bad_alloc; then nothing has changed.
  template <class Room = DefaultRoom>
  void reserve(std::size_t count) {
    if (count > capacity()) reallocate(Room::reserved(count));
  }

  /// Room for `more` rows beyond those in use, as `Room` gives it. Throws like reserve().
  template <class Room = DefaultRoom>
  void make_room(std::size_t more) {
    if (size_ + more > capacity()) reallocate(Room::grown(capacity(), size_ + more));
  }
  /// How often the rows moved to a larger allocation.
  [[nodiscard]] std::uint64_t growths() const noexcept { return growths_; }
  /// See contract/moves.hpp; 0 if no component of these rows is tracked.
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_.value(); }
  /// An entity that had no row here has one now.
  void note_gain() noexcept { moves_.note(); }

  /// Constructs the row after the last, each component from the element of `arguments` (a tuple of references) that has
  /// its type. If one throws, those before it are destroyed. commit() makes it a row. Needs room.
  template <class... Arguments>
  void construct_next(std::tuple<Arguments...>& arguments) {
    construct_each<Cs...>(arguments);
  }
  /// The same for one component of the row, in its place.
  template <class C, class... Arguments>
  void construct_one(Arguments&&... arguments) {
    layout_.template construct<C>(size_, std::forward<Arguments>(arguments)...);
  }
  /// Takes back construct_next().
  void abandon_next() noexcept { (abandon_one<Cs>(), ...); }
  template <class C>
  void abandon_one() noexcept {
    layout_.template destroy<C>(size_, 1);
  }
  /// The row after the last is complete and belongs to `owner`. Returns its number.
  std::size_t commit(EntityIndex owner) noexcept {
    layout_.keys()[size_] = owner;
    return size_++;
  }

  /// Puts another component in the place of the one in `row`.
  template <class C>
  void replace(std::size_t row, C&& component) noexcept {
    layout_.template destroy<C>(row, 1);
    layout_.template construct<C>(row, std::forward<C>(component));
  }

  /// Bulk form, out of ComponentColumns, in two steps: what is copied as bytes can be forgotten again, what is moved
  /// cannot. Needs room.
  template <class Columns>
  void copy_many(const Columns& columns) noexcept {
    if constexpr (requires { layout_.construct_rows(size_, columns.template column<Cs>()...); }) {
      layout_.construct_rows(size_, columns.template column<Cs>()...);
    } else {
      (copy_column_of<Cs>(columns), ...);
    }
  }
  template <class Columns>
  void move_many(const Columns& columns) noexcept {
    (columns.template take<Cs>(
         0, columns.rows(), [](auto /*copied*/) {},
         [&](std::size_t i, Cs&& component) { layout_.template construct<Cs>(size_ + i, std::move(component)); }),
     ...);
    if constexpr (keeps_stamps<layout_type>) (layout_.template stamp<Cs>(size_, columns.rows()), ...);
  }
  /// The rows after the last belong to these entities.
  template <class EntityType>
  void commit_many(const NewEntities<EntityType>& owners) noexcept {
    owners.copy_indices(0, owners.size(), layout_.keys() + size_);
    size_ += owners.size();
  }

  /// Ends the components of a row and fills the hole with the last row. `moved(owner, row)` is told where that went.
  template <class Moved>
  void erase(std::size_t row, Moved&& moved) noexcept {
    moves_.note();
    (layout_.template destroy<Cs>(row, 1), ...);
    const std::size_t last = --size_;
    if (row != last) relocate_row(last, row, moved);
  }

  /// The same for rows whose order matters: all behind the hole move down by one. O(rows behind).
  template <class Moved>
  void erase_ordered(std::size_t row, Moved&& moved) noexcept {
    moves_.note();
    (layout_.template destroy<Cs>(row, 1), ...);
    --size_;
    for (; row < size_; ++row) relocate_row(row + 1, row, moved);
  }

  /// Takes a row out and puts it in again at `to`, past all in between. O(rows in between).
  template <class Moved>
  void move_row(std::size_t from, std::size_t to, Moved&& moved) noexcept {
    if (from == to) return;
    moves_.note();
    Held held = take_out(from);
    for (std::size_t hole = from; hole != to;) {
      const std::size_t next = from < to ? hole + 1 : hole - 1;
      relocate_row(next, hole, moved);
      hole = next;
    }
    put_in(to, std::move(held), moved);
  }

  template <class Moved>
  void swap_rows(std::size_t row, std::size_t other, Moved&& moved) noexcept {
    moves_.note();
    Held held = take_out(row);
    relocate_row(other, row, moved);
    put_in(other, std::move(held), moved);
  }

  /// Ends every row. Trivially destructible components are not visited. Keeps the memory.
  void clear() noexcept {
    moves_.note();
    if (size_ != 0) (layout_.template destroy<Cs>(0, size_), ...);
    size_ = 0;
  }

  /// The rows of another pool, whose components are copied as bytes, in the memory that is there if that suffices.
  /// Throws std::bad_alloc; then nothing has changed.
  void copy_from(const Pool& other) {
    if (other.size_ > capacity()) reallocate(other.capacity());
    moves_.note();
    layout_.copy_rows(other.layout_, other.size_);
    size_ = other.size_;
  }

  /// Components are payload, owners are index, the rest of the allocation is slack. `used` is how many of the rows
  /// are in use.
  [[nodiscard]] MemoryBreakdown memory(std::size_t used) const noexcept {
    MemoryBreakdown bytes;
    bytes.payload_bytes = used * (layout_type::template component_bytes<Cs> + ...);
    bytes.index_bytes = used * sizeof(EntityIndex);
    if constexpr (keeps_stamps<layout_type>) bytes.index_bytes += used * layout_type::stamp_bytes;
    bytes.slack_bytes = layout_.held_bytes() - bytes.payload_bytes - bytes.index_bytes;
    bytes.allocations = layout_.allocations();
    return bytes;
  }

 private:
  void reallocate(std::size_t capacity) {
    moves_.note();
    const bool is_growth = layout_.capacity() != 0;
    layout_.reallocate(capacity, size_);
    growths_ += is_growth ? 1U : 0U;
  }

  /// A row that was taken out of the pool.
  struct Held {
    EntityIndex owner;
    std::tuple<Cs...> components;
    STOWAGE_NO_UNIQUE_ADDRESS HeldStamps<layout_type> stamps;
  };
  [[nodiscard]] Held take_out(std::size_t row) noexcept {
    Held held{layout_.keys()[row],
              {static_cast<Cs&&>(*layout_.template at<Cs>(row))...},
              HeldStamps<layout_type>(layout_, row)};
    (layout_.template destroy<Cs>(row, 1), ...);
    return held;
  }
  template <class Moved>
  void put_in(std::size_t row, Held&& held, Moved& moved) noexcept {
    (layout_.template construct<Cs>(row, std::get<Cs>(std::move(held.components))), ...);
    held.stamps.put_in(layout_, row);
    layout_.keys()[row] = held.owner;
    moved(held.owner, row);
  }

  /// Moves a row to a place without one.
  template <class Moved>
  void relocate_row(std::size_t from, std::size_t to, Moved& moved) noexcept {
    // first: the compiler must assume that writing components changes where the keys and the index lie
    const EntityIndex owner = layout_.keys()[to] = layout_.keys()[from];
    moved(owner, to);
    layout_.template relocate<Cs...>(from, to);
  }

  template <class C, class... Rest, class... Arguments>
  void construct_each(std::tuple<Arguments...>& arguments) {
    constexpr std::size_t position = stowage::detail::position_of<C, std::remove_cvref_t<Arguments>...>();
    layout_.template construct<C>(size_, std::get<position>(std::move(arguments)));
    if constexpr (sizeof...(Rest) > 0) {
      OnFailure undo([&] { layout_.template destroy<C>(size_, 1); });
      construct_each<Rest...>(arguments);
      undo.release();
    }
  }

  template <class C, class Columns>
  void copy_column_of(const Columns& columns) noexcept {
    if constexpr (Columns::template is_copied<C>) {
      const auto rows = layout_.template block<C>(size_, columns.rows());
      if constexpr (std::is_same_v<decltype(rows), const std::span<C>>) {
        columns.template copy<C>(0, columns.rows(), rows.data());
      } else {
        layout_.template construct_copies<C>(size_, columns.template column<C>());
      }
    }
  }

  layout_type layout_;
  std::size_t size_ = 0;
  std::uint64_t growths_ = 0;
  STOWAGE_NO_UNIQUE_ADDRESS MoveCounter<(tracks_moves<Cs> || ...)> moves_;
};

}  // namespace stowage::parts
