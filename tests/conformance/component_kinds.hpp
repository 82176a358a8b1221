#pragma once

// Checks that any nothrow-movable type is a component: with destructors, over-aligned, empty, movable only, awkward.
#include "tests/conformance/components.hpp"

namespace stowage::conformance {

template <template <class> class Strategy>
void constructors_and_destructors_balance() {
  {
    Roster<Strategy<World>> roster;
    const auto balanced = [&] {
      roster.end_what_is_left();
      require(Fragile::living == static_cast<std::ptrdiff_t>(roster.template holders<Fragile>()),
              "constructors and destructors are not balanced");
    };
    populate(roster, 60);
    roster.template create_many<Position, Fragile, Wide>(50, 5);
    balanced();
    for (std::size_t i = 0; i < roster.created(); i += 3) roster.destroy(i);
    balanced();
    for (std::size_t i = 1; i < roster.created(); i += 3) roster.template remove<Fragile>(i);
    balanced();
    for (std::size_t i = 2; i < roster.created(); i += 3) roster.template remove<Position>(i);
    for (std::size_t i = 2; i < roster.created(); i += 3) roster.template emplace<Fragile>(i, 6);
    balanced();
    roster.check();
    roster.clear();
    balanced();
    populate(roster, 10);
    balanced();
  }
  require(Fragile::living == 0, "components outlive their storage");
}

template <class Storage>
void require_alignment(Storage& storage) {
  std::size_t seen = 0;
  storage.template each<const Wide>([&](const Wide& wide) {
    require(is_aligned(&wide, 64), "a component with an alignment of 64 bytes has less");
    ++seen;
  });
  storage.template each<const Half>([&](const Half& half) {
    require(is_aligned(&half, 32), "a component with an alignment of 32 bytes has less");
    ++seen;
  });
  storage.template each_block<const Wide>([&](const auto& wides) {
    for (std::size_t i = 0; i < wides.size(); ++i) require(is_aligned(&wides[i], 64), "a block is misaligned");
  });
  require(seen != 0, "nothing over-aligned was seen");
}

template <template <class> class Strategy>
void over_aligned_components_are_aligned() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t i = 0; i < 150; ++i) {
    create_assorted(roster, i);
    create_second_group(roster, i);
    require_alignment(roster.storage);
  }
  for (std::size_t i = 0; i < roster.created(); ++i) {
    if (i % 4 == 0) roster.template remove<Position>(i);  // its Wide leaves the group
    if (i % 5 == 0) roster.destroy(i);
  }
  require_alignment(roster.storage);
}

/// Overloads the operators that generic code likes to use, has neither default constructor nor assignment, would rather
/// be made from a list of itself, and has a function that references to spread components have.
class Awkward {
 public:
  explicit Awkward(std::uint32_t number) : numbers_{number, number + 1} {}
  Awkward(std::initializer_list<Awkward>) = delete;
  Awkward(const Awkward&) = default;
  Awkward(Awkward&&) noexcept = default;
  Awkward& operator=(const Awkward&) = delete;
  Awkward& operator=(Awkward&&) = delete;
  ~Awkward() = default;

  void operator&() const = delete;
  template <class Other>
  void operator,(const Other&) const = delete;
  void lend() const {}

  [[nodiscard]] std::uint32_t number() const { return numbers_[1] - 1; }

 private:
  std::vector<std::uint32_t> numbers_;
};

/// Numbers, enumerations and pointers do as well as structs, the type that storages name owners by included.
enum class Colour : std::uint16_t { red = 1, green = 2 };
using Oddities = Schema<Group<std::uint32_t, Awkward>, Colour, const char*>;

template <template <class> class Strategy>
void awkward_types_are_components() {
  Strategy<Oddities> storage;
  std::vector<typename Strategy<Oddities>::entity_type> handles;
  handles.reserve(40);
  for (std::uint32_t i = 0; i < 40; ++i) handles.push_back(storage.create(Awkward(i), i, Colour::green));
  for (std::size_t i = 0; i < 40; i += 2) storage.template emplace<const char*>(handles[i], "text");
  for (std::size_t i = 0; i < 40; i += 4) storage.template remove<std::uint32_t>(handles[i]);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const auto [awkward, number] = storage.template find<Awkward, std::uint32_t>(handles[i]);
    require(awkward != nullptr && awkward->number() == i, "a component with awkward operators is lost");
    require((number == nullptr) == (i % 4 == 0) && (number == nullptr || *number == i), "a plain number is lost");
    storage.template emplace<Awkward>(handles[i], i + 100);
  }
  std::uint32_t sum = 0;
  storage.template each<const Awkward, Colour>([&](const Awkward& awkward, Colour& colour) {
    sum += awkward.number();
    colour = Colour::red;
  });
  require(sum == 40 * 100 + 39 * 20, "each() does not show components with awkward operators");
  for (const auto handle : handles) storage.destroy(handle);
  require(storage.template count<Awkward>() == 0, "count() is wrong");
}

/// The arguments of emplace() construct the component, as an aggregate too.
template <template <class> class Strategy>
void emplace_constructs_from_arguments() {
  Strategy<World> storage;
  const auto entity = storage.create();
  require(number_of(storage.template emplace<Position>(entity, 1u, 2u, 3u)) == 1, "an aggregate is made otherwise");
  require(storage.template emplace<Name>(entity, "words").text == "words", "an aggregate is made otherwise");
  require(storage.template emplace<Fragile>(entity, 4u).number() == 4, "a class is made otherwise");
  require(storage.template emplace<Name>(entity).text.empty(), "no arguments do not make an empty component");
}

/// A component that is added where there is room is made in its place and not moved there.
template <template <class> class Strategy>
void emplace_makes_a_component_where_it_stays() {
  if constexpr (DerivedForms<Strategy<ProbeSchema>>) {
    Strategy<World> storage;
    storage.template emplace<Fragile>(storage.create(), 1u);  // which makes room for more
    const auto entity = storage.create();
    const std::size_t moves = Fragile::moves;
    storage.template emplace<Fragile>(entity, 2u);
    require(Fragile::moves == moves, "emplace() moves what it makes, although there is room");
  }
}

template <template <class> class Strategy>
inline constexpr std::array component_kind_checks{
    STOWAGE_CHECK(constructors_and_destructors_balance, bulk_creation, structural_change),
    STOWAGE_CHECK(over_aligned_components_are_aligned, over_alignment, structural_change, block_iteration),
    STOWAGE_CHECK(awkward_types_are_components, structural_change),
    STOWAGE_CHECK(emplace_constructs_from_arguments, structural_change),
    STOWAGE_CHECK(emplace_makes_a_component_where_it_stays, structural_change),
};

}  // namespace stowage::conformance
