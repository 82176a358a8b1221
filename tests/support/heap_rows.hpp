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

#include <memory>
#include <optional>
#include <vector>

#include <stowage/parts/storage_forms.hpp>

namespace stowage {

template <class SchemaType>
class HeapRows : public parts::StorageForms<HeapRows<SchemaType>, SchemaType, EntityRegistry<>> {
  friend parts::StorageForms<HeapRows, SchemaType, EntityRegistry<>>;

 public:
  using block_entities = BlockEntities<EntityRegistry<>>;

  static constexpr SemanticsCard semantics{
      .creation_order = not_promised("rows are visited by index, and the index freed last is given out first")};
  static constexpr parts::AllowedInLoops in_loops{true, true, true};
  static constexpr bool copies_rows = false;  // for copy_from() it would need copy_rows()

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(Entity entity, Arguments&&... arguments) {
    guard_.assert_no_part();
    if (!registry_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    std::optional<C>& place = std::get<std::optional<C>>(*rows_[entity.index()]);
    if constexpr (std::is_constructible_v<C, Arguments...>) {
      if (!place.has_value()) return place.emplace(std::forward<Arguments>(arguments)...);
    }
    // made first: a constructor may throw, and the arguments may refer to the component that is replaced
    return place.emplace(detail::make<C>(std::forward<Arguments>(arguments)...));
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(Entity entity) {
    guard_.assert_no_part();
    const bool had = this->template contains<C>(entity);
    if (had) std::get<std::optional<C>>(*rows_[entity.index()]).reset();
    return had;
  }

  /// Components are payload, generations and pointers to rows are index, everything else is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    const std::size_t pointers = this->size() * sizeof(std::unique_ptr<Row>);
    detail::for_each_component<SchemaType>(
        [&]<class C>(TypeList<C>) { bytes.payload_bytes += is_tag<C> ? 0 : this->template count<C>() * sizeof(C); });
    bytes.index_bytes += pointers;
    const std::size_t held = rows_.capacity() * sizeof(std::unique_ptr<Row>) + this->size() * sizeof(Row);
    bytes.slack_bytes += held - pointers - bytes.payload_bytes;
    bytes.allocations += this->size() + (rows_.capacity() != 0 ? 1 : 0);
    return bytes;
  }

 private:
  template <class... Cs>
  static std::tuple<std::optional<Cs>...> row_with(TypeList<Cs...>);
  using Row = decltype(row_with(typename SchemaType::components{}));

  /// The component of a row; null if there is no row, or no such component in it.
  template <class Q>
  [[nodiscard]] static Q* find_in(Row* row) noexcept {
    using Place = std::optional<std::remove_const_t<Q>>;
    return row != nullptr && std::get<Place>(*row).has_value() ? std::addressof(*std::get<Place>(*row)) : nullptr;
  }

  // ---- what StorageForms asks for

  using parts::StorageForms<HeapRows, SchemaType, EntityRegistry<>>::create_one;
  /// Everything that can throw comes before anything changes.
  Entity create_one() {
    auto row = std::make_unique<Row>();
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
  void end_rows() noexcept {
    for (auto& row : rows_) row.reset();
  }
  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(Entity entity) const noexcept {
    Row* const row = registry_.alive(entity) ? rows_[entity.index()].get() : nullptr;
    return {find_in<Qs>(row)...};
  }
  template <class... Qs, class Slice, class Fn>
  void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    const parts::RowRange range = slice.take(rows_.size());  // fixed here, so that a loop that creates entities ends
    for (std::size_t index = range.first; index < range.end; ++index) {
      const auto entity = [&] { return this->entity_at(static_cast<EntityIndex>(index)); };
      [&](auto*... found) {
        if ((parts::admits<Qs>(found) && ...)) parts::call_with_found<Qs...>(fn, entity, found...);
      }(find_in<detail::asked_of<Qs>>(rows_[index].get())...);
    }
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
