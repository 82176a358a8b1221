#pragma once

// Sections as a careful engineer writes them for a few known component sets: packed rows per set, and a slot table.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>

#include "workloads/support/packed_store.hpp"
#include "workloads/support/slot_table.hpp"

namespace stowage::workloads {

/// Each of `Sets` is a list of types. A slot says in which of them an entity is, and in which row.
///
///     slots_      [handle^(section:6 row:26)] ...                  slot -> section and row
///     sections_   {A, B}:    [ S0 S1 ... | A0 A1 ... | B0 B1 ... ]
///                 {A, B, C}: [ S2 ...    | A2 ...    | B2 ...    | C2 ... ]
///
/// The contract floor of sections (see packed_store.hpp): where a change leads is known when it is compiled.
template <class Layout, class... Sets>
class SectionRows {
  static constexpr std::uint32_t row_bits = 26;
  template <std::size_t S>
  using SetOf = stowage::detail::element_at<S, TypeList<Sets...>>;

  template <class List>
  struct Section;
  template <class... Cs>
  struct Section<TypeList<Cs...>> {
    template <class C>
    static constexpr bool holds = (std::is_same_v<std::remove_const_t<C>, Cs> || ...);
    static constexpr std::size_t width = sizeof...(Cs);
    template <class... Others>
    static constexpr bool is_set_of = sizeof...(Others) == width && (holds<Others> && ... && true);
    static constexpr std::size_t payload_bytes = (sizeof(Cs) + ... + 0);

    typename Layout::template layout<std::uint32_t, Cs...> columns;
    std::size_t size = 0;
  };
  template <std::size_t S>
  using SectionOf = Section<SetOf<S>>;

  /// The set that has exactly these types; as many as there are sets if none has.
  template <class... Cs>
  static constexpr std::size_t section_of = [] {
    std::size_t number = 0;
    static_cast<void>(((Section<Sets>::template is_set_of<Cs...> || (++number, false)) || ...));
    return number;
  }();
  template <class List, class... New>
  struct Larger;
  template <class... Cs, class... New>
  struct Larger<TypeList<Cs...>, New...> {
    static constexpr std::size_t section = section_of<Cs..., New...>;
  };
  template <class List, class... Gone>
  struct Smaller;
  template <class... Cs, class... Gone>
  struct Smaller<TypeList<Cs...>, Gone...> {
    template <class C>
    static constexpr bool stays = !(std::is_same_v<C, Gone> || ...);
    using type = stowage::detail::concatenated<stowage::detail::TypeListIf<stays<Cs>, Cs>...>;
  };
  template <class List, class... Gone>
  using Without = typename Smaller<List, Gone...>::type;
  /// The set that this one and C make up, and the one that is left of it without C; as many as there are sets if there
  /// is none.
  template <class C, std::size_t From>
  static constexpr std::size_t with =
      SectionOf<From>::template holds<C> ? sizeof...(Sets) : Larger<SetOf<From>, C>::section;
  template <class C, std::size_t From, std::size_t... Ss>
  static consteval std::size_t set_without(std::index_sequence<Ss...>) {
    std::size_t number = 0;
    static_cast<void>(((with<C, Ss> == From || (++number, false)) || ...));
    return number;
  }
  template <class C, std::size_t From>
  static constexpr std::size_t without = set_without<C, From>(std::index_sequence_for<Sets...>{});

 public:
  using entity_type = Entity;

  template <class... Cs>
    requires(section_of<Cs...> < sizeof...(Sets))
  Entity create(const Cs&... components) {
    constexpr std::size_t number = section_of<Cs...>;
    const std::uint32_t row = add_row<number>();
    auto& into = std::get<number>(sections_);
    (into.columns.template construct<Cs>(row, components), ...);
    const Entity entity = slots_.add(place_of(number, row));
    into.columns.keys()[row] = entity.index();
    ++size_;
    return entity;
  }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && section_of<Cs...> < sizeof...(Sets))
  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    constexpr std::size_t number = section_of<Cs...>;
    auto& into = std::get<number>(sections_);
    make_room<number>(into.size + out.size());
    slots_.add(out, place_of(number, static_cast<std::uint32_t>(into.size)), into.columns.keys() + into.size);
    (into.columns.template construct_copies<Cs>(into.size, columns), ...);
    into.size += out.size();
    size_ += out.size();
  }

  bool destroy(Entity entity) {
    const std::uint32_t place = slots_.find(entity);
    if (place == SlotTable<>::none) return false;
    in_section(place, [&](auto number) { fill_hole<number>(row_of(place)); });
    slots_.remove(entity);
    --size_;
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return slots_.alive(entity); }

  /// Throws DeadEntity, std::bad_alloc. There must be a set of what the entity has then.
  template <class C, class... Arguments>
    requires(Section<Sets>::template holds<C> || ...)
  C& emplace(Entity entity, Arguments&&... arguments) {
    const std::uint64_t place = slots_.difference(entity);
    if (place > SlotTable<>::none) STOWAGE_THROW(DeadEntity(entity.word()));
    const C made{std::forward<Arguments>(arguments)...};
    C* result = nullptr;
    in_section(place, [&](auto from) {
      if constexpr (SectionOf<from>::template holds<C>) {
        result = cursor_at<C, from>(row_of(place));
        *result = made;
      } else if constexpr (with<C, from> < sizeof...(Sets)) {
        constexpr std::size_t to = with<C, from>;
        result = cursor_at<C, to>(move_to<from, to>(entity.index(), row_of(place), SetOf<from>{}));
        *result = made;
      }
    });
    return *result;
  }

  template <class C>
  bool remove(Entity entity) {
    const std::uint32_t place = slots_.find(entity);
    bool had_it = false;
    in_section(place, [&](auto from) {
      if constexpr (SectionOf<from>::template holds<C> && without<C, from> < sizeof...(Sets)) {
        constexpr std::size_t to = without<C, from>;
        move_to<from, to>(entity.index(), row_of(place), SetOf<to>{});
        had_it = true;
      }
    });
    return had_it;
  }

  /// Adds these components and removes those at once, so that the row moves once. There must be a set of what the
  /// entity has then.
  template <class... Gone, class... New>
  bool change(Entity entity, TypeList<Gone...>, const New&... added) {
    const std::uint64_t place = slots_.difference(entity);
    if (place > SlotTable<>::none) return false;
    in_section(place, [&](auto from) {
      using Kept = Without<SetOf<from>, Gone..., New...>;
      constexpr std::size_t to = Larger<Kept, New...>::section;
      if constexpr (to < sizeof...(Sets)) {
        std::uint32_t row = row_of(place);
        if constexpr (to != from) row = move_to<from, to>(entity.index(), row, Kept{});
        ((*cursor_at<New, to>(row) = added), ...);
      }
    });
    return true;
  }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) const noexcept {
    const std::uint64_t place = slots_.difference(entity);  // a stale handle is in no section
    Found<Qs...> found{};
    in_section(place, [&](auto number) {
      if constexpr ((SectionOf<number>::template holds<Qs> && ...)) {
        found = Found<Qs...>{parts::address_of(cursor<number, Qs>(), row_of(place))...};
      }
    });
    return found;
  }

  template <class... Qs, class Visit>
  void each(Visit&& visit) const {
    stowage::detail::for_each_index<sizeof...(Sets)>([&](auto number) {
      if constexpr ((SectionOf<number>::template holds<Qs> && ...)) {
        parts::visit_rows<parts::wants_scalar_loop<decltype(SectionOf<number>::columns)>>(
            {0, std::get<number>(sections_).size}, visit,
            [this, owners = std::get<number>(sections_).columns.keys()](std::size_t row) {
              return slots_.entity(owners[row]);
            },
            cursor<number, Qs>()...);
      }
    });
  }

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = 0;
    std::apply(
        [&]<class... All>(const All&... sections) { ((rows += All::template holds<C> ? sections.size : 0), ...); },
        sections_);
    return rows;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Room in the section of exactly these components.
  template <class... Cs>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    make_room<section_of<Cs...>>(count);
  }

  /// See PackedStore.
  void end_all() noexcept {
    size_ = 0;
    std::apply([](auto&... sections) { ((sections.size = 0), ...); }, sections_);
    slots_.end_all();
  }

  /// See stowage/contract/storage.hpp.
  void copy_from(const SectionRows& other) {
    slots_.copy_from(other.slots_);
    stowage::detail::for_each_index<sizeof...(Sets)>([&](auto number) {
      const auto& from = std::get<number>(other.sections_);
      auto& to = std::get<number>(sections_);
      if (from.size > to.columns.capacity()) to.columns.reallocate(from.columns.capacity(), 0);
      to.columns.copy_rows(from.columns, from.size);
      to.size = from.size;
    });
    size_ = other.size_;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes{
        .payload_bytes = 0, .index_bytes = slots_.used_bytes(), .slack_bytes = 0, .allocations = slots_.allocations()};
    std::size_t held = slots_.held_bytes();
    std::apply(
        [&]<class... All>(const All&... sections) {
          ((bytes.payload_bytes += sections.size * All::payload_bytes,
            bytes.index_bytes += sections.size * sizeof(std::uint32_t), held += sections.columns.held_bytes(),
            bytes.allocations += sections.columns.allocations()),
           ...);
        },
        sections_);
    bytes.slack_bytes = held - bytes.payload_bytes - bytes.index_bytes;
    return bytes;
  }

 private:
  [[nodiscard]] static constexpr std::uint32_t place_of(std::size_t section, std::uint32_t row) noexcept {
    return static_cast<std::uint32_t>(section) << row_bits | row;
  }
  [[nodiscard]] static constexpr std::uint32_t row_of(std::uint64_t place) noexcept {
    return static_cast<std::uint32_t>(place) & ((std::uint32_t{1} << row_bits) - 1);
  }

  /// Calls `fn` with the number of the section as a constant; not at all if there is no place.
  template <class Place, class Fn>
  static void in_section(Place place, Fn&& fn) {
    const Place section = place >> row_bits;
    [&]<std::size_t... Ss>(std::index_sequence<Ss...>) {
      static_cast<void>(((section == Ss && (fn(std::integral_constant<std::size_t, Ss>{}), true)) || ...));
    }(std::index_sequence_for<Sets...>{});
  }

  template <std::size_t S, class Q>
  [[nodiscard]] auto cursor() const noexcept {
    return std::get<S>(sections_).columns.template cursor<Q>();
  }
  template <class C, std::size_t S>
  [[nodiscard]] C* cursor_at(std::uint32_t row) const noexcept {
    return &cursor<S, C>()[row];
  }

  template <std::size_t S>
  void make_room(std::size_t rows) {
    auto& section = std::get<S>(sections_);
    if (rows > section.columns.capacity()) section.columns.reallocate(rows, section.size);
  }

  template <std::size_t S>
  std::uint32_t add_row() {
    auto& section = std::get<S>(sections_);
    if (section.size == section.columns.capacity()) make_room<S>(parts::grown_capacity(section.size, section.size + 1));
    return static_cast<std::uint32_t>(section.size++);
  }
  /// The last row moves into the hole.
  template <std::size_t S>
  void fill_hole(std::uint32_t row) noexcept {
    auto& section = std::get<S>(sections_);
    const std::size_t last = --section.size;
    if (row == last) return;
    [&]<class... Cs>(TypeList<Cs...>) { ((cursor<S, Cs>()[row] = cursor<S, Cs>()[last]), ...); }(SetOf<S>{});
    const std::uint32_t moved = section.columns.keys()[row] = section.columns.keys()[last];
    slots_.set_place(moved, place_of(S, row));
  }
  /// What both sets have is copied. Returns the new row.
  template <std::size_t From, std::size_t To, class... Shared>
  std::uint32_t move_to(std::uint32_t slot, std::uint32_t row, TypeList<Shared...>) {
    const std::uint32_t to = add_row<To>();
    ((cursor<To, Shared>()[to] = cursor<From, Shared>()[row]), ...);
    std::get<To>(sections_).columns.keys()[to] = slot;
    fill_hole<From>(row);
    slots_.set_place(slot, place_of(To, to));
    return to;
  }

  SlotTable<> slots_;
  std::tuple<Section<Sets>...> sections_;
  std::size_t size_ = 0;
};

template <class... Sets>
using SectionStore = SectionRows<parts::ColumnsLayout, Sets...>;

/// For entities that all have `Cs`: a section for them, and one for entities without components. A lookup has to find
/// out in which of the two an entity is, as it has to in any storage of sections.
template <class... Cs>
using TwoSections = SectionStore<TypeList<Cs...>, TypeList<>>;

}  // namespace stowage::workloads
