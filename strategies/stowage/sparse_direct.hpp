#pragma once

// sparse_direct: the entity's own index is the row; arrays are as long as the entity array and have holes.
//
//     registry   [gen][gen][gen][gen] ...                       4 bytes per index ever alive
//     presence   [64 bits of A][64 bits of B] [64 of A][64 of B] ...   1 bit per index and component
//     rows       [ A  -  A  A  - ... | B  B  -  B  - ... ]      one allocation; row = entity.index
//
//     find<A, B>(e)    if (registry.generation[e.index] != e.generation) return null
//                      row = e.index                     // null for each of A and B whose bit of the row is not set
//                      return { &A[row], &B[row] }
//     each<A, B>(fn)   for each 64 rows: bits = presence[A] & presence[B]
//                          all 64 set, with all full words that follow:  for (row ...) fn(A[row], B[row])  // vectors
//                          otherwise:  for each set bit: fn(A[row], B[row])
//     create(a, b)     e = registry.create()
//                      if (e.index >= capacity) every array moves to a larger one, but no 512 rows of holes
//                      A[e.index] = a; B[e.index] = b; set the two bits
//     destroy(e)       end the components whose bits are set; clear all bits of the row        // no row moves
//                      registry.destroy(e)
//     count<A>()       count the bits of A
//
// The code: look_up(), loop_rows(), create() and destroy() below; for_each_present_run() (parts/loop.hpp) walks the
// bits.
//
// By: Bitsquid, part 2 (2014): good "if almost every entity in the game had this component". Cerulean Skies (2019):
//      fast lookup, steep memory overhead.
// Pick it when nearly all entities have nearly all components, or when rows must not move when others are destroyed.
// Groups mean nothing here: every component is at the same row already.
// Misses per shuffled lookup of k components, all out of cache: 1 (generation) + 1 (presence: one line has the bits of
// 128 rows of 4 components) + k (columns). From 64k entities on the bits do not stay in a first-level cache.

#include <bit>
#include <cstring>

#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage {

namespace parts {

/// One bit per row and component: has it or not. The words of the components for the same 64 rows lie side by side, so
/// that a row's bits share a cache line.
template <std::size_t Components>
class PresenceBits {
 public:
  using Word = PresenceWord;

  [[nodiscard]] std::size_t rows() const noexcept { return words_.size() / Components * rows_per_word; }
  /// The bits as they are now; a value, so that a loop of lookups keeps it in a register.
  class View {
   public:
    explicit View(const Word* words) noexcept : words_(words) {}
    /// Whether the row, which must be below rows(), has every one of `Ids`.
    template <std::size_t... Ids>
    [[nodiscard]] bool has(std::size_t row) const noexcept {
      const Word* const block = words_ + row / rows_per_word * Components;
      return (((block[Ids] & ...) >> row % rows_per_word) & 1) != 0;
    }

   private:
    const Word* words_;
  };
  [[nodiscard]] View view() const noexcept { return View(words_.data()); }
  [[nodiscard]] Word word(std::size_t block, std::size_t component) const noexcept {
    return words_[block * Components + component];
  }
  /// Takes a block to the bits of its rows that have every one of `Ids`.
  template <std::size_t... Ids>
  [[nodiscard]] auto word_of_all() const noexcept {
    return [this](std::size_t block) { return (word(block, Ids) & ...); };
  }
  /// The same without those that have any of `Absent`.
  template <std::size_t... Ids, std::size_t... Absent>
  [[nodiscard]] auto word_of(std::index_sequence<Ids...>, std::index_sequence<Absent...>) const noexcept {
    return [this](std::size_t block) { return (word(block, Ids) & ...) & ~(Word{0} | ... | word(block, Absent)); };
  }
  /// The row must be below rows().
  void set(std::size_t row, std::size_t component) noexcept { word_of(row, component) |= presence_bit(row); }
  void reset(std::size_t row, std::size_t component) noexcept { word_of(row, component) &= ~presence_bit(row); }
  /// The bits of all components of a row.
  void reset_all(std::size_t row) noexcept {
    Word* const block = &word_of(row, 0);
    for (std::size_t c = 0; c < Components; ++c) block[c] &= ~presence_bit(row);
  }
  void set_run(std::size_t first, std::size_t count, std::size_t component) noexcept {
    mark_rows(first, count, [&](std::size_t row) -> Word& { return word_of(row, component); });
  }

  /// Rows that have the component. O(rows / 64).
  [[nodiscard]] std::size_t count(std::size_t component) const noexcept {
    std::size_t rows = 0;
    for (std::size_t word = component; word < words_.size(); word += Components) {
      rows += static_cast<std::size_t>(std::popcount(words_[word]));
    }
    return rows;
  }

  /// Calls `at(row)` for every row, but the first, that has not what the one before it has, and at the end.
  template <class At>
  void for_each_change(std::size_t rows, At&& at) const {
    std::array<Word, Components> before{};  // bit 0: what the last row of the words before has
    const std::size_t end = (std::min)(rows, this->rows());
    bool is_even = false;  // whether all rows of the block before have the same
    for (std::size_t block = 0; block < blocks(end); ++block) {
      if (is_even && repeats(block)) continue;
      Word changes = 0;
      for (std::size_t c = 0; c < Components; ++c) {
        const Word now = word(block, c);
        changes |= now ^ (now << 1 | before[c]);
        before[c] = now >> (rows_per_word - 1);
      }
      if (block == 0) changes &= ~Word{1};
      is_even = changes == 0;
      for (; changes != 0; changes &= changes - 1) {
        const std::size_t row = block * rows_per_word + static_cast<std::size_t>(std::countr_zero(changes));
        if (row < end) at(row);
      }
    }
    at(end);
  }

  /// Bits for rows below `rows`, the new ones unset. Throws std::bad_alloc; then nothing has changed.
  void extend(std::size_t rows) {
    const std::size_t words = presence_words(rows) * Components;
    words_.extend(words, 0);
  }
  void clear() noexcept { std::fill_n(words_.data(), words_.size(), Word{0}); }
  /// Throws std::bad_alloc; then nothing has changed.
  void copy_from(const PresenceBits& other) {
    words_.extend(other.words_.size(), 0);
    std::copy_n(other.words_.data(), other.words_.size(), words_.data());
    std::fill(words_.data() + other.words_.size(), words_.data() + words_.size(), Word{0});
  }
  /// The rows that the words for `rows` rows have bits for.
  [[nodiscard]] std::size_t covered(std::size_t rows) const noexcept { return blocks(rows) * rows_per_word; }
  /// Words that cover `rows` rows, as far as there are any.
  [[nodiscard]] std::size_t blocks(std::size_t rows) const noexcept {
    return (std::min)(presence_words(rows), words_.size() / Components);
  }
  [[nodiscard]] std::size_t used_bytes(std::size_t rows) const noexcept {
    return blocks(rows) * Components * sizeof(Word);
  }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return words_.held_bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return words_.held_bytes() != 0 ? 1 : 0; }
  [[nodiscard]] std::uint64_t growths() const noexcept { return words_.growths(); }

 private:
  /// Whether a block, not the first, has the same words as the one before it.
  [[nodiscard]] bool repeats(std::size_t block) const noexcept {
    Word difference = 0;
    for (std::size_t c = 0; c < Components; ++c) difference |= word(block, c) ^ word(block - 1, c);
    return difference == 0;
  }

  [[nodiscard]] const Word& word_of(std::size_t row, std::size_t component) const noexcept {
    return words_[row / rows_per_word * Components + component];
  }
  [[nodiscard]] Word& word_of(std::size_t row, std::size_t component) noexcept {
    return words_[row / rows_per_word * Components + component];
  }

  GrowingArray<Word> words_;
};

}  // namespace parts

/// `PresencePolicy`: how the bits lie, PresenceBits above or LayeredBits (sparse_direct_bitset.hpp).
template <class SchemaType, class Registry = EntityRegistry<>,
          template <std::size_t> class PresencePolicy = parts::PresenceBits>
class SparseDirect
    : public parts::StorageForms<SparseDirect<SchemaType, Registry, PresencePolicy>, SchemaType, Registry> {
  using Forms = parts::StorageForms<SparseDirect, SchemaType, Registry>;
  friend Forms;

  struct NoKey {};  // a row needs no owner: it is its owner's index
  template <class... Cs>
  static parts::Columns<NoKey, Cs...> layout_of(TypeList<Cs...>);
  using Layout = decltype(layout_of(typename SchemaType::components{}));
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;
  template <class C>
  static constexpr bool is_copied = ComponentColumns<SchemaType>::template is_copied<C>;
  using Presence = PresencePolicy<component_count>;

 public:
  using typename Forms::entity_type;
  template <class C>
  using reference = typename Layout::template reference<C>;
  template <class C>
  using pointer = typename Layout::template pointer<C>;
  using block_entities = BlockEntities<Registry>;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert = not_promised("arrays move when they grow"),
      .creation_order = not_promised("rows are visited by index, and the index freed last is given out first"),
      .create_while_iterating = not_promised("growth would move the arrays under the loop"),
      .destroy_others_while_iterating = not_promised("a run of rows is fixed before it is walked, so one destroyed "
                                                     "ahead in it would still be visited, with a handle "
                                                     "that must not be used"),
      .change_components_while_iterating = promised,  // an entity that is visited has a row for every component already
  };

  SparseDirect() = default;
  SparseDirect(const SparseDirect&) = delete;
  SparseDirect& operator=(const SparseDirect&) = delete;
  ~SparseDirect() { destroy_components(); }

  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = true;

  static constexpr parts::AllowedInLoops in_loops{.create = false, .destroy = true, .change = true};

  bool destroy(entity_type entity) {
    guard_.assert_no_part();
    if (!parts::announce_and_end(registry_, entity)) return false;
    const std::size_t row = entity.index();
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C> || tracks_moves<C>) erase<C>(row);
    });
    presence_.reset_all(row);
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  reference<C> emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_part();
    if (!registry_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    const std::size_t row = entity.index();
    if constexpr (!detail::knows_no_place<C>) {
      if (row < layout_.capacity() && !presence_.view().template has<id<C>>(row)) {
        layout_.template construct<C>(row, std::forward<Arguments>(arguments)...);
        presence_.set(row, id<C>);
        if constexpr (tracks_moves<C>) moves_.note();
        return *layout_.template at<C>(row);
      }
    }
    // made before anything moves: the arguments may refer to rows of this storage, and a constructor may throw
    C component = detail::make<C>(std::forward<Arguments>(arguments)...);
    make_room(row + 1);
    if constexpr (tracks_moves<C>) moves_.note();
    if constexpr (!std::is_trivially_destructible_v<C>) erase<C>(row);
    place(row, std::move(component));
    return *layout_.template at<C>(row);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_part();
    return registry_.alive(entity) && erase<C>(entity.index());
  }

  /// A table for each run of rows that have the same components; where these are short, some for each component.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const parts::IterationGuard::Scope<parts::NoChange> looping(guard_);
    if (has_long_runs()) {
      std::size_t first = 0;
      presence_.for_each_change(registry_.index_count(), [&](std::size_t end) {
        if (end != first) visit_table(first, end - first, fn);
        first = end;
      });
    } else {
      detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) { this->template tables_of<C>(fn); });
    }
  }

  /// O(indices / 64).
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    return presence_.count(id<C>);
  }

  /// See contract/lines.hpp.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    constexpr double generation = 1;
    constexpr double presence = 1;
    return generation + presence + Layout::template lookup_lines<Qs...>();
  }

  /// Components are payload; generations and presence bits of indices in use are index; holes are slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    detail::for_each_component<SchemaType>(
        [&]<class C>(TypeList<C>) { bytes.payload_bytes += count<C>() * parts::row_bytes<C>; });
    const std::size_t bits = presence_.used_bytes(registry_.index_count());
    bytes.index_bytes += bits;
    bytes.slack_bytes += presence_.held_bytes() - bits + layout_.held_bytes() - bytes.payload_bytes;
    bytes.allocations += layout_.allocations() + presence_.allocations();
    return bytes;
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept {
    return registry_.events() + StorageEvents{.growths = presence_.growths() + growths_};
  }

  /// See contract/moves.hpp.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    return moves_.value();
  }

 private:
  // ---- creation: the handle says where the row is, so it comes first

  entity_type create_one() {
    const entity_type entity = registry_.create();
    parts::OnFailure undo([&] { registry_.destroy(entity); });
    presence_.extend(entity.index() + std::size_t{1});
    undo.release();
    return entity;
  }
  template <class... Cs>
  entity_type create_one(Cs&&... components) {
    if constexpr (detail::are_copied_freely<Cs...>) {
      return create_of_copies(std::remove_cvref_t<Cs>(std::forward<Cs>(components))...);
    } else {
      const entity_type entity = registry_.create();
      parts::OnFailure undo([&] { registry_.destroy(entity); });
      if (entity.index() >= layout_.capacity()) [[unlikely]] {
        place_growing(entity.index(), std::forward<Cs>(components)...);
      } else {
        place(entity.index(), std::forward<Cs>(components)...);
      }
      undo.release();
      return entity;
    }
  }

  /// If no index waits, the new ones follow the last: then what is copied as bytes comes first, to rows without owners.
  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    const std::size_t first = registry_.index_count();
    const bool copies_first = registry_.size() == first;
    if (copies_first) {
      make_room(first + out.size());
      columns.for_each_given([&]<class C>(TypeList<C>) {
        if constexpr (is_copied<C>) columns.template copy<C>(0, out.size(), layout_.template at<C>(first));
      });
    }
    columns.check_copies();
    const parts::NewEntities<entity_type> entities = registry_.create(out);
    parts::OnFailure undo([&] {
      for (const entity_type entity : out) registry_.destroy(entity);
    });
    make_room(entities.index_end());
    undo.release();
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if (!copies_first || !is_copied<C>) take_column<C>(entities, columns);
      mark_present<C>(entities);
    });
  }

  void end_rows() noexcept {
    moves_.note();
    destroy_components();
    presence_.clear();
  }

  /// O(indices of `other` / 64) for each component, and what copy_used_rows() copies.
  void copy_rows(const SparseDirect& other) {
    const std::size_t rows = (std::min)(other.registry_.index_count(), other.layout_.capacity());
    if (rows > layout_.capacity()) reallocate(other.layout_.capacity());
    moves_.note();
    presence_.copy_from(other.presence_);
    layout_.copy_with(other.layout_, [&]<class C>(const C* from, C* to) { copy_used_rows(presence_, from, to, rows); });
  }

  // ---- rows. Every index that was ever given out has bits; rows it has once it has had a component.

  /// Every array is as long as the entity array, whatever an entity has.
  template <class Components>
  void reserve_for(std::size_t count, Components) {
    registry_.reserve(count);
    if (count > layout_.capacity()) reallocate(count);
  }

  void make_room(std::size_t rows) {
    if (rows > layout_.capacity()) reallocate(parts::grown_capacity(layout_.capacity(), rows));
  }

  STOWAGE_NOINLINE void reallocate(std::size_t capacity) {
    guard_.assert_no_loop();
    const bool is_growth = layout_.capacity() != 0;
    moves_.note();
    presence_.extend(capacity);
    layout_.reallocate_with(capacity, [&]<class C>(C* from, C* to) {
      if constexpr (std::is_trivially_copyable_v<C>) {
        copy_used_rows(presence_, from, to, layout_.capacity());
      } else {
        for_each_row<C>([&](std::size_t row) { parts::relocate_rows(from + row, to + row, 1); });
      }
    });
    growths_ += is_growth ? 1U : 0U;
  }

  /// Copies the components of the first `rows` rows as bytes. Holes too, because one copy beats looking for them; but
  /// of 512 rows that are all holes nothing: pages that no component was ever in are neither read nor written.
  template <class C>
  static void copy_used_rows(const Presence& presence, const C* from, C* to, std::size_t rows) noexcept {
    constexpr std::size_t step = 512 / parts::rows_per_word;
    const std::size_t end = presence.blocks(rows);
    const auto word_of = presence.template word_of_all<id<C>>();
    const auto is_used = [&](std::size_t block) {
      const std::size_t next = (std::min)(block + step, end);
      while (block < next && word_of(block) == 0) ++block;
      return block < next;
    };
    for (std::size_t block = 0; block < end; block += step) {
      const std::size_t first = block * parts::rows_per_word;
      while (block < end && is_used(block)) block += step;
      const std::size_t last = (std::min)(block * parts::rows_per_word, rows);
      if (first < last) std::memcpy(static_cast<void*>(to + first), from + first, (last - first) * sizeof(C));
    }
  }

  template <class... Cs>
  entity_type create_of_copies(Cs... components) {
    const entity_type entity = registry_.create();
    if (entity.index() >= layout_.capacity()) [[unlikely]]
      make_room_for(entity);
    place(entity.index(), std::move(components)...);
    return entity;
  }
  STOWAGE_COLD void make_room_for(entity_type entity) {
    parts::OnFailure undo([&] { registry_.destroy(entity); });
    make_room(entity.index() + std::size_t{1});
    undo.release();
  }

  /// Growing moves the rows that the arguments may refer to, so they are moved out of harm's way first.
  template <class... Cs>
  STOWAGE_COLD void place_growing(std::size_t row, Cs&&... components) {
    std::tuple<std::remove_cvref_t<Cs>...> detached(std::forward<Cs>(components)...);
    make_room(row + 1);
    std::apply([&](auto&... held) { place(row, std::move(held)...); }, detached);
  }

  /// Constructs components of a row that has none of them; all or none.
  template <class C, class... Rest>
  void place(std::size_t row, C&& component, Rest&&... rest) {
    using Component = std::remove_cvref_t<C>;
    layout_.template construct<Component>(row, std::forward<C>(component));
    if constexpr (sizeof...(Rest) > 0) {
      parts::OnFailure undo([&] { layout_.template destroy<Component>(row, 1); });
      place(row, std::forward<Rest>(rest)...);
      undo.release();
    }
    presence_.set(row, id<Component>);
  }

  /// Moves a column of components to the rows of new entities.
  template <class C>
  void take_column(const parts::NewEntities<entity_type>& entities,
                   const ComponentColumns<SchemaType>& columns) noexcept {
    const auto move = [&](std::size_t i, C&& component) {
      layout_.template construct<C>(entities.handles[i].index(), std::move(component));
    };
    const auto copy = [&](auto components) {
      if (entities.consecutive) {
        layout_.template construct_copies<C>(entities.first_index(), components);
      } else {
        for (std::size_t i = 0; i < components.size(); ++i) move(i, C(detail::copy_of(components[i])));
      }
    };
    columns.template take<C>(0, entities.size(), copy, move);
  }

  template <class C>
  void mark_present(const parts::NewEntities<entity_type>& entities) noexcept {
    if (entities.consecutive) {
      presence_.set_run(entities.first_index(), entities.size(), id<C>);
    } else {
      for (const entity_type entity : entities.handles) presence_.set(entity.index(), id<C>);
    }
  }

  /// Ends the component of a row; false when it has none.
  template <class C>
  bool erase(std::size_t row) noexcept {
    if (!presence_.view().template has<id<C>>(row)) return false;
    if constexpr (tracks_moves<C>) moves_.note();
    presence_.reset(row, id<C>);
    layout_.template destroy<C>(row, 1);
    return true;
  }

  void destroy_components() noexcept {
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C>) {
        for_each_row<C>([&](std::size_t row) { layout_.template destroy<C>(row, 1); });
      }
    });
  }

  template <class... Qs>
  [[nodiscard]] std::tuple<pointer<Qs>...> look_up(entity_type entity) const noexcept {
    // columns are read before the test, so that a loop of lookups keeps them in registers
    const std::tuple columns(layout_.template cursor<Qs>()...);
    const auto presence = presence_.view();
    if (!registry_.alive(entity)) return {};
    const std::size_t row = entity.index();
    if (!presence.template has<id<Qs>...>(row)) [[unlikely]]
      return sizeof...(Qs) > 1 ? parts::incomplete(look_up_each<Qs...>(row)) : std::tuple<pointer<Qs>...>{};
    return std::apply(
        [&](const auto&... column) { return std::tuple<pointer<Qs>...>(parts::address_of(column, row)...); }, columns);
  }

  template <class... Qs>
  [[nodiscard]] STOWAGE_COLD std::tuple<pointer<Qs>...> look_up_each(std::size_t row) const noexcept {
    return {presence_.view().template has<id<Qs>>(row) ? layout_.template at<Qs>(row) : nullptr...};
  }

  // ---- iteration: see StorageForms

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    const auto entity_at = [this](std::size_t row) { return registry_.entity_at(static_cast<EntityIndex>(row)); };
    parts::for_each_present_run<Slice>(
        slice.take(presence_.covered(registry_.index_count())),
        presence_.word_of(ids(detail::required_of<Qs...>{}), ids(detail::absent_of<Qs...>{})),
        [&](parts::RowRange run) {
          std::apply(
              [&](const auto&... columns) {
                parts::visit_rows<false>(
                    {0, run.size()}, fn, [&](std::size_t row) { return entity_at(run.first + row); }, columns...);
              },
              columns_from(run.first, detail::shown_of<Qs...>{}));
        },
        [&](std::size_t row) {
          parts::call_with_found<Qs...>(fn, [&] { return entity_at(row); }, found_at<Qs>(row)...);
        });
  }

  template <class... Qs>
  [[nodiscard]] static constexpr auto ids(TypeList<Qs...>) noexcept {
    return std::index_sequence<id<Qs>...>{};
  }
  template <class Q>
  [[nodiscard]] pointer<detail::asked_of<Q>> found_at(std::size_t row) const noexcept {
    using Asked = detail::asked_of<Q>;
    const bool is_there = detail::Term<Q>::is_required || presence_.view().template has<id<Asked>>(row);
    return is_there ? layout_.template at<Asked>(row) : pointer<Asked>{};
  }
  /// Rows of which each may have a component or not.
  template <class Q>
  struct OptionalRows {
    const SparseDirect* storage;
    std::size_t first;
    [[nodiscard]] auto operator[](std::size_t row) const noexcept { return storage->found_at<Q>(first + row); }
  };
  template <class... Shown>
  [[nodiscard]] auto columns_from(std::size_t first, TypeList<Shown...>) const noexcept {
    [[maybe_unused]] const auto column = [&]<class Q>(TypeList<Q>) {
      if constexpr (!detail::Term<Q>::is_required) {
        return OptionalRows<Q>{this, first};
      } else if constexpr (is_tag<std::remove_const_t<Q>>) {
        return parts::TagCursor<Q>{};
      } else {
        return layout_.template cursor<Q>() + first;
      }
    };
    return std::tuple(column(TypeList<Shown>{})...);
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const parts::IterationGuard::Scope looping(guard_);
    for_each_run<Qs...>([&](parts::RowRange run) {
      parts::call_plainly(
          fn, [&] { return block_entities::from(registry_, run.first, run.size()); },
          layout_.template block<Qs>(run.first, run.size())...);
    });
  }

  /// Whether runs of rows that have the same components are worth a table each.
  [[nodiscard]] bool has_long_runs() const {
    constexpr std::size_t worth_a_table = 16;
    std::size_t runs = 0;
    presence_.for_each_change(registry_.index_count(), [&](std::size_t) { ++runs; });
    if (runs == 1) return true;
    std::size_t most = 0;
    for (std::size_t c = 0; c < component_count; ++c) most = (std::max)(most, presence_.count(c));
    return most >= worth_a_table * runs;
  }

  /// Rows that all have what the first of them has.
  template <class Fn>
  void visit_table(std::size_t first, std::size_t rows, Fn& fn) const {
    TableColumns<component_count> columns;
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (presence_.view().template has<id<C>>(first)) columns.add(id<C>, layout_.template block<const C>(first, rows));
    });
    if (!columns.all().empty()) fn(RowTable{{}, static_cast<EntityIndex>(first), rows, columns.all()});
  }

  /// Calls `visit(range)` for rows with all of Qs that lie side by side; a row that stands alone is a range of one.
  template <class... Qs, class Visit>
  STOWAGE_INLINE void for_each_run(Visit&& visit) const {
    parts::for_each_present_run<parts::WholeLoop>({0, presence_.covered(registry_.index_count())},
                                                  presence_.template word_of_all<id<Qs>...>(), visit,
                                                  [&](std::size_t row) { visit(parts::RowRange{row, row + 1}); });
  }

  template <class C, class Visit>
  void for_each_row(Visit&& visit) const {
    for_each_run<C>([&](parts::RowRange run) {
      for (std::size_t row = run.first; row < run.end; ++row) visit(row);
    });
  }

  Registry registry_;
  Presence presence_;
  Layout layout_;
  std::uint64_t growths_ = 0;  // of the rows
  STOWAGE_NO_UNIQUE_ADDRESS parts::MoveCounter<counts_moves<SchemaType>> moves_;
  parts::IterationGuard guard_;
};

static_assert(assert_storage<SparseDirect<ProbeSchema>>());

}  // namespace stowage
