#pragma once

// entt, entt.64bit, entt.raw, entt.views: EnTT's registry, with and without owning groups.
//
//     entities   [id]  [id]  [id] | [dead id] ...               identifiers, those that wait for their next life behind
//     sparse     [nil] [ 2 ] [ 0 ] ...  [ 1 ] ...               a page of 4096 places for each 4096 indices, per
//     component
//                         |     |          |
//                         v     v          v
//     dense      [owner] [owner] [owner] ...                    per component, packed
//     components [ C0 ]  [ C1 ]  [ C2 ] ...                     pages of 1024
//     group      A and B of entities with both: the first rows of each, in the same order (not in entt.views)
//
// By: skypjack/entt, from 3.13 on. Pick it for what is around it: signals, snapshots, reflection, a hundred games.
// Groups: `entt.views` has none and loops by views: "a non-intrusive tool" (docs/md/entity.md of EnTT), which costs
// nothing if entities come, go and are looked up. `entt` and `entt.64bit` have an owning group for each group of the
// schema: "an intrusive tool to use to improve performance along critical paths but which also has a price to pay for
// that", at each creation and destruction of what is owned. They have them in every workload, even if no loop gets
// anything for that price: there `entt` is what a game pays that needs its groups elsewhere, and `entt.views` what one
// pays that does not.
// `entt.raw` is `entt` with loops over the pages of the pools (`raw()`), which are plain arrays, where one component is
// asked for or a group has all of them: what its documentation offers to those that want to write their own loop.
// A hierarchy without dirty flags is a group sorted by depth (entt_tree.hpp).
// Idiom: a lookup of several components of a group asks one sparse array, as `group.get` does; pools are assured once
// and kept ("storage" in its documentation); views for all loops that no group serves; bulk creation by create(first,
// last) and insert(). No signal but those of the groups and, of components that the schema marks Changed, on_update.
// Handles: identifiers by their own bits. `entt` and `entt.views` have the default of 32: index in the lower 20,
// version in the upper 12, 1,048,575 entities at most, which EnTT asserts and does not throw. `entt.64bit` has 32 + 32.
// Null is all ones in both. Components that cannot be assigned stay where they are in EnTT and leave holes; they form
// no owning group.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <entt/core/algorithm.hpp>
#include <entt/entity/group.hpp>
#include <entt/entity/registry.hpp>
#include <entt/entity/view.hpp>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/loop.hpp>

#include "peers/counting_allocator.hpp"
#include "peers/entt_tree.hpp"

namespace stowage::peers {

/// EnTT's identifiers of 64 bits.
enum class Identifier64 : std::uint64_t {};

/// What EnTT calls an identifier, and what a storage's users know it by: the same bits.
template <class Identifier>
struct HandleOf;
template <>
struct HandleOf<entt::entity> {
  using type = BasicEntity<std::uint32_t, 20, 12>;
};
template <>
struct HandleOf<Identifier64> {
  using type = Entity;
};

/// Without groups the schema's groups mean nothing; otherwise each is an owning group.
enum class EnttLoops { views, groups, raw_pages };

template <class SchemaType, class Identifier, EnttLoops Loops>
class EnttStorage {
  static constexpr bool owns_groups = Loops != EnttLoops::views;
  using Allocator = CountingAllocator<Identifier>;
  using Registry = entt::basic_registry<Identifier, Allocator>;
  using Set = entt::basic_sparse_set<Identifier, Allocator>;
  template <class C>
  using Pool = std::remove_reference_t<decltype(std::declval<Registry&>().template storage<std::remove_const_t<C>>())>;
  /// Whether EnTT lists what has changed. A loop over pages is faster with a version in the component.
  template <class C>
  static constexpr bool is_listed = Loops != EnttLoops::raw_pages && detail::is_recorded<C, SchemaType>;
  /// A program may write to it, so the signal on_update is sent: before it does, while the component is certainly
  /// there. EnTT calls listeners after an update. For those that only list the entity, as here, that is the same.
  template <class Q>
  static constexpr bool is_noted =
      detail::Term<Q>::is_shown && !detail::reads_only<Q> && is_listed<detail::component_of<Q>>;
  /// What views keep ("What is allowed and what is not" in EnTT's documentation), and groups do not.
  [[nodiscard]] static constexpr Promise unless_owned(std::string_view reason) noexcept {
    return owns_groups ? not_promised(reason) : promised;
  }

 public:
  using schema_type = SchemaType;
  using entity_type = typename HandleOf<Identifier>::type;
  using tree_type = EnttTree<Identifier, Loops == EnttLoops::raw_pages>;
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;

  /// Of one component, as of all entities.
  static constexpr std::size_t row_limit = entity_type::max_entities;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          unless_owned("an entity that completes a group swaps rows with the first that has not"),
      .pointer_stability_on_erase = not_promised("the last row moves into the hole"),
      .creation_order = not_promised("rows are visited from the last to the first"),
      .create_while_iterating = unless_owned("a view would let it; the rows of an owning group change places"),
      .destroy_current_while_iterating = unless_owned("a view would let it; the rows of an owning group change places"),
      .destroy_others_while_iterating = not_promised("the last row moves into the hole and is visited again"),
      .change_components_while_iterating =
          unless_owned("a view would let it; the rows of an owning group change places"),
      .handles_stay_stale = entity_type::generation_bits < 32
                                ? not_promised("a version has 12 bits, and freed identifiers do not wait")
                                : promised,
  };
  static constexpr std::array lacking{
      Lack{Capability::block_iteration, "each component lies in pages, and in an order of its own"},
      Lack{Capability::table_exchange, "a snapshot takes components one by one through an archive"},
      Lack{Capability::strong_guarantee, "if one of several components throws, those before it stay"},
  };

  EnttStorage() {
    detail::for_each_component<SchemaType>([this]<class C>(TypeList<C>) {
      static_assert(std::is_empty_v<C> == is_tag<C>, "EnTT makes no objects of empty types");
      pools_[detail::component_id<C, SchemaType>] = &registry_.template storage<C>();
    });
    std::apply([this](auto&... groups) { (form(groups), ...); }, groups_);
  }
  EnttStorage(const EnttStorage&) = delete;
  EnttStorage& operator=(const EnttStorage&) = delete;

  [[nodiscard]] entity_type create() {
    assert_rows_may_come_and_go();
    return handle(registry_.create());
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    assert_rows_may_come_and_go();
    const Identifier created = registry_.create();
    (static_cast<void>(put<std::remove_cvref_t<Cs>>(created, std::forward<Cs>(components))), ...);
    return handle(created);
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    STOWAGE_ASSERT(((columns.size() == out.size()) && ...), "every column has one component per new entity");
    assert_rows_may_come_and_go();
    const IdentifierIterator first(out.data());
    const IdentifierIterator last(out.data() + out.size());
    registry_.create(first, last);
    const auto insert = [&]<class C>(std::span<const C> column) {
      if constexpr (is_tag<C>) {
        pool<C>().insert(first, last);
      } else {
        pool<C>().insert(first, last, column.data());
      }
    };
    (insert(columns), ...);
  }

  bool destroy(entity_type entity) {
    assert_rows_may_come_and_go();
    if (!alive(entity)) return false;
    registry_.destroy(identifier(entity));
    return true;
  }
  /// Pool by pool; EnTT passes over identifiers that are not valid.
  std::size_t destroy(std::span<const entity_type> entities) {
    assert_rows_may_come_and_go();
    const std::size_t before = size();
    const auto identifiers = std::views::transform(entities, [](entity_type entity) { return identifier(entity); });
    registry_.destroy(identifiers.begin(), identifiers.end());
    return before - size();
  }
  [[nodiscard]] bool alive(entity_type entity) const noexcept { return registry_.valid(identifier(entity)); }

  /// What cannot be assigned is replaced by another in its place.
  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    assert_rows_may_come_and_go();
    const Identifier known = identifier(entity);
    if (!pool<C>().contains(known)) {  // a pool knows no identifier that is not alive
      if (!registry_.valid(known)) throw DeadEntity(entity.word());
      return put<C>(known, std::forward<Arguments>(arguments)...);
    }
    if constexpr (is_tag<C>) {
      return detail::tag_instance<C>;
    } else if constexpr (std::is_move_assignable_v<C>) {
      return pool<C>().patch(known, [&](C& old) { old = detail::make<C>(std::forward<Arguments>(arguments)...); });
    } else {
      C made = detail::make<C>(std::forward<Arguments>(arguments)...);
      pool<C>().erase(known);
      return put<C>(known, std::move(made));
    }
  }
  /// By insert() for a few of them at a time, so that they are still in the cache, if all are alive and none has one:
  /// it leaves that to the caller.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  std::size_t emplace(std::span<const entity_type> entities, std::span<const C> components) {
    assert_rows_may_come_and_go();
    STOWAGE_ASSERT(components.size() == entities.size(), "there is one component per entity");
    std::size_t changed = 0;
    for (std::size_t first = 0; first < entities.size(); first += inserted_at_once) {
      const auto some = entities.subspan(first, std::min(inserted_at_once, entities.size() - first));
      const auto known = std::views::transform(some, [](entity_type entity) { return identifier(entity); });
      if (std::ranges::all_of(known, [&](Identifier of) { return !pool<C>().contains(of) && registry_.valid(of); })) {
        if constexpr (is_tag<C>) {
          pool<C>().insert(known.begin(), known.end());
        } else {
          pool<C>().insert(known.begin(), known.end(), components.data() + first);
        }
        changed += some.size();
        continue;
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (!alive(some[i])) continue;
        emplace<C>(some[i], components[first + i]);
        ++changed;
      }
    }
    return changed;
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    assert_rows_may_come_and_go();
    return pool<C>().remove(identifier(entity));
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return pool<C>().contains(identifier(entity));
  }

  /// See PoolStorage, by EnTT's insertion sort, for rows that are nearly in order. Of a component in an owning group
  /// the rows of the complete group are sorted; without groups the pools of its group follow, as by `sort<To, From>`.
  template <class C, class Less>
    requires ComponentsOf<SchemaType, C>
  void sort_rows(Less less) {
    sort_by<C, entt::insertion_sort>(less);
  }
  /// Rows in any order, by EnTT's std_sort.
  template <class C, class Less>
    requires ComponentsOf<SchemaType, C>
  void sort_rows_anew(Less less) {
    sort_by<C, entt::std_sort>(less);
  }

  /// A lookup for each component, as in registry.try_get().
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] auto find(entity_type entity) noexcept {
    return find_all<Qs...>(identifier(entity));
  }
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return find_all<const Qs...>(identifier(entity));
  }

  /// Structural change inside is an assertion if there are groups, whatever EnTT would allow in a view.
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) {
    with_notes<Qs...>(fn, [this](auto& noted) { loop<Qs...>(noted); });
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) const {
    static_assert((detail::reads_only<Qs> && ...), "a const storage shows its components as const: each<const C>");
    loop<Qs...>(fn);
  }

  /// See workloads/support/changes.hpp: a reactive storage for each list of components has what was created or patched
  /// since the loop ran last.
  template <class C, class... Qs, class Fn>
    requires(is_listed<C> && std::is_const_v<C> && ComponentsOf<SchemaType, C, Qs...>)
  void each_changed(Fn&& fn) {
    const entt::id_type name = entt::type_hash<TypeList<C, Qs...>>::value();
    const bool is_first = registry_.storage(name) == nullptr;
    auto& changed = registry_.template storage<entt::reactive>(name);
    if (is_first) {
      using Known = std::remove_const_t<C>;
      changed.template on_construct<Known>().template on_update<Known>();
      return each<C, Qs...>(fn);
    }
    const parts::IterationGuard::Scope<> looping(guard_);
    with_notes<C, Qs...>(fn, [&](auto& noted) {
      visit<C, Qs...>(changed.template view<std::remove_const_t<C>, std::remove_const_t<Qs>...>(), noted);
    });
    changed.clear();
  }

  /// As threads share a group or a view: by places in the pool that a loop goes through, the shortest one. A group has
  /// its first.
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] std::size_t loop_steps() const {
    return shortest<Qs...>().size();
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  STOWAGE_INLINE void each_step(std::size_t first, std::size_t end, Fn&& fn) {
    visit_steps<Qs...>(first, end, fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  STOWAGE_INLINE void each_step(std::size_t first, std::size_t end, Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each_step<const C>");
    visit_steps<Qs...>(first, end, fn);
  }

  /// O(1); O(rows) for a component that cannot be assigned, because EnTT counts its holes too.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    if constexpr (stays_in_place<C>) {
      std::size_t holders = 0;
      view<C>().each([&](const C&) { ++holders; });
      return holders;
    } else {
      return pool<C>().size();
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return entities().free_list(); }

  /// Of components and identifiers; the pages of the sparse arrays come when they are needed.
  void reserve(std::size_t count) {
    registry_.template storage<Identifier>().reserve(count);
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) { pool<C>().reserve(count); });
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void reserve(std::size_t count) {
    registry_.template storage<Identifier>().reserve(count);
    (pool<Cs>().reserve(count), ...);
  }
  void clear() {
    guard_.assert_no_loop();
    registry_.clear();
  }

  /// Index are the places of the living in sparse and dense arrays: of identifiers, and of each component.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes;
    std::size_t places = size();
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      places += count<C>();
      if constexpr (!is_tag<C>) bytes.payload_bytes += count<C>() * sizeof(C);
    });
    bytes.index_bytes = 2 * places * sizeof(Identifier);
    bytes.slack_bytes = account_.bytes - bytes.payload_bytes - bytes.index_bytes;
    bytes.allocations = account_.blocks;
    return bytes;
  }

 private:
  static constexpr std::size_t inserted_at_once = 64;

  template <class Q>
  void note_required([[maybe_unused]] Identifier known) {
    if constexpr (is_noted<Q> && detail::Term<Q>::is_required) pool<detail::component_of<Q>>().patch(known);
  }
  /// Calls `run(fn)`, or with a function that also notes what `fn` may write. What is optional is noted by its lookup.
  template <class... Qs, class Fn, class Run>
  STOWAGE_INLINE void with_notes(Fn& fn, Run run) {
    if constexpr ((is_noted<Qs> || ...)) {
      const auto noting = [&]<class... Shown>(entity_type entity, Shown&&... components) {
        (note_required<Qs>(identifier(entity)), ...);
        parts::call_plainly(fn, [entity] { return entity; }, std::forward<Shown>(components)...);
      };
      run(noting);
    } else {
      run(fn);
    }
  }

  template <class C, class Algorithm, class Less>
  void sort_by(Less less) {
    guard_.assert_no_loop();
    const auto before = [&](const C& a, const C& b) {  // loops of EnTT go through a pool from its end
      return Loops == EnttLoops::raw_pages ? less(b, a) : less(a, b);
    };
    if constexpr (group_with<C> < std::tuple_size_v<Groups>) {
      std::get<group_with<C>>(groups_).template sort<C>(before, Algorithm{});
    } else {
      registry_.template sort<C>(before, Algorithm{});
      const auto follow = [&]<class Other>(TypeList<Other>) {
        if constexpr (!std::is_same_v<Other, C>) registry_.template sort<Other, C>();
      };
      const auto follow_in = [&]<class... Cs>(TypeList<Cs...>) {
        if constexpr (detail::is_one_of<C, Cs...>) (follow(TypeList<Cs>{}), ...);
      };
      [&]<class... Lists>(TypeList<Lists...>) { (follow_in(Lists{}), ...); }(typename SchemaType::groups{});
    }
  }

  void assert_rows_may_come_and_go() const {
    if constexpr (owns_groups) {
      guard_.assert_no_loop();
    } else {
      guard_.assert_no_part();
    }
  }

  // ---- identifiers

  [[nodiscard]] static Identifier identifier(entity_type entity) noexcept {
    return static_cast<Identifier>(entity.word());
  }
  [[nodiscard]] static entity_type handle(Identifier known) noexcept {
    return entity_type::from_word(static_cast<typename entity_type::word_type>(known));
  }

  /// Handles, if EnTT writes and reads identifiers.
  class IdentifierIterator {
   public:
    class Place {
     public:
      explicit Place(entity_type* entity) : entity_(entity) {}
      const Place& operator=(Identifier known) const {
        *entity_ = handle(known);
        return *this;
      }
      operator Identifier() const { return identifier(*entity_); }  // NOLINT(google-explicit-constructor): a reference

     private:
      entity_type* entity_;
    };
    using iterator_category = std::forward_iterator_tag;
    using value_type = Identifier;
    using difference_type = std::ptrdiff_t;
    using pointer = const Place*;
    using reference = Place;

    explicit IdentifierIterator(entity_type* entity) : entity_(entity) {}
    [[nodiscard]] Place operator*() const { return Place(entity_); }
    IdentifierIterator& operator++() {
      ++entity_;
      return *this;
    }
    friend bool operator==(const IdentifierIterator&, const IdentifierIterator&) = default;

   private:
    entity_type* entity_;
  };

  // ---- pools and groups

  template <class C>
  static constexpr bool stays_in_place = entt::component_traits<C, Identifier>::in_place_delete;

  template <class... Cs>
  using Owned = entt::basic_group<entt::owned_t<Pool<Cs>...>, entt::get_t<>, entt::exclude_t<>>;
  /// A group that is not owned, or that EnTT cannot own, lies as if it were no group.
  template <class List>
  struct GroupOf;
  template <class... Cs>
  struct GroupOf<TypeList<Cs...>> {
    using type =
        std::conditional_t<owns_groups && ((!is_tag<Cs> && !stays_in_place<Cs>) && ...), Owned<Cs...>, std::monostate>;
  };
  template <class List>
  struct GroupsOf;
  template <class... Lists>
  struct GroupsOf<TypeList<Lists...>> {
    using type = std::tuple<typename GroupOf<Lists>::type...>;
  };
  using Groups = typename GroupsOf<typename SchemaType::groups>::type;

  template <class C>
  [[nodiscard]] Pool<C>& pool() const noexcept {
    return static_cast<Pool<C>&>(*pools_[detail::component_id<C, SchemaType>]);
  }
  [[nodiscard]] const auto& entities() const noexcept { return *registry_.template storage<Identifier>(); }
  template <class... Cs>
  [[nodiscard]] auto view() const noexcept {
    return entt::basic_view<entt::get_t<Pool<Cs>...>, entt::exclude_t<>>(pool<Cs>()...);
  }

  void form(std::monostate) noexcept {}
  template <class... Cs>
  void form(entt::basic_group<entt::owned_t<Cs...>, entt::get_t<>, entt::exclude_t<>>& group) {
    group = registry_.template group<typename Cs::element_type...>();
  }

  template <class C, class... Arguments>
  C& put(Identifier known, Arguments&&... arguments) {
    if constexpr (is_tag<C>) {
      pool<C>().emplace(known);
      return detail::tag_instance<C>;
    } else if constexpr (std::is_aggregate_v<C> && sizeof...(Arguments) != 0) {
      return pool<C>().emplace(known, detail::make<C>(std::forward<Arguments>(arguments)...));
    } else {
      return pool<C>().emplace(known, std::forward<Arguments>(arguments)...);
    }
  }

  template <class... Qs>
  [[nodiscard]] auto find_all(Identifier known) const noexcept {
    if constexpr (sizeof...(Qs) == 1) {
      return (find_one<Qs>(known), ...);
    } else if constexpr (has_group<Qs...>) {
      return find_in_group<Qs...>(known);
    } else {
      return std::tuple<Qs*...>{find_one<Qs>(known)...};
    }
  }
  /// The rows of a group are equal in all of its pools, so one sparse array knows them.
  template <class First, class... Rest>
  [[nodiscard]] std::tuple<First*, Rest*...> find_in_group(Identifier known) const noexcept {
    const auto& first = pool<First>();
    if (!first.contains(known)) return {nullptr, find_one<Rest>(known)...};
    const std::size_t row = first.index(known);
    if (row >= std::get<group_with<First, Rest...>>(groups_).size()) {
      return {found_in<First>(row, known), find_one<Rest>(known)...};
    }
    return {found_in<First>(row, known), found_in<Rest>(row, known)...};
  }
  template <class Q>
  [[nodiscard]] Q* found_in(std::size_t row, [[maybe_unused]] Identifier known) const {
    if constexpr (is_noted<Q>) pool<Q>().patch(known);
    return component_in<Q>(row);
  }
  template <class Q>
  static constexpr std::size_t page_rows = entt::component_traits<std::remove_const_t<Q>, Identifier>::page_size;
  template <class Q>
  [[nodiscard]] Q* component_in(std::size_t row) const noexcept {
    return pool<Q>().raw()[row / page_rows<Q>] + row % page_rows<Q>;
  }
  template <class Q>
  [[nodiscard]] Q* find_one(Identifier known) const {
    using C = std::remove_const_t<Q>;
    if (!pool<C>().contains(known)) return nullptr;
    if constexpr (is_tag<C>) {
      if constexpr (is_noted<Q>) pool<C>().patch(known);
      return std::addressof(detail::tag_instance<C>);
    } else if constexpr (is_noted<Q>) {
      return std::addressof(pool<C>().patch(known));
    } else {
      return std::addressof(pool<C>().get(known));
    }
  }

  // ---- iteration

  /// The group that has all of Qs, by number; as many as there are if none has.
  template <class... Qs>
  static constexpr std::size_t group_with = [] {
    std::size_t number = 0;
    std::size_t found = std::tuple_size_v<Groups>;
    const auto look = [&]<class... Cs>(TypeList<Cs...>) {
      const bool forms = !std::is_same_v<typename GroupOf<TypeList<Cs...>>::type, std::monostate>;
      if (forms && (detail::is_one_of<std::remove_const_t<Qs>, Cs...> && ...)) found = number;
      ++number;
    };
    [&]<class... Lists>(TypeList<Lists...>) { (look(Lists{}), ...); }(typename SchemaType::groups{});
    return found;
  }();

  template <class... Qs>
  static constexpr bool has_group = sizeof...(Qs) > 1 && group_with<Qs...> < std::tuple_size_v<Groups>;

  template <class... Qs, class Fn>
  void loop(Fn& fn) const {
    const parts::IterationGuard::Scope<> looping(guard_);
    if constexpr (detail::has_filters<Qs...>) {
      loop_filtered<Qs...>(fn, detail::required_of<Qs...>{}, detail::absent_of<Qs...>{});
    } else if constexpr (has_group<Qs...>) {
      loop_group<Qs...>(std::get<group_with<Qs...>>(groups_), fn);
    } else if constexpr (Loops == EnttLoops::raw_pages && sizeof...(Qs) == 1 && (is_dense<Qs> && ...)) {
      (visit_pages<Qs...>(0, pool<Qs>().size(), fn), ...);
    } else {
      visit<Qs...>(view<std::remove_const_t<Qs>...>(), fn);
    }
  }

  /// The rows of the group that has what is required, and those behind it, or a view with what is excluded. What is
  /// optional is looked up, as by `try_get`.
  template <class... Qs, class Fn, class... Required, class... Absent>
  void loop_filtered(Fn& fn, TypeList<Required...>, TypeList<Absent...>) const {
    if constexpr (has_group<Required...>) {
      const std::size_t grouped = std::get<group_with<Required...>>(groups_).size();
      if constexpr (!(has_group<Required..., Absent> || ...)) {
        const Identifier* const owners = shortest<Required...>().data();
        for (std::size_t row = grouped; row-- > 0;) {
          const Identifier known = owners[row];
          if ((pool<Absent>().contains(known) || ...)) continue;
          call_with_terms<Qs...>(fn, known, [&]<class Q>(TypeList<Q>) {
            if constexpr (detail::is_one_of<Q, Required...>) {
              return component_in<Q>(row);
            } else if constexpr (has_group<Required..., Q>) {
              return found_in<Q>(row, known);
            } else {
              return find_one<Q>(known);
            }
          });
        }
      }
      const Set& set = shortest<Required...>();
      for (std::size_t place = set.size(); place-- > grouped;) {
        const Identifier known = set[place];
        if (!(pool<Required>().contains(known) && ...) || (pool<Absent>().contains(known) || ...)) continue;
        call_with_terms<Qs...>(fn, known, [&]<class Q>(TypeList<Q>) {
          if constexpr (detail::is_one_of<Q, Required...>) {
            return std::addressof(component_with<Q>(known));
          } else {
            return find_one<Q>(known);
          }
        });
      }
    } else {
      using View = entt::basic_view<entt::get_t<Pool<Required>...>, entt::exclude_t<Pool<Absent>...>>;
      View(pool<Required>()..., pool<Absent>()...).each([&](const Identifier known, auto&... present) {
        [[maybe_unused]] const std::tuple<decltype(present)...> all(present...);
        call_with_terms<Qs...>(fn, known, [&]<class Q>(TypeList<Q>) {
          if constexpr (detail::is_one_of<Q, Required...>) {
            return std::addressof(component_of<Q>(all));
          } else {
            return find_one<Q>(known);
          }
        });
      });
    }
  }
  /// `find` finds the component of a term that is shown.
  template <class... Qs, class Fn, class Find>
  static void call_with_terms(Fn& fn, Identifier known, Find find) {
    const auto found = [&]<class Q>(TypeList<Q>) -> detail::asked_of<Q>* {
      if constexpr (detail::Term<Q>::is_shown) {
        return find(TypeList<detail::asked_of<Q>>{});
      } else {
        return nullptr;
      }
    };
    parts::call_with_found<Qs...>(fn, [known] { return handle(known); }, found(TypeList<Qs>{})...);
  }

  /// Calls `fn` for every entity of a view or a group, with the handle only if `fn` takes it: it is another array.
  template <class... Qs, class Shown, class Fn>
  static void visit(const Shown& shown, Fn& fn) {
    const auto call = [&]<class... Cs>(auto entity, Cs&... present) {
      [[maybe_unused]] const std::tuple<Cs&...> all(present...);
      parts::call_plainly(fn, entity, component_of<Qs>(all)...);
    };
    if constexpr (std::is_invocable_v<Fn&, Qs&...>) {
      shown.each([&](auto&... present) { call([] { return entity_type(); }, present...); });
    } else {
      shown.each([&](const Identifier known, auto&... present) { call([&] { return handle(known); }, present...); });
    }
  }
  template <class Q, class... Cs>
  [[nodiscard]] static Q& component_of([[maybe_unused]] const std::tuple<Cs&...>& all) noexcept {
    using C = std::remove_const_t<Q>;
    if constexpr (is_tag<C>) {
      return detail::tag_instance<C>;
    } else {
      return std::get<C&>(all);
    }
  }

  /// One that has neither holes nor no pages at all.
  template <class Q>
  static constexpr bool is_dense = !is_tag<std::remove_const_t<Q>> && !stays_in_place<std::remove_const_t<Q>>;

  /// Rows of pools in which they belong together, from `first` up to `end`: a loop over arrays for each page.
  template <class First, class... Rest, class Fn>
  void visit_pages(std::size_t first, std::size_t end, Fn& fn) const {
    constexpr std::size_t page = page_rows<First>;
    static_assert(((page_rows<Rest> == page) && ...));
    const Identifier* const owners = pool<First>().data();
    while (first < end) {
      const std::size_t rows = std::min(page - first % page, end - first);
      visit_page(rows, owners + first, fn, component_in<First>(first), component_in<Rest>(first)...);
      first += rows;
    }
  }
  template <class Fn, class... Qs>
  static void visit_page(std::size_t rows, const Identifier* owners, Fn& fn, Qs*... components) {
    for (std::size_t row = 0; row < rows; ++row) {
      if constexpr (parts::wants_scalar_loop<Fn>) parts::keep_scalar();
      parts::call_plainly(fn, [&] { return handle(owners[row]); }, components[row]...);
    }
  }

  /// The entities of the whole group, and then those with Qs but not the whole group: they lie behind.
  template <class... Qs, class Group, class Fn>
  void loop_group(const Group& group, Fn& fn) const {
    if constexpr (Loops == EnttLoops::raw_pages) {
      visit_pages<Qs...>(0, group.size(), fn);
    } else {
      visit<Qs...>(group, fn);
    }
    visit_places<Qs...>(group.size(), shortest<Qs...>().size(), fn);
  }

  template <class... Qs>
  [[nodiscard]] const Set& shortest() const noexcept {
    const Set* found = nullptr;
    for (const Set* const set : {static_cast<const Set*>(&pool<Qs>())...}) {
      if (found == nullptr || set->size() < found->size()) found = set;
    }
    return *found;
  }
  /// Those in the shortest pool, from `first` up to `end`, that all of the others have: a loop for each pool that may
  /// be the shortest, as in a view.
  template <class... Qs, class Fn>
  void visit_places(std::size_t first, std::size_t end, Fn& fn) const {
    const Set* const set = &shortest<Qs...>();
    (void)((set == &pool<Qs>() && (visit_places_of<Qs, Qs...>(first, end, fn), true)) || ...);
  }
  template <class Lead, class... Qs, class Fn>
  void visit_places_of(std::size_t first, std::size_t end, Fn& fn) const {
    const Set& set = pool<Lead>();
    for (std::size_t place = end; place-- > first;) {
      const Identifier known = set[place];
      if (!((leads<Lead, Qs> || pool<Qs>().contains(known)) && ...)) continue;
      const auto component = [&]<class Q>(TypeList<Q>) -> Q& {
        if constexpr (leads<Lead, Q> && !is_tag<std::remove_const_t<Q>>) {
          return *component_in<Q>(place);
        } else {
          return component_with<Q>(known);
        }
      };
      parts::call_plainly(fn, [&] { return handle(known); }, component(TypeList<Qs>{})...);
    }
  }
  /// It has every entity of its places, and no holes.
  template <class Lead, class Q>
  static constexpr bool leads = std::is_same_v<Lead, Q> && !stays_in_place<std::remove_const_t<Lead>>;
  template <class Q>
  [[nodiscard]] Q& component_with(Identifier known) const noexcept {
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      return detail::tag_instance<std::remove_const_t<Q>>;
    } else {
      return pool<Q>().get(known);
    }
  }

  template <class... Qs, class Fn>
  void visit_steps(std::size_t first, std::size_t end, Fn& fn) const {
    const parts::IterationGuard::Scope<parts::LoopSlice> looping(guard_);
    if constexpr (has_group<Qs...>) {
      const std::size_t grouped = std::min(end, std::get<group_with<Qs...>>(groups_).size());
      if constexpr (Loops == EnttLoops::raw_pages) {
        visit_pages<Qs...>(first, grouped, fn);
        first = std::max(first, grouped);
      } else {
        const Identifier* const owners = shortest<Qs...>().data();
        for (; first < grouped; ++first) {
          parts::call_plainly(fn, [&] { return handle(owners[first]); }, *component_in<Qs>(first)...);
        }
      }
    }
    visit_places<Qs...>(first, end, fn);
  }

  HeapAccount account_;
  Registry registry_{Allocator(account_)};
  std::array<Set*, SchemaType::component_count> pools_{};  // not by type: names of functions would have all of them
  Groups groups_;
  parts::IterationGuard guard_;
};

template <class SchemaType>
using Entt = EnttStorage<SchemaType, entt::entity, EnttLoops::groups>;
template <class SchemaType>
using Entt64 = EnttStorage<SchemaType, Identifier64, EnttLoops::groups>;
template <class SchemaType>
using EnttRaw = EnttStorage<SchemaType, entt::entity, EnttLoops::raw_pages>;
template <class SchemaType>
using EnttViews = EnttStorage<SchemaType, entt::entity, EnttLoops::views>;

static_assert(assert_partial_storage<Entt<ProbeSchema>>());
static_assert(assert_partial_storage<Entt64<ProbeSchema>>());
static_assert(assert_partial_storage<EnttRaw<ProbeSchema>>());
static_assert(assert_partial_storage<EnttViews<ProbeSchema>>());

}  // namespace stowage::peers
