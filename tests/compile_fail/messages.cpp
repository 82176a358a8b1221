// Code that must not compile, because of which the compiler says what is missing. The comment on each violation quotes
// its error. What is rejected without a message of ours is in tests/strategies/rejected.cpp.
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <stowage/indirection_map.hpp>
#include <stowage/serialize/serialize.hpp>

#include "tests/support/partial_storage.hpp"

namespace {

// ---- a storage without one of the capabilities: the error begins with its name

using Complete = stowage::IndirectionMap<stowage::ProbeSchema>;

class NoDestroy : public Complete {
  using Complete::destroy;
};
class NoFind : public Complete {
  using Complete::find;
};
class NoRemove : public Complete {
  using Complete::remove;
};
class NoBlocks : public Complete {
  using Complete::each_block;
};
class NoTables : public Complete {
  using Complete::each_table;
};
class NoCopies : public Complete {
  using Complete::create_copies;
};
class NoClear : public Complete {
  using Complete::clear;
};
class TotalOnly : public Complete {
 public:
  [[nodiscard]] std::size_t memory() const { return Complete::memory().total_bytes(); }
};
class NoCard : public Complete {
  using Complete::semantics;
};

// error: EntityLifecycle:
static_assert(stowage::assert_storage<NoDestroy>());
// error: ComponentAccess:
static_assert(stowage::assert_storage<NoFind>());
// error: StructuralChange:
static_assert(stowage::assert_storage<NoRemove>());
// error: ComponentIteration:
static_assert(stowage::assert_storage<NoBlocks>());
// error: TableExchange:
static_assert(stowage::assert_storage<NoTables>());
// error: DerivedForms:
static_assert(stowage::assert_storage<NoCopies>());
// error: Capacity:
static_assert(stowage::assert_storage<NoClear>());
// error: MemoryAccounting:
static_assert(stowage::assert_storage<TotalOnly>());
// error: StatedSemantics:
static_assert(stowage::assert_storage<NoCard>());

// ---- an adapter whose statement of what it lacks is wrong: the error begins with the name of that

using Partial = stowage::testing::PartialStorage<stowage::ProbeSchema>;

class LessThanTheLeast : public Partial {
  using Partial::find;
};
class LacksWhatItHas : public Partial {
 public:
  void reserve(std::size_t) {}
  template <class... Cs>
    requires(sizeof...(Cs) > 0)
  void reserve(std::size_t) {}
};
class SaysTooLittle : public Partial {
 public:
  static constexpr std::array lacking = [] {
    auto lacks = Partial::lacking;
    lacks[1] = lacks[0];  // says nothing of structural_change
    return lacks;
  }();
  static_assert(Partial::lacking[1].capability == stowage::Capability::structural_change);
};
class WholeButDeniesIt : public Complete {
 public:
  static constexpr std::array lacking{stowage::Lack{stowage::Capability::reservation, "it does not, in truth"}};
};

// error: ComponentAccess:
static_assert(stowage::assert_partial_storage<LessThanTheLeast>());
// error: reservation:
static_assert(stowage::assert_partial_storage<LacksWhatItHas>());
// error: structural_change:
static_assert(stowage::assert_partial_storage<SaysTooLittle>());
// error: lacks nothing
static_assert(stowage::assert_storage<WholeButDeniesIt>());

// ---- component types that the contract does not allow

struct ThrowsWhenMoved {
  ThrowsWhenMoved() = default;
  ThrowsWhenMoved(ThrowsWhenMoved&&) noexcept(false) {}
};
struct ThrowsWhenDestroyed {
  ThrowsWhenDestroyed() = default;
  ThrowsWhenDestroyed(ThrowsWhenDestroyed&&) noexcept {}
  ~ThrowsWhenDestroyed() noexcept(false) {}
};

template <class... Entries>
constexpr bool is_schema = stowage::Schema<Entries...>::component_count != 0;

using stowage::probe::Position;

// error: nothrow move constructible
static_assert(is_schema<Position, ThrowsWhenMoved>);
// error: nothrow destructible
static_assert(is_schema<stowage::Group<Position, ThrowsWhenDestroyed>>);
// error: names each component once
static_assert(is_schema<stowage::Group<Position, std::string>, Position>);
// error: a component is in a group or Sparse<>
static_assert(is_schema<stowage::Group<Position, std::string>, stowage::Sparse<std::string>>);
// error: are no components
static_assert(is_schema<stowage::Group<Position, stowage::Sparse<std::string>>>);
// error: are no components
static_assert(is_schema<Position, stowage::Changed<stowage::Sparse<int>>>);
// error: plain object type
static_assert(is_schema<Position&>);
// error: plain object type
static_assert(is_schema<const Position>);

// ---- components that cannot be written as they are

struct Name {
  std::string text;
};
struct Title {
  std::string text;
};
struct Crowd {
  std::vector<stowage::Entity>* members;
};
struct Health {
  int points;
};
struct Hearts {
  int number;
};
struct Stranger {
  stowage::Entity30 entity;
};

}  // namespace

template <>
struct stowage::ComponentFormat<Title> {
  static void encode(const Title& title, ByteWriter& to) { to.write(std::string_view(title.text)); }
};
template <>
struct stowage::ComponentFormat<Crowd> {
  static constexpr auto references = std::tuple{&Crowd::members};
};
template <>
struct stowage::ComponentFormat<Health> {
  static constexpr std::string_view name = "health";
};
template <>
struct stowage::ComponentFormat<Hearts> : ComponentFormat<Health> {};
template <>
struct stowage::ComponentFormat<Stranger> {
  static constexpr auto references = std::tuple{&Stranger::entity};
};

namespace {

// error: needs a codec
[[maybe_unused]] const auto of_name = stowage::serialize::operations_of(stowage::TypeList<Name>{});
// error: go together
[[maybe_unused]] const auto of_title = stowage::serialize::operations_of(stowage::TypeList<Title>{});
// error: that lie in it
[[maybe_unused]] const auto of_crowd = stowage::serialize::operations_of(stowage::TypeList<Crowd>{});
// error: two components have one name
[[maybe_unused]] const auto of_both = stowage::serialize::operations_of(stowage::TypeList<Health, Hearts>{});

[[maybe_unused]] void save_strangers(const stowage::IndirectionMap<stowage::Schema<Stranger>>& storage) {
  stowage::ByteBuffer file;
  // error: a reference is a handle of the storage that it is in
  stowage::save(storage, file);
}

// ---- what a const storage shows may not be changed

[[maybe_unused]] void change(const Complete& storage) {
  // error: a const storage shows its components as const: each<const C>
  storage.each<Position>([](auto&...) {});
  // error: a const storage shows its components as const: each_block<const C>
  storage.each_block<Position>([](auto...) {});
}

// ---- functions that no loop can call: both forms are named, with their number of parameters

[[maybe_unused]] void visit(Complete& storage) {
  // error: function of 1 parameter, (component&), or of 2, (Entity, component&)
  storage.each<Position>([](Position&, int, int) {});
  // error: function of 2 parameters, (components&...), or of 3, (Entity, components&...)
  storage.each<Position, stowage::probe::Velocity>([](Position&) {});
  // error: function of 2 parameters, (components&...), or of 3, (Entity, components&...)
  storage.each_block<Position, stowage::probe::Name>([](Position&) {});
}

// ---- columns of what cannot be copied

[[maybe_unused]] void create(stowage::IndirectionMap<stowage::Schema<std::unique_ptr<int>>>& storage) {
  std::vector<stowage::Entity> out(2);
  // error: create_copies() copy components
  storage.create(out, std::vector<std::unique_ptr<int>>(2));
}

// ---- filters that no loop can have

[[maybe_unused]] void filter(Complete& storage) {
  // error: contradictory filters
  storage.each<Position, stowage::With<stowage::probe::Name>, stowage::Without<stowage::probe::Name>>([](auto&...) {});
  // error: names each component once
  storage.each<Position, stowage::Optional<Position>>([](auto&&...) {});
  // error: a loop needs a component
  storage.each<stowage::Without<Position>>([](auto&&...) {});
}

}  // namespace
