#pragma once

// A section: its record, what becomes of the components in its rows, and what loops ask of it. Knows no handles.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/scattered_rows.hpp>
#include <stowage/parts/sections/plan.hpp>
#include <stowage/parts/sections/room_list.hpp>
#include <stowage/parts/sections/set_catalogue.hpp>

namespace stowage::parts {

/// `Form` says how the rows of a section are kept, where their components lie, how many make a section, and where
/// sections get their memory: see form.hpp.
///
///     record  { places of A, B, ...; rows in use; links; set; block }       block  [ owners | A A ... | B B ... ]
template <class SchemaType, class Form>
struct SectionRows {
  static constexpr std::size_t component_count = SchemaType::component_count;

  using Layout = typename Form::template layout<SchemaType>;
  using Rows = typename Form::rows;
  using Sizing = typename Form::sizing;
  using Memory = typename Form::memory;
  using Plan = typename Layout::Plan;
  using Mask = ComponentMask<component_count>;
  using Set = ComponentSet<component_count, Memory, Sizing::fixed>;
  static_assert(Sizing::fixed || !Rows::leave_holes, "a section that grows moves its rows: it may as well pack them");

  /// Fixed sections have records on cache lines of their own: they are many, and few of them are in the cache.
  struct alignas(Sizing::fixed ? cache_line_bytes : alignof(std::uint64_t)) Section {
    typename Layout::Places places;  // first, because lookups read nothing else
    typename Rows::State rows;
    RoomLinks links;     ///< of the list of its set's sections with room, or of numbers that are free
    Set* set = nullptr;  ///< null while its number is free
    typename Memory::Piece block;

    [[nodiscard]] EntityIndex* owners() const noexcept { return reinterpret_cast<EntityIndex*>(block.data()); }
    [[nodiscard]] std::size_t room() const noexcept { return rows.capacity - rows.size; }
    [[nodiscard]] bool full() const noexcept { return rows.size == rows.capacity; }
  };

  template <class Q>
  using pointer = typename Layout::template pointer<Q>;
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;
  /// Whether rows know of C that it is on or off.
  template <class C>
  static constexpr bool may_be_off = Rows::keep_bits && stowage::detail::is_toggled<C, SchemaType>;
  template <class C>
  static constexpr std::size_t toggle = stowage::detail::toggle_id<C, SchemaType>;

  /// The address of a component in a row of a section that has it.
  template <class C>
  [[nodiscard]] static pointer<C> at(const Section& section, std::size_t row) noexcept {
    return address_of(Layout::template cursor<C, C>(section.places), row);
  }

  /// Calls `visit(TypeList<C>{})` for each component C of the section. A schema of few types is asked one by one, in
  /// line; of many, those in the mask are called through a table.
  template <class Visit>
  static void for_each_component_of(const Section& section, Visit&& visit) noexcept {
    if constexpr (component_count <= few_components) {
      stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C> component) {
        if (Layout::template has<C>(section.places)) visit(component);
      });
    } else {
      for_each_component_in(section.set->mask, typename SchemaType::components{}, visit);
    }
  }
  /// The same for those that have something to end.
  template <class End>
  static void end_components(const Section& section, End&& end) noexcept {
    if constexpr (!ends_by_itself) {
      for_each_component_of(section, [&]<class C>(TypeList<C> component) {
        if constexpr (!std::is_trivially_destructible_v<C>) end(component);
      });
    }
  }
  static constexpr bool ends_by_itself = []<class... Cs>(TypeList<Cs...>) {
    return stowage::detail::all_of<std::is_trivially_destructible_v<Cs>...>();
  }(typename SchemaType::components{});

  // ---- rows to another section: the components that both sets have move, the others end

  STOWAGE_INLINE static void move_components(const Section& from, std::size_t row, const Section& to,
                                             std::uint32_t to_row) noexcept {
    for_each_component_of(from, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      if (Layout::template has<C>(to.places)) {
        move_component(at<C>(from, row), at<C>(to, to_row));
      } else {
        parts::destroy_component(at<C>(from, row));
      }
    });
    copy_bits(from, row, to, to_row);
    if constexpr (Rows::keep_ticks) Rows::join_ticks(to.rows, from.rows);
  }

  /// The same for `count` rows that lie side by side, and rows of `to` that do. Only if rows are packed.
  static void move_components_of_run(const Section& from, std::size_t row, std::size_t count, const Section& to,
                                     std::uint32_t to_row) noexcept {
    for_each_component_of(from, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      if (Layout::template has<C>(to.places)) {
        relocate_run<C>(from, row, count, to, to_row);
      } else {
        destroy_run<C>(from, row, count);
      }
    });
    for (std::size_t i = 0; i < count; ++i) copy_bits(from, row + i, to, to_row + i);
    if constexpr (Rows::keep_ticks) Rows::join_ticks(to.rows, from.rows);
  }

  // ---- rows to rows without, of a section of the same set

  /// In the same section: where the components are is asked once.
  static void relocate_within(const Section& section, std::size_t row, std::size_t to_row) noexcept {
    for_each_component_of(section, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      const auto cursor = Layout::template cursor<C, C>(section.places);
      parts::relocate_component(address_of(cursor, row), address_of(cursor, to_row));
    });
  }
  static void relocate_run_within(const Section& section, std::size_t row, std::size_t count,
                                  std::size_t to_row) noexcept {
    for_each_component_of(section,
                          [&]<class C>(TypeList<C>) { relocate_run<C>(section, row, count, section, to_row); });
  }
  static void relocate_row(const Section& from, std::size_t row, const Section& to, std::size_t to_row) noexcept {
    for_each_component_of(from, [&]<class C>(TypeList<C>) {
      if constexpr (!is_tag<C>) parts::relocate_component(at<C>(from, row), at<C>(to, to_row));
    });
  }

  /// All rows of one section to the same rows of another, whose block the plan was carved for last.
  static void move_rows(const Section& from, const Section& to, Plan& plan) noexcept {
    const std::size_t rows = from.rows.size;
    if constexpr (stowage::detail::copies_as_bytes<SchemaType>) {
      Plan old = plan;
      old.carve(from.rows.capacity);
      copy_bytes(from, old, to, plan, rows);
    } else {
      parts::relocate_rows(from.owners(), to.owners(), rows);
      for_each_component_of(from, [&]<class C>(TypeList<C>) { relocate_run<C>(from, 0, rows, to, 0); });
    }
  }

  /// The first `rows` rows, with what the layout writes beside them. The plans were carved for the blocks of the two.
  static void copy_bytes(const Section& from, const Plan& from_plan, const Section& to, const Plan& to_plan,
                         std::size_t rows) noexcept {
    for (std::size_t column = 0; column < to_plan.columns().size(); ++column) {
      const ColumnShape& shape = to_plan.columns()[column];
      for (std::size_t lane = 0; lane < shape.lanes; ++lane) {
        parts::relocate_rows(
            from.block.data() + from_plan.column_start(column) + lane * from_plan.pitch_of_column(column),
            to.block.data() + to_plan.column_start(column) + lane * to_plan.pitch_of_column(column),
            rows * shape.row_bytes);
      }
    }
  }

  /// The components of two rows of one set, each in its section, change places, and so do the owners.
  static void swap_components(const Section& section, std::uint32_t row, const Section& other,
                              std::uint32_t other_row) noexcept {
    for_each_component_of(section, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      const auto place = at<C>(section, row);
      const auto other_place = at<C>(other, other_row);
      C held(static_cast<C&&>(*place));
      parts::destroy_component(place);
      parts::relocate_component(other_place, place);
      parts::construct_component(other_place, std::move(held));
    });
    if constexpr (Rows::keep_bits) Rows::swap_bits(section.rows, row, other.rows, other_row);
    if constexpr (Rows::keep_ticks) {
      Rows::join_ticks(section.rows, other.rows);
      Rows::join_ticks(other.rows, section.rows);
    }
    std::swap(section.owners()[row], other.owners()[other_row]);
  }

  // ---- rows that end

  STOWAGE_INLINE static void end_row(const Section& section, std::size_t row) noexcept {
    end_components(section, [&]<class C>(TypeList<C>) { parts::destroy_component(at<C>(section, row)); });
  }
  static void end_run(const Section& section, std::size_t row, std::size_t count) noexcept {
    end_components(section, [&]<class C>(TypeList<C>) { destroy_run<C>(section, row, count); });
  }

  // ---- one component, and bits

  /// Constructs the components of a row at these addresses, all or none.
  template <std::size_t N, class Addresses, class C, class... Rest>
  static void construct_row(const Addresses& addresses, C&& component, Rest&&... rest) {
    const auto place = std::get<N>(addresses);
    parts::construct_component(place, std::forward<C>(component));
    if constexpr (sizeof...(Rest) > 0) {
      OnFailure undo([&] { parts::destroy_component(place); });
      construct_row<N + 1>(addresses, std::forward<Rest>(rest)...);
      undo.release();
    }
  }

  /// Copies components to uninitialised rows from `first` on, all or none.
  template <class C, class Cursor>
  static void copy_run(std::span<const C> components, const Cursor& cursor, std::size_t first) {
    if constexpr (is_tag<C> || std::is_pointer_v<Cursor>) {
      copy_column(components, address_of(cursor, first));
    } else {
      parts::copy_rows(components, [&](std::size_t i) { return address_of(cursor, first + i); });
    }
  }

  /// Relocates a component to another section, as bytes. With relocate_component() the compiler would keep where all
  /// columns of the old section begin for the row that fills the hole, and there are too few registers for that.
  template <class Pointer>
  static void move_component(const Pointer& from, const Pointer& to) noexcept {
    if constexpr (std::is_pointer_v<Pointer>) {
      parts::relocate_rows(from, to, 1);
    } else {
      parts::relocate_component(from, to);
    }
  }

  /// One component of rows side by side, to rows without, which are others.
  template <class C>
  static void relocate_run(const Section& from, std::size_t row, std::size_t count, const Section& to,
                           std::size_t to_row) noexcept {
    [[maybe_unused]] const auto source = Layout::template cursor<C, C>(from.places);
    [[maybe_unused]] const auto target = Layout::template cursor<C, C>(to.places);
    if constexpr (std::is_pointer_v<decltype(source)>) {
      parts::relocate_rows(source + row, target + to_row, count);
    } else if constexpr (!is_tag<C>) {
      for (std::size_t i = 0; i < count; ++i)
        parts::relocate_component(address_of(source, row + i), address_of(target, to_row + i));
    }
  }
  template <class C>
  static void destroy_run(const Section& section, std::size_t row, std::size_t count) noexcept {
    if constexpr (!std::is_trivially_destructible_v<C>) {
      const auto cursor = Layout::template cursor<C, C>(section.places);
      for (std::size_t i = 0; i < count; ++i) parts::destroy_component(address_of(cursor, row + i));
    }
  }

  /// The row has C, so it is on. A function, because generic lambdas may not name what some forms of rows lack.
  template <class C>
  static void switch_on([[maybe_unused]] const Section& section, [[maybe_unused]] std::uint32_t row) noexcept {
    if constexpr (may_be_off<C>) Rows::set(section.rows, row, toggle<C>, true);
  }

  /// What is off stays off in another row, as far as the section of that row has it.
  static void copy_bits([[maybe_unused]] const Section& from, [[maybe_unused]] std::size_t row,
                        [[maybe_unused]] const Section& to, [[maybe_unused]] std::size_t to_row) noexcept {
    if constexpr (Rows::keep_bits) {
      [&]<class... Cs>(TypeList<Cs...>) {
        (Rows::set(to.rows, to_row, toggle<Cs>,
                   !Layout::template has<Cs>(to.places) || Rows::is_set(from.rows, row, toggle<Cs>)),
         ...);
      }(typename SchemaType::toggled{});
    }
  }

  // ---- what loops ask of a section, and what they are shown of it

  /// Components that the loop excludes and that are never off: no row of a set with one is visited.
  template <class... Qs>
  using always_absent =
      stowage::detail::concatenated<stowage::detail::TypeListIf<stowage::detail::Term<Qs>::is_absent &&
                                                                    !may_be_off<stowage::detail::component_of<Qs>>,
                                                                stowage::detail::asked_of<Qs>>...>;
  /// What the loop asks for, or excludes, and that can be off: it depends on each row.
  template <class... Qs>
  using asked_bits = stowage::detail::concatenated<
      stowage::detail::TypeListIf<(stowage::detail::Term<Qs>::is_required || stowage::detail::Term<Qs>::is_absent) &&
                                      may_be_off<stowage::detail::component_of<Qs>>,
                                  Qs>...>;

  template <class... Qs>
  [[nodiscard]] static bool may_match(const Set& set) noexcept {
    return always_absent<Qs...>::size == 0 || set.mask.disjoint(mask_of_all(always_absent<Qs...>{}));
  }

  template <class... Cs>
  [[nodiscard]] static constexpr const Mask& mask_of_all(TypeList<Cs...>) noexcept {
    return mask_of<SchemaType, std::remove_const_t<Cs>...>;
  }

  /// A cursor that finds nothing if the component is off.
  template <class Pointer, class Cursor, std::size_t Toggle>
  struct OptionalIfOn {
    Cursor found;
    typename Rows::State rows;
    [[nodiscard]] Pointer operator[](std::size_t row) const noexcept {
      return Rows::is_set(rows, row, Toggle) ? found[row] : Pointer{};
    }
  };
  template <class... Shown>
  [[nodiscard]] static auto cursors_of(const Section& section, TypeList<Shown...>) noexcept {
    [[maybe_unused]] const auto cursor_of = [&]<class Q>(TypeList<Q>) {
      using Asked = stowage::detail::asked_of<Q>;
      if constexpr (stowage::detail::Term<Q>::is_required) {
        return Layout::template cursor<Asked, Asked>(section.places);
      } else {
        const auto cursor = [&] { return Layout::template cursor<Asked, Asked>(section.places); };
        using Found = OptionalCursor<pointer<Asked>, decltype(cursor())>;
        const bool is_there = section.set->mask.has(id<Asked>);
        if constexpr (may_be_off<std::remove_const_t<Asked>>) {
          return OptionalIfOn<pointer<Asked>, Found, toggle<Asked>>{Found(is_there, cursor), section.rows};
        } else {
          return Found(is_there, cursor);
        }
      }
    };
    return std::tuple(cursor_of(TypeList<Shown>{})...);
  }

  /// Takes 64 rows to those of which all that is asked for is on, and all that is excluded off or missing.
  template <class... Bits>
  [[nodiscard]] static auto word_of(const Section& section, TypeList<Bits...>) noexcept {
    const std::array has{section.set->mask.has(id<stowage::detail::component_of<Bits>>)...};
    return [rows = section.rows, has](std::size_t block) {
      PresenceWord word = ~PresenceWord{0};
      std::size_t i = 0;
      const auto join = [&]<class Q>(TypeList<Q>) {
        const bool is_there = has[i++];  // always, if it is asked for
        if constexpr (stowage::detail::Term<Q>::is_required) {
          word &= Rows::word(rows, block, toggle<stowage::detail::component_of<Q>>);
        } else if (is_there) {
          word &= ~Rows::word(rows, block, toggle<stowage::detail::component_of<Q>>);
        }
      };
      (join(TypeList<Bits>{}), ...);
      return word;
    };
  }

  /// Calls `visit(range)` for the rows of a section that lie side by side; a row that stands alone is a range of one.
  template <class Visit>
  static void for_each_run(const Section& section, Visit&& visit) {
    Rows::template for_each_run<WholeLoop>({}, section.rows, visit,
                                           [&](std::size_t row) { visit(RowRange{row, row + 1}); });
  }

  template <class Fn>
  static void visit_tables(const Section& section, Fn& fn) {
    const auto visit_run = [&](RowRange run) { visit_table(section, run.first, run.size(), fn); };
    if constexpr (lie_whole<Layout>(typename SchemaType::components{})) {
      if (Rows::has_holes(section.rows)) return visit_tables_with_holes(section, visit_run, fn);
    }
    for_each_run(section, visit_run);
  }

  template <class VisitRun, class Fn>
  static void visit_tables_with_holes(const Section& section, VisitRun& visit_run, Fn& fn) {
    ScatteredRows<SchemaType::component_count> scattered;
    TableColumns<SchemaType::component_count> columns;
    for_each_component_of(section,
                          [&]<class C>(TypeList<C>) { columns.add(scattered.template column<C>(id<C>, id<C>)); });
    Rows::template for_each_run<WholeLoop>({}, section.rows, visit_run, [&](std::size_t row) {
      for_each_component_of(section, [&]<class C>(TypeList<C>) {
        const auto component = Layout::template block<const C>(section.places, row, 1);
        scattered.place(id<C>, std::addressof(component[0]));
      });
      scattered.add(section.owners()[row]);
      if (scattered.is_full()) scattered.show(columns.all(), fn);
    });
    scattered.show(columns.all(), fn);
  }

  template <class Fn>
  static void visit_table(const Section& section, std::size_t first, std::size_t rows, Fn& fn) {
    TableColumns<SchemaType::component_count> columns;
    for_each_component_of(section, [&]<class C>(TypeList<C>) {
      columns.add(id<C>, Layout::template block<const C>(section.places, first, rows));
    });
    if (!columns.all().empty()) fn(RowTable{{section.owners() + first, rows}, 0, rows, columns.all(), true});
  }
};

}  // namespace stowage::parts
