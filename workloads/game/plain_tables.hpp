#pragma once

// The yardsticks of a world, `reference` and `reference.contract`: tables written by hand for the game of a profile.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include <stowage/contract/query.hpp>
#include <stowage/contract/semantics.hpp>

#include "workloads/game/plain_pools.hpp"

// It uses the names of the contract, and nothing else of the strategies' code.
//
//     slots_    [table, row] [table, row] ...     entity -> row; with a generation in `reference.contract`
//     tables_   one for each set of components
//     table     [ owners | A A A ... | B B B ... ]     an array for each component, in one allocation
//
//     each<A, B>(fn)      for each table that has both: for (row = 0; row < size; ++row) fn(a[row], b[row])
//     find<A>(entity)     slots_[entity] -> the table's array of A, [row]
//     create_of(set)      behind the last row of the table of the set
//     emplace, remove     moves the row to the table with one component more or less; the last row fills the hole
//     destroy             the last row fills the hole

namespace stowage::workloads::game {

struct PlaceInTables {
  std::uint32_t table;  ///< bytes from the first table, so that a lookup multiplies nothing
  std::uint32_t row;    ///< of a dead entity: the next dead one
};

template <class SchemaType, bool IsContract>
class PlainTables : public PlainHandles<IsContract, PlaceInTables> {
  using Base = PlainHandles<IsContract, PlaceInTables>;
  using Base::none, Base::slots_, Base::new_index, Base::grown;
  using typename Base::Slot;
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;

  /// A bit for each component.
  using Mask = std::array<std::uint64_t, component_count / 64 + 1>;
  struct Table {
    Mask absent{};                                      ///< the components that its entities lack
    std::array<std::byte*, component_count> columns{};  ///< null of those; of a tag its one instance
    EntityIndex* owners = nullptr;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
    std::uint32_t array_count = 0;
    std::array<std::uint16_t, component_count> arrays{};  ///< the components that are no tags, `array_count`
    /// Where the table with one component more or less is, in bytes; `none` until it is asked for.
    std::array<std::uint32_t, component_count> neighbours{};
    std::byte* block = nullptr;
    std::size_t block_bytes = 0;
    std::size_t row_bytes = 0;
  };

 public:
  using Base::alive, Base::index_of;
  using typename Base::entity_type;
  using structural_type = PlainPools<SchemaType, IsContract>;
  template <class Local, class World>
  using hierarchy_type = PlainHierarchy<PlainTables, Local, World>;
  using commands_type = PlainCommands<PlainTables, typename SchemaType::components>;
  struct Semantics {
    Promise parallel_rows = promised;
  };
  static constexpr Semantics semantics{};

  PlainTables() = default;
  PlainTables(const PlainTables&) = delete;
  PlainTables& operator=(const PlainTables&) = delete;
  ~PlainTables() {
    end_components();
    for (const Table& table : tables_) ::operator delete(table.block, block_alignment);
  }

  // ---- one entity

  /// With a set of components: a bit for each of the list, in words. `fill(construct)` calls construct(TypeList<C>{},
  /// c) for each that is in the set.
  template <class List, class Fill>
  entity_type create_of(List numbered, const std::uint64_t* words, Fill&& fill) {
    const std::uint32_t at = table_of_set(numbered, words);
    Table& table = table_at(at);
    if (table.size == table.capacity) grow(table, table.size + std::size_t{1});
    fill([&]<class C, class Component>(TypeList<C>, Component&& component) {
      construct<C>(table, table.size, std::forward<Component>(component));
    });
    return add_entity(at, table);
  }

  bool destroy(entity_type entity) {
    if (!alive(entity)) return false;
    const EntityIndex index = index_of(entity);
    Slot& slot = slots_[index];
    Table& table = table_at(slot.table);
    const std::uint32_t last = table.size - 1;
    for (std::uint32_t i = 0; i < table.array_count; ++i) {
      operations[table.arrays[i]].destroy(table.columns[table.arrays[i]], slot.row, last);
    }
    fill_hole(table, slot.row);
    this->free_index(index);
    return true;
  }

  /// A pointer, or a tuple of several; null of what the entity lacks.
  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) noexcept {
    using Found =
        std::conditional_t<sizeof...(Cs) == 1, stowage::detail::element_at<0, TypeList<Cs*...>>, std::tuple<Cs*...>>;
    const std::byte* const tables = reinterpret_cast<const std::byte*>(tables_.data());  // first: loops keep it
    if (!alive(entity)) return Found{};
    const Slot& slot = slots_[index_of(entity)];
    const Table& table = *reinterpret_cast<const Table*>(tables + slot.table);
    if (sizeof...(Cs) > 1 && has_all<Cs...>(table)) [[likely]]
      return Found{address<Cs>(table, slot.row)...};
    return Found{(column<Cs>(table) != nullptr ? address<Cs>(table, slot.row) : nullptr)...};
  }

  template <class C, class... Arguments>
  void emplace(entity_type entity, Arguments&&... arguments) {
    if (!alive(entity)) return;
    const EntityIndex index = index_of(entity);
    const auto [at, row] = static_cast<PlaceInTables>(slots_[index]);
    if (has_all<C>(table_at(at))) {
      if constexpr (!is_tag<C>) *address<C>(table_at(at), row) = C(std::forward<Arguments>(arguments)...);
      return;
    }
    const std::uint32_t next = neighbour(at, id<C>);
    Table& to = table_at(next);
    if (to.size == to.capacity) grow(to, to.size + std::size_t{1});
    construct<C>(to, to.size, std::forward<Arguments>(arguments)...);
    Table& from = table_at(at);
    move_row(from, row, to, from);
    place(index, next, to, to.size);
    ++to.size;
    fill_hole(from, row);
  }

  template <class C>
  bool remove(entity_type entity) {
    if (!alive(entity)) return false;
    const EntityIndex index = index_of(entity);
    const auto [at, row] = static_cast<PlaceInTables>(slots_[index]);
    if (!has_all<C>(table_at(at))) return false;
    const std::uint32_t next = neighbour(at, id<C>);
    Table& to = table_at(next);
    if (to.size == to.capacity) grow(to, to.size + std::size_t{1});
    Table& from = table_at(at);
    if constexpr (!is_tag<C>) operations[id<C>].destroy(from.columns[id<C>], row, from.size - 1);
    move_row(from, row, to, to);
    place(index, next, to, to.size);
    ++to.size;
    fill_hole(from, row);
    return true;
  }

  // ---- all entities

  template <class... Qs, class Fn>
  void each(Fn&& fn) {
    for (const std::uint32_t at : tables_with<Qs...>()) {
      const Table& table = table_at(at);
      visit(stowage::detail::shown_of<Qs...>{}, table, 0, table.size, fn);
    }
  }

  /// Finds the tables of such a loop, so that several of them may run at once.
  template <class... Qs>
  void note_tables() {
    static_cast<void>(tables_with<Qs...>());
  }

  /// The same in chunks of `grain` rows: `schedule(chunks, work)` calls work(first, end) from any threads.
  template <class... Qs, class Fn, class Schedule>
  void each_chunk(std::size_t grain, Fn& fn, Schedule&& schedule) {
    const std::vector<std::uint32_t>& tables = tables_with<Qs...>();
    std::size_t rows = 0;
    for (const std::uint32_t at : tables) rows += table_at(at).size;
    if (rows == 0) return;
    schedule((rows + grain - 1) / grain, [&](std::size_t first_chunk, std::size_t end_chunk) {
      std::size_t first = first_chunk * grain;
      std::size_t end = end_chunk * grain;
      for (const std::uint32_t at : tables) {
        const Table& table = table_at(at);
        const std::size_t size = table.size;
        if (first < size) visit(stowage::detail::shown_of<Qs...>{}, table, first, (std::min)(end, size), fn);
        if (end <= size) return;
        first -= (std::min)(first, size);
        end -= size;
      }
    });
  }

  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t entities = 0;
    for (const Table& table : tables_) entities += table.size;
    return entities;
  }
  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t entities = 0;
    for (const Table& table : tables_) entities += has_all<C>(table) ? table.size : 0;
    return entities;
  }
  /// Changes when a component may lie elsewhere.
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }

  /// Keeps the memory.
  void clear() noexcept {
    end_components();
    for (Table& table : tables_) table.size = 0;
    this->free_all();
    ++moves_;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum{.index_bytes = slots_.size() * sizeof(Slot) + tables_.size() * sizeof(Table)};
    std::size_t total =
        slots_.capacity() * sizeof(Slot) + tables_.capacity() * sizeof(Table) + queries_.capacity() * sizeof(Query);
    for (const Table& table : tables_) {
      sum.payload_bytes += table.size * table.row_bytes;
      sum.index_bytes += table.size * sizeof(EntityIndex);
      total += table.block_bytes;
    }
    sum.allocations = tables_.size();
    for (const Query& query : queries_) {
      total += query.tables.capacity() * sizeof(std::uint32_t);
      sum.allocations += query.tables.capacity() != 0 ? 1 : 0;
    }
    for (const std::size_t capacity : {slots_.capacity(), tables_.capacity(), queries_.capacity()}) {
      sum.allocations += capacity != 0 ? 1 : 0;
    }
    sum.slack_bytes = total - sum.index_bytes - sum.payload_bytes;
    return sum;
  }

  // ---- a file: which tables there are, then for each its owners and its arrays, as they are

  static constexpr bool writes_files = stowage::detail::copies_as_bytes<SchemaType>;

  template <class Sink>
  friend void save(const PlainTables& tables, Sink& sink) {
    tables.write(sink);
  }
  friend void load(PlainTables& tables, std::span<const std::byte> file) { tables.read(file); }

 private:
  // ---- components of a table

  template <class C>
  [[nodiscard]] static C* column(const Table& table) noexcept {
    return reinterpret_cast<C*>(table.columns[id<C>]);
  }
  template <class C>
  [[nodiscard]] static C* address(const Table& table, std::uint32_t row) noexcept {
    C* const found = column<C>(table) + (is_tag<std::remove_const_t<C>> ? 0 : row);
    STOWAGE_ASSUME(found != nullptr);
    return found;
  }
  template <class C, class... Arguments>
  static void construct(const Table& table, std::uint32_t row, Arguments&&... arguments) {
    if constexpr (!is_tag<C>)
      ::new (static_cast<void*>(column<C>(table) + row)) C(std::forward<Arguments>(arguments)...);
  }

  template <class... Cs>
  [[nodiscard]] static consteval Mask mask_of() {
    Mask mask{};
    for (const std::size_t component : std::initializer_list<std::size_t>{id<Cs>...}) {
      mask[component / 64] |= std::uint64_t{1} << component % 64;
    }
    return mask;
  }
  template <class... Cs>
  [[nodiscard]] static bool has_all(const Table& table) noexcept {
    constexpr Mask wanted = mask_of<Cs...>();
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) missing |= wanted[i] & table.absent[i];
    return missing == 0;
  }
  template <class... Cs>
  [[nodiscard]] static bool has_all(TypeList<Cs...>, const Table& table) noexcept {
    return has_all<Cs...>(table);
  }
  template <class... Cs>
  [[nodiscard]] static bool has_none(TypeList<Cs...>, const Table& table) noexcept {
    return (!has_all<Cs>(table) && ...);
  }
  template <class... Qs>
  [[nodiscard]] static bool matches(const Table& table) noexcept {
    return has_all(stowage::detail::required_of<Qs...>{}, table) &&
           has_none(stowage::detail::absent_of<Qs...>{}, table);
  }

  // ---- loops

  /// What matches a query, as far as the tables have been looked at.
  struct Query {
    std::size_t tables_seen = 0;
    std::vector<std::uint32_t> tables;
  };
  inline static std::size_t query_count_ = 0;
  template <class... Qs>
  inline static const std::size_t number_of_query = query_count_++;
  template <class... Qs>
  [[nodiscard]] const std::vector<std::uint32_t>& tables_with() {
    const std::size_t number = number_of_query<Qs...>;
    if (number >= queries_.size() || queries_[number].tables_seen != tables_.size()) [[unlikely]] {
      look_at_tables(number, &matches<Qs...>);
    }
    return queries_[number].tables;
  }
  STOWAGE_COLD void look_at_tables(std::size_t number, bool (*matches)(const Table&) noexcept) {
    if (number >= queries_.size()) queries_.resize(query_count_);
    Query& query = queries_[number];
    for (std::size_t& i = query.tables_seen; i < tables_.size(); ++i) {
      if (matches(tables_[i])) query.tables.push_back(static_cast<std::uint32_t>(i * sizeof(Table)));
    }
  }

  template <class C>
  struct One {
    C* instance;
    [[nodiscard]] C& operator[](std::size_t) const noexcept { return *instance; }
  };
  template <class C>
  struct Pointers {
    C* first;
    [[nodiscard]] C* operator[](std::size_t row) const noexcept {
      return first + (is_tag<std::remove_const_t<C>> ? 0 : row);
    }
  };
  template <class C>
  struct Nothing {
    [[nodiscard]] C* operator[](std::size_t) const noexcept { return nullptr; }
  };

  /// A loop of its own for each combination of optional components.
  template <class Q, class... Rest, class Fn, class... Columns>
  static void visit(TypeList<Q, Rest...>, const Table& table, std::size_t first, std::size_t end, Fn& fn,
                    Columns... columns) {
    using C = stowage::detail::asked_of<Q>;
    constexpr TypeList<Rest...> rest;
    if constexpr (!stowage::detail::Term<Q>::is_required) {
      if (column<C>(table) != nullptr) {
        visit(rest, table, first, end, fn, columns..., Pointers<C>{column<C>(table)});
      } else {
        visit(rest, table, first, end, fn, columns..., Nothing<C>{});
      }
    } else if constexpr (is_tag<std::remove_const_t<C>>) {
      visit(rest, table, first, end, fn, columns..., One<C>{column<C>(table)});
    } else {
      visit(rest, table, first, end, fn, columns..., column<C>(table));
    }
  }
  template <class Fn, class... Columns>
  static void visit(TypeList<>, const Table&, std::size_t first, std::size_t end, Fn& fn, Columns... columns) {
    for (std::size_t row = first; row < end; ++row) fn(columns[row]...);
  }

  // ---- moving components of which only the number is known

  /// What is copied as bytes is of one type for each size.
  template <std::size_t Size>
  struct Raw {
    std::byte bytes[Size];
  };
  template <class C>
  using Stored = std::conditional_t<std::is_trivially_copyable_v<C>, Raw<sizeof(C)>, C>;
  struct Operations {
    /// Of `row`, and the last one fills the hole.
    void (*destroy)(std::byte* column, std::uint32_t row, std::uint32_t last) noexcept;
    void (*move)(std::byte* column, std::uint32_t row, std::uint32_t last, std::byte* to,
                 std::uint32_t to_row) noexcept;
    void (*relocate)(std::byte* from, std::byte* to, std::size_t count) noexcept;
    void (*destroy_all)(std::byte* column, std::size_t count) noexcept;
    std::size_t size;
  };
  template <class T>
  static void destroy_row(std::byte* column, std::uint32_t row, std::uint32_t last) noexcept {
    T* const first = reinterpret_cast<T*>(column);
    if constexpr (std::is_trivially_copyable_v<T>) {
      first[row] = first[last];
    } else {
      std::destroy_at(first + row);
      if (row == last) return;
      std::construct_at(first + row, std::move(first[last]));
      std::destroy_at(first + last);
    }
  }
  template <class T>
  static void move_to(std::byte* column, std::uint32_t row, std::uint32_t last, std::byte* to,
                      std::uint32_t to_row) noexcept {
    std::construct_at(reinterpret_cast<T*>(to) + to_row, std::move(reinterpret_cast<T*>(column)[row]));
    destroy_row<T>(column, row, last);
  }
  template <class T>
  static void relocate(std::byte* from, std::byte* to, std::size_t count) noexcept {
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(to, from, count * sizeof(T));
    } else {
      T* const first = reinterpret_cast<T*>(from);
      std::uninitialized_move_n(first, count, reinterpret_cast<T*>(to));
      std::destroy_n(first, count);
    }
  }
  template <class T>
  static void destroy_all(std::byte* column, std::size_t count) noexcept {
    std::destroy_n(reinterpret_cast<T*>(column), count);
  }
  template <class... Cs>
  [[nodiscard]] static constexpr auto all_operations(TypeList<Cs...>) {
    return std::array<Operations, sizeof...(Cs)>{Operations{&destroy_row<Stored<Cs>>, &move_to<Stored<Cs>>,
                                                            &relocate<Stored<Cs>>, &destroy_all<Stored<Cs>>,
                                                            sizeof(Cs)}...};
  }
  static constexpr auto operations = all_operations(typename SchemaType::components{});

  /// Moves the components of `shared`, which is `from` or `to`, to the row behind the last of `to`.
  static void move_row(const Table& from, std::uint32_t row, const Table& to, const Table& shared) noexcept {
    const std::uint32_t last = from.size - 1;
    for (std::uint32_t i = 0; i < shared.array_count; ++i) {
      const std::size_t component = shared.arrays[i];
      operations[component].move(from.columns[component], row, last, to.columns[component], to.size);
    }
  }
  /// After the components of the last row have been moved to `row`.
  void fill_hole(Table& table, std::uint32_t row) noexcept {
    const EntityIndex moved = table.owners[--table.size];
    if (row != table.size) {
      table.owners[row] = moved;
      slots_[moved].row = row;
    }
    ++moves_;
  }
  void end_components() noexcept {
    if constexpr (!stowage::detail::copies_as_bytes<SchemaType>) {
      for (const Table& table : tables_) {
        for (std::uint32_t i = 0; i < table.array_count; ++i) {
          operations[table.arrays[i]].destroy_all(table.columns[table.arrays[i]], table.size);
        }
      }
    }
  }

  // ---- slots

  /// Of the row behind the last.
  entity_type add_entity(std::uint32_t at, Table& table) {
    const EntityIndex index = new_index();
    place(index, at, table, table.size);
    ++table.size;
    return this->handle_of(index);
  }
  void place(EntityIndex index, std::uint32_t at, const Table& table, std::uint32_t row) noexcept {
    table.owners[row] = index;
    slots_[index].table = at;
    slots_[index].row = row;
  }

  // ---- tables

  [[nodiscard]] Table& table_at(std::uint32_t bytes) noexcept {
    return *reinterpret_cast<Table*>(reinterpret_cast<std::byte*>(tables_.data()) + bytes);
  }

  template <class... Cs>
  [[nodiscard]] std::uint32_t table_of_set(TypeList<Cs...> numbered, const std::uint64_t* words) {
    Mask set;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      set[i] = words[i];
      bits = (bits ^ words[i]) * 0x9e3779b97f4a7c15;
    }
    TableOfSet& known = tables_of_sets_[bits >> 56];
    if (known.table == none || known.set != set) [[unlikely]] {
      known = {set, meet_set(numbered, set)};
    }
    return known.table;
  }
  template <class... Cs>
  STOWAGE_COLD std::uint32_t meet_set(TypeList<Cs...> numbered, const Mask& set) {
    Mask absent;
    absent.fill(~std::uint64_t{0});
    std::size_t number = 0;
    stowage::detail::for_each_type(numbered, [&]<class C>(TypeList<C>) {
      if ((set[number / 64] >> number % 64 & 1) != 0) absent[id<C> / 64] ^= std::uint64_t{1} << id<C> % 64;
      ++number;
    });
    return find_table(absent);
  }
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t at, std::size_t component) {
    const std::uint32_t known = table_at(at).neighbours[component];
    return known != none ? known : meet_neighbour(at, component);
  }
  STOWAGE_COLD std::uint32_t meet_neighbour(std::uint32_t at, std::size_t component) {
    Mask absent = table_at(at).absent;
    absent[component / 64] ^= std::uint64_t{1} << component % 64;
    const std::uint32_t found = find_table(absent);
    return table_at(at).neighbours[component] = found;
  }
  STOWAGE_COLD std::uint32_t find_table(const Mask& absent) {
    auto found = std::ranges::find(tables_, absent, &Table::absent);
    if (found == tables_.end()) {
      tables_.push_back(make_table(absent, typename SchemaType::components{}));
      grow(tables_.back(), 1);
      found = tables_.end() - 1;
    }
    return static_cast<std::uint32_t>((found - tables_.begin()) * sizeof(Table));
  }
  template <class... Cs>
  [[nodiscard]] static Table make_table(const Mask& absent, TypeList<Cs...>) {
    Table table{.absent = absent};
    table.neighbours.fill(none);
    const auto add = [&table]<class C>(TypeList<C>) {
      if (!has_all<C>(table)) return;
      if constexpr (is_tag<C>) {
        table.columns[id<C>] = reinterpret_cast<std::byte*>(&stowage::detail::tag_instance<C>);
      } else {
        table.arrays[table.array_count++] = static_cast<std::uint16_t>(id<C>);
        table.row_bytes += sizeof(C);
      }
    };
    stowage::detail::for_each_type(TypeList<Cs...>{}, add);
    return table;
  }

  template <class... Cs>
  [[nodiscard]] static consteval std::size_t largest_alignment(TypeList<Cs...>) {
    return (std::max)({std::size_t{64}, alignof(Cs)...});
  }
  static constexpr std::size_t alignment = largest_alignment(typename SchemaType::components{});
  static constexpr std::align_val_t block_alignment{alignment};

  /// Arrays start on lines. Long ones start at other distances from pages: a loop that stores to one array and loads
  /// from another at the same distance waits for itself.
  STOWAGE_NOINLINE void grow(Table& table, std::size_t rows) {
    const std::size_t capacity = grown(table.capacity, rows);
    std::array<std::size_t, component_count> starts{};
    std::size_t bytes = capacity * sizeof(EntityIndex);
    for (std::uint32_t i = 0; i < table.array_count; ++i) {
      const std::size_t array_bytes = capacity * operations[table.arrays[i]].size;
      bytes = (bytes + alignment - 1) / alignment * alignment;
      if (array_bytes >= 4096) bytes += ((i + 1) * 9 * alignment - bytes) % 4096;
      starts[i] = bytes;
      bytes += array_bytes;
    }
    std::byte* const block = static_cast<std::byte*>(::operator new(bytes, block_alignment));
    if (table.size != 0) std::memcpy(block, table.owners, table.size * sizeof(EntityIndex));
    table.owners = reinterpret_cast<EntityIndex*>(block);
    for (std::uint32_t i = 0; i < table.array_count; ++i) {
      std::byte*& column = table.columns[table.arrays[i]];
      std::byte* const old = std::exchange(column, block + starts[i]);
      if (table.size != 0) operations[table.arrays[i]].relocate(old, column, table.size);
    }
    ::operator delete(std::exchange(table.block, block), block_alignment);
    table.block_bytes = bytes;
    table.capacity = static_cast<std::uint32_t>(capacity);
    ++moves_;
  }

  // ---- files

  struct TableInFile {
    Mask absent;
    std::uint64_t rows;
  };
  /// Calls `fn(array, bytes)` for all arrays of a table, its owners first.
  template <class Fn>
  static void for_each_array(const Table& table, std::size_t rows, Fn&& fn) {
    fn(reinterpret_cast<std::byte*>(table.owners), rows * sizeof(EntityIndex));
    for (std::uint32_t i = 0; i < table.array_count; ++i) {
      fn(table.columns[table.arrays[i]], rows * operations[table.arrays[i]].size);
    }
  }
  template <class Sink>
  void write(Sink& sink) const {
    std::size_t bytes = sizeof(std::uint64_t) + tables_.size() * sizeof(TableInFile);
    for (const Table& table : tables_) bytes += table.size * (sizeof(EntityIndex) + table.row_bytes);
    std::byte* at = sink.room(bytes);
    const auto append = [&at](const void* from, std::size_t count) {
      std::memcpy(at, from, count);
      at += count;
    };
    const std::uint64_t count = tables_.size();
    append(&count, sizeof count);
    for (const Table& table : tables_) {
      const TableInFile in_file{table.absent, table.size};
      append(&in_file, sizeof in_file);
    }
    for (const Table& table : tables_) for_each_array(table, table.size, append);
  }
  /// Adds to what there is. The entities that are loaded get handles of their own.
  void read(std::span<const std::byte> file) {
    const std::byte* at = file.data();
    const auto take = [&at](void* to, std::size_t count) {
      std::memcpy(to, at, count);
      at += count;
    };
    std::uint64_t count = 0;
    take(&count, sizeof count);
    std::vector<TableInFile> saved(count);
    take(saved.data(), count * sizeof(TableInFile));
    for (const TableInFile& in_file : saved) {
      const std::uint32_t number = find_table(in_file.absent);
      Table& table = table_at(number);
      const std::uint32_t first = table.size;
      if (first + in_file.rows > table.capacity) grow(table, first + in_file.rows);
      at += in_file.rows * sizeof(EntityIndex);  // of the saved; place() writes those of the loaded
      for (std::uint32_t i = 0; i < table.array_count; ++i) {
        const std::size_t size = operations[table.arrays[i]].size;
        take(table.columns[table.arrays[i]] + first * size, in_file.rows * size);
      }
      for (std::uint32_t row = first; row < first + in_file.rows; ++row) place(new_index(), number, table, row);
      table.size += static_cast<std::uint32_t>(in_file.rows);
    }
  }

  std::vector<Table> tables_;
  std::vector<Query> queries_;
  struct TableOfSet {
    Mask set{};
    std::uint32_t table = none;
  };
  std::array<TableOfSet, 256> tables_of_sets_;  ///< by a hash of the set: the one that was asked for last
  std::uint64_t moves_ = 0;
};

/// The fastest code for the work: handles are indices, and nothing is checked.
template <class SchemaType>
using PlainReference = PlainTables<SchemaType, false>;
/// The same with what the contract asks: handles of the dead are known.
template <class SchemaType>
using ContractReference = PlainTables<SchemaType, true>;

}  // namespace stowage::workloads::game
