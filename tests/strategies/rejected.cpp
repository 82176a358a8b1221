// What must not compile and has no message of ours: a constraint takes it away, and here the compiler is asked whether
// it does. Errors that say what is missing are in tests/compile_fail.
#include <array>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include <stowage/indirection_map.hpp>

#include "tests/support/partial_storage.hpp"

namespace stowage::rejected {
namespace {

using probe::Position;
struct Stranger {};

// ---- components that the schema does not have, or that are named twice

template <class S, class... Cs>
concept Emplaces = requires(S storage, typename S::entity_type entity) { (storage.template emplace<Cs>(entity), ...); };
template <class S, class... Cs>
concept Removes = requires(S storage, typename S::entity_type entity) { (storage.template remove<Cs>(entity), ...); };
template <class S, class... Cs>
concept Finds = requires(S storage, typename S::entity_type entity) { storage.template find<Cs...>(entity); };
template <class S, class... Cs>
concept Visits = requires(S storage, probe::Visitor visitor) { storage.template each<Cs...>(visitor); };
template <class S, class... Cs>
concept CreatesFrom = requires(S storage) { storage.create(Cs{}...); };

using Storage = IndirectionMap<ProbeSchema>;
using probe::Velocity;

static_assert(Emplaces<Storage, Position> && !Emplaces<Storage, Stranger>);
static_assert(Removes<Storage, Position> && !Removes<Storage, Stranger>);
static_assert(Finds<Storage, Position, Velocity> && !Finds<Storage, Position, Position>);
static_assert(Visits<Storage, Position, Velocity> && !Visits<Storage, Position, Stranger>);
static_assert(CreatesFrom<Storage, Position, Velocity> && !CreatesFrom<Storage, Position, Stranger>);

// ---- handles that cannot be kept, and columns of strangers; a component that is a range is no list of handles

template <class S, class... Arguments>
concept CreatesMany =
    requires(S storage, Arguments&&... arguments) { storage.create(std::forward<Arguments>(arguments)...); };
using Handles = std::vector<Entity>;

static_assert(CreatesMany<Storage, Handles&> && !CreatesMany<Storage, Handles> &&
              !CreatesMany<Storage, const Handles&>);
static_assert(CreatesMany<Storage, Handles&, std::vector<Position>, std::array<Velocity, 3>&>);
static_assert(CreatesMany<Storage, Entity (&)[3], const Position (&)[3]>);
static_assert(!CreatesMany<Storage, Handles&, std::vector<Stranger>&>);
static_assert(!CreatesMany<Storage, Handles&, std::vector<Position>&, std::vector<Position>&>);
using Parents = IndirectionMap<Schema<Handles, std::string>>;
static_assert(std::same_as<decltype(std::declval<Parents&>().create(std::declval<Handles&>())), Entity>);

// ---- what a const storage shows may not be changed

template <class S>
using Found = decltype(std::declval<S&>().template find<Position>(Entity{}));
static_assert(std::same_as<Found<Storage>, Position*> && std::same_as<Found<const Storage>, const Position*>);

// ---- a part of the contract is not the whole

static_assert(MeasurableStorage<testing::PartialStorage<ProbeSchema>>);
static_assert(!stowage::Storage<testing::PartialStorage<ProbeSchema>>);

// ---- what component types may be, beside those that tests/compile_fail has

static_assert(Schema<Group<Position>, std::string>::component_count == 2);

}  // namespace
}  // namespace stowage::rejected
