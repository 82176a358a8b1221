#include <unistd.h>

#include <fstream>

#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/sparse_direct.hpp>
#include <stowage/sparse_direct_bitset.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/counting_new.hpp"
#include "workloads/support/components.hpp"

// What an entity with 40 bytes of components in one group may cost, registry included, as operator new counts it.
namespace stowage {
namespace {

using workloads::Acceleration;
using workloads::Mass;
using workloads::PointMassSchema;
using workloads::Position;
using workloads::Velocity;

template <class Storage>
std::size_t live_bytes_of(std::size_t count, bool reserved) {
  const std::size_t before = testing::heap().live_bytes;
  Storage storage;
  if (reserved) storage.reserve(count);
  for (std::size_t i = 0; i < count; ++i) storage.create(Mass{}, Position{}, Velocity{}, Acceleration{});
  return testing::heap().live_bytes - before;
}

TEMPLATE_TEST_CASE("a storage keeps its budget of bytes per entity", "", IndirectionMap<PointMassSchema>,
                   ArchetypeSections<PointMassSchema>) {
  for (const std::size_t count : {1, 100, 1024, 16'384, 100'000}) {
    INFO(count << " entities in reserved room");
    CHECK(live_bytes_of<TestType>(count, true) <= 56 * count + 8'192);
  }
  // right after a growth step is where the most is unused
  for (const std::size_t count : {16'384, 16'385, 20'000, 21'298, 25'000, 40'000, 60'000, 100'000}) {
    INFO(count << " entities grown one by one");
    CHECK(live_bytes_of<TestType>(count, false) <= 80 * count + 65'536);
  }
}

TEST_CASE("sections of fixed size take 32 KiB each, filled with rows to the last full vector") {
  using Storage = ArchetypeSectionsFixed32k<PointMassSchema>;
  Storage storage;
  storage.reserve(100'000);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 5'000; ++i) storage.create(Mass{}, Position{}, Velocity{}, Acceleration{});
  storage.each_block<const Mass>([&](std::span<const Mass> masses) { sizes.push_back(masses.size()); });
  REQUIRE(sizes.size() >= 7);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    CHECK(sizes[i] % 16 == 0);
    CHECK(sizes[i] * 44 <= 32'768);
    CHECK(sizes[i] * 44 > 30'720);
  }
}

/// Of this process, in pages that it has touched; nothing where the system does not say it.
std::optional<std::size_t> resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  if (!(file >> all >> resident)) return std::nullopt;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Large {
  std::array<char, 4096> bytes;
};

TEMPLATE_TEST_CASE("direct rows that grow touch no page of a component that no entity has", "",
                   (SparseDirect<Schema<Mass, Large>>), (SparseDirectBitset<Schema<Mass, Large>>)) {
  const std::optional<std::size_t> before = resident_bytes();
  if (!before) return;
  TestType storage;
  for (std::size_t i = 0; i < 5'000; ++i) storage.create(Mass{});
  CHECK(storage.memory().total_bytes() > 5'000 * sizeof(Large));
  CHECK(*resident_bytes() < *before + 12'000'000);  // the sanitizers' account of 23 MB takes a part of that
}

}  // namespace
}  // namespace stowage
