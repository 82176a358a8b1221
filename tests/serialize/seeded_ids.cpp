#include <cmath>
#include <limits>

#include <stowage/indirection_map.hpp>
#include <stowage/serialize/serialize.hpp>

#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"

// How often random ids of 31 bits are equal, counted. That handles never are is tested in tests/model
// (round_trips.cpp).
namespace stowage::serialize_test {

struct Known {
  std::uint32_t id;
  std::uint32_t friend_id;
};

}  // namespace stowage::serialize_test

template <>
struct stowage::ComponentFormat<stowage::serialize_test::Known> {
  static constexpr auto seeded_ids = std::tuple{&serialize_test::Known::id, &serialize_test::Known::friend_id};
};

namespace stowage::serialize_test {
namespace {

/// As the article draws them: any number of 31 bits but 0.
std::vector<std::uint32_t> random_ids(std::size_t count, std::uint64_t seed) {
  workloads::Random random(seed);
  std::vector<std::uint32_t> ids(count);
  for (std::uint32_t& id : ids)
    id = static_cast<std::uint32_t>(1 + random.below(std::numeric_limits<std::int32_t>::max()));
  return ids;
}

/// Pairs of equal numbers.
std::size_t collisions(std::vector<std::uint32_t> ids) {
  std::ranges::sort(ids);
  std::size_t pairs = 0;
  for (std::size_t first = 0; first < ids.size();) {
    std::size_t end = first + 1;
    while (end < ids.size() && ids[end] == ids[first]) ++end;
    pairs += (end - first) * (end - first - 1) / 2;
    first = end;
  }
  return pairs;
}

std::vector<std::uint32_t> with_seed(const std::vector<std::uint32_t>& ids, std::uint32_t seed) {
  std::vector<std::uint32_t> others;
  for (const std::uint32_t id : ids) others.push_back(seeded_id(id, seed));
  return others;
}

}  // namespace

TEST_CASE(
    "random ids collide as often as birthdays do, of a file that is loaded twice four times as often, and not by a "
    "seed") {
  // docs/serialization.md has this table
  struct Case {
    std::size_t ids;
    std::size_t drawn;   // pairs that are equal among so many
    std::size_t loaded;  // and among those of two loads of them
  };
  for (const Case& counted :
       {Case{16'384, 0, 0}, Case{65'536, 1, 4}, Case{262'144, 14, 54}, Case{1'048'576, 244, 1'052}}) {
    const auto ids = random_ids(counted.ids, 7);
    auto twice = with_seed(ids, 0x1234'5677);
    const auto second = with_seed(ids, 0x89ab'cdef);
    twice.insert(twice.end(), second.begin(), second.end());
    INFO(counted.ids);
    CHECK(collisions(ids) == counted.drawn);
    CHECK(collisions(twice) == counted.loaded);
    // the mean of both: n (n - 1) / 2^32, and four times that
    const double mean = static_cast<double>(counted.ids) * static_cast<double>(counted.ids - 1) / 4294967296.0;
    CHECK(std::abs(static_cast<double>(counted.drawn) - mean) < 4 * std::sqrt(mean) + 2);
  }
  CHECK(seeded_id(0, 12) == 0);
  CHECK(seeded_id(77, 0) == 77);
  CHECK(collisions(with_seed(random_ids(1'000, 3), 99)) == collisions(random_ids(1'000, 3)));
}

TEST_CASE("load() makes others of ids if it is given a seed, and only then") {
  using World = Schema<Known>;
  IndirectionMap<World> storage;
  for (std::uint32_t i = 1; i <= 20; ++i) storage.create(Known{i, i == 20 ? 0 : i + 1});
  ByteBuffer file;
  save(storage, file);
  for (const std::uint32_t seed : {0u, 41u, 0xffff'fff1u}) {
    IndirectionMap<World> other;
    const auto report = load(other, file.bytes(), {.seed = seed});
    for (std::uint32_t i = 1; i <= 20; ++i) {
      const Known* const known = other.find<Known>(report.entities[i - 1]);
      CHECK(known->id == seeded_id(i, seed));
      CHECK(known->friend_id == seeded_id(i == 20 ? 0 : i + 1, seed));
    }
  }
}

}  // namespace stowage::serialize_test
