#pragma once

// indirection_map.lazy, .lazy_probing: indirection_map in which destroying ends a life and leaves the rows for later.
//
//     registry   [gen note][gen note][gen note] ...             8 bytes per index ever alive
//     map        [gen|row][gen| - ][gen|row] ...                8 bytes per index, per pool
//                      \_____
//     rows       [ A A A a A A a a A ... ]                      a: of a dead entity, until a probe meets it
//                    ^     ^   ^          collect() looks at random rows, until four in a row are of the living
//
//     find<A, B>(e)    if (rows of the dead are left && registry.generation[e.index] != e.generation) return null
//                      then that of indirection_map
//     each<A, B>(fn)   no rows of the dead are left: one run.  Otherwise: for each run of rows whose owners live
//                          for (row of the run) fn(A[row], B[row])
//     create(a, b)     e = registry.create(); the note of e.index says where its last life has left rows: end them
//                      then that of indirection_map, and the note has the pools of the new rows
//     destroy(e)       note = registry[e.index]; note is that of a dead entity; count its rows as left
//                      registry.destroy(e)                              // no row, no map is read
//     collect()        for each pool with rows left: end random rows of the dead, until four are of the living
//                      .lazy_probing: for each pool, whether rows are left or not
//
// By: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014): no component manager has to be told of a
//      death, and the work of ending rows is spread over frames. In the article an index that is given out again may
//      meet rows of its last life; here a note beside the generation says in which pools they are, and they are ended
//      first. .lazy_probing collects as published; .lazy counts the rows that are left, and looks at none if there are
//      none.
// Pick it when many entities may die in one frame, or die inside loops, and what their components hold (sounds,
// particles) may wait. Call collect() once a frame. While rows of the dead are there, loops test each row, and lookups
// test the registry (a line more). When all are gone, loops over one pool are those of indirection_map, and lookups
// and the rows of a join have one test of a counter more. Misses per shuffled lookup of k components of one group,
// nothing dead left, all out of cache: 1 (map) + k (columns).

#include <bit>

#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// A bit for each pool in which an entity has a row, and the highest one if it is dead.
template <std::size_t Pools>
struct RowsNote {
  static_assert(Pools < 64, "a note has a bit for each pool");
  using Bits =
      std::conditional_t<(Pools < 16), std::uint16_t, std::conditional_t<(Pools < 32), std::uint32_t, std::uint64_t>>;

  Bits bits = 0;
};

/// A registry for storages in which the rows of an entity outlive it. Beside its generation an index has a note of the
/// pools in which it has rows, and whether these are those of a dead entity:
///
///     slots    [gen note][gen note][gen note] ...     4 bytes more per index (2 where the generation has 8 bits,
///                                                     12 from 32 pools on)
///                     \_ a bit per pool, and the highest one: dead
///
/// So destroying reads and writes one slot, in whatever pools the entity is; how many rows of the dead each pool holds
/// is known exactly at any time; and whether a row is one of them takes only the index of its owner.
template <class Registry, std::size_t Pools>
class LazyRegistry : public Registry::template with_slot_data<RowsNote<Pools>> {
  using Note = RowsNote<Pools>;
  using Bits = typename Note::Bits;
  using Base = typename Registry::template with_slot_data<Note>;
  static constexpr Bits dead_bit = static_cast<Bits>(std::uint64_t{1} << (sizeof(Bits) * 8 - 1));
  [[nodiscard]] static constexpr Bits bit_of(std::size_t pool) noexcept {
    return static_cast<Bits>(std::uint64_t{1} << pool);
  }

 public:
  using typename Base::entity_type;
  /// There is no room for other data: see HomedIn.
  template <class>
    requires(false)
  using with_slot_data = void;

  // A new entity has the rows of has_left_row() until they are ended and begin() is called.

  /// The entity's rows are those of a dead entity from now on. O(its rows).
  bool destroy(entity_type entity) noexcept {
    if (!this->alive(entity)) return false;
    Note& note = this->data(entity.index());
    for (Bits rest = note.bits; rest != 0; rest &= static_cast<Bits>(rest - 1)) {
      ++left_[static_cast<std::size_t>(std::countr_zero(rest))];
      ++all_left_;
    }
    note.bits |= dead_bit;
    return Base::destroy(entity);
  }

  /// Every row is gone, too.
  void clear() {
    for (std::size_t index = 0; index < this->index_count(); ++index) begin(static_cast<EntityIndex>(index));
    Base::clear();
    left_ = {};
    all_left_ = 0;
  }

  /// Rows of the dead are copied with all others.
  void copy_from(const LazyRegistry& other)
    requires requires(Base& registry) { registry.copy_from(registry); }
  {
    Base::copy_from(other);
    left_ = other.left_;
    all_left_ = other.all_left_;
  }

  [[nodiscard]] StorageEvents events() const noexcept {
    return Base::events() + StorageEvents{.collected_rows = collected_rows_};
  }

  // ---- rows

  /// The index begins its next life, without rows.
  void begin(EntityIndex index) noexcept { this->data(index) = {}; }

  template <std::size_t P>
  void note_row(EntityIndex index) noexcept {
    this->data(index).bits |= bit_of(P);
  }
  /// The row of this index in pool P has been ended, whether its entity is alive or dead.
  template <std::size_t P>
  void forget_row(EntityIndex index) noexcept {
    Note& note = this->data(index);
    if ((note.bits & dead_bit) != 0) {
      --left_[P];
      --all_left_;
    }
    note.bits &= static_cast<Bits>(~bit_of(P));
  }

  /// A row was ended by collection, and not because its index was given out again.
  void note_collected() noexcept { ++collected_rows_; }

  /// Of a dead entity the handle that it had: a loop may visit its row, and the one of the next life counts as alive.
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept {
    return is_dead(index) ? Base::ended_at(index) : Base::entity_at(index);
  }
  /// Whether the owner of a row is dead.
  [[nodiscard]] bool is_dead(EntityIndex index) const noexcept { return (this->data(index).bits & dead_bit) != 0; }
  /// Whether pool P has a row of the dead entity that had this index last.
  template <std::size_t P>
  [[nodiscard]] bool has_left_row(EntityIndex index) const noexcept {
    return (this->data(index).bits & (dead_bit | bit_of(P))) == (dead_bit | bit_of(P));
  }
  /// Rows of dead entities in pool P, and in all pools.
  [[nodiscard]] std::size_t left_rows(std::size_t pool) const noexcept { return left_[pool]; }
  [[nodiscard]] std::size_t left_rows() const noexcept { return all_left_; }

 private:
  std::array<std::size_t, Pools> left_{};
  std::size_t all_left_ = 0;
  std::uint64_t collected_rows_ = 0;
};

/// What one collection did.
struct Collected {
  std::size_t probes = 0;  ///< rows looked at
  std::size_t rows = 0;    ///< of these, rows whose entity was dead: they have been ended
};

}  // namespace parts

/// count() and memory() are exact at any time, in O(pools): the registry counts the rows that are left. These are
/// slack, with their map entries and owners.
template <class SchemaType, class Registry = EntityRegistry<>, class Layout = parts::ColumnsLayout,
          bool AlwaysProbes = false>
class IndirectionMapLazy
    : public parts::PoolStorage<SchemaType, parts::LazyRegistry<Registry, parts::Placement<SchemaType>::pool_count>,
                                parts::ArrayIndexPolicy, Layout, parts::Placement<SchemaType>,
                                IndirectionMapLazy<SchemaType, Registry, Layout, AlwaysProbes>> {
  using Base = typename IndirectionMapLazy::PoolStorage;
  friend Base;
  friend typename Base::Forms;
  friend typename Base::Rows;
  using Places = parts::Placement<SchemaType>;
  static constexpr std::size_t pools = Places::pool_count;

 public:
  using typename Base::entity_type;

  static constexpr parts::AllowedInLoops in_loops{.create = false, .destroy = true, .change = false};
  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = false;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          not_promised("arrays move when they grow, and indices given out again end old rows"),
      .pointer_stability_on_erase =
          not_promised("remove() moves the last row into the hole; only destroy() moves nothing"),
      .create_while_iterating = not_promised("growth would move the arrays under the loop"),
      .destroy_others_while_iterating =
          not_promised("a loop that began while all were alive does not see later deaths"),
      .change_components_while_iterating = not_promised("rows would move under the loop"),
      .immediate_destruction = not_promised("components of the destroyed are ended by collect()"),
  };

  bool destroy(entity_type entity) {
    this->assert_allowed(in_loops.destroy);
    if (!parts::announce_and_end(this->registry_, entity)) return false;
    deaths_.note();
    return true;
  }
  /// See contract/moves.hpp: the dead have no components any more.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    return Base::moves() + deaths_.value();
  }

  /// Looks at random rows of each pool until four in a row belong to the living: for some in every frame. Invalidates
  /// what remove() of the ended components would. Never throws.
  ///
  /// A row of a dead entity is ended and makes the next probe worth while. So a pool in which a share d of the rows is
  /// dead loses about 1 / (1 - d)^4 - 1 of them at a time: next to nothing is looked at where little has died, and
  /// nearly everything goes at once where nearly all have. In between it takes its time: of 16,384 rows half of which
  /// are dead a tenth of these is left after some 2,900 collections and none after 17,000, and of one dead row in a
  /// hundred after 9,200 and 23,000. collect_all() gives the memory back earlier. Source: Bitsquid, part 2. Unless
  /// `AlwaysProbes`, as published, a pool without dead rows is not looked at, because the registry knows their number.
  parts::Collected collect() {
    this->guard_.assert_no_loop();
    parts::Collected sum;
    detail::for_each_index<pools>([&](auto pool) { probe<pool>(sum); });
    return sum;
  }

  /// Ends every row that is left behind. O(rows of the pools that have any).
  void collect_all() {
    this->guard_.assert_no_loop();
    detail::for_each_index<pools>([&](auto pool) { sweep<pool>(); });
  }

 private:
  template <class C>
  void remove_from_all() {
    this->guard_.assert_no_loop();
    if constexpr (Places::template is_grouped<C>) sweep<Places::template group_pool<C>>();
    Base::template remove_from_all<C>();
  }

  static constexpr unsigned living_in_a_row = 4;

  template <std::size_t P>
  void probe(parts::Collected& sum) noexcept {
    const auto has_work = [&] {
      return AlwaysProbes ? this->template pool<P>().size() != 0 : this->registry_.left_rows(P) != 0;
    };
    for (unsigned living = 0; living < living_in_a_row && has_work(); ++sum.probes) {
      if (end_if_dead<P>(random_row(this->template pool<P>().size()))) {
        ++sum.rows;
        living = 0;
      } else {
        ++living;
      }
    }
  }

  /// Marsaglia's xorshift, always from the same seed: a run can be repeated.
  [[nodiscard]] std::size_t random_row(std::size_t rows) noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 32) * rows >> 32);
  }

  /// Ends the row if its owner is dead.
  template <std::size_t P>
  bool end_if_dead(std::size_t row) noexcept {
    const EntityIndex owner = this->template pool<P>().owner(row);
    if (!this->registry_.is_dead(owner)) return false;
    this->registry_.note_collected();
    this->template end_row<P>(this->registry_.entity_at(owner), static_cast<parts::RowNumber>(row));
    return true;
  }

  /// Ends all that the dead have left in pool P, from the first row on. O(rows).
  template <std::size_t P>
  void sweep() noexcept {
    for (std::size_t row = 0; this->registry_.left_rows(P) != 0;) {
      if (!end_if_dead<P>(row)) ++row;
    }
  }

  // ---- what PoolRows and PoolStorage ask for

  static constexpr bool leaves_rows = true;
  [[nodiscard]] bool has_left_rows() const noexcept { return this->registry_.left_rows() != 0; }
  /// A new life may end rows of the last one, whose holes other rows fill.
  [[nodiscard]] bool moves_rows_first() const noexcept { return has_left_rows(); }
  /// One test if the dead have left no rows.
  [[nodiscard]] bool is_hidden(entity_type entity) const noexcept {
    return has_left_rows() && !this->registry_.alive(entity);
  }
  [[nodiscard]] bool is_of_dead(EntityIndex owner, bool any_left) const noexcept {
    return any_left && this->registry_.is_dead(owner);
  }
  template <std::size_t P>
  [[nodiscard]] std::size_t owned_rows() const noexcept {
    return this->template pool<P>().size() - this->registry_.left_rows(P);
  }
  template <std::size_t P>
  [[nodiscard]] parts::RowRange take_run(parts::RowRange& rows, bool any_left) const noexcept {
    parts::RowRange run = rows;
    if (any_left) [[unlikely]] {
      const auto is_owned = [&](std::size_t row) {
        return !this->registry_.is_dead(this->template pool<P>().owner(row));
      };
      while (run.first < rows.end && !is_owned(run.first)) ++run.first;
      for (run.end = run.first; run.end < rows.end && is_owned(run.end);) ++run.end;
    }
    rows.first = run.end;
    return run;
  }

  [[nodiscard]] entity_type begin_life() {
    const entity_type entity = this->registry_.create();
    end_left_rows(entity);
    return entity;
  }
  [[nodiscard]] parts::NewEntities<entity_type> begin_lives(std::span<entity_type> out, bool) {
    const parts::NewEntities<entity_type> entities = this->registry_.create(out);
    for (const entity_type entity : out) end_left_rows(entity);
    return entities;
  }
  /// An index that is given out again must not find rows of its last life.
  void end_left_rows(entity_type entity) noexcept {
    const EntityIndex index = entity.index();
    detail::for_each_index<pools>([&](auto pool) {
      if (this->registry_.template has_left_row<pool>(index))
        this->template end_row<pool>(entity, this->row_index().template reader<pool>()(index));
    });
    this->registry_.begin(index);
  }

  using Base::make_room;
  /// Growing can wait while an eighth of the rows belong to the dead: ending so many pays for looking at all rows.
  template <std::size_t P>
  void make_room(std::size_t more) {
    const std::size_t left = this->registry_.left_rows(P);
    const auto& pool = this->template pool<P>();
    if (left != 0 && pool.size() + more > pool.capacity() && left >= pool.size() / 8) sweep<P>();
    Base::template make_room<P>(more);
  }

  template <std::size_t P>
  std::size_t commit(entity_type entity) noexcept {
    this->registry_.template note_row<P>(entity.index());
    return Base::template commit<P>(entity);
  }
  template <std::size_t P>
  void commit(const parts::NewEntities<entity_type>& entities) noexcept {
    for (const entity_type entity : entities.handles) this->registry_.template note_row<P>(entity.index());
    Base::template commit<P>(entities);
  }
  template <std::size_t P>
  void forget_row(EntityIndex index) noexcept {
    this->registry_.template forget_row<P>(index);
  }

  void copy_rows(const IndirectionMapLazy& other) {
    Base::copy_rows(other);
    state_ = other.state_;
  }

  STOWAGE_NO_UNIQUE_ADDRESS parts::MoveCounter<counts_moves<SchemaType>> deaths_;
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapLazyProbing = IndirectionMapLazy<SchemaType, Registry, parts::ColumnsLayout, true>;

static_assert(assert_storage<IndirectionMapLazy<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapLazyProbing<ProbeSchema>>());

}  // namespace stowage
