#pragma once

// Sections as a careful engineer writes them for a few known component sets: packed rows per set, and a slot table.

#include <stowage/contract/memory.hpp>

#include "workloads/floors/rows.hpp"
#include "workloads/floors/slot_table.hpp"

namespace stowage::workloads {

template <class... Cs>
struct Types {};
template <class C, class... Cs>
inline constexpr bool is_one_of = (std::is_same_v<C, Cs> || ...);

/// The packed rows of one component set, which is given as a list of types.
template <template <class...> class Rows, class List>
struct Section;
template <template <class...> class Rows, template <class...> class List, class... Cs>
struct Section<Rows, List<Cs...>> : Rows<Cs...> {
  template <class C>
  static constexpr bool holds = is_one_of<std::remove_const_t<C>, Cs...>;
  template <class... Others>
  static constexpr std::size_t count_without = (std::size_t{!is_one_of<Cs, Others...>} + ... + 0);
  static constexpr std::size_t payload_bytes = (sizeof(Cs) + ... + 0);

  /// Whether this is the set of an entity of the set `From` that has lost `Gone` and then got `New`.
  template <class From, class... New, class... Gone>
  [[nodiscard]] static consteval bool follows(Types<New...>, Types<Gone...>) {
    constexpr bool has_all_new = (holds<New> && ... && true);
    constexpr bool has_no_gone =
        ((is_one_of<Cs, New...> || (From::template holds<Cs> && !is_one_of<Cs, Gone...>)) && ... && true);
    return has_all_new && has_no_gone &&
           sizeof...(Cs) == From::template count_without<New..., Gone...> + sizeof...(New);
  }
};

/// Each of `Sets` is a list of types. A slot says in which of them an entity is, and in which row.
///
///     slots_      [handle^(section:6 row:26)] ...                  slot -> section and row
///     sections_   {A, B}:    [ S0 S1 ... | A0 A1 ... | B0 B1 ... ]
///                 {A, B, C}: [ S2 ...    | A2 ...    | B2 ...    | C2 ... ]
///
/// The contract floor of sections (see packed_store.hpp): where a change leads is known when it is compiled.
template <std::size_t FreeLists, template <class...> class Rows, class... Sets>
class SectionRows {
  static constexpr std::uint32_t row_bits = 26;
  static constexpr std::size_t none = sizeof...(Sets);  ///< the number of a section that there is not
  template <std::size_t S>
  using SectionOf = Section<Rows, std::tuple_element_t<S, std::tuple<Sets...>>>;

  /// The section of entities of the set `From` that have lost `Gone` and then got `New`.
  template <class From, class New, class Gone>
  static constexpr std::size_t target = [] {
    std::size_t number = 0;
    static_cast<void>(((Section<Rows, Sets>::template follows<From>(New{}, Gone{}) || (++number, false)) || ...));
    return number;
  }();
  template <class... Cs>
  static constexpr std::size_t section_of = target<Section<Rows, Types<>>, Types<Cs...>, Types<>>;

 public:
  using entity_type = Entity;

  template <class... Cs>
    requires(section_of<Cs...> != none)
  Entity create(const Cs&... components) {
    constexpr std::size_t number = section_of<Cs...>;
    const std::uint32_t row = add_row<number>();
    auto& into = std::get<number>(sections_);
    into.put(row, components...);
    const Entity entity = slots_.add(place_of(number, row));
    into.owners()[row] = entity.index();
    ++size_;
    return entity;
  }

  template <class... Cs>
    requires(section_of<Cs...> != none)
  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    constexpr std::size_t number = section_of<Cs...>;
    auto& into = std::get<number>(sections_);
    into.make_room(into.size + out.size());
    into.put_all(into.size, columns...);
    const std::uint32_t first = place_of(number, static_cast<std::uint32_t>(into.size));
    slots_.add(out, [first](std::uint32_t i) { return first + i; });
    into.add_owners(out);
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

  /// Throws std::out_of_range for a stale handle, std::bad_alloc. There must be a set of what the entity has then.
  template <class C, class... Arguments>
    requires(Section<Rows, Sets>::template holds<C> || ...)
  C& emplace(Entity entity, Arguments&&... arguments) {
    const std::uint64_t place = slots_.difference(entity);
    if (place > SlotTable<>::none) refuse_stale_handle();
    const C made{std::forward<Arguments>(arguments)...};
    C* result = nullptr;
    in_section(place, [&](auto from) {
      constexpr std::size_t to = target<SectionOf<from>, Types<C>, Types<>>;
      if constexpr (to != none) {
        std::uint32_t row = row_of(place);
        if constexpr (to != from) row = move_to<from, to>(entity.index(), row);
        result = component_at<C, to>(row);
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
      constexpr std::size_t to = target<SectionOf<from>, Types<>, Types<C>>;
      if constexpr (to != none && to != from) {
        move_to<from, to>(entity.index(), row_of(place));
        had_it = true;
      }
    });
    return had_it;
  }

  /// Of entities of a list: those whose rows follow each other move together. Those that are gone are skipped.
  template <class C>
  std::size_t emplace(std::span<const Entity> entities, std::span<const C> components) {
    return change_runs<Types<C>, Types<>>(entities,
                                          [&](auto& into, std::size_t row, std::size_t first, std::size_t count) {
                                            into.put_all(row, components.subspan(first, count));
                                          });
  }
  template <class C>
  std::size_t remove(std::span<const Entity> entities) {
    return change_runs<Types<>, Types<C>>(entities, [](const auto&...) {});
  }

  /// Adds these components and removes those at once, so that the row moves once. There must be a set of what the
  /// entity has then.
  template <template <class...> class List, class... Gone, class... New>
  bool change(Entity entity, List<Gone...>, const New&... added) {
    const std::uint64_t place = slots_.difference(entity);
    if (place > SlotTable<>::none) return false;
    in_section(place, [&](auto from) {
      constexpr std::size_t to = target<SectionOf<from>, Types<New...>, Types<Gone...>>;
      if constexpr (to != none) {
        std::uint32_t row = row_of(place);
        if constexpr (to != from) row = move_to<from, to>(entity.index(), row);
        ((*component_at<New, to>(row) = added), ...);
      }
    });
    return true;
  }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) const noexcept {
    return find_in<Qs...>(std::index_sequence_for<Sets...>{}, entity);
  }

  template <class... Qs, class Visit>
  void each(Visit&& visit) const {
    for_each_section([&]<class S>(const S& section) {
      if constexpr ((S::template holds<Qs> && ...)) {
        section.template visit_all<Qs...>(
            visit, [this, owners = section.owners()](std::size_t row) { return slots_.entity(owners[row]); });
      }
    });
  }

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = 0;
    for_each_section([&]<class S>(const S& section) { rows += S::template holds<C> ? section.size : 0; });
    return rows;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Room in the section of exactly these components.
  template <class... Cs>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    std::get<section_of<Cs...>>(sections_).make_room(count);
  }

  /// See PackedStore.
  void end_all() noexcept {
    size_ = 0;
    std::apply([](auto&... sections) { ((sections.size = 0), ...); }, sections_);
    slots_.end_all();
  }

  /// All entities, components and handles of another. Throws std::bad_alloc.
  void copy_from(const SectionRows& other) {
    slots_.copy_from(other.slots_);
    [&]<std::size_t... Ss>(std::index_sequence<Ss...>) {
      (std::get<Ss>(sections_).copy_from(std::get<Ss>(other.sections_)), ...);
    }(std::index_sequence_for<Sets...>{});
    size_ = other.size_;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes{.index_bytes = slots_.used_bytes(), .allocations = slots_.allocations()};
    std::size_t held = slots_.held_bytes();
    for_each_section([&]<class S>(const S& section) {
      bytes.payload_bytes += section.size * S::payload_bytes;
      bytes.index_bytes += section.size * sizeof(std::uint32_t);
      bytes.allocations += section.allocations();
      held += section.held_bytes();
    });
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

  template <class Fn>
  void for_each_section(Fn&& fn) const {
    std::apply([&](const auto&... sections) { (fn(sections), ...); }, sections_);
  }
  /// Calls `fn` with the number of the section as a constant; not at all if there is no place.
  template <class Place, class Fn>
  static void in_section(Place place, Fn&& fn) {
    const Place section = place >> row_bits;
    [&]<std::size_t... Ss>(std::index_sequence<Ss...>) {
      static_cast<void>(((section == Ss && (fn(std::integral_constant<std::size_t, Ss>{}), true)) || ...));
    }(std::index_sequence_for<Sets...>{});
  }

  template <class C, std::size_t S>
  [[nodiscard]] C* component_at(std::uint32_t row) const noexcept {
    return &std::get<S>(sections_).template column<C>()[row];
  }

  template <class... Qs, std::size_t... Ss>
  [[nodiscard]] Found<Qs...> find_in(std::index_sequence<Ss...>, Entity entity) const noexcept {
    const auto finders = std::tuple(finder<Ss, Qs...>()...);  // before the test, as in PackedRows
    const std::uint64_t place = slots_.difference(entity);    // a stale handle is in no section
    Found<Qs...> found{};
    const auto look = [&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
      if constexpr ((SectionOf<S>::template holds<Qs> && ...)) {
        const std::uint64_t row = place - place_of(S, 0);
        if (row > row_of(~std::uint64_t{0})) return false;
        found = std::get<S>(finders)(row);
        return true;
      }
      return false;
    };
    static_cast<void>((look(std::integral_constant<std::size_t, Ss>{}) || ...));
    return found;
  }
  template <std::size_t S, class... Qs>
  [[nodiscard]] auto finder() const noexcept {
    if constexpr ((SectionOf<S>::template holds<Qs> && ...)) {
      return std::get<S>(sections_).template finder<Qs...>();
    } else {
      return none;
    }
  }

  template <std::size_t S>
  std::uint32_t add_row() {
    auto& section = std::get<S>(sections_);
    section.make_room_for_one();
    return static_cast<std::uint32_t>(section.size++);
  }
  /// The last row moves into the hole.
  template <std::size_t S>
  void fill_hole(std::uint32_t row) noexcept {
    auto& section = std::get<S>(sections_);
    const std::size_t last = --section.size;
    if (row == last) return;
    section.put_from(section, last, row);
    const std::uint32_t moved = section.owners()[row] = section.owners()[last];
    slots_.set_place(moved, place_of(S, row));
  }
  /// What both sets have is copied. Returns the new row.
  template <std::size_t From, std::size_t To>
  std::uint32_t move_to(std::uint32_t slot, std::uint32_t row) {
    const std::uint32_t to = add_row<To>();
    auto& into = std::get<To>(sections_);
    into.put_from(std::get<From>(sections_), row, to);
    into.owners()[to] = slot;
    fill_hole<From>(row);
    slots_.set_place(slot, place_of(To, to));
    return to;
  }

  /// Says how many changed. `fill(into, row, first, count)` for rows that are new to a section, of entities from
  /// `first`.
  template <class New, class Gone, class Fill>
  std::size_t change_runs(std::span<const Entity> entities, Fill fill) {
    std::size_t changed = 0;
    std::size_t count = 1;
    for (std::size_t first = 0; first < entities.size(); first += count) {
      const std::uint32_t place = slots_.find(entities[first]);
      count = 1;
      if (place == SlotTable<>::none) continue;
      while (first + count < entities.size() && slots_.find(entities[first + count]) == place + count) ++count;
      in_section(place, [&](auto from) {
        constexpr std::size_t to = target<SectionOf<from>, New, Gone>;
        if constexpr (to != none) {
          std::size_t row = row_of(place);
          if constexpr (to != from) row = move_run<from, to>(row, count);
          fill(std::get<to>(sections_), row, first, count);
          changed += to != from || std::is_same_v<Gone, Types<>> ? count : 0;
        }
      });
    }
    return changed;
  }
  /// The last rows move into the hole.
  template <std::size_t From, std::size_t To>
  std::size_t move_run(std::size_t row, std::size_t count) {
    auto& out_of = std::get<From>(sections_);
    auto& into = std::get<To>(sections_);
    const std::size_t to = into.size;
    into.make_room(to + count);
    into.put_run_from(out_of, row, to, count);
    into.size += count;
    note_run<To>(to, count);
    const std::size_t last = std::max(row + count, out_of.size - count);
    const std::size_t moved = out_of.size - last;
    out_of.put_run_from(out_of, last, row, moved);
    out_of.size -= count;
    note_run<From>(row, moved);
    return to;
  }
  template <std::size_t S>
  void note_run(std::size_t first, std::size_t count) noexcept {
    const std::uint32_t* const owners = std::get<S>(sections_).owners();
    for (std::size_t row = first; row < first + count; ++row) {
      slots_.set_place(owners[row], place_of(S, static_cast<std::uint32_t>(row)));
    }
  }

  SlotTable<1, FreeLists> slots_;
  std::tuple<Section<Rows, Sets>...> sections_;
  std::size_t size_ = 0;
};

template <class... Sets>
using SectionStore = SectionRows<1, ColumnRows, Sets...>;

/// For entities that all have `Cs`: a section for them, and one for entities without components. A lookup has to find
/// out in which of the two an entity is, as it has to in any storage of sections.
template <class... Cs>
using TwoSections = SectionStore<Types<Cs...>, Types<>>;
template <class... Cs>
using TwoSectionsReusing = SectionRows<churn_lists, ColumnRows, Types<Cs...>, Types<>>;

}  // namespace stowage::workloads
