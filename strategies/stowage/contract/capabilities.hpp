#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <stowage/contract/storage.hpp>

// Parts of the contract that a storage may lack and still be measured, on the work that needs no more. A strategy of
// this library lacks none (assert_storage()); an adapter to another library says which, and why:
//
//     static constexpr std::array lacking{
//         Lack{Capability::table_exchange, "components are not taken by a set that is known at run time only"}};
//     ...
//     static_assert(assert_partial_storage<Adapter<ProbeSchema>>());
//
// The assertion holds the list to what compiles, in both directions. What no compiler sees (the last three) is a
// statement: conformance leaves out the checks that ask for it, and names them.

namespace stowage {

enum class Capability : std::uint8_t {
  bulk_creation,
  structural_change,
  const_iteration,
  block_iteration,
  filters,
  table_exchange,
  reservation,
  memory_accounting,
  strong_guarantee,
  own_arguments,
  over_alignment
};

/// By the number of the capability: the name that the CLI, the results and the report use.
inline constexpr std::array<std::string_view, 11> capability_names{
    "bulk_creation", "structural_change", "const_iteration",  "block_iteration", "filters",       "table_exchange",
    "reservation",   "memory_accounting", "strong_guarantee", "own_arguments",   "over_alignment"};
/// And what is missing where it is lacking.
inline constexpr std::array<std::string_view, 11> capability_meanings{
    "create(out, columns...)",
    "emplace<C>, remove<C>",
    "each<const Cs...> on a const storage, by several threads too",
    "each_block<Cs...>",
    "each with With<C>, Without<C>, Optional<C>",
    "create(out, ComponentColumns), each_table",
    "reserve",
    "memory()",
    "an operation that throws has changed nothing",
    "arguments may refer to components of the same storage",
    "components with an alignment of more than 16 bytes"};

[[nodiscard]] constexpr std::string_view name_of(Capability capability) noexcept {
  return capability_names[static_cast<std::size_t>(capability)];
}
[[nodiscard]] constexpr std::string_view meaning_of(Capability capability) noexcept {
  return capability_meanings[static_cast<std::size_t>(capability)];
}

/// A capability that a storage does not have, and why not.
struct Lack {
  Capability capability;
  std::string_view reason;
};

/// What a storage says it lacks; nothing where it says nothing.
template <class S>
[[nodiscard]] constexpr std::span<const Lack> lacks_of() noexcept {
  if constexpr (requires { S::lacking; }) {
    return S::lacking;
  } else {
    return {};
  }
}

/// Why a storage lacks a capability; empty where it has it.
template <class S>
[[nodiscard]] constexpr std::string_view reason_to_lack(Capability capability) noexcept {
  for (const Lack& lack : lacks_of<S>()) {
    if (lack.capability == capability) return lack.reason;
  }
  return {};
}

template <class S, Capability... Wanted>
inline constexpr bool offers = (reason_to_lack<S>(Wanted).empty() && ...);

/// The first of the capabilities that a storage lacks, of some of which it lacks one.
template <class S, Capability... Wanted>
[[nodiscard]] constexpr Capability first_lacking() noexcept {
  Capability found{};
  static_cast<void>((((found = Wanted), reason_to_lack<S>(Wanted).empty()) && ...));
  return found;
}

/// The part of the contract that every storage has: entities are created one by one, with or without components, and
/// destroyed; components are found and visited.
template <class S>
concept MeasurableStorage =
    SingleLifecycle<S> && ComponentAccess<S> && RowIteration<S> && Population<S> && StatedSemantics<S>;

/// Rejects an adapter that offers less than the least, or other things than it says, at compile time.
template <class S>
[[nodiscard]] consteval bool assert_partial_storage() {
  static_assert(SingleLifecycle<S>, "EntityLifecycle: create(), create(cs...), destroy, alive");
  static_assert(ComponentAccess<S>, "ComponentAccess: find<C>, find<Cs...>, contains<C>, pointer<C>");
  static_assert(RowIteration<S>, "ComponentIteration: each<Cs...>");
  static_assert(Population<S>, "Capacity: size(), count<C>(), clear()");
  static_assert(StatedSemantics<S>, "StatedSemantics: a static constexpr SemanticsCard named semantics");
  static_assert(BulkCreation<S> == offers<S, Capability::bulk_creation>,
                "bulk_creation: either create(out, columns...) or a Lack");
  static_assert(StructuralChange<S> == offers<S, Capability::structural_change>,
                "structural_change: either emplace<C>, remove<C>, reference<C> or a Lack");
  static_assert(ConstIteration<S> == offers<S, Capability::const_iteration>,
                "const_iteration: either each<const Cs...> on a const storage or a Lack");
  static_assert(BlockIteration<S> == offers<S, Capability::block_iteration>,
                "block_iteration: either each_block<Cs...>, block_entities or a Lack");
  static_assert(FilteredIteration<S> == offers<S, Capability::filters>,
                "filters: either each<> with With<C>, Without<C>, Optional<C> or a Lack");
  static_assert(TableExchange<S> == offers<S, Capability::table_exchange>,
                "table_exchange: either create(out, ComponentColumns), each_table(fn) or a Lack");
  static_assert(Reservation<S> == offers<S, Capability::reservation>,
                "reservation: either reserve(n), reserve<Cs...>(n) or a Lack");
  static_assert(MemoryAccounting<S> == offers<S, Capability::memory_accounting>,
                "memory_accounting: either memory() or a Lack");
  return true;
}

}  // namespace stowage
