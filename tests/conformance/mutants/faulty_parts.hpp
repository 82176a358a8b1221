#pragma once

// The faulty registry, index and layout of faulty_pools.hpp. While no fault is set they do what the library's do.
#include <cstring>
#include <stdexcept>

#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>

#include "tests/conformance/components.hpp"
#include "tests/conformance/mutants/mutants.hpp"

namespace stowage::conformance::mutants {

// ---- the registry

template <class Registry>
class FaultyRegistry : public Registry {
 public:
  using typename Registry::entity_type;

  [[nodiscard]] entity_type create() {
    if (has("exhaustion_is_untyped") && Registry::size() == entity_type::max_entities) throw std::runtime_error("full");
    counted_first_ = has("size_is_raised_first") ? 1 : 0;
    entity_type entity = Registry::create();
    counted_first_ = 0;
    while (has("freed_indices_never_return") && entity.generation() != 0) entity = Registry::create();
    if (has("an_index_is_cut_off")) return entity_type(entity.index() % 32, entity.generation());
    if (has("waiting_indices_sleep_on_after_clear") && !cleared_) note(entity, true);
    if (!has("generations_stay_the_same")) return entity;
    note(entity, true);
    return entity_type(entity.index(), 0);
  }
  parts::NewEntities<entity_type> create(std::span<entity_type> out) {
    if (has("bulk_creation_counts_the_dead")) this->reserve(ever_created_ += out.size());
    return Registry::create(out);
  }

  bool destroy(entity_type entity) noexcept {
    if (!alive(entity)) return false;
    if (has("waiting_indices_sleep_on_after_clear") || has("generations_stay_the_same")) note(entity, false);
    if constexpr (Notifying<Registry>) {
      if (has("an_undone_creation_is_announced")) this->announce(entity);
    }
    return Registry::destroy(has("generations_stay_the_same") ? Registry::entity_at(entity.index()) : entity);
  }

  [[nodiscard]] bool alive(entity_type entity) const noexcept {
    const EntityIndex index = entity.index();
    if (has("alive_ignores_the_generation")) return index < this->index_count();
    if (has("alive_ignores_that_an_index_waits")) {
      return index < this->index_count() && Registry::entity_at(index) == entity;
    }
    if (has("generations_stay_the_same")) return entity.generation() == 0 && is_noted(index);
    if (has("waiting_indices_sleep_on_after_clear")) return Registry::alive(entity) && is_noted(index);
    return Registry::alive(entity);
  }
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept {
    return has("generations_stay_the_same") ? entity_type(index, 0) : Registry::entity_at(index);
  }
  [[nodiscard]] std::size_t size() const noexcept { return Registry::size() + counted_first_; }

  void clear() {
    Registry::clear();
    cleared_ = true;
  }
  void announce_all() const noexcept
    requires Notifying<Registry>
  {
    if (!has("clear_tells_no_listener")) Registry::announce_all();
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = Registry::memory();
    const std::size_t waiting = this->index_count() - Registry::size();
    if (has("waiting_indices_are_not_counted")) bytes.index_bytes -= waiting * sizeof(EntityIndex);
    if (has("listeners_are_not_counted") && bytes.allocations != 0) --bytes.allocations;
    return bytes;
  }

 private:
  void note(entity_type entity, bool living) {
    living_.resize(std::max(living_.size(), entity.index() + std::size_t{1}));
    living_[entity.index()] = living;
  }
  [[nodiscard]] bool is_noted(EntityIndex index) const noexcept { return index < living_.size() && living_[index]; }

  std::size_t counted_first_ = 0;
  std::size_t ever_created_ = 0;
  bool cleared_ = false;
  std::vector<bool> living_;  // by index, for the two faults that need it
};

// ---- the index

template <class EntityType, std::size_t Pools>
class FaultyIndex : public parts::ArrayIndex<EntityType, Pools> {
  using Base = parts::ArrayIndex<EntityType, Pools>;

 public:
  static constexpr bool may_be_homed = false;  // the faults of index and registry are in two objects

  template <std::size_t P>
  [[nodiscard]] parts::RowNumber find(EntityType entity) const noexcept {
    if (has("a_lookup_ignores_the_generation")) return this->template reader<P>()(entity.index());
    return Base::template find<P>(entity);
  }
  template <std::size_t P>
  void assign(EntityIndex index, parts::RowNumber row) noexcept {
    if (has("a_moved_row_is_forgotten")) return;
    Base::template assign<P>(index, has("a_moved_row_has_11_bits") ? row % 2048 : row);
  }
  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    if (P != 0 || !has("a_dissolved_group_stays_in_the_index")) Base::template erase<P>(entity);
  }
  void clear() noexcept {
    if (!has("clear_keeps_the_index")) Base::clear();
  }
};

struct FaultyIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = FaultyIndex<EntityType, Pools>;
};

// ---- the layout

/// Whether a storage reads components that have moved to a larger block.
[[nodiscard]] inline bool keeps_blocks() { return has("creation_grows_first") || has("emplace_grows_first"); }

template <std::size_t ColumnCount>
class FaultyBlock : public parts::OneBlock<ColumnCount> {
  using Base = parts::OneBlock<ColumnCount>;
  [[nodiscard]] static std::size_t shift_bytes() noexcept { return has("columns_are_misaligned") ? 16 : 0; }

 public:
  FaultyBlock() = default;
  FaultyBlock(std::size_t rows, const std::array<parts::ColumnShape, ColumnCount>& shapes)
      : Base(rows + shift_bytes(), shapes) {}
  FaultyBlock(const FaultyBlock&) = delete;
  FaultyBlock& operator=(FaultyBlock&& other) noexcept {
    if (keeps_blocks()) kept_blocks.push_back(std::make_shared<Base>(std::move(static_cast<Base&>(*this))));
    Base::operator=(std::move(other));
    return *this;
  }
  ~FaultyBlock() {
    if (has("a_destroyed_storage_leaks")) static_cast<void>(new Base(std::move(*this)));
  }

  [[nodiscard]] std::byte* start(std::size_t column) const noexcept { return Base::start(column) + shift_bytes(); }
};

template <class Key, class... Cs>
class FaultyColumns : public parts::Arrays<FaultyBlock, parts::WholeColumn, Key, Cs...> {
  using Base = parts::Arrays<FaultyBlock, parts::WholeColumn, Key, Cs...>;
  template <class C>
  static constexpr bool is_plain = std::is_trivially_copyable_v<C> && !is_tag<C>;

 public:
  void reallocate(std::size_t capacity, std::size_t rows) {
    if (has("growth_copies_bytes")) {
      Base::reallocate_with(capacity, [rows](auto* from, auto* to) {
        if (rows != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), rows * sizeof(*from));
      });
    } else if (has("growth_forgets_a_row") && rows != 0) {
      Base::reallocate_with(capacity, [rows]<class C>(C* from, C* to) {
        parts::relocate_rows(from, to, std::is_same_v<C, Position> ? rows - 1 : rows);
      });
    } else {
      reallocate_and_overwrite(capacity, rows, this->template cursor<Cs>()...);
    }
  }

  template <class C>
  void destroy(std::size_t first, std::size_t count) const noexcept {
    if (has("clear_skips_destructors") && count != 1) return;
    if (has("a_destructor_is_skipped") && count != 0) --count;
    Base::template destroy<C>(first, count);
    if constexpr (is_plain<C>) {
      if (has("ended_rows_are_zeroed") && count != 0) overwrite(this->template cursor<C>() + first, count, 0);
    }
  }

  template <class... All>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    (relocate_one<All>(from, to), ...);
  }

 private:
  template <class C>
  void relocate_one(std::size_t from, std::size_t to) const noexcept {
    if (std::is_same_v<C, Wide> && has("a_component_stays_behind")) return;
    if (std::is_same_v<C, Key> && has("a_number_is_taken_for_an_owner")) return;
    Base::template relocate<C>(from, to);
  }
  template <class C>
  static void overwrite(C* first, std::size_t count, int byte) noexcept {
    std::memset(static_cast<void*>(first), byte, count * sizeof(C));
  }
  /// What was moved out of kept blocks shows: other components than plain bytes notice themselves that they were moved.
  template <class... Cursors>
  void reallocate_and_overwrite(std::size_t capacity, std::size_t rows, Cursors... moved) {
    Base::reallocate(capacity, rows);
    if (!keeps_blocks() || rows == 0) return;
    const auto overwrite_column = [rows](auto column) {
      using Column = decltype(column);
      if constexpr (std::is_pointer_v<Column>) {
        if constexpr (is_plain<std::remove_pointer_t<Column>>) overwrite(column, rows, 0xdd);
      }
    };
    (overwrite_column(moved), ...);
  }
};

struct FaultyColumnsLayout {
  template <class Key, class... Cs>
  using layout = FaultyColumns<Key, Cs...>;
};

}  // namespace stowage::conformance::mutants
