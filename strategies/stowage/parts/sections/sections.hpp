#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/sections/cursors.hpp>
#include <stowage/parts/sections/section_list.hpp>

namespace stowage::parts {

/// The rows of sections, each with the index of its owner: they are taken, moved from section to section, given up.
template <class SchemaType, class Form>
class Sections : public SectionList<SchemaType, Form> {
  using List = SectionList<SchemaType, Form>;

 public:
  using typename List::Layout;
  using typename List::Rows;
  using typename List::Section;
  using typename List::Set;

  Sections() = default;
  ~Sections() { destroy_components(); }

  /// The address of a component in a row of a section that has it.
  template <class C>
  [[nodiscard]] static typename Layout::template pointer<C> at(const Section& section, std::size_t row) noexcept {
    return address_of(Layout::template cursor<C, C>(section.places), row);
  }

  /// The components of the next `count` rows of the section, which lie side by side, are there: these are rows now, and
  /// want owners. The section is the next_section() of its set. Returns the number of the first of them.
  std::uint32_t commit(Section& section, std::size_t count) noexcept {
    const std::uint32_t first = Rows::next(section.rows);
    Rows::take(section.rows, section.owners(), count);
    if (section.full()) [[unlikely]]
      section.set->with_room.remove(this->records(), this->number_of(section));
    return first;
  }

  /// Bulk form: calls `construct(section, first_row, first_item, count)` for the next rows of the set until `count`
  /// items have their places. Commits nothing.
  template <class Construct>
  void for_each_free_run(const Set& set, std::size_t count, Construct&& construct) const {
    std::size_t item = 0;
    std::uint32_t number = set.with_room.front();
    while (item < count) {
      const Section& section = (*this)[number];
      const std::size_t fitting = std::min<std::size_t>(section.room(), count - item);
      Rows::for_each_free_run(section.rows, section.owners(), fitting, [&](std::size_t first, std::size_t run) {
        construct(section, first, item, run);
        item += run;
      });
      number = section.links.after;
    }
  }

  /// Moves the components that the two sets share to the next row of `to`, ends the others, and gives the row up. What
  /// `to` has beyond that must be constructed there; commit() comes after. `moved(owner, row)` as in give_up_row().
  template <class Moved>
  void move_row(Section& from, std::size_t row, const Section& to, Moved&& moved) noexcept {
    const std::uint32_t to_row = Rows::next(to.rows);
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (is_tag<C> || !Layout::template has<C>(from.places)) return;
      if (Layout::template has<C>(to.places)) {
        relocate_component(at<C>(from, row), at<C>(to, to_row));
      } else {
        destroy_component(at<C>(from, row));
      }
    });
    give_up_row(from, row, std::forward<Moved>(moved));
  }

  template <class Moved>
  void erase(Section& section, std::size_t row, Moved&& moved) noexcept {
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C>) {
        if (Layout::template has<C>(section.places)) destroy_component(at<C>(section, row));
      }
    });
    give_up_row(section, row, std::forward<Moved>(moved));
  }

  /// Ends every row. Trivially destructible components are not visited. Keeps the memory. O(sections).
  void clear() noexcept {
    destroy_components();
    for (Set& set : this->catalogue().sets()) {
      set.with_room = {};
      for (const std::uint32_t number : set.sections) {
        Rows::clear((*this)[number].rows);
        set.with_room.push_back(this->records(), number);
      }
    }
  }

  // ---- defragmentation: see defragment.hpp

  /// Whether nothing can be gained in this set: at most one of its sections has room, and no holes.
  [[nodiscard]] bool is_dense(const Set& set) const noexcept {
    if (set.with_room.empty()) return true;
    const Section& section = (*this)[set.with_room.front()];
    return set.with_room.front() == set.with_room.back() && section.rows.size != 0 && !Rows::has_holes(section.rows);
  }

  /// Moves rows of one section of a set to the next rows of another, the last ones first, until it has none, the other
  /// has no room, or `most` have moved. `moved(owner, number, row)` hears of each. Returns how many.
  template <class Moved>
  std::size_t merge(Section& from, Section& to, std::size_t most, Moved&& moved) noexcept {
    const std::size_t count = std::min({std::size_t{from.rows.size}, to.room(), most});
    const std::uint32_t number = this->number_of(to);
    std::uint32_t row = Rows::end(from.rows);
    for (std::size_t i = 0; i < count; ++i) {
      row = Rows::last_before(from.rows, row);
      const std::uint32_t to_row = Rows::next(to.rows);
      const EntityIndex owner = from.owners()[row];
      relocate_row(from, row, to, to_row);
      Rows::give_up(from.rows, from.owners(), row);
      commit(to, 1);
      to.owners()[to_row] = owner;
      moved(owner, number, to_row);
    }
    return count;
  }

  /// Moves the last rows of a section into its holes, at most `most`. O(rows of the section) where there are any.
  template <class Moved>
  std::size_t close_holes(Section& section, std::size_t most, Moved&& moved) noexcept {
    if (!Rows::has_holes(section.rows)) return 0;
    const std::uint32_t number = this->number_of(section);
    return Rows::close_holes(section.rows, section.owners(), most, [&](std::uint32_t from, std::uint32_t to) {
      relocate_within(section, from, to);
      moved(section.owners()[to] = section.owners()[from], number, to);
    });
  }

 private:
  /// The components of the row are gone. Where rows are packed the last one moves there, and `moved(owner, row)` hears
  /// of it.
  template <class Moved>
  void give_up_row(Section& section, std::size_t row, Moved&& moved) noexcept {
    if (section.full()) [[unlikely]]
      section.set->with_room.push_front(this->records(), this->number_of(section));
    if constexpr (Rows::leave_holes) {
      Rows::give_up(section.rows, section.owners(), static_cast<std::uint32_t>(row));
    } else {
      const std::uint32_t last = section.rows.size - 1;
      Rows::give_up(section.rows, section.owners(), last);
      if (row == last) return;
      relocate_within(section, last, row);
      std::forward<Moved>(moved)(section.owners()[row] = section.owners()[last], static_cast<std::uint32_t>(row));
    }
  }

  /// The components of a row to a row without, of the same section: where they are is asked once.
  static void relocate_within(const Section& section, std::size_t row, std::size_t to_row) noexcept {
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (is_tag<C> || !Layout::template has<C>(section.places)) return;
      const auto cursor = Layout::template cursor<C, C>(section.places);
      relocate_component(address_of(cursor, row), address_of(cursor, to_row));
    });
  }

  /// The components of a row to a row without, of another section of the set.
  static void relocate_row(const Section& from, std::size_t row, const Section& to, std::size_t to_row) noexcept {
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (!is_tag<C> && Layout::template has<C>(from.places)) relocate_component(at<C>(from, row), at<C>(to, to_row));
    });
  }

  void destroy_components() noexcept {
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C>) {
        for (const Section& section : this->sections()) {
          if (section.rows.size == 0 || !Layout::template has<C>(section.places)) continue;
          const auto cursor = Layout::template cursor<C, C>(section.places);
          const auto end = [&](std::size_t row) { destroy_component(address_of(cursor, row)); };
          Rows::template for_each_run<WholeLoop>(
              {0, section.rows.capacity}, section.rows,
              [&](RowRange run) {
                for (std::size_t row = run.first; row < run.end; ++row) end(row);
              },
              end);
        }
      }
    });
  }
};

}  // namespace stowage::parts
