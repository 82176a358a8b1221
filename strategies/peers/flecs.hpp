#pragma once

// flecs and its variants: tables of entities with the same components, as its documentation recommends them, by the C
// API.
//
//     record     [table|row] [table|row] [table|row] ...        pages, by entity index; what is alive is in an array
//     beside
//                     |
//                     v
//     table      [id ] [id ] [id ]                              one for each component set
//                [ A ] [ A ] [ A ]                              a column per component
//                [ B ] [ B ] [ B ]
//     query      [table, columns] [table, columns] ...          cached: the tables that have what a loop asks for
//
// By: SanderMertens/flecs, from 4.1 on. Pick it for what is around it: relationships, prefabs, reflection, a scripting
// language, and a C API.
// Idiom: a query for each list of components, cached, gone through table by table; entities are made in their table
// (ecs_new_w_table) and written there, in bulk by ecs_bulk_init; lookups ask ecs_is_alive once, and then ecs_get_id for
// one component, and the record and its columns for several. clear() keeps the tables and their room.
// `flecs.sparse` gives the trait DontFragment to each component that is in no group of the schema: it lies in a sparse
// set and not in the tables, so that adding and removing it moves nothing else. The documentation has it for components
// that few entities have or that come and go, and says that queries for them may be slower. They are not cached:
// in 4.1.6 a cached query for such a component reads beside its tables after all entities with it were deleted. Nothing
// is deferred but in defer(), there are no observers, and the world has no addons (ecs_mini). Handles: entity ids by
// their own bits, index in the lower 32, generation in the 16 above. Null is all ones, which flecs never hands out.
// Indices begin behind those of flecs' own entities. Components are moved by construction; those that are not trivially
// copyable are told to flecs with hooks. In `flecs.toggle` a component that the schema marks Toggled has the trait
// CanToggle. What has changed of one marked Changed is found by whole tables, with a cached query that detects changes;
// a lookup that may write is followed by ecs_modified_id(). Threads share the rows of tables, which one of them has
// asked flecs for. A hierarchy without dirty flags is flecs' own (flecs_tree.hpp).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define FLECS_NO_CPP
#include <flecs.h>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/placement.hpp>

#include "peers/flecs_components.hpp"
#include "peers/flecs_tree.hpp"

namespace stowage::peers {

/// `SparseLoners`: components of no group are DontFragment. `Toggles`: those that the schema marks Toggled are
/// CanToggle.
template <class SchemaType, bool SparseLoners, bool Toggles = false>
class FlecsStorage {
  template <class C>
  static constexpr bool is_sparse = SparseLoners && !is_tag<std::remove_const_t<C>> &&
                                    !parts::Placement<SchemaType>::template is_grouped<std::remove_const_t<C>>;
  /// CanToggle is a trait of components in tables.
  template <class C>
  static constexpr bool may_be_off = Toggles && detail::is_toggled<C, SchemaType> && !is_sparse<C>;
  /// Its changes are detected: flecs counts them for the columns of tables.
  template <class C>
  static constexpr bool is_monitored =
      detail::is_recorded<C, SchemaType> && !is_tag<std::remove_const_t<C>> && !is_sparse<C>;

 public:
  using schema_type = SchemaType;
  using entity_type = BasicEntity<std::uint64_t, 32, 16>;
  using tree_type = FlecsTree<!SparseLoners>;
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          not_promised("a table that grows moves, and so does an entity that gains components"),
      .pointer_stability_on_erase = not_promised("the last row of a table moves into the hole"),
      .create_while_iterating = not_promised("what a loop changes would have to be deferred"),
      .destroy_current_while_iterating = not_promised("what a loop changes would have to be deferred"),
      .destroy_others_while_iterating = not_promised("what a loop changes would have to be deferred"),
      .change_components_while_iterating = not_promised("what a loop changes would have to be deferred"),
      .parallel_rows =
          SparseLoners ? not_promised("a component in a sparse set is found by an iterator of one thread") : promised,
      .handles_stay_stale = not_promised("a generation has 16 bits, and freed identifiers do not wait"),
  };
  static constexpr std::array lacking{
      Lack{Capability::const_iteration, "a query is made, and its iterator takes memory of the world"},
      Lack{Capability::block_iteration,
           "tables have columns, but their entities are not mapped to blocks of the contract"},
      Lack{Capability::table_exchange, "it is saved through its reflection, as JSON"},
      Lack{Capability::reservation, "tables take room as they grow"},
      Lack{Capability::memory_accounting, "it takes memory from malloc through allocators of its own"},
      Lack{Capability::strong_guarantee, "a shortage of memory ends the program"},
      Lack{Capability::own_arguments,
           "they are read when the new row has its place, for which its table may have moved"},
      Lack{Capability::over_alignment, "columns begin at multiples of 16 bytes"},
  };

  FlecsStorage() : world_(ecs_mini()) {
    detail::for_each_component<SchemaType>([this]<class C>(TypeList<C>) {
      id<C>() = register_component<C>(world());
      if constexpr (is_sparse<C>) ecs_add_id(world(), id<C>(), EcsDontFragment);
      if constexpr (may_be_off<C>) ecs_add_id(world(), id<C>(), EcsCanToggle);
    });
    own_entities_ = ecs_get_entities(world()).alive_count;
  }
  FlecsStorage(const FlecsStorage&) = delete;
  FlecsStorage& operator=(const FlecsStorage&) = delete;

  [[nodiscard]] entity_type create() {
    guard_.assert_no_loop();
    ++living_;
    return entity_type::from_word(ecs_new(world()));
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    guard_.assert_no_loop();
    const Place<sizeof...(Cs)>& place = place_of<std::remove_cvref_t<Cs>...>();
    const ecs_entity_t created = ecs_new_w_table(world(), place.table);
    ++living_;
    const std::int32_t row = ecs_table_count(place.table) - 1;  // its last
    std::size_t number = 0;
    const auto put = [&]<class C>(C&& component) {
      const std::int32_t column = place.columns[number++];
      if constexpr (is_sparse<std::remove_cvref_t<C>>) {
        emplace_new(created, std::forward<C>(component));
      } else {
        fill(place.table, row, column, std::forward<C>(component));
      }
    };
    (put(std::forward<Cs>(components)), ...);
    return entity_type::from_word(created);
  }
  /// Component by component if they are sparse or cannot be copied as bytes, because flecs moves what it is given in
  /// bulk.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    STOWAGE_ASSERT(((columns.size() == out.size()) && ...), "every column has one component per new entity");
    guard_.assert_no_loop();
    if constexpr (((std::is_trivially_copyable_v<Cs> && !is_sparse<Cs>) && ...)) {
      if (!out.empty()) create_in_bulk(out, columns...);
    } else {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = create(columns[i]...);
    }
  }

  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    if (!alive(entity)) return false;
    ecs_delete(world(), entity.word());
    --living_;
    return true;
  }
  [[nodiscard]] bool alive(entity_type entity) const noexcept { return ecs_is_alive(world(), entity.word()); }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    if (!alive(entity)) throw DeadEntity(entity.word());
    if constexpr (is_tag<C>) {
      ecs_add_id(world(), entity.word(), id<C>());
      switch_on<C>(entity);
      return detail::tag_instance<C>;
    } else {
      C made = detail::make<C>(std::forward<Arguments>(arguments)...);
      bool is_new = false;
      void* const place = ecs_emplace_id(world(), entity.word(), id<C>(), sizeof(C), &is_new);
      if (!is_new) std::destroy_at(static_cast<C*>(place));
      switch_on<C>(entity);
      C& component = *::new (place) C(std::move(made));
      if constexpr (is_monitored<C>) ecs_modified_id(world(), entity.word(), id<C>());
      return component;
    }
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (!alive(entity)) return false;
    if constexpr (is_sparse<C>) {
      if (!ecs_has_id(world(), entity.word(), id<C>())) return false;
      ecs_remove_id(world(), entity.word(), id<C>());
      return true;
    } else {
      const ecs_record_t* const record = ecs_record_find(world(), entity.word());
      const ecs_table_t* const before = record->table;
      ecs_remove_id(world(), entity.word(), id<C>());
      return record->table != before;
    }
  }
  /// See SectionStorage.
  template <class C>
    requires may_be_off<C>
  void set_enabled(entity_type entity, bool on) {
    if (!alive(entity)) throw DeadEntity(entity.word());
    if (!ecs_has_id(world(), entity.word(), id<C>())) throw MissingComponent(entity.word());
    ecs_enable_id(world(), entity.word(), id<C>(), on);
  }
  /// flecs keeps what was off before the component was removed.
  template <class C>
  void switch_on([[maybe_unused]] entity_type entity) {
    if constexpr (may_be_off<C>) {
      if (!ecs_is_enabled_id(world(), entity.word(), id<C>())) ecs_enable_id(world(), entity.word(), id<C>(), true);
    }
  }
  template <class C>
    requires may_be_off<C>
  [[nodiscard]] bool enabled(entity_type entity) const noexcept {
    return contains<C>(entity) && ecs_is_enabled_id(world(), entity.word(), id<C>());
  }
  /// Changes of components while a loop runs: flecs' command queue, which sums up what an entity gains and loses.
  class Deferred {
   public:
    explicit Deferred(FlecsStorage& storage) noexcept : storage_(storage) {}
    template <class C, class... Arguments>
      requires(std::is_trivially_copyable_v<C>)
    void emplace(entity_type entity, Arguments&&... arguments) {
      const C made{std::forward<Arguments>(arguments)...};
      ecs_set_id(storage_.world(), entity.word(), storage_.template id<C>(), sizeof(C), &made);
    }
    template <class C>
    void remove(entity_type entity) {
      ecs_remove_id(storage_.world(), entity.word(), storage_.template id<C>());
    }

   private:
    FlecsStorage& storage_;
  };
  /// Calls `fn(Deferred&)`, and makes the changes when it has returned.
  template <class Fn>
  void defer(Fn&& fn) {
    Deferred deferred(*this);
    ecs_defer_begin(world());
    fn(deferred);
    ecs_defer_end(world());
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return alive(entity) && ecs_has_id(world(), entity.word(), id<C>());
  }

  /// A lookup for each component, after it is known that the entity lives.
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] auto find(entity_type entity) noexcept {
    return find_all<Qs...>(entity);
  }
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return find_all<const Qs...>(entity);
  }

  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) {
    const parts::IterationGuard::Scope<> looping(guard_);
    Tables tables(world(), query_of<false, Qs...>());
    while (tables.next()) visit_table<Qs...>(tables.current(), fn, std::index_sequence_for<Qs...>{});
  }

  /// As threads share the rows of tables. flecs is asked here, by one thread: each_step() only reads what it said, so
  /// that it needs no stage for each thread.
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...> && (!is_sparse<Qs> && ...))
  [[nodiscard]] std::size_t loop_steps() {
    const std::size_t number = number_of_list<Stretch<Qs...>>;
    if (number >= stretches_.size()) stretches_.resize(number + 1);
    if (stretches_[number] == nullptr) stretches_[number] = std::make_shared<Stretches<Qs...>>();
    auto& stretches = *static_cast<Stretches<Qs...>*>(stretches_[number].get());
    stretches.clear();
    std::size_t steps = 0;
    Tables tables(world(), query_of<false, Qs...>());
    while (tables.next()) {
      const ecs_iter_t& table = tables.current();
      const auto rows = static_cast<std::size_t>(table.count);
      stretches.push_back({table.entities, rows, cursors_of<Qs...>(table, std::index_sequence_for<Qs...>{})});
      steps += rows;
    }
    return steps;
  }
  /// After loop_steps() of the same components.
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...> && (!is_sparse<Qs> && ...))
  STOWAGE_INLINE void each_step(std::size_t first, std::size_t end, Fn&& fn) {
    const parts::IterationGuard::Scope<parts::LoopSlice> looping(guard_);
    parts::LoopSlice slice(first, end);
    for (const auto& stretch :
         *static_cast<const Stretches<Qs...>*>(stretches_[number_of_list<Stretch<Qs...>>].get())) {
      visit_rows(slice.take(stretch.rows), stretch.entities, fn, stretch.cursors);
    }
  }

  /// Tables in which a C was written, or rows came or went, since this loop last visited them: see
  /// workloads/support/changes.hpp.
  /// Not of components that can be off: flecs has visited a table when it has shown the first of its runs that are on.
  template <class C, class... Qs, class Fn>
    requires QueryOf<SchemaType, C, Qs...> && is_monitored<detail::component_of<C>> && std::is_const_v<C> &&
             (!is_sparse<detail::component_of<Qs>> && ...) &&
             (!may_be_off<detail::component_of<C>> && ... && !may_be_off<detail::component_of<Qs>>)
  void each_changed(Fn&& fn) {
    const parts::IterationGuard::Scope<> looping(guard_);
    Tables tables(world(), query_of<true, C, Qs...>());
    while (tables.next()) {
      if (tables.changed()) visit_table<C, Qs...>(tables.current(), fn, std::index_sequence_for<C, Qs...>{});
    }
  }

  /// O(tables that have the component), or O(rows) of one that is sparse.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    if constexpr (is_sparse<C>) {
      std::size_t rows = 0;
      Tables tables(world(), const_cast<FlecsStorage*>(this)->template query_of<false, const C>());
      while (tables.next()) rows += static_cast<std::size_t>(tables.current().count);
      return rows;
    }
    return static_cast<std::size_t>(ecs_count_id(world(), id<C>()));
  }
  [[nodiscard]] std::size_t size() const noexcept { return living_; }
  /// Table by table (ecs_table_clear_entities); one by one the entities without components in tables, and not those of
  /// cached queries. Tables and their room stay, which ecs_delete_with() would end.
  void clear() {
    guard_.assert_no_loop();
    for (std::int32_t place = own_entities_;;) {  // another entity takes the place of one that ends
      const ecs_entities_t all = ecs_get_entities(world());
      if (place >= all.alive_count) break;
      const ecs_entity_t entity = all.ids[place];
      ecs_table_t* const table = ecs_get_table(world(), entity);
      if (has_component_of_schema(table)) {
        ecs_table_clear_entities(world(), table);
      } else if (is_of_query(entity)) {
        ++place;
      } else {
        ecs_delete(world(), entity);
      }
    }
    living_ = 0;
  }

 private:
  static constexpr std::size_t component_count = SchemaType::component_count;
  struct EndWorld {
    void operator()(ecs_world_t* world) const noexcept { ecs_fini(world); }
  };

  /// An iterator that also ends when an exception leaves the loop. It is made in its place: it has hundreds of bytes.
  class Tables {
   public:
    Tables(const ecs_world_t* world, const ecs_query_t* query) : iterator_(ecs_query_iter(world, query)) {}
    Tables(const Tables&) = delete;
    Tables& operator=(const Tables&) = delete;
    ~Tables() {
      if (!ended_) ecs_iter_fini(&iterator_);
    }
    [[nodiscard]] bool next() {
      ended_ = !ecs_query_next(&iterator_);
      return !ended_;
    }
    /// Otherwise it is left as it is.
    [[nodiscard]] bool changed() {
      const bool changed = ecs_iter_changed(&iterator_);
      if (!changed) ecs_iter_skip(&iterator_);
      return changed;
    }
    [[nodiscard]] const ecs_iter_t& current() const noexcept { return iterator_; }

   private:
    ecs_iter_t iterator_;
    bool ended_ = false;
  };

  /// The table of one list of components, and their columns in the order of the list; -1 for a tag.
  template <std::size_t Count>
  struct Place {
    ecs_table_t* table = nullptr;
    std::array<std::int32_t, Count> columns{};
  };

  [[nodiscard]] ecs_world_t* world() const noexcept { return world_.get(); }
  template <class C>
  [[nodiscard]] ecs_id_t& id() noexcept {
    return ids_[detail::component_id<C, SchemaType>];
  }
  template <class C>
  [[nodiscard]] ecs_id_t id() const noexcept {
    return ids_[detail::component_id<C, SchemaType>];
  }

  /// flecs' own entities have none.
  [[nodiscard]] bool has_component_of_schema(const ecs_table_t* table) const noexcept {
    return table != nullptr &&
           std::ranges::any_of(ids_, [&](ecs_id_t component) { return ecs_table_has_id(world(), table, component); });
  }
  [[nodiscard]] bool is_of_query(ecs_entity_t entity) const noexcept {
    return std::ranges::any_of(
        queries_, [entity](const ecs_query_t* query) { return query != nullptr && query->entity == entity; });
  }

  // ---- what is remembered for each list of components that is asked for: numbered when the program starts

  inline static std::size_t lists_ = 0;
  template <class... Cs>
  inline static const std::size_t number_of_list = lists_++;

  template <class... Cs>
  [[nodiscard]] const Place<sizeof...(Cs)>& place_of() {
    const std::size_t number = number_of_list<Place<0>, Cs...>;
    if (number >= places_.size()) places_.resize(number + 1);
    if (places_[number] == nullptr) places_[number] = find_place<Cs...>();
    return *static_cast<const Place<sizeof...(Cs)>*>(places_[number].get());
  }
  template <class... Cs>
  [[nodiscard]] std::shared_ptr<const void> find_place() {
    auto place = std::make_shared<Place<sizeof...(Cs)>>();
    const std::array<ecs_id_t, sizeof...(Cs)> ids{id<Cs>()...};
    const std::array<bool, sizeof...(Cs)> sparse{is_sparse<Cs>...};
    std::vector<ecs_id_t> in_table;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!sparse[i]) in_table.push_back(ids[i]);
    }
    std::ranges::sort(in_table);  // as a table has them
    place->table = ecs_table_find(world(), in_table.data(), static_cast<std::int32_t>(in_table.size()));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!sparse[i]) place->columns[i] = ecs_table_get_column_index(world(), place->table, ids[i]);
    }
    return place;
  }

  template <bool DetectsChanges, class... Qs>
  [[nodiscard]] const ecs_query_t* query_of() {
    const std::size_t number = number_of_list<std::conditional_t<DetectsChanges, Tables, ecs_query_t>, Qs...>;
    if (number >= queries_.size()) queries_.resize(number + 1, nullptr);
    if (queries_[number] == nullptr) {
      queries_[number] = query_with<DetectsChanges>(detail::concatenated<detail::TypeListIf<is_in_query<Qs>, Qs>...>{});
    }
    return queries_[number];
  }

  template <bool DetectsChanges, class... Qs>
  [[nodiscard]] ecs_query_t* query_with(TypeList<Qs...>) {
    return make_query<DetectsChanges, Qs...>(world(), {id<detail::component_of<Qs>>()...},
                                             !(is_sparse<detail::component_of<Qs>> || ...));
  }

  // ---- rows

  template <class C>
  static void fill(ecs_table_t* table, std::int32_t row, std::int32_t column, C&& component) {
    using Component = std::remove_cvref_t<C>;
    if constexpr (!is_tag<Component>) {
      ::new (ecs_table_get_column(table, column, row)) Component(std::forward<C>(component));
    }
  }

  template <class C>
  void emplace_new(ecs_entity_t entity, C&& component) {
    using Component = std::remove_cvref_t<C>;
    bool is_new = false;
    void* const place = ecs_emplace_id(world(), entity, id<Component>(), sizeof(Component), &is_new);
    ::new (place) Component(std::forward<C>(component));
  }

  template <class... Cs>
  void create_in_bulk(std::span<entity_type> out, std::span<const Cs>... columns) {
    std::array<void*, sizeof...(Cs)> data{bytes_of(columns)...};
    ecs_bulk_desc_t bulk{};
    bulk.count = static_cast<std::int32_t>(out.size());
    bulk.data = data.data();
    std::size_t number = 0;
    ((bulk.ids[number++] = id<Cs>()), ...);  // with a table in their place 4.1.6 copies no data
    const ecs_entity_t* const created = ecs_bulk_init(world(), &bulk);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = entity_type::from_word(created[i]);
    living_ += out.size();
  }
  /// flecs only reads what can be copied as bytes.
  template <class C>
  [[nodiscard]] static void* bytes_of(std::span<const C> column) noexcept {
    return is_tag<C> ? nullptr : const_cast<C*>(column.data());
  }

  template <class... Qs>
  [[nodiscard]] auto find_all(entity_type entity) const noexcept {
    const bool known = alive(entity);  // flecs leaves that check to the caller
    if constexpr (sizeof...(Qs) == 1) {
      return (find_one<Qs>(entity, known), ...);
    } else {
      const ecs_record_t* const record = known ? ecs_record_find(world(), entity.word()) : nullptr;
      return std::tuple<Qs*...>{find_in<Qs>(entity, record)...};
    }
  }
  /// As `get` of the C++ API with a function of several components.
  template <class Q>
  [[nodiscard]] Q* find_in(entity_type entity, const ecs_record_t* record) const noexcept {
    using C = std::remove_const_t<Q>;
    if constexpr (is_tag<C> || is_sparse<C>) {
      return find_one<Q>(entity, record != nullptr);
    } else {
      if (record == nullptr) return nullptr;
      const std::int32_t column = ecs_table_get_column_index(world(), record->table, id<C>());
      if (column < 0) return nullptr;
      if constexpr (is_monitored<Q> && !std::is_const_v<Q>) ecs_modified_id(world(), entity.word(), id<C>());
      return static_cast<Q*>(ecs_record_get_by_column(record, column, sizeof(C)));
    }
  }
  template <class Q>
  [[nodiscard]] Q* find_one(entity_type entity, bool known) const noexcept {
    using C = std::remove_const_t<Q>;
    if (!known) return nullptr;
    if constexpr (is_tag<C>) {
      return ecs_has_id(world(), entity.word(), id<C>()) ? std::addressof(detail::tag_instance<C>) : nullptr;
    } else {
      const void* const found = ecs_get_id(world(), entity.word(), id<C>());
      if constexpr (is_monitored<Q> && !std::is_const_v<Q>) {
        if (found != nullptr) ecs_modified_id(world(), entity.word(), id<C>());
      }
      return static_cast<Q*>(const_cast<void*>(found));
    }
  }

  /// A sparse component lies wherever its set has it.
  template <class Q>
  struct SparseCursor {
    const ecs_iter_t* table;
    std::int8_t field;
    [[nodiscard]] Q& operator[](std::size_t row) const noexcept {
      return *static_cast<Q*>(ecs_field_at_w_size(table, sizeof(Q), field, static_cast<std::int32_t>(row)));
    }
  };
  /// Of a sparse component that is optional: a query with such a term shows entities more than once.
  template <class Q>
  struct SparseLookup {
    const ecs_iter_t* table;
    ecs_id_t component;
    [[nodiscard]] Q* operator[](std::size_t row) const noexcept {
      using C = std::remove_const_t<Q>;
      if constexpr (is_tag<C>) {
        const bool is_there = ecs_has_id(table->world, table->entities[row], component);
        return is_there ? std::addressof(detail::tag_instance<C>) : nullptr;
      } else {
        return static_cast<Q*>(const_cast<void*>(ecs_get_id(table->world, table->entities[row], component)));
      }
    }
  };
  template <class Q>
  [[nodiscard]] static auto cursor(const ecs_iter_t& table, std::size_t field) noexcept {
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      return parts::TagCursor<Q>{};
    } else if constexpr (is_sparse<Q>) {
      return SparseCursor<Q>{&table, static_cast<std::int8_t>(field)};
    } else {
      return static_cast<Q*>(ecs_field_w_size(&table, sizeof(Q), static_cast<std::int8_t>(field)));
    }
  }
  template <class... Qs, class Fn, class Fields>
  void visit_table(const ecs_iter_t& table, Fn& fn, Fields fields) const {
    visit_rows({0, static_cast<std::size_t>(table.count)}, table.entities, fn, cursors_of<Qs...>(table, fields));
  }
  template <class Fn, class... Cursors>
  static void visit_rows(parts::RowRange rows, const ecs_entity_t* entities, Fn& fn,
                         const std::tuple<Cursors...>& all) {
    std::apply(
        [&](const auto&... cursors) {
          parts::visit_rows<false>(
              rows, fn, [entities](std::size_t row) { return entity_type::from_word(entities[row]); }, cursors...);
        },
        all);
  }
  template <class... Qs, std::size_t... Fields>
  [[nodiscard]] auto cursors_of(const ecs_iter_t& table, std::index_sequence<Fields...>) const noexcept {
    return std::tuple_cat(shown<Qs>(table, field_of<Fields, Qs...>)...);
  }
  template <class Q>
  static constexpr bool is_in_query =
      detail::Term<Q>::is_required || detail::Term<Q>::is_absent || !is_sparse<detail::component_of<Q>>;
  /// Where a query has the term with this number.
  template <std::size_t Number, class... Qs>
  static constexpr std::size_t field_of = [] {
    constexpr std::array in_query{is_in_query<Qs>...};
    return static_cast<std::size_t>(std::count(in_query.begin(), in_query.begin() + Number, true));
  }();
  /// What a loop is shown of a term, if anything.
  template <class Q>
  [[nodiscard]] auto shown(const ecs_iter_t& table, [[maybe_unused]] std::size_t field) const noexcept {
    using Asked = detail::asked_of<Q>;
    if constexpr (!detail::Term<Q>::is_shown) {
      return std::tuple<>{};
    } else if constexpr (detail::Term<Q>::is_required) {
      return std::tuple(cursor<Asked>(table, field));
    } else if constexpr (is_sparse<Asked>) {
      return std::tuple(SparseLookup<Asked>{&table, id<Asked>()});
    } else {
      const auto make = [&] { return cursor<Asked>(table, field); };
      const bool is_there = ecs_field_is_set(&table, static_cast<std::int8_t>(field));
      return std::tuple(parts::OptionalCursor<Asked*, decltype(make())>(is_there, make));
    }
  }

  /// Rows of a table, as threads share them.
  template <class... Qs>
  struct Stretch {
    const ecs_entity_t* entities;
    std::size_t rows;
    std::tuple<std::conditional_t<is_tag<std::remove_const_t<Qs>>, parts::TagCursor<Qs>, Qs*>...> cursors;
  };
  template <class... Qs>
  using Stretches = std::vector<Stretch<Qs...>>;

  std::unique_ptr<ecs_world_t, EndWorld> world_;
  std::array<ecs_id_t, component_count> ids_{};
  std::vector<std::shared_ptr<const void>> places_;  // by list of components
  std::vector<std::shared_ptr<void>> stretches_;     // by list of components, for loops of several threads
  std::vector<ecs_query_t*> queries_;                // by list of components; they end with the world
  std::size_t living_ = 0;
  std::int32_t own_entities_ = 0;  // flecs': components and what it cannot do without
  parts::IterationGuard guard_;
};

template <class SchemaType>
using Flecs = FlecsStorage<SchemaType, false>;
template <class SchemaType>
using FlecsSparse = FlecsStorage<SchemaType, true>;
template <class SchemaType>
using FlecsToggle = FlecsStorage<SchemaType, false, true>;

static_assert(assert_partial_storage<Flecs<ProbeSchema>>());
static_assert(assert_partial_storage<FlecsSparse<ProbeSchema>>());
static_assert(assert_partial_storage<FlecsToggle<ProbeSchema>>());

}  // namespace stowage::peers
