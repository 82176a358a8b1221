#pragma once

// indirection_map with the faults of mutants.hpp that name no other original. One is set at run time: all compile once.
#include <functional>
#include <limits>
#include <map>
#include <new>

#include <stowage/contract/errors.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/indirection_map.hpp>

#include "tests/conformance/components.hpp"
#include "tests/conformance/mutants/faulty_parts.hpp"
#include "tests/conformance/mutants/mutants.hpp"

namespace stowage::conformance::mutants {

/// Room for a pool that is to be as large as this, even if it is larger.
struct ExactRoom {
  static inline std::size_t rows = 0;
  [[nodiscard]] static std::size_t reserved(std::size_t) { return rows; }
};

template <class SchemaType, class Registry = EntityRegistry<>>
class FaultyPools
    : public IndirectionMap<SchemaType, FaultyRegistry<Registry>, FaultyColumnsLayout, FaultyIndexPolicy> {
  using Base = IndirectionMap<SchemaType, FaultyRegistry<Registry>, FaultyColumnsLayout, FaultyIndexPolicy>;
  template <class C>
  static constexpr bool may_lose_position = SchemaType::template contains<Position> && !std::is_same_v<C, Position>;

 public:
  using typename Base::entity_type;

  struct block_entities : Base::block_entities {
    [[nodiscard]] entity_type operator[](std::size_t position) const noexcept {
      return Base::block_entities::operator[](has("blocks_name_other_entities") ? this->size() - 1 - position
                                                                                : position);
    }
  };

  // ---- create and destroy

  using Base::create;
  entity_type create() { return Base::create(); }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    STOWAGE_ASSERT(locks_ == 0, "a loop is under way");
    if (has("creation_allocates")) static_cast<void>(std::make_unique<std::size_t>(sizeof...(Cs)));
    if (has("rows_have_16_bits") && this->size() > 0xffff) throw CapacityExhausted(0x10000);
    if (has("creation_grows_first")) Base::template reserve<std::remove_cvref_t<Cs>...>(this->size() + 1);
    if (has("creation_adds_one_by_one")) {
      const entity_type entity = Base::create();
      (static_cast<void>(Base::template emplace<std::remove_cvref_t<Cs>>(entity, std::forward<Cs>(components))), ...);
      return entity;
    }
    return Base::create(std::forward<Cs>(components)...);
  }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    if (has("bulk_creation_is_not_undone")) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = Base::create(columns[i]...);
    } else {
      Base::create(out, columns...);
      if (has("a_column_repeats_a_value") && !out.empty()) (repeat_first<Cs>(out), ...);
    }
  }

  void create(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    const entity_type first = has("creation_by_columns_leaves_an_entity") ? Base::create() : entity_type();
    Base::create(out, columns);
    Base::destroy(first);
    if (has("columns_change_owners") && !out.empty()) std::swap(out.front(), out.back());
  }

  template <class Ids, class... Cs>
  void create_copies(Ids&& out, const Cs&... components) {
    const std::span<entity_type> all(out);
    const std::size_t left_out = has("the_last_copy_is_left_out") && !all.empty() ? 1 : 0;
    Base::create_copies(all.first(all.size() - left_out), components...);
  }

  bool destroy(entity_type entity) {
    if (has("destruction_allocates")) static_cast<void>(std::vector<entity_type>(1, entity));
    return Base::destroy(entity);
  }
  std::size_t destroy(std::span<const entity_type> entities) {
    const std::size_t kept = has("a_list_keeps_its_last") ? 1 : 0;
    std::size_t destroyed = kept;
    for (const entity_type entity : entities.first(entities.size() - kept)) destroyed += destroy(entity) ? 1 : 0;
    return destroyed;
  }

  void clear() {
    Base::clear();
    if (has("clear_gives_memory_back")) fit_pools(0);
  }

  template <class C>
  void clear() {
    if (!has("clear_of_a_component_spares_one")) return Base::template clear<C>();
    const auto owners = this->template owners_of<C>();
    for (std::size_t i = 1; i < owners.size(); ++i) Base::template remove<C>(owners[i]);
  }

  void copy_from(const FaultyPools& other)
    requires CopyableStorage<Base>
  {
    try {
      Base::copy_from(other);
    } catch (const std::bad_alloc&) {
      if (has("a_failed_copy_leaves_an_entity")) static_cast<void>(Base::create());
      throw;
    }
    if (has("a_copy_uses_up_a_handle")) Base::destroy(Base::create());
    if (has("a_copy_takes_memory_anew")) fit_pools(0);
  }

  // ---- structural change

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    if (has("emplace_raises_the_dead") && !this->alive(entity)) entity = Base::create();
    if (has("emplace_moves_what_it_makes"))
      return Base::template emplace<C>(entity, stowage::detail::make<C>(std::forward<Arguments>(arguments)...));
    if (has("emplace_grows_first")) Base::template reserve<C>(this->size() + 1);
    if (has("emplace_ends_the_old_first")) Base::template remove<C>(entity);
    if (has("emplace_keeps_the_old") || (sizeof...(Arguments) == 0 && has("emplace_without_arguments_does_nothing"))) {
      if (C* const old = Base::template find<C>(entity); old != nullptr) return *old;
    }
    if constexpr (may_lose_position<C>) {
      if (has("emplace_takes_others_out_first") && Base::template contains<Position>(entity)) {
        const Position taken = take_position(entity);
        Base::template emplace<C>(entity, std::forward<Arguments>(arguments)...);
        Base::template emplace<Position>(entity, taken);
        return *Base::template find<C>(entity);
      }
    }
    return Base::template emplace<C>(entity, std::forward<Arguments>(arguments)...);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    if constexpr (may_lose_position<C>) {
      if (has("remove_takes_others_out_first") && Base::template contains<Position>(entity)) {
        const Position taken = take_position(entity);
        const bool had = Base::template remove<C>(entity);
        Base::template emplace<Position>(entity, taken);
        return had;
      }
    }
    if constexpr (std::is_same_v<C, Fragile>) {
      C* const old = Base::template find<C>(entity);
      if (has("removed_components_live_on") && old != nullptr) removed_.push_back(std::move(*old));
    }
    const bool had = Base::template remove<C>(entity);
    if (has("removed_components_stay_counted") && had) removed_bytes_ += sizeof(C);
    return had || (has("remove_always_says_yes") && this->alive(entity));
  }

  // ---- lookup and iteration

  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) noexcept {
    auto found = Base::template find<Cs...>(entity);
    if constexpr (sizeof...(Cs) > 1) {
      if (has("find_mixes_entities")) {
        const auto of_another = Base::template find<Cs...>(std::exchange(looked_up_, entity));
        if (std::get<1>(found) != nullptr && std::get<1>(of_another) != nullptr) {
          std::get<1>(found) = std::get<1>(of_another);
        }
      }
    }
    return found;
  }
  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return Base::template find<Cs...>(entity);
  }

  template <class... Qs, class Fn>
    requires(stowage::detail::has_filters<Qs...>)
  void each(Fn&& fn) {
    using namespace stowage::detail;
    if (has("without_is_forgotten")) return each_of(fn, concatenated<TypeListIf<!Term<Qs>::is_absent, Qs>...>{});
    Base::template each<Qs...>(fn);
  }
  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    show_rows<Qs...>(
        [&](entity_type entity, Qs&... components) { parts::call(fn, [&] { return entity; }, components...); },
        !std::is_invocable_v<Fn&, Qs&...>);
  }
  template <class... Qs, class Fn>
  void each(Fn&& fn) const {
    Base::template each<Qs...>(fn);
  }

  template <class... Qs, class Fn>
  void each_step(std::size_t first, std::size_t end, Fn&& fn) {
    if (has("a_range_of_steps_loses_its_last") && first < end) --end;
    if (!has("steps_are_not_guarded")) return Base::template each_step<Qs...>(first, end, fn);
    std::vector<entity_type> owners;
    Base::template each_step<Qs...>(first, end, [&](entity_type entity, Qs&...) { owners.push_back(entity); });
    for (const entity_type entity : owners) {
      parts::call(fn, [&] { return entity; }, *Base::template find<Qs>(entity)...);
    }
  }

  template <class... Qs, class Fn>
  void each_block(Fn&& fn) {
    show_blocks<Qs...>([&](const Block<Qs>&... blocks) { fn(blocks...); });
  }
  template <class... Qs, class Fn>
  void each_block(Fn&& fn) const {
    Base::template each_block<Qs...>([&](const typename Base::block_entities& entities, const Block<Qs>&... blocks) {
      parts::call_plainly(fn, [&] { return block_entities{entities}; }, blocks...);
    });
  }

  template <class Fn>
  void each_table(Fn&& fn) const {
    Base::each_table([&](RowTable table) {
      if (has("tables_lack_a_row") && table.rows > 1) table.owners = table.owners.first(--table.rows);
      fn(table);
    });
  }

  // ---- population

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    const std::size_t count = Base::template count<C>();
    return has("count_is_off_by_one") && count > 16 ? count - 1 : count;
  }

  using Base::reserve;
  void reserve(std::size_t count) {
    if (has("reserve_shrinks")) return fit_pools(count);
    if (has("reserve_creates_entities")) {
      std::vector<entity_type> created;
      while (this->size() < count) created.push_back(Base::create());
      for (const entity_type entity : created) Base::destroy(entity);
    }
    Base::reserve(count);
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = Base::memory();
    if (has("slack_is_rounded")) bytes.slack_bytes -= bytes.slack_bytes % cache_line_bytes;
    if (has("blocks_are_miscounted") && bytes.allocations > 3) ++bytes.allocations;
    bytes.payload_bytes += removed_bytes_;
    if constexpr (SchemaType::template contains<Frozen>) {
      if (has("a_tag_counts_a_byte")) bytes.payload_bytes += this->template count<Frozen>() * sizeof(Frozen);
    }
    return bytes;
  }
  [[nodiscard]] StorageEvents events() const noexcept {
    return has("growth_is_no_event") ? StorageEvents{} : Base::events();
  }

 private:
  /// The last entity gets the component of the first.
  template <class C>
  void repeat_first(std::span<const entity_type> created) {
    if constexpr (std::is_copy_assignable_v<C>) {
      *Base::template find<C>(created.back()) = std::as_const(*Base::template find<C>(created.front()));
    }
  }

  template <class Q>
  using Block = typename parts::WholeColumn<std::remove_const_t<Q>>::template block_type<Q>;

  template <class... Qs, class Fn>
  void each_of(Fn& fn, TypeList<Qs...>) {
    Base::template each<Qs...>(fn);
  }

  // One type for all functions of callers, so that a loop is compiled once. Not deduced, because Qs are given.
  template <class... Qs>
  using ShowRow = std::type_identity_t<std::function<void(entity_type, Qs&...)>>;
  template <class... Qs>
  using ShowBlock = std::type_identity_t<std::function<void(const Block<Qs>&...)>>;

  template <class... Qs>
  void show_rows(const ShowRow<Qs...>& show, bool with_handle) {
    using Show = ShowRow<Qs...>;
    const auto loop = [this](const Show& visit) { Base::template each<Qs...>(visit); };
    const auto list = [&loop](std::vector<entity_type>& owners) {
      loop([&](entity_type entity, Qs&...) { owners.push_back(entity); });
    };
    const auto show_list = [&](const std::vector<entity_type>& owners) {
      for (const entity_type entity : owners) show(entity, *Base::template find<Qs>(entity)...);
    };
    std::vector<entity_type> owners;
    if (has("each_loses_the_last_row")) {
      list(owners);
      if (!owners.empty()) owners.pop_back();
      show_list(owners);
    } else if (has("each_walks_backwards")) {
      list(owners);
      std::ranges::reverse(owners);
      show_list(owners);
    } else if (has("half_a_list_is_kept")) {
      static const char query{};
      const auto [known, is_new] = lists_.try_emplace(&query);
      if (is_new) list(known->second);
      show_list(known->second);
    } else if (has("a_form_of_each_loses_a_row") && !with_handle) {
      bool is_first = true;
      loop([&](entity_type entity, Qs&... components) {
        if (!std::exchange(is_first, false)) show(entity, components...);
      });
    } else if (has("a_loop_counts_in_the_storage")) {
      list(owners);
      left_ = owners.size();
      loop([&](entity_type entity, Qs&... components) {
        if (left_ == 0) return;
        --left_;
        show(entity, components...);
      });
    } else if (has("a_loop_stays_locked")) {
      ++locks_;
      loop(show);
      --locks_;
    } else if (has("each_shows_copies")) {
      show_copies<Qs...>(show);
    } else {
      if (has("a_loop_allocates")) owners.reserve(1);
      loop(show);
    }
  }
  template <class... Qs>
  void show_copies(const ShowRow<Qs...>& show) {
    Base::template each<Qs...>([&](entity_type entity, Qs&... components) {
      if constexpr ((std::is_copy_constructible_v<std::remove_const_t<Qs>> && ...)) {
        std::tuple<std::remove_const_t<Qs>...> copies(components...);
        std::apply([&](auto&... copy) { show(entity, copy...); }, copies);
      } else {
        show(entity, components...);
      }
    });
  }

  template <class... Qs>
  void show_blocks(const ShowBlock<Qs...>& show) {
    bool repeats = has("a_block_comes_twice");
    locks_ += has("blocks_stay_locked") ? 1 : 0;
    Base::template each_block<Qs...>([&](const Block<Qs>&... blocks) {
      if constexpr ((std::is_trivially_copyable_v<Qs> && ...) && !(is_tag<std::remove_const_t<Qs>> || ...)) {
        if (has("blocks_are_copies")) {
          std::tuple<std::vector<std::remove_const_t<Qs>>...> copies(
              std::vector<std::remove_const_t<Qs>>(blocks.begin(), blocks.end())...);
          return std::apply([&](auto&... copy) { show(Block<Qs>(copy)...); }, copies);
        }
      }
      show(blocks...);
      if (std::exchange(repeats, false)) show(blocks...);
    });
    locks_ = 0;
  }

  [[nodiscard]] Position take_position(entity_type entity) {
    const Position taken = *Base::template find<Position>(entity);
    Base::template remove<Position>(entity);
    return taken;
  }

  /// Gives each pool room for so many rows, or for those in use if they are more.
  void fit_pools(std::size_t rows) {
    stowage::detail::for_each_index<parts::Placement<SchemaType>::pool_count>([&](auto p) {
      auto& pool = this->template pool<p>();
      ExactRoom::rows = std::max(rows, pool.size());
      pool.template reserve<ExactRoom>(std::numeric_limits<std::size_t>::max());
    });
  }

  entity_type looked_up_;
  std::size_t left_ = 0;
  int locks_ = 0;
  std::size_t removed_bytes_ = 0;
  std::vector<Fragile> removed_;
  std::map<const void*, std::vector<entity_type>> lists_;  // by the query of a loop
};

}  // namespace stowage::conformance::mutants
