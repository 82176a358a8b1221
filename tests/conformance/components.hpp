#pragma once

// The components and schemas of the suite: every kind that the contract allows, and one that throws when told to; and
// populations of them.
#include <exception>
#include <numeric>
#include <random>
#include <string>

#include <stowage/contract/schema.hpp>

#include "tests/conformance/check.hpp"
#include "tests/support/counting_new.hpp"
#include "workloads/verify/model_components.hpp"
#include "workloads/verify/reference_model.hpp"

namespace stowage::conformance {

using workloads::verify::Frozen;
using workloads::verify::is_aligned;
using workloads::verify::Large;
using workloads::verify::made_of;
using workloads::verify::moved_from;
using workloads::verify::number_of;
using workloads::verify::Position;
using workloads::verify::require;
using workloads::verify::require_throws;
using workloads::verify::Unique;

struct Velocity {
  std::uint32_t number;
};

/// One byte, so that columns and rows get odd sizes.
struct Team {
  std::uint8_t number;

  [[nodiscard]] static Team made_of(std::uint32_t number) { return {static_cast<std::uint8_t>(number)}; }
};

// The suite is compiled with less, in an executable of its own, for storages that lack over_alignment.
#ifndef STOWAGE_CONFORMANCE_ALIGNMENT
#define STOWAGE_CONFORMANCE_ALIGNMENT 64
#endif
inline constexpr std::size_t most_alignment = STOWAGE_CONFORMANCE_ALIGNMENT;

struct alignas(most_alignment / 2) Half {
  std::uint32_t number;
};

using Wide = workloads::verify::WideOf<most_alignment>;

/// Owns memory of operator new when it is copied: a copy can fail.
struct Name {
  std::string text;

  [[nodiscard]] static Name made_of(std::uint32_t number) {
    return {"too long for a small string: " + std::to_string(number)};
  }

  // Functions that an engine may have beside its components: a storage must not take them for its own.
  friend void construct_component(Name*, Name&&) = delete;
  friend void construct_component(Name*, const Name&) = delete;
  friend void destroy_component(Name*) = delete;
  friend void relocate_component(Name*, Name*) = delete;
  friend void relocate_rows(Name*, Name*, std::size_t) = delete;
};

class Injected : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "a component's constructor threw, as told to"; }
};

/// Counts its instances, knows where it lives, and throws when told to: a constructor or destructor that is left out,
/// run twice or replaced by a copy of bytes shows.
class Fragile {
 public:
  explicit Fragile(std::uint32_t number) : number_(number), home_(this) {
    burn_fuse();
    ++living;
  }
  Fragile(const Fragile& other) : number_(other.number()), home_(this) {
    burn_fuse();
    ++living;
  }
  Fragile(Fragile&& other) noexcept : number_(std::exchange(other.number_, moved_from)), home_(this) {
    ++living;
    ++moves;
  }
  Fragile& operator=(const Fragile&) = delete;
  ~Fragile() {
    --living;
    home_ = nullptr;
  }

  [[nodiscard]] std::uint32_t number() const {
    require(home_ == this, "a component was moved as bytes, or used after its destructor");
    return number_;
  }

  static inline std::ptrdiff_t living = 0;
  static inline std::size_t moves = 0;

  /// While it lives, the construction number `nth` from now on (counted from 1; moves do not count) throws Injected.
  class Fuse {
   public:
    explicit Fuse(std::size_t nth) { until_throw = nth; }
    Fuse(const Fuse&) = delete;
    Fuse& operator=(const Fuse&) = delete;
    ~Fuse() { until_throw = 0; }
  };

 private:
  static void burn_fuse() {
    if (until_throw == 0) return;
    --until_throw;
    if (until_throw == 0) throw Injected();
  }

  static inline std::size_t until_throw = 0;

  std::uint32_t number_;
  const Fragile* home_;
};

// ---- schemas

/// Every kind of component in two groups, alone, and sparse; some of each are recorded.
using World = Schema<Group<Changed<Position>, Fragile, Wide>, Group<Name, Changed<Large>>, Sparse<Changed<Unique>>,
                     Half, Sparse<Frozen>>;

/// Nothing but plain bytes: cheap in thousands, and trivially destructible.
using Plain = Schema<Group<Position, Changed<Velocity>>, Sparse<Team>, Changed<Frozen>>;

// ---- numbers

[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Velocity& c) { return c.number; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Team& c) { return c.number; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Half& c) { return c.number; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Name& c) {
  const std::size_t digits = c.text.find_last_of(' ');
  return digits == std::string::npos ? moved_from : static_cast<std::uint32_t>(std::stoul(c.text.substr(digits + 1)));
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Fragile& c) { return c.number(); }

/// A FailingAllocation fails allocations of the storage only, and none of the roster.
template <class Storage>
using Roster = workloads::verify::Roster<Storage, testing::NoFailure>;

// ---- entities of World with the component sets that the checks need; few, because each costs compile time

template <class Roster>
std::size_t create_whole_group(Roster& roster, std::uint32_t number) {
  return roster.template create<Position, Fragile, Wide>(number);
}
/// Parts of both groups.
template <class Roster>
std::size_t create_partial(Roster& roster, std::uint32_t number) {
  return roster.template create<Name, Fragile>(number);
}
template <class Roster>
std::size_t create_second_group(Roster& roster, std::uint32_t number) {
  return roster.template create<Unique, Half, Large, Name>(number);
}
/// The first group whole, the second in part, and more, not in the order of the schema.
template <class Roster>
std::size_t create_assorted(Roster& roster, std::uint32_t number) {
  return roster.template create<Name, Wide, Position, Frozen, Fragile, Unique>(number);
}

/// Entities of every set: whole groups, parts of groups, one component, none.
template <class Roster>
void populate(Roster& roster, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    create_whole_group(roster, i);
    create_partial(roster, i);
    create_second_group(roster, i);
    create_assorted(roster, i);
    roster.template create<>();
  }
}

/// 0 .. count - 1 in an order that is always the same and follows no pattern.
[[nodiscard]] inline std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 engine(count);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  return order;
}

}  // namespace stowage::conformance

namespace stowage::workloads::verify {

/// Each component alone; of both forms of loop a part of a group, a whole group, components of two groups, of a group
/// and of none.
template <>
struct Audited<conformance::World> {
  using rows = each_alone<conformance::World::components>;
  using blocks =
      TypeList<TypeList<Position, conformance::Fragile>, TypeList<conformance::Wide, Position, conformance::Fragile>,
               TypeList<Large, conformance::Wide>, TypeList<Unique, conformance::Fragile, Frozen>>;
  using filtered = TypeList<
      TypeList<const Position, With<Frozen>>, TypeList<const Position, Without<conformance::Fragile>>,
      TypeList<Without<Large>, const Unique, Without<conformance::Wide>>,
      TypeList<const conformance::Fragile, Optional<const conformance::Wide>, Optional<const Unique>, Without<Frozen>>,
      TypeList<With<Large>, With<Position>, Without<Unique>>>;
};
template <>
struct Audited<conformance::Plain> {
  using rows = each_alone<conformance::Plain::components>;
  using blocks = TypeList<TypeList<conformance::Velocity, Position>, TypeList<conformance::Team, Position>,
                          TypeList<Frozen, conformance::Velocity, conformance::Team>>;
  using filtered =
      TypeList<TypeList<const conformance::Velocity, Without<conformance::Team>, Optional<const Position>>>;
};

}  // namespace stowage::workloads::verify
