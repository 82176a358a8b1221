#pragma once

// The obviously correct storage that every strategy is compared with, and the roster that compares them.

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/changes.hpp>

#include "workloads/verify/model_components.hpp"

namespace stowage::workloads::verify {

/// What a program may see of a storage, in plain vectors: which entities live and what they have. Entities are known by
/// the order of their creation, components by their position in the schema and the number they are made of.
class Record {
 public:
  using Numbers = std::array<std::optional<std::uint32_t>, 8>;

  struct Entry {
    std::uint64_t word;  ///< its handle
    bool alive = true;
    Numbers numbers{};
    std::array<bool, 8> off{};      ///< components that loops do not see
    std::array<Tick, 8> written{};  ///< when the program last could write to them
    std::size_t position = 0;       ///< among the living

    [[nodiscard]] bool is_on(std::size_t component) const noexcept {
      return numbers[component].has_value() && !off[component];
    }
  };

  std::size_t add(std::uint64_t word, const Numbers& numbers) {
    const std::size_t ordinal = entries_.size();
    entries_.push_back({.word = word, .numbers = numbers, .position = living_.size()});
    entries_.back().written.fill(now_);
    living_.push_back(ordinal);
    owners_[word] = ordinal;
    return ordinal;
  }
  void forget(std::size_t ordinal) {
    Entry& gone = entries_[ordinal];
    entries_[living_.back()].position = gone.position;
    living_[gone.position] = living_.back();
    living_.pop_back();
    gone.alive = false;
    gone.numbers = {};
    gone.off = {};
  }
  void forget_all() {
    while (!living_.empty()) forget(living_.back());
  }

  [[nodiscard]] const Entry& entry(std::size_t ordinal) const { return entries_[ordinal]; }
  [[nodiscard]] std::size_t created() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t living() const noexcept { return living_.size(); }
  /// In an order that depends on nothing but what was done before.
  [[nodiscard]] std::size_t nth_living(std::size_t n) const { return living_[n]; }

 protected:
  [[nodiscard]] bool knows(std::uint64_t word) const { return owners_.contains(word); }
  /// The newest entity that this handle was given to.
  [[nodiscard]] std::size_t ordinal_of(std::uint64_t word) const {
    const auto known = owners_.find(word);
    require(known != owners_.end(), "a handle is shown that was never given out");
    return known->second;
  }
  /// A component that comes or is replaced is on.
  void set(std::size_t ordinal, std::size_t component, std::optional<std::uint32_t> number) {
    entries_[ordinal].numbers[component] = number;
    entries_[ordinal].off[component] = false;
    note_write(ordinal, component);
  }
  void note_write(std::size_t ordinal, std::size_t component) { entries_[ordinal].written[component] = now_; }
  void begin_tick(Tick now) { now_ = now; }
  void set_off(std::size_t ordinal, std::size_t component, bool off) { entries_[ordinal].off[component] = off; }
  /// Entities that have each of the components, which are on if `shown`. No template, because there are many lists.
  [[nodiscard]] std::size_t count_living(std::initializer_list<std::size_t> components, bool shown) const {
    return static_cast<std::size_t>(std::ranges::count_if(living_, [&](std::size_t ordinal) {
      const Entry& entry = entries_[ordinal];
      return std::ranges::all_of(components, [&](std::size_t component) {
        return shown ? entry.is_on(component) : entry.numbers[component].has_value();
      });
    }));
  }

  /// A digest of rows that does not depend on their order.
  struct Rows {
    std::size_t count = 0;
    std::uint64_t sum = 0;

    void add(std::span<const std::uint32_t> numbers) {
      std::uint64_t folded = 0;
      for (const std::uint32_t number : numbers) folded = folded * 1'000'003 + number;
      sum += folded * folded;
      ++count;
    }
    friend bool operator==(const Rows&, const Rows&) = default;
  };

  /// Notes one visit of a loop over `components`.
  void check_visit(std::uint64_t word, std::vector<bool>& visited, std::span<const std::uint32_t> numbers,
                   std::initializer_list<std::size_t> components) const {
    const std::size_t ordinal = ordinal_of(word);
    const Entry& entry = entries_[ordinal];
    require(entry.alive, "each() shows an entity that is not alive");
    std::size_t i = 0;
    for (const std::size_t component : components) {
      require(entry.numbers[component] == numbers[i++], "each() shows another entity's component");
      require(entry.is_on(component), "each() shows a component that is off");
    }
    require(!visited[ordinal], "each() shows an entity twice");
    visited[ordinal] = true;
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> living_;
  std::unordered_map<std::uint64_t, std::size_t> owners_;
  Tick now_ = 1;
};

/// By which lists of components the loops of a storage with this schema are checked: `rows` by each() alone, `blocks`
/// by each_block() too, `filtered` by each() with filters.
template <class SchemaType>
struct Audited;

template <class List>
struct EachAlone;
template <class... Cs>
struct EachAlone<TypeList<Cs...>> {
  using type = TypeList<TypeList<Cs>...>;
};
/// A list of one for each component of a list.
template <class List>
using each_alone = typename EachAlone<List>::type;

/// Whether a storage can switch C off.
template <class Storage, class C>
concept toggles = requires(Storage& storage, typename Storage::entity_type entity) {
  storage.template set_enabled<C>(entity, true);
  { std::as_const(storage).template enabled<C>(entity) } -> std::same_as<bool>;
};

/// For the second parameter of Roster: nothing disturbs its record.
struct Unguarded {};

/// A storage and beside it the record of what it has to show. If an operation throws, nothing is recorded, and
/// check() finds out whether anything changed. A `Guard` lives while the record grows, and may suspend failing
/// allocations.
template <class Storage, class Guard = Unguarded>
class Roster : public Record {
 public:
  using Handle = typename Storage::entity_type;
  using SchemaType = typename Storage::schema_type;
  static constexpr std::size_t component_count = SchemaType::component_count;
  static_assert(component_count <= std::tuple_size_v<Numbers>);
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;

  Storage storage;

  // ---- operations; a component made of `number` goes to every C named

  template <class... Cs>
  std::size_t create(std::uint32_t number = 0) {
    if constexpr (sizeof...(Cs) == 0) {
      return note<>(storage.create(), number);
    } else {
      return note<Cs...>(storage.create(made_of<Cs>(number)...), number);
    }
  }

  /// The bulk form; entity i of it gets components made of `number` + i.
  template <class... Cs>
  void create_many(std::size_t count, std::uint32_t number = 0) {
    std::vector<Handle> handles(count);
    const std::tuple<std::vector<Cs>...> columns(column<Cs>(count, number)...);
    storage.create(std::span(handles), std::span<const Cs>(std::get<std::vector<Cs>>(columns))...);
    for (std::size_t i = 0; i < count; ++i) note<Cs...>(handles[i], number + static_cast<std::uint32_t>(i));
  }

  void destroy(std::size_t ordinal) {
    require(storage.destroy((*this)[ordinal]), "destroy() of a living entity said no");
    forget(ordinal);
  }

  template <class C>
  void emplace(std::size_t ordinal, std::uint32_t number = 0) {
    const auto& added = storage.template emplace<C>((*this)[ordinal], made_of<C>(number));
    require(number_of(added) == seen_of<C>(number), "emplace() returned another component");
    set(ordinal, id<C>, seen_of<C>(number));
  }

  template <class C>
  void remove(std::size_t ordinal) {
    const bool had = entry(ordinal).numbers[id<C>].has_value();
    require(storage.template remove<C>((*this)[ordinal]) == had, "remove() disagrees on whether there was a component");
    set(ordinal, id<C>, std::nullopt);
  }

  void clear() {
    storage.clear();
    forget_all();
  }

  /// Removes C from all entities.
  template <class C>
  void clear() {
    storage.template clear<C>();
    for (std::size_t i = 0; i < living(); ++i) set(nth_living(i), id<C>, std::nullopt);
  }

  /// The other's storage and record instead of these.
  void copy_from(const Roster& other) {
    storage.copy_from(other.storage);
    static_cast<Record&>(*this) = other;
  }

  /// Ends the components that destroyed entities have left for later, if a strategy does so.
  void end_what_is_left() {
    if constexpr (requires { storage.collect_all(); }) storage.collect_all();
  }

  // ---- the record

  /// Writes down an entity that was created with components made of `number`; its ordinal.
  template <class... Cs>
  std::size_t note(Handle handle, [[maybe_unused]] std::uint32_t number) {
    [[maybe_unused]] const Guard while_it_grows;
    Numbers numbers{};
    ((numbers[id<Cs>] = seen_of<Cs>(number)), ...);
    return add(handle.word(), numbers);
  }
  template <class C>
  void note_component(std::size_t ordinal, std::optional<std::uint32_t> number) {
    set(ordinal, id<C>, number ? std::optional(seen_of<C>(*number)) : std::nullopt);
  }
  template <class C>
  void note_enabled(std::size_t ordinal, bool on) {
    set_off(ordinal, id<C>, !on);
  }
  /// What an entity has of Cs may have been written to.
  template <class... Cs>
  void note_writes(std::size_t ordinal) {
    ((entry(ordinal).numbers[id<Cs>] ? note_write(ordinal, id<Cs>) : void()), ...);
  }
  void next_tick() {
    const Tick next = storage.tick() + 1;
    require(storage.next_tick() == next && storage.tick() == next, "next_tick() does not begin the next tick");
    begin_tick(next);
  }

  [[nodiscard]] Handle operator[](std::size_t ordinal) const {
    return Handle::from_word(static_cast<typename Handle::word_type>(entry(ordinal).word));
  }
  [[nodiscard]] bool knows(Handle handle) const { return Record::knows(handle.word()); }
  [[nodiscard]] std::size_t ordinal_of(Handle handle) const { return Record::ordinal_of(handle.word()); }
  /// Entities that have all of Cs.
  template <class... Cs>
  [[nodiscard]] std::size_t holders() const {
    return count_living({id<Cs>...}, false);
  }
  /// Those that loops over Cs show.
  template <class... Cs>
  [[nodiscard]] std::size_t shown() const {
    return count_living({id<Cs>...}, true);
  }

  // ---- comparison

  /// Everything that a program can see is as written down.
  void check(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    try {
      require(storage.size() == living(), "size() differs from the number of living entities");
      for (std::size_t ordinal = 0; ordinal < created(); ++ordinal) check_entity(ordinal);
      check_counts(typename SchemaType::components{});
      check_lists(typename Audited<SchemaType>::rows{}, typename Audited<SchemaType>::blocks{});
    } catch (const Mismatch& mismatch) {
      throw Mismatch(mismatch.message(), file, line);
    }
  }

  /// Loops with filters, if the storage has them, visit what they should.
  void check_filters() {
    if constexpr (offers<Storage, Capability::filters>) {
      [this]<class... Filtered>(TypeList<Filtered...>) {
        (check_filtered(Filtered{}), ...);
      }(typename Audited<SchemaType>::filtered{});
    }
  }

  /// each_changed() shows every entity with Changing and Qs whose Changing was written since the tick, and no other if
  /// the storage records each row.
  template <class Changing, class... Qs>
  void check_changed(Tick since) {
    std::vector<bool> visited(created(), false);
    std::as_const(storage).template each_changed<const Changing, Qs...>(
        since, [&](Handle handle, const auto&... shown) {
          const std::size_t ordinal = ordinal_of(handle);
          require(entry(ordinal).alive, "each_changed() shows an entity that is not alive");
          require(!visited[ordinal], "each_changed() shows an entity twice");
          visited[ordinal] = true;
          check_shown(ordinal, detail::shown_of<const Changing, Qs...>{}, shown...);
        });
    for (std::size_t i = 0; i < living(); ++i) {
      const std::size_t ordinal = nth_living(i);
      const Entry& one = entry(ordinal);
      const bool is_asked_for = admits<const Changing, Qs...>(ordinal);
      const bool is_wanted = is_asked_for && has_changed(one.written[id<Changing>], since);
      require(!is_wanted || visited[ordinal], "each_changed() leaves out what has changed");
      require(is_asked_for || !visited[ordinal], "each_changed() shows an entity that lacks a component");
      require(is_wanted || !visited[ordinal] || !Storage::records_each_row,
              "each_changed() shows what has not changed");
    }
  }

  /// One entity, alive or not, through every form of lookup.
  void check_entity(std::size_t ordinal) {
    // a handle that has come back belongs to its newest owner
    if (!entry(ordinal).alive && ordinal_of((*this)[ordinal]) != ordinal) return;
    require(std::as_const(storage).alive((*this)[ordinal]) == entry(ordinal).alive, "alive() is wrong");
    check_access(ordinal, typename SchemaType::components{});
  }

  /// find<Cs...> of `looked_up`, the storage as it is or as const, finds what the entity has.
  template <class... Cs>
  void check_found(auto& looked_up, std::size_t ordinal) const {
    const auto found = looked_up.template find<Cs...>((*this)[ordinal]);
    if constexpr (sizeof...(Cs) == 1) {
      (check_pointer<Cs>(ordinal, found), ...);
    } else {
      std::apply([&](const auto&... pointers) { (check_pointer<Cs>(ordinal, pointers), ...); }, found);
    }
  }

 private:
  template <class C>
  [[nodiscard]] static std::vector<C> column(std::size_t count, std::uint32_t number) {
    std::vector<C> components;
    components.reserve(count);
    for (std::size_t i = 0; i < count; ++i) components.push_back(made_of<C>(number + static_cast<std::uint32_t>(i)));
    return components;
  }

  template <class C, class Pointer>
  void check_pointer(std::size_t ordinal, const Pointer& found) const {
    const std::optional<std::uint32_t>& wanted = entry(ordinal).numbers[id<C>];
    require((found != nullptr) == wanted.has_value(), "find() finds what is absent, or not what is there");
    require(found == nullptr || number_of(*found) == wanted, "find() finds another component");
  }

  // No lambda, in which clang 14 compiles what is discarded.
  template <class C>
  void check_enabled(std::size_t ordinal) const {
    if constexpr (toggles<Storage, C>) {
      const Storage& fixed = storage;
      require(fixed.template enabled<C>((*this)[ordinal]) == entry(ordinal).is_on(id<C>), "enabled() is wrong");
    }
  }

  template <class... Cs>
  void check_access(std::size_t ordinal, TypeList<Cs...>) {
    const Storage& fixed = storage;
    (check_found<Cs>(fixed, ordinal), ...);
    (require(fixed.template contains<Cs>((*this)[ordinal]) == entry(ordinal).numbers[id<Cs>].has_value(),
             "contains() is wrong"),
     ...);
    if constexpr (sizeof...(Cs) > 1 && requires { fixed.template contains<Cs...>((*this)[ordinal]); }) {
      require(fixed.template contains<Cs...>((*this)[ordinal]) == (entry(ordinal).numbers[id<Cs>].has_value() && ...),
              "contains() of several components is wrong");
    }
    (check_enabled<Cs>(ordinal), ...);
    if constexpr ((RecordsChanges<Storage, Cs> || ...)) {
      check_found<Cs...>(fixed, ordinal);  // looking is not writing
    } else {
      check_found<Cs...>(storage, ordinal);
    }
  }

  template <class... Cs>
  void check_counts(TypeList<Cs...>) const {
    (require(storage.template count<Cs>() == holders<Cs>(), "count() is wrong"), ...);
  }

  template <class... Rows, class... Blocks>
  void check_lists(TypeList<Rows...>, TypeList<Blocks...>) {
    (check_rows(Rows{}), ...);
    (check_rows_and_blocks(Blocks{}), ...);
  }
  template <class List>
  void check_rows_and_blocks(List list) {
    [[maybe_unused]] const Rows seen = check_rows(list);
    if constexpr (offers<Storage, Capability::block_iteration>) check_blocks(list, seen);
  }

  /// `each` shows exactly the entities that have all of Cs, each once and with its own components.
  template <class... Cs>
  Rows check_rows(TypeList<Cs...>) {
    Rows seen;
    std::vector<bool> visited(created(), false);
    storage.template each<const Cs...>([&](Handle handle, const Cs&... components) {
      const std::array numbers{number_of(components)...};
      check_visit(handle.word(), visited, numbers, {id<Cs>...});
      seen.add(numbers);
    });
    require(seen.count == shown<Cs...>(), "each() leaves an entity out");
    return seen;
  }

  /// `each` with filters shows exactly the entities that all of Qs admit, each once, and what Qs show of them.
  template <class... Qs>
  void check_filtered(TypeList<Qs...>) {
    std::vector<bool> visited(created(), false);
    storage.template each<Qs...>([&](Handle handle, const auto&... shown) {
      const std::size_t ordinal = ordinal_of(handle);
      require(entry(ordinal).alive, "each() with filters shows an entity that is not alive");
      require(!visited[ordinal], "each() with filters shows an entity twice");
      visited[ordinal] = true;
      check_shown(ordinal, detail::shown_of<Qs...>{}, shown...);
    });
    for (std::size_t i = 0; i < living(); ++i) {
      const std::size_t ordinal = nth_living(i);
      require(visited[ordinal] == admits<Qs...>(ordinal), "each() with filters admits the wrong entities");
    }
  }
  /// Whether a loop over Qs visits the entity.
  template <class... Qs>
  [[nodiscard]] bool admits(std::size_t ordinal) const {
    const auto is_admitted = [&]<class Q>(TypeList<Q>) {
      const bool has = entry(ordinal).is_on(id<detail::component_of<Q>>);
      return detail::Term<Q>::is_required ? has : !detail::Term<Q>::is_absent || !has;
    };
    return (is_admitted(TypeList<Qs>{}) && ...);
  }
  template <class... Shown, class... Found>
  void check_shown(std::size_t ordinal, TypeList<Shown...>, const Found&... found) const {
    [[maybe_unused]] const auto check_one = [&]<class Q>(TypeList<Q>, const auto& shown) {
      if constexpr (detail::Term<Q>::is_required) {
        check_pointer<detail::component_of<Q>>(ordinal, std::addressof(shown));
      } else {
        require((shown != nullptr) == entry(ordinal).is_on(id<detail::component_of<Q>>),
                "each() shows an optional component that is absent or off, or not one that is there");
        if (shown != nullptr) check_pointer<detail::component_of<Q>>(ordinal, shown);
      }
    };
    (check_one(TypeList<Shown>{}, found), ...);
  }

  /// `each_block` shows the same rows as `each`.
  template <class... Cs>
  void check_blocks(TypeList<Cs...>, const Rows& seen) {
    Rows in_blocks;
    storage.template each_block<const Cs...>([&](const auto&... spans) {
      const std::size_t size = std::get<0>(std::tie(spans...)).size();
      require(size != 0, "each_block() shows an empty block");
      require(((spans.size() == size) && ...), "the spans of a block differ in length");
      for (std::size_t i = 0; i < size; ++i) in_blocks.add(std::array{number_of(spans[i])...});
    });
    require(in_blocks == seen, "each_block() shows other rows than each()");
  }
};

}  // namespace stowage::workloads::verify
