#include "workloads/support/markers.hpp"

#include <stowage/indirection_map.hpp>

#include "tests/support/catch.hpp"

namespace stowage::workloads {
namespace {

/// Remembers which sets an entity has gone through.
struct Witness {
  using entity_type = Entity;
  std::size_t set = 0;
  std::set<std::size_t> seen;

  template <class C>
  void emplace(Entity) {
    set |= bit_of(C{});
    seen.insert(set);
  }
  template <std::size_t Bit>
  static std::size_t bit_of(Marker<Bit>) {
    return std::size_t{1} << Bit;
  }
};

TEST_CASE("an entity gets the markers of its set, through smaller sets only") {
  for (std::size_t set = 0; set < 64; ++set) {
    Witness witness;
    mark<6>(witness, Entity(), set);
    INFO(set);
    CHECK(witness.set == set);
    CHECK((witness.seen.empty() || *witness.seen.rbegin() == set));
  }
}

TEST_CASE("markers can be counted") {
  IndirectionMap<SchemaWithMarkers<3>> storage;
  for (std::size_t set = 0; set < 8; ++set) mark<3>(storage, storage.create(), set);
  CHECK(storage.count<Marker<0>>() == 4);
  CHECK(storage.count<Marker<2>>() == 4);
}

}  // namespace
}  // namespace stowage::workloads
