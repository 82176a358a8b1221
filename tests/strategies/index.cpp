#include <cstddef>
#include <vector>

#include <stowage/contract/errors.hpp>
#include <stowage/hash_index.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/parts/room.hpp>

#include "tests/support/catch.hpp"
#include "workloads/contract/components.hpp"

// What an index does beside finding rows: it says how many there can be, and what it had to do to know them.
namespace stowage {
namespace {

using workloads::Acceleration;
using workloads::Mass;
using workloads::PointMassSchema;
using workloads::Position;
using workloads::Velocity;

template <class Storage>
auto create_point_mass(Storage& storage) {
  return storage.create(Mass{}, Position{}, Velocity{}, Acceleration{});
}

// ---- events

TEST_CASE("rows, map and registry of an indirection map count each growth of theirs") {
  IndirectionMap<PointMassSchema> storage;
  for (int i = 0; i < 16; ++i) create_point_mass(storage);
  CHECK(storage.events() == StorageEvents{});  // memory where there was none is no growth
  for (int i = 0; i < 17; ++i) create_point_mass(storage);
  CHECK(storage.events() == StorageEvents{.growths = 2 * 3});
}

TEST_CASE("a hash table that is built anew is counted, and what is reserved is never given back") {
  HashIndex<PointMassSchema> storage;
  storage.reserve<Mass, Position, Velocity, Acceleration>(1000);
  CHECK(storage.events() == StorageEvents{});
  std::vector<Entity> out(20);
  const std::vector<Position> positions(20);
  for (int i = 0; i < 50; ++i) {
    create_point_mass(storage);
    storage.create(std::span(out), std::span<const Position>(positions));
  }
  CHECK(storage.events().rehashes == 6);  // the table of Position alone, which was not reserved: 15 << 7 slots
  for (int i = 0; i < 950; ++i) create_point_mass(storage);
  CHECK(storage.events().rehashes == 6);
}

// ---- room

TEST_CASE("room never grows beyond what the index can number") {
  using Room = parts::GrowingRoom<100>;
  CHECK(Room::grown(0, 1) == 16);
  CHECK(Room::grown(64, 65) == 100);
  CHECK(Room::grown(64, 100) == 100);
  CHECK_THROWS_AS(Room::grown(100, 101), RowsExhausted);
  CHECK(Room::reserved(100) == 100);
  CHECK_THROWS_AS(Room::reserved(101), RowsExhausted);
  CHECK_THROWS_WITH(Room::reserved(101), ContainsSubstring("100"));
}

}  // namespace
}  // namespace stowage
