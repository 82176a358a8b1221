#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/contract/errors.hpp>
#include <stowage/contract/schema.hpp>

#include "tests/conformance/components.hpp"
#include "tests/conformance/require.hpp"
#include "tests/support/counting_new.hpp"

namespace stowage::conformance {

/// A storage and beside it, in plain vectors, what it has to show. Entities are known by the order of their creation.
/// Where an operation throws, nothing is written down: check() then finds out whether anything changed.
template <class Storage>
class Roster {
 public:
  using Handle = typename Storage::entity_type;
  using SchemaType = typename Storage::schema_type;
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;

  struct Entry {
    Handle handle;
    bool alive = true;
    std::array<std::optional<std::uint32_t>, component_count> numbers{};
  };

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
    require(storage.destroy(entries_[ordinal].handle), "destroy() of a living entity said no");
    forget(ordinal);
  }

  template <class C>
  void emplace(std::size_t ordinal, std::uint32_t number = 0) {
    const auto& added = storage.template emplace<C>(entries_[ordinal].handle, made_of<C>(number));
    require(number_of(added) == seen_of<C>(number), "emplace() returned another component");
    entries_[ordinal].numbers[id<C>] = seen_of<C>(number);
  }

  template <class C>
  void remove(std::size_t ordinal) {
    const bool had = entries_[ordinal].numbers[id<C>].has_value();
    require(storage.template remove<C>(entries_[ordinal].handle) == had,
            "remove() disagrees on whether there was a component");
    entries_[ordinal].numbers[id<C>].reset();
  }

  void clear() {
    storage.clear();
    for (std::size_t ordinal = 0; ordinal < entries_.size(); ++ordinal) {
      if (entries_[ordinal].alive) forget(ordinal);
    }
  }

  /// Ends the components that destroyed entities have left for later, where a strategy does so.
  void end_what_is_left() {
    if constexpr (requires { storage.collect_all(); }) storage.collect_all();
  }

  // ---- the record

  /// Writes down an entity that was created with components made of `number`; its ordinal.
  template <class... Cs>
  std::size_t note(Handle handle, [[maybe_unused]] std::uint32_t number) {
    const testing::NoFailure of_this_record;
    Entry entry{handle};
    ((entry.numbers[id<Cs>] = seen_of<Cs>(number)), ...);
    entries_.push_back(entry);
    owners_[handle.word()] = entries_.size() - 1;
    ++living_;
    return entries_.size() - 1;
  }
  void forget(std::size_t ordinal) {
    entries_[ordinal].alive = false;
    entries_[ordinal].numbers = {};
    --living_;
  }
  template <class C>
  void note_component(std::size_t ordinal, std::optional<std::uint32_t> number) {
    entries_[ordinal].numbers[id<C>] = number ? std::optional(seen_of<C>(*number)) : std::nullopt;
  }

  [[nodiscard]] Handle operator[](std::size_t ordinal) const { return entries_[ordinal].handle; }
  [[nodiscard]] const Entry& entry(std::size_t ordinal) const { return entries_[ordinal]; }
  [[nodiscard]] std::size_t created() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t living() const noexcept { return living_; }
  [[nodiscard]] bool knows(Handle handle) const { return owners_.contains(handle.word()); }
  /// The newest entity that this handle was given to.
  [[nodiscard]] std::size_t ordinal_of(Handle handle) const {
    const auto known = owners_.find(handle.word());
    require(known != owners_.end(), "a handle is shown that nobody was given");
    return known->second;
  }
  /// Entities that have all of Cs.
  template <class... Cs>
  [[nodiscard]] std::size_t holders() const {
    return holders({id<Cs>...});
  }
  [[nodiscard]] std::size_t holders(std::initializer_list<std::size_t> components) const {
    const auto has_all = [&](const Entry& entry) {
      return std::ranges::all_of(components, [&](std::size_t c) { return entry.numbers[c].has_value(); });
    };
    return static_cast<std::size_t>(std::ranges::count_if(entries_, has_all));
  }

  // ---- comparison

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

  /// Everything that a program can see is as written down.
  void check(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    try {
      require(storage.size() == living_, "size() differs from the number of living entities");
      for (std::size_t ordinal = 0; ordinal < entries_.size(); ++ordinal) check_entity(ordinal);
      check_components(typename SchemaType::components{});
      check_joins(typename JoinsOf<SchemaType>::type{});
    } catch (const ConformanceFailure& failure) {
      throw ConformanceFailure({file, line}, failure.what());
    }
  }

  void check_entity(std::size_t ordinal) {
    const Entry& entry = entries_[ordinal];
    // a handle that has come back belongs to its newest owner
    if (!entry.alive && ordinal_of(entry.handle) != ordinal) return;
    require(std::as_const(storage).alive(entry.handle) == entry.alive, "alive() is wrong");
    check_access(entry, typename SchemaType::components{});
  }

  /// `each` shows exactly the entities that have all of Cs, each once and with its own components.
  template <class... Cs>
  Rows check_rows() {
    Rows seen;
    std::vector<bool> visited(entries_.size(), false);
    storage.template each<const Cs...>([&](Handle handle, const Cs&... components) {
      const std::array numbers{number_of(components)...};
      note_visit(handle, visited, numbers, {id<Cs>...});
      seen.add(numbers);
    });
    require(seen.count == holders({id<Cs>...}), "each() leaves an entity out");
    return seen;
  }

  /// `each_block` shows the same rows as `each`.
  template <class... Cs>
  void check_blocks(const Rows& seen) {
    Rows in_blocks;
    storage.template each_block<const Cs...>([&](const auto&... spans) {
      const std::size_t size = std::get<0>(std::tie(spans...)).size();
      require(size != 0, "each_block() shows an empty block");
      require(((spans.size() == size) && ...), "the spans of a block differ in length");
      for (std::size_t i = 0; i < size; ++i) in_blocks.add(std::array{number_of(spans[i])...});
    });
    require(in_blocks == seen, "each_block() shows other rows than each()");
  }

 private:
  void note_visit(Handle handle, std::vector<bool>& visited, std::span<const std::uint32_t> numbers,
                  std::initializer_list<std::size_t> components) const {
    const std::size_t ordinal = ordinal_of(handle);
    const Entry& entry = entries_[ordinal];
    require(entry.alive, "each() shows an entity that is not alive");
    std::size_t i = 0;
    for (const std::size_t component : components) {
      require(entry.numbers[component] == numbers[i++], "each() shows another entity's component");
    }
    require(!visited[ordinal], "each() shows an entity twice");
    visited[ordinal] = true;
  }

  template <class C>
  [[nodiscard]] static std::vector<C> column(std::size_t count, std::uint32_t number) {
    std::vector<C> components;
    components.reserve(count);
    for (std::size_t i = 0; i < count; ++i) components.push_back(made_of<C>(number + static_cast<std::uint32_t>(i)));
    return components;
  }

  template <class C, class Pointer>
  static void check_found(const Entry& entry, const Pointer& found) {
    const std::optional<std::uint32_t>& wanted = entry.numbers[id<C>];
    require((found != nullptr) == wanted.has_value(), "find() finds what is absent, or not what is there");
    require(found == nullptr || number_of(*found) == wanted, "find() finds another component");
  }

  template <class... Cs>
  void check_access(const Entry& entry, TypeList<Cs...>) {
    const Storage& fixed = storage;
    (check_found<Cs>(entry, fixed.template find<Cs>(entry.handle)), ...);
    (require(fixed.template contains<Cs>(entry.handle) == entry.numbers[id<Cs>].has_value(), "contains() is wrong"),
     ...);
    const auto all = storage.template find<Cs...>(entry.handle);
    (check_found<Cs>(entry, std::get<id<Cs>>(all)), ...);
  }

  template <class... Cs>
  void check_components(TypeList<Cs...>) {
    (require(std::as_const(storage).template count<Cs>() == holders<Cs>(), "count() is wrong"), ...);
    (check_rows<Cs>(), ...);
  }
  template <class... Lists>
  void check_joins(TypeList<Lists...>) {
    const auto check_one = [this]<class... Cs>(TypeList<Cs...>) {
      [[maybe_unused]] const Rows seen = this->template check_rows<Cs...>();
      if constexpr (offers<Storage, block_iteration>) this->template check_blocks<Cs...>(seen);
    };
    (check_one(Lists{}), ...);
  }

  std::vector<Entry> entries_;
  std::unordered_map<typename Handle::word_type, std::size_t> owners_;
  std::size_t living_ = 0;
};

}  // namespace stowage::conformance
