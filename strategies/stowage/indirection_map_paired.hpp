#pragma once

// indirection_map.paired: a pool and a map per component; complete groups come first, in the same order in each pool.
//
//     maps       [gen|row][gen|row][gen| - ] ...                8 bytes per index, per component; the first is the
//                                                               registry, too
//
//     rows       [ A2 A0 A5 | A1      ]        row 0 of A belongs to the entity of row 0 of B, and so on,
//                [ B2 B0 B5 | B3 B7   ]        up to the end of the complete groups (|)
//
//     find<A, B>(e)    row = map_A[e.index] ^ e
//                      if (row < complete) return { &A[row], &B[row] }               // one map is enough
//                      otherwise each by its own map
//     each<A, B>(fn)   for (row = 0; row < complete; ++row) fn(A[row], B[row])       // in step
//                      If A and B are not the whole group: for each further row of the rarer, look the other up.
//     create(a, b)     e = a new entity; a row at the end of each pool, an entry in each map
//                      the group is complete: its rows change places with row `complete` of each pool; ++complete
//     destroy(e)       its rows change places with row `complete - 1` of each pool; --complete
//                      then in each pool the last row moves into the hole, and the map hears of it; e ends
//
// By: Wicked Engine's comments: pools kept in the same order need no lookup to be joined. EnTT's owning groups are
//      this, and the way in which rows swap places here is theirs.
// Pick it when components of a group are often used together and often alone, or when entities often gain and lose one
// of them: unlike in a pool per group, nothing moves between pools then, each component stays one packed array, and to
// complete a group costs a swap per member. It takes 12 bytes per entity and component, not 12 per entity.
// Misses per shuffled lookup of k components of one complete group, all out of cache: 1 (map) + k (columns).

#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

/// Every change is that of a storage without groups, and then rows swap places until complete groups are first again.
template <class SchemaType, class Registry = EntityRegistry<>, class LayoutPolicy = parts::ColumnsLayout>
class IndirectionMapPaired : public parts::PoolStorage<SchemaType, Registry, parts::ArrayIndexPolicy, LayoutPolicy,
                                                       parts::UngroupedPlacement<SchemaType>,
                                                       IndirectionMapPaired<SchemaType, Registry, LayoutPolicy>> {
  using Base = typename IndirectionMapPaired::PoolStorage;
  friend typename Base::Forms;

  /// The groups of the schema; where their members lie is not its business here.
  using Groups = parts::Placement<SchemaType>;
  static constexpr std::size_t group_count = SchemaType::group_count;
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;
  template <std::size_t G>
  using Members = typename Groups::template pool_components<G>;

  /// True when Qs are several components of one group, which is that of First.
  template <class First, class... Qs>
  static constexpr bool are_of_one_group = [] {
    if constexpr (sizeof...(Qs) != 0 && Groups::template is_grouped<First>) {
      return Groups::template holds_all<Groups::template group_pool<First>, Qs...>;
    } else {
      return false;
    }
  }();

 public:
  using typename Base::entity_type;
  template <class C>
  using reference = typename Base::template reference<C>;
  template <class C>
  using pointer = typename Base::template pointer<C>;
  using typename Base::block_entities;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert = not_promised("arrays move when they grow, and complete groups change places"),
      .pointer_stability_on_erase = not_promised("the last complete group and the last row move into the hole"),
      .creation_order = not_promised("rows of incomplete groups make way for those of complete ones"),
      .create_while_iterating = not_promised("growth would move the arrays under the loop"),
      .destroy_current_while_iterating = not_promised("another row would move into the current one and be skipped"),
      .destroy_others_while_iterating = not_promised("rows would move under the loop"),
      .change_components_while_iterating = not_promised("rows would move under the loop"),
  };

  bool destroy(entity_type entity) {
    this->guard_.assert_no_loop();
    detail::for_each_index<group_count>([&](auto group) { leave_group<group>(entity); });
    return Base::destroy(entity);
  }

  /// A C that completes a group moves to the end of the complete ones after it was made.
  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  reference<C> emplace(entity_type entity, Arguments&&... arguments) {
    const std::size_t rows = pool_of<C>().size();
    reference<C> added = Base::template emplace<C>(entity, std::forward<Arguments>(arguments)...);
    if constexpr (Groups::template is_grouped<C>) {
      constexpr std::size_t group = Groups::template group_pool<C>;
      if (pool_of<C>().size() != rows && has_all(entity, Members<group>{})) {
        join_group<group>(entity);
        return *pool_of<C>().layout().template at<C>(complete_[group] - 1);
      }
    }
    return added;
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    this->guard_.assert_no_loop();
    if constexpr (Groups::template is_grouped<C>) leave_group<Groups::template group_pool<C>>(entity);
    return Base::template remove<C>(entity);
  }

  /// Complete groups are first, in equal order: rows have no place for another one.
  template <class... Cs>
  void order_rows(std::span<const entity_type> order) = delete;
  template <class C, class Less>
  void sort_rows(Less less) = delete;

  /// See contract/lines.hpp; Qs belong to one group, or are one component that belongs to none.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return parts::ArrayIndex<entity_type, SchemaType::component_count>::template lookup_lines<0>() +
           AnyLayout::template lookup_lines<Qs...>();
  }

 private:
  template <class... Cs>
  entity_type create_one(Cs&&... components) {
    const entity_type entity = Base::create_one(std::forward<Cs>(components)...);
    detail::for_each_index<group_count>([&](auto group) {
      if constexpr (Groups::template is_covered_by<group, std::remove_cvref_t<Cs>...>) join_group<group>(entity);
    });
    return entity;
  }
  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    Base::create_many(out, columns);
    detail::for_each_index<group_count>([&](auto group) {
      const bool is_whole = [&]<class... Ms>(TypeList<Ms...>) {
        return (columns.template has<Ms>() && ...);
      }(Members<group>{});
      if (is_whole) join_group<group>(out, Members<group>{});
    });
  }
  void end_rows() noexcept {
    Base::end_rows();
    complete_ = {};
  }
  void copy_rows(const IndirectionMapPaired& other) {
    complete_ = {};
    Base::copy_rows(other);
    complete_ = other.complete_;
  }

  using AnyLayout = parts::AnyLayout<LayoutPolicy, SchemaType>;

  template <class C>
  [[nodiscard]] auto& pool_of() noexcept {
    return this->template pool<id<C>>();
  }
  template <class C>
  [[nodiscard]] const auto& pool_of() const noexcept {
    return this->template pool<id<C>>();
  }
  template <class Q>
  [[nodiscard]] auto cursor() const noexcept {
    return pool_of<Q>().layout().template cursor<Q>();
  }
  template <class C>
  [[nodiscard]] parts::RowNumber row_in(entity_type entity) const noexcept {
    return this->row_index().template find<id<C>>(entity);
  }

  // ---- groups

  template <class... Ms>
  [[nodiscard]] bool has_all(entity_type entity, TypeList<Ms...>) const noexcept {
    return ((row_in<Ms>(entity) != parts::no_row) && ...);
  }

  /// The row that the entity has in every pool of a complete group; no_row while its group is not complete.
  template <std::size_t G>
  [[nodiscard]] parts::RowNumber group_row(entity_type entity) const noexcept {
    const parts::RowNumber row = row_in<detail::element_at<0, Members<G>>>(entity);
    return row < complete_[G] ? row : parts::no_row;
  }

  /// The entity has just come by all of the group: it becomes the last of the complete ones.
  template <std::size_t G>
  void join_group(entity_type entity) noexcept {
    const auto swap_in = [&]<class... Ms>(TypeList<Ms...>) { (swap_rows<Ms>(row_in<Ms>(entity), complete_[G]), ...); };
    swap_in(Members<G>{});
    ++complete_[G];
  }

  /// The same for many whose rows are the last of every pool: where all before them are complete, nothing has to move.
  template <std::size_t G, class... Ms>
  void join_group(std::span<const entity_type> entities, TypeList<Ms...>) noexcept {
    if (((pool_of<Ms>().size() == complete_[G] + entities.size()) && ...)) {
      complete_[G] += entities.size();
    } else {
      for (const entity_type entity : entities) join_group<G>(entity);
    }
  }

  /// Where the entity's group is complete, it becomes the first of those that are not.
  template <std::size_t G>
  void leave_group(entity_type entity) noexcept {
    const parts::RowNumber row = group_row<G>(entity);
    if (row == parts::no_row) return;
    --complete_[G];
    [&]<class... Ms>(TypeList<Ms...>) { (swap_rows<Ms>(row, complete_[G]), ...); }(Members<G>{});
  }

  template <class C>
  void swap_rows(std::size_t row, std::size_t other) noexcept {
    if (row == other) return;
    pool_of<C>().swap_rows(row, other, [this](EntityIndex owner, std::size_t to) {
      this->row_index().template assign<id<C>>(owner, static_cast<parts::RowNumber>(to));
    });
  }

  // ---- lookup: one for all components of a complete group

  template <class... Qs>
  [[nodiscard]] std::tuple<pointer<Qs>...> look_up(entity_type entity) const noexcept {
    if constexpr (are_of_one_group<Qs...>) {
      constexpr std::size_t group = Groups::template group_pool<detail::element_at<0, TypeList<Qs...>>>;
      const std::tuple columns(cursor<Qs>()...);  // before the test: a loop of lookups keeps them in registers
      const parts::RowNumber row = group_row<group>(entity);
      if (row == parts::no_row) [[unlikely]]
        return this->template find_singles<Qs...>(entity);
      return std::apply([row](const auto&... column) { return std::tuple(parts::address_of(column, row)...); },
                        columns);
    } else if constexpr (sizeof...(Qs) == 1) {
      return {this->template find_single<Qs>(entity)...};
    } else {
      std::array<parts::RowNumber, group_count + 1> rows;
      detail::for_each_index<group_count>([&](auto group) {
        if constexpr (Groups::template holds_any<group, Qs...>) rows[group] = group_row<group>(entity);
      });
      return {find_known<Qs>(entity, rows)...};
    }
  }

  template <class Q>
  [[nodiscard]] pointer<Q> find_known(entity_type entity, const auto& rows) const noexcept {
    if constexpr (Groups::template is_grouped<Q>) {
      const parts::RowNumber row = rows[Groups::template group_pool<Q>];
      if (row != parts::no_row) return parts::address_of(cursor<Q>(), row);
    }
    return this->template find_single<Q>(entity);
  }

  // ---- iteration

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    if constexpr (sizeof...(Qs) == 1 || detail::has_filters<Qs...>) {
      Base::template loop_rows<Qs...>(slice, fn);
    } else {
      const parts::IterationGuard::Scope<Slice> looping(this->guard_);
      join<Qs...>(
          slice,
          [&](parts::RowRange rows, const auto& first_pool) {
            const auto entity_of = [this, owners = first_pool.layout().keys()](std::size_t row) {
              return this->registry().entity_at(owners[row]);
            };
            parts::visit_rows<false>(rows, fn, entity_of, cursor<Qs>()...);
          },
          [&](EntityIndex owner, auto... found) {
            parts::call(fn, [&] { return this->registry().entity_at(owner); }, *found...);
          });
    }
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    if constexpr (sizeof...(Qs) == 1) {
      Base::template loop_blocks<Qs...>(fn);
    } else {
      const parts::IterationGuard::Scope looping(this->guard_);
      parts::WholeLoop all;
      join<Qs...>(
          all,
          [&](parts::RowRange rows, const auto& first_pool) {
            if (rows.end == 0) return;
            parts::call_plainly(
                fn, [&] { return block_entities::of(this->registry(), first_pool.layout().keys(), rows.end); },
                pool_of<Qs>().layout().template block<Qs>(0, rows.end)...);
          },
          [&](EntityIndex owner, auto... found) { this->template show_one<Qs...>(fn, owner, found...); });
    }
  }

  /// Calls `on_rows(range, pool)` for the rows of complete groups that have all of Qs, and `on_row` for every other
  /// entity that has them, as far as they are in the slice.
  template <class First, class... Qs, class Slice, class OnRows, class OnRow>
  void join(Slice& slice, OnRows&& on_rows, OnRow&& on_row) const {
    if constexpr (are_of_one_group<First, Qs...>) {
      constexpr std::size_t group = Groups::template group_pool<First>;
      on_rows(slice.take(complete_[group]), pool_of<First>());
      if constexpr (!Groups::template is_covered_by<group, First, Qs...>) {
        drive_rarest<First, Qs...>(complete_[group], slice, on_row);
      }
    } else {
      drive_rarest<First, Qs...>(0, slice, on_row);
    }
  }

  /// Walks the rows of the rarest of Qs, from row `first` on, and looks the others up.
  template <class... Qs, class Slice, class OnRow>
  void drive_rarest(std::size_t first, Slice& slice, OnRow& on_row) const {
    const std::array<std::size_t, sizeof...(Qs)> counts{pool_of<Qs>().size()...};
    const std::size_t rarest = static_cast<std::size_t>(std::ranges::min_element(counts) - counts.begin());
    std::size_t position = 0;
    ((position++ == rarest ? drive<Qs, Qs...>(first, slice, on_row) : void()), ...);
  }

  template <class Driver, class... Qs, class Slice, class OnRow>
  void drive(std::size_t first, Slice& slice, OnRow& on_row) const {
    const auto& pool = pool_of<Driver>();
    std::size_t complete = first;
    if constexpr (Groups::template is_grouped<Driver>) {
      complete = (std::max)(first, complete_[Groups::template group_pool<Driver>]);
      parts::join_rows<Qs...>(take_between(slice, first, complete), pool.layout().keys(), on_row,
                              resolver_of<Driver, Qs, true>()...);
    }
    parts::join_rows<Qs...>(take_between(slice, complete, pool.size()), pool.layout().keys(), on_row,
                            resolver_of<Driver, Qs, false>()...);
  }

  /// What to visit of the rows from `first` to `end`, the next stretch.
  template <class Slice>
  [[nodiscard]] static parts::RowRange take_between(Slice& slice, std::size_t first, std::size_t end) noexcept {
    const parts::RowRange range = slice.take(end - first);
    return {first + range.first, first + range.end};
  }

  /// Finds Q of the owner of a row of the driver's pool: in the same row, or through the index.
  template <class Driver, class Q, bool Complete>
  [[nodiscard]] auto resolver_of() const noexcept {
    if constexpr (std::is_same_v<Driver, Q> || (Complete && are_of_one_group<Driver, Q>)) {
      return
          [column = cursor<Q>()](std::size_t row, EntityIndex) -> pointer<Q> { return parts::address_of(column, row); };
    } else {
      return parts::ByLookup{
          [find = this->template finder<Q>()](std::size_t, EntityIndex owner) { return find(owner); }};
    }
  }

  std::array<std::size_t, group_count + 1> complete_{};  // entities that have all of each group; one more: never empty
};

static_assert(assert_storage<IndirectionMapPaired<ProbeSchema>>());

}  // namespace stowage
