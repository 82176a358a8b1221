#pragma once

// heap_rows: a row on the heap for each entity, with room for every component of the schema.
//
//     registry   [gen][gen][gen] ...                    4 bytes per index ever alive
//     rows       [ptr][nil][ptr] ...                    8 bytes per index
//                   |
//                   +--> { A? B? C? }                   on the heap: every component of the schema, there or not
//
// By: us; it is the shortest storage that has the whole contract.
// Pick it as a start for a storage of your own.
// Misses per shuffled lookup of k components, all out of cache: 1 (generation) + 1 (pointer) + the lines of the row.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/block_entities.hpp>
#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/scattered_rows.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage {

template <class SchemaType>
class HeapRows : public parts::StorageForms<HeapRows<SchemaType>, SchemaType, EntityRegistry<>> {
  using Forms = parts::StorageForms<HeapRows, SchemaType, EntityRegistry<>>;
  friend Forms;

 public:
  using schema_type = SchemaType;
  using entity_type = Entity;
  template <class C>
  using pointer = C*;
  template <class C>
  using reference = C&;
  using block_entities = BlockEntities<EntityRegistry<>>;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert = promised,
      .pointer_stability_on_erase = promised,
      .creation_order = promised,
      .create_while_iterating = promised,
      .destroy_current_while_iterating = promised,
      .destroy_others_while_iterating = promised,
      .change_components_while_iterating = promised,
      .immediate_destruction = promised,
      .parallel_rows = promised,
  };

  using Forms::clear;
  using Forms::create;
  [[nodiscard]] Entity create() { return add(std::make_unique<Row>()); }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  Entity create(Cs&&... components) {
    auto row = std::make_unique<Row>();
    (static_cast<void>(slot<std::remove_cvref_t<Cs>>(*row).emplace(std::forward<Cs>(components))), ...);
    return add(std::move(row));
  }

  void create(std::span<Entity> out, const ComponentColumns<SchemaType>& columns) {
    fill(out, [&](std::size_t i) { return add(row_from(columns, i)); });
  }

  bool destroy(Entity entity) {
    guard_.assert_no_part();
    if (row_of(entity) == nullptr) return false;
    end_life(entity);
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(Entity entity, Arguments&&... arguments) {
    guard_.assert_no_part();
    Row* const row = row_of(entity);
    if (row == nullptr) STOWAGE_THROW(DeadEntity(entity.word()));
    // made first: a constructor may throw, and the arguments may refer to the component that is replaced
    C component = detail::make<C>(std::forward<Arguments>(arguments)...);
    return slot<C>(*row).emplace(std::move(component));
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(Entity entity) {
    guard_.assert_no_part();
    Row* const row = row_of(entity);
    if (row == nullptr || !slot<C>(*row).has_value()) return false;
    slot<C>(*row).reset();
    return true;
  }

  /// Tables of one component each.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const parts::IterationGuard::Scope<parts::NoChange> looping(guard_);
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      parts::ScatteredRows<1> rows;
      const TableColumn column = rows.template column<C>(0, detail::component_id<C, SchemaType>);
      for (std::size_t index = 0; index < rows_.size(); ++index) {
        const C* const component = find_in<C>(rows_[index].get());
        if (component == nullptr) continue;
        rows.place(0, component);
        rows.add(static_cast<EntityIndex>(index));
        if (rows.is_full()) rows.show({&column, 1}, fn);
      }
      rows.show({&column, 1}, fn);
    });
  }

  /// O(entities): a storage that is meant to be fast keeps a counter.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t holders = 0;
    for (const auto& row : rows_) holders += find_in<C>(row.get()) != nullptr ? 1 : 0;
    return holders;
  }

  void clear() {
    guard_.assert_no_part();
    for (auto& row : rows_) row.reset();
    registry_.clear();
  }

  /// Components are payload, generations and pointers to rows are index, everything else is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    const std::size_t pointers = this->size() * sizeof(std::unique_ptr<Row>);
    detail::for_each_component<SchemaType>(
        [&]<class C>(TypeList<C>) { bytes.payload_bytes += is_tag<C> ? 0 : this->template count<C>() * sizeof(C); });
    bytes.index_bytes += pointers;
    bytes.slack_bytes += rows_.capacity() * sizeof(std::unique_ptr<Row>) - pointers;
    bytes.slack_bytes += this->size() * sizeof(Row) - bytes.payload_bytes;
    bytes.allocations += this->size() + (rows_.capacity() != 0 ? 1 : 0);
    return bytes;
  }

 private:
  template <class List>
  struct RowOf;
  template <class... Cs>
  struct RowOf<TypeList<Cs...>> {
    using type = std::tuple<std::optional<Cs>...>;
  };
  using Row = typename RowOf<typename SchemaType::components>::type;

  template <class C>
  [[nodiscard]] static std::optional<C>& slot(Row& row) noexcept {
    return std::get<std::optional<C>>(row);
  }
  /// The component of a row; null if there is no row, or no such component in it.
  template <class Q>
  [[nodiscard]] static Q* find_in(Row* row) noexcept {
    if (row == nullptr) return nullptr;
    auto& found = slot<std::remove_const_t<Q>>(*row);
    return found.has_value() ? std::addressof(*found) : nullptr;
  }
  /// Null if the handle is not alive.
  [[nodiscard]] Row* row_of(Entity entity) const noexcept {
    return registry_.alive(entity) ? rows_[entity.index()].get() : nullptr;
  }

  /// Everything that can throw comes before anything changes.
  Entity add(std::unique_ptr<Row> row) {
    guard_.assert_no_part();
    const Entity entity = registry_.create();
    parts::OnFailure undo([&] { registry_.destroy(entity); });
    if (entity.index() >= rows_.size()) rows_.resize(entity.index() + std::size_t{1});
    undo.release();
    rows_[entity.index()] = std::move(row);
    return entity;
  }

  void end_life(Entity entity) noexcept {
    rows_[entity.index()].reset();
    registry_.destroy(entity);
  }

  /// Creates out.size() entities by `make(i)`, all or none. If `out` is empty it looks at no column.
  template <class Make>
  void fill(std::span<Entity> out, Make&& make) {
    std::size_t created = 0;
    parts::OnFailure undo([&] {
      while (created != 0) end_life(out[--created]);
    });
    for (; created < out.size(); ++created) out[created] = make(created);
    undo.release();
  }

  [[nodiscard]] static std::unique_ptr<Row> row_from(const ComponentColumns<SchemaType>& columns, std::size_t i) {
    auto row = std::make_unique<Row>();
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (!columns.template has<C>()) return;
      std::optional<C>& place = slot<C>(*row);
      if constexpr (is_tag<C>) {
        place.emplace();  // a tag has no column
      } else {
        columns.template take<C>(
            i, 1, [&](auto components) { place.emplace(components.front()); },
            [&](std::size_t, auto&& component) { place.emplace(std::move(component)); });
      }
    });
    return row;
  }

  // ---- what StorageForms asks for

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(Entity entity) const noexcept {
    Row* const row = row_of(entity);
    return {find_in<Qs>(row)...};
  }

  template <class... Qs, class Slice, class Fn>
  void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    const parts::RowRange range = slice.take(rows_.size());  // fixed here, so that a loop that creates entities ends
    for (std::size_t index = range.first; index < range.end; ++index) {
      const std::tuple<Qs*...> found{find_in<Qs>(rows_[index].get())...};
      if (!((std::get<Qs*>(found) != nullptr) && ...)) continue;
      const auto entity_of_row = [&] { return registry_.entity_at(static_cast<EntityIndex>(index)); };
      parts::call(fn, entity_of_row, *std::get<Qs*>(found)...);
    }
  }

  /// Blocks of one row, because no two rows lie side by side.
  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const auto show = [&](Entity entity, Qs&... components) {
      parts::call_plainly(
          fn, [&] { return block_entities::from(registry_, entity.index(), 1); },
          std::span<Qs>(std::addressof(components), 1)...);
    };
    parts::WholeLoop all;
    loop_rows<Qs...>(all, show);
  }

  template <class Components>
  void reserve_for(std::size_t count, Components) {
    registry_.reserve(count);
    rows_.reserve(count);
  }

  EntityRegistry<> registry_;
  std::vector<std::unique_ptr<Row>> rows_;
  parts::IterationGuard guard_;
};

static_assert(assert_storage<HeapRows<ProbeSchema>>());

}  // namespace stowage
