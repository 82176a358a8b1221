#pragma once

// Checks of table exchange: each_table() shows rows as they lie, and creation by columns takes any component set.
#include <unordered_map>

#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/row_table.hpp>

#include "tests/conformance/exceptions.hpp"

namespace stowage::conformance {

/// The form of creation for component sets known at run time; entity i gets components made of `number` + i.
template <class... Cs, class RosterType>
void create_by_columns(RosterType& roster, std::size_t count, std::uint32_t number) {
  std::vector<typename RosterType::Handle> handles;
  std::tuple<std::vector<Cs>...> columns;
  {
    const testing::NoFailure of_the_columns;
    handles.resize(count);
    [[maybe_unused]] const auto fill = [&]<class C>(std::vector<C>& column) {
      column.reserve(count);
      for (std::size_t i = 0; i < count; ++i) column.push_back(made_of<C>(number + static_cast<std::uint32_t>(i)));
    };
    (fill(std::get<std::vector<Cs>>(columns)), ...);
  }
  ComponentColumns<typename RosterType::SchemaType> all(count);
  (all.template add<Cs>(std::span<Cs>(std::get<std::vector<Cs>>(columns))), ...);
  roster.storage.create(std::span(handles), all);
  for (std::size_t i = 0; i < count; ++i) {
    roster.template note<Cs...>(handles[i], number + static_cast<std::uint32_t>(i));
  }
}

/// A whole group, a part of one, a tag; a part of a group alone; nothing.
template <class RosterType>
void create_some_by_columns(RosterType& roster) {
  create_by_columns<Position, Fragile, Wide, Name, Frozen>(roster, 5, 70);
  create_by_columns<Unique, Fragile>(roster, 3, 80);
  create_by_columns<>(roster, 2, 0);
}

/// Into a storage that is new, into one with holes, and none at all.
template <template <class> class Strategy>
void creation_by_columns_gives_each_row_to_its_entity() {
  Roster<Strategy<World>> roster;
  create_some_by_columns(roster);
  roster.check();
  populate(roster, 10);
  for (std::size_t i = 0; i < roster.created(); i += 3) roster.destroy(i);
  create_some_by_columns(roster);
  create_by_columns<Position>(roster, 0, 0);
  roster.check();
}

template <template <class> class Strategy>
void creation_by_columns_survives_a_shortage() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {
    create_by_columns<Position, Fragile, Wide, Name, Frozen>(roster, 5, 70);
  });
  survive_shortage<Storage>(nothing,
                            [](Roster<Storage>& roster) { create_by_columns<Unique, Fragile>(roster, 40, 70); });
}

/// A column shows for `row` what find() finds.
template <class C, class Storage>
void require_shown(const Storage& storage, typename Storage::entity_type entity, const TableColumn& column,
                   std::size_t row) {
  const auto found = storage.template find<C>(entity);
  require(found != nullptr, "a table shows a component that its entity does not have");
  if constexpr (is_tag<C>) {
    require(!column.is_spread() && column.at(row) == nullptr, "a table has bytes of a tag");
  } else if (column.is_spread()) {
    if constexpr (std::is_trivially_copyable_v<C>) {
      alignas(C) std::array<std::byte, sizeof(C)> bytes;
      column.gather(row, 1, bytes.data());
      const C whole = *found;
      require(number_of(*reinterpret_cast<const C*>(bytes.data())) == number_of(whole), "a table shows another's");
    }
  } else if constexpr (std::is_pointer_v<std::remove_const_t<decltype(found)>>) {
    require(static_cast<const void*>(column.at(row)) == found, "a table shows the component of another entity");
  }
}

template <class Storage, class... Cs>
void require_shown_at(std::size_t component, const Storage& storage, typename Storage::entity_type entity,
                      const TableColumn& column, std::size_t row, TypeList<Cs...>) {
  std::size_t position = 0;
  ((position++ == component ? require_shown<Cs>(storage, entity, column, row) : void()), ...);
}

template <class RosterType>
void require_tables_of(const RosterType& roster) {
  using Components = typename RosterType::SchemaType::components;
  const auto& storage = roster.storage;
  std::unordered_map<EntityIndex, typename RosterType::Handle> living;
  for (std::size_t i = 0; i < roster.created(); ++i) {
    if (storage.alive(roster[i])) living[roster[i].index()] = roster[i];
  }
  std::array<std::size_t, RosterType::component_count> shown{};
  std::vector<std::pair<std::span<const EntityIndex>, std::vector<EntityIndex>>> staying;
  storage.each_table([&](const RowTable& table) {
    if (table.owners_stay) staying.emplace_back(table.owners, std::vector(table.owners.begin(), table.owners.end()));
    require(table.rows != 0 && !table.columns.empty(), "a table is empty");
    require(std::ranges::is_sorted(table.columns, {}, &TableColumn::component),
            "columns are not in the order of the schema");
    for (std::size_t row = 0; row < table.rows; ++row) {
      const auto owner = living.find(table.owner(row));
      require(owner != living.end(), "a table has a row without a living owner");
      require(storage.entity_at(table.owner(row)) == owner->second, "at the index of an entity is another handle");
      for (const TableColumn& column : table.columns) {
        ++shown[column.component()];
        require_shown_at(column.component(), storage, owner->second, column, row, Components{});
      }
    }
  });
  for (const auto& [owners, shown_as] : staying) {
    require(std::ranges::equal(owners, shown_as), "owners that stay have gone");
  }
  std::size_t component = 0;
  [&]<class... Cs>(TypeList<Cs...>) {
    (require(shown[component++] == storage.template count<Cs>(), "tables do not show every component once"), ...);
  }(Components{});
}

template <template <class> class Strategy>
void tables_show_each_component_once() {
  Roster<Strategy<World>> roster;
  require_tables_of(roster);
  populate(roster, 30);
  require_tables_of(roster);
  for (std::size_t i = 0; i < roster.created(); i += 3) roster.destroy(i);
  require_tables_of(roster);
  create_some_by_columns(roster);
  for (std::size_t i = 1; i < roster.created(); i += 6) roster.template remove<Fragile>(i);
  require_tables_of(roster);
  // most have the same as their neighbours; then many lie one by one; then they are few, and far from each other
  create_by_columns<Position, Fragile, Name>(roster, 3000, 0);
  require_tables_of(roster);
  require(roster.created() >= 3000, "creation by columns left entities out");
  const std::size_t first = roster.created() - 3000;
  for (std::size_t i = first; i < roster.created(); i += 3) roster.destroy(i);
  require_tables_of(roster);
  for (std::size_t i = first; i < roster.created(); ++i) {
    if (roster.entry(i).alive && i % 40 != 0) roster.destroy(i);
  }
  require_tables_of(roster);
}

template <template <class> class Strategy>
inline constexpr std::array table_checks{
    STOWAGE_CHECK(creation_by_columns_gives_each_row_to_its_entity, table_exchange),
    STOWAGE_CHECK(creation_by_columns_survives_a_shortage, table_exchange, strong_guarantee),
    STOWAGE_CHECK(tables_show_each_component_once, table_exchange),
};

}  // namespace stowage::conformance
