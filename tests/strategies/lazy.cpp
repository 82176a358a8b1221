// Lazy rows: what a collection costs, and when dead rows end. Conformance and the model test that they are hidden.
#include <algorithm>
#include <cmath>

#include <stowage/indirection_map_lazy.hpp>

#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"

namespace stowage {
namespace {

class Counted {
 public:
  explicit Counted(std::uint32_t number) : number_(number) { ++living; }
  Counted(Counted&& other) noexcept : number_(other.number_) { ++living; }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --living; }

  [[nodiscard]] std::uint32_t number() const { return number_; }
  static inline std::size_t living = 0;

 private:
  std::uint32_t number_;
};
struct Partner {
  std::uint32_t number;
};
struct Alone {
  std::uint32_t number;
};
using Components = Schema<Group<Counted, Partner>, Alone>;
using Storage = IndirectionMapLazy<Components>;
constexpr std::size_t pools = 4;

std::vector<Entity> populate(Storage& storage, std::size_t count) {
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < count; ++i) {
    entities.push_back(storage.create(Counted(i), Partner{i}, Alone{i}));
  }
  return entities;
}

/// Destroys `count` of them, chosen at random.
template <class AnyStorage>
void destroy_some(AnyStorage& storage, std::vector<Entity>& entities, std::size_t count) {
  workloads::Random random(count);
  for (std::size_t i = entities.size(); i > 1; --i) std::swap(entities[i - 1], entities[random.below(i)]);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(storage.destroy(entities[i]));
  entities.erase(entities.begin(), entities.begin() + static_cast<std::ptrdiff_t>(count));
}

TEST_CASE("a frame in which nothing is dead costs no probe, one death few, and many deaths many") {
  Storage storage;
  std::vector<Entity> entities = populate(storage, 10'000);
  CHECK(storage.collect().probes == 0);
  destroy_some(storage, entities, 1);
  const parts::Collected one = storage.collect();
  CHECK(one.probes <= 4 * pools + 4 * one.rows);
  storage.collect_all();
  CHECK(Counted::living == entities.size());
  CHECK(storage.collect().probes == 0);
  destroy_some(storage, entities, 8'999);
  CHECK(Counted::living == 9'999);
  std::size_t frames = 0;
  std::size_t rows = 0;
  while (Counted::living > entities.size()) {
    const parts::Collected done = storage.collect();
    CHECK(done.probes <= 4 * pools + 4 * done.rows);
    if (frames++ == 0) CHECK(done.rows > 1'000);
    rows += done.rows;
    REQUIRE(frames < 5'000);
  }
  CHECK(rows <= 2 * 9'000);
  storage.collect_all();
  CHECK(storage.count<Alone>() == entities.size());
  for (const Entity entity : entities) REQUIRE(storage.find<Alone>(entity) != nullptr);
}

/// Collections that it takes on average until of `dead` rows beside `living` ones `left` are left, and the rows that
/// one of them ends where all are still there: see indirection_map_lazy.hpp.
double rows_of_a_collection(std::size_t dead, std::size_t living) {
  return std::pow(1 + static_cast<double>(dead) / static_cast<double>(living), 4) - 1;
}
double expected_collections(std::size_t dead, std::size_t living, std::size_t left) {
  double collections = 0;
  for (std::size_t rows = dead; rows > left; --rows) collections += 1 / rows_of_a_collection(rows, living);
  return collections;
}

TEST_CASE("of a mass death some rows stay for thousands of frames, at four probes each") {
  constexpr std::size_t count = 16'384;
  for (const std::size_t percent : {1, 50, 90}) {
    INFO(percent << " % dead");
    const std::size_t dead = count * percent / 100;
    IndirectionMapLazy<Schema<Alone>> storage;
    std::vector<Entity> entities;
    for (std::uint32_t i = 0; i < count; ++i) entities.push_back(storage.create(Alone{i}));
    destroy_some(storage, entities, dead);
    std::size_t until_a_tenth = 0, until_none = 0, probes = 0;
    for (std::size_t left = dead; left != 0; ++until_none) {
      const parts::Collected collected = storage.collect();
      left -= collected.rows;
      probes += collected.probes;
      if (left > dead / 10) ++until_a_tenth;
    }
    CHECK(storage.collect().probes == 0);
    const auto expected = [&](std::size_t left) { return expected_collections(dead, count - dead, left); };
    CHECK(static_cast<double>(until_a_tenth) == Approx(expected(dead / 10)).epsilon(percent == 1 ? 0.3 : 0.1));
    // the last few are a matter of luck
    CHECK(static_cast<double>(until_none) == Approx(expected(0)).epsilon(0.5));
    // a row that is ended pays for at most four probes more, beside the four with which each collection ends
    CHECK(probes <= 4 * (until_none + dead));
  }
}

TEST_CASE("as published, a pool without rows of the dead is looked at four times, too") {
  IndirectionMapLazyProbing<Schema<Alone>> storage;
  CHECK(storage.collect().probes == 0);  // there are no rows
  storage.create(Alone{1});
  CHECK(storage.collect().probes == 4);
}

TEST_CASE("when all are dead one collection ends everything") {
  Storage storage;
  std::vector<Entity> entities = populate(storage, 1'000);
  destroy_some(storage, entities, 1'000);
  const parts::Collected all = storage.collect();
  CHECK(all.rows == 2 * 1'000);
  CHECK(all.probes == all.rows);
  CHECK(storage.events().collected_rows == all.rows);
  CHECK(Counted::living == 0);
}

TEST_CASE("a loop that comes to a row of the dead gives out the handle that has died") {
  Storage storage;
  const std::vector<Entity> entities = populate(storage, 3);
  storage.each<Alone>([&](Entity entity, Alone&) {
    REQUIRE(std::ranges::count(entities, entity) == 1);
    if (storage.size() > 1) {
      for (const Entity other : entities) {
        if (other != entity) storage.destroy(other);
      }
    }
    CHECK((storage.alive(entity) || !storage.destroy(entity)));
  });
  CHECK(storage.size() == 1);
  CHECK(storage.create(Alone{4}) != storage.create(Alone{5}));
}

TEST_CASE("a component of the storage itself may be copied into an entity whose index has old rows") {
  Storage storage;
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < 40; ++i) entities.push_back(storage.create(Alone{i}));
  for (std::size_t i = 0; i < 39; ++i) {
    storage.destroy(entities[i]);
    const Entity copy = storage.create(*storage.find<Alone>(entities[39]));  // the last row, which fills the hole
    REQUIRE(storage.find<Alone>(copy)->number == 39);
  }
}

TEST_CASE("a full pool ends the rows of the dead before it grows") {
  Storage storage;
  storage.reserve(1'000);
  std::vector<Entity> entities = populate(storage, 1'000);
  destroy_some(storage, entities, 500);
  const std::size_t held = storage.memory().total_bytes();
  populate(storage, 500);
  CHECK(storage.memory().total_bytes() - held <= 8 * 1'024);  // what the queue of free indices takes
  CHECK(Counted::living == 1'000);
}

template <std::size_t>
struct Numbered {
  std::uint32_t number;
};
template <class Numbers>
struct NumberedSchema;
template <std::size_t... Numbers>
struct NumberedSchema<std::index_sequence<Numbers...>> {
  using type = Schema<Numbered<Numbers>...>;
};

TEMPLATE_TEST_CASE_SIG("rows of the dead are told apart in as many pools as a note has bits", "",
                       ((std::size_t pools), pools), 15, 16, 31, 32, 63) {
  using Last = Numbered<pools - 1>;
  IndirectionMapLazy<typename NumberedSchema<std::make_index_sequence<pools>>::type> storage;
  const Entity dead = storage.create(Numbered<0>{1}, Last{2});
  const Entity alive = storage.create(Last{3});
  storage.destroy(dead);
  CHECK(storage.template count<Last>() == 1);
  CHECK(storage.template find<Last>(dead) == nullptr);
  storage.collect_all();
  REQUIRE(storage.template find<Last>(alive) != nullptr);
  CHECK(storage.template find<Last>(alive)->number == 3);
  CHECK(storage.template count<Numbered<0>>() == 0);
}

}  // namespace
}  // namespace stowage
