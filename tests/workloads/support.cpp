// What workloads draw and build on: frames of churn, markers of component sets, and trees.
#include "workloads/support/churn.hpp"

#include "tests/support/catch.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/markers.hpp"
#include "workloads/support/published_managers.hpp"
#include "workloads/support/trees.hpp"

namespace stowage::workloads {
namespace {

TEST_CASE("in each frame so many go, all of them different and in range") {
  const ChurnPlan plan(1000, 10, 1);
  REQUIRE(plan.pairs() == 10);
  for (std::size_t frame = 0; frame < 500; ++frame) {
    const auto places = plan.frame(frame);
    CHECK(std::set<std::uint32_t>(places.begin(), places.end()).size() == 10);
    CHECK(std::ranges::max(places) < 1000);
  }
}

TEST_CASE("frames differ, and are the same from the same seed") {
  const ChurnPlan plan(1000, 10, 1);
  const ChurnPlan same(1000, 10, 1);
  const ChurnPlan other(1000, 10, 2);
  CHECK_FALSE(std::ranges::equal(plan.frame(0), plan.frame(1)));
  CHECK(std::ranges::equal(plan.frame(7), same.frame(7)));
  CHECK_FALSE(std::ranges::equal(plan.frame(7), other.frame(7)));
}

TEST_CASE("places are drawn fairly: twice on average before the frames repeat") {
  constexpr std::size_t frames = 200;  // 2 x 1000 / 10
  const ChurnPlan plan(1000, 10, 1);
  std::vector<std::size_t> drawn(1000, 0);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    for (const std::uint32_t place : plan.frame(frame)) ++drawn[place];
  }
  CHECK(std::ranges::max(drawn) < 12);
  CHECK(std::ranges::count(drawn, 0u) < 200);  // a Poisson distribution of mean 2 leaves 135 out
  CHECK(std::ranges::equal(plan.frame(frames), plan.frame(0)));
}

TEST_CASE("however few there are, one goes") {
  const ChurnPlan plan(1, 1, 1);
  CHECK(plan.pairs() == 1);
  CHECK(plan.frame(0)[0] == 0);
  CHECK(plan.frame(1)[0] == 0);
}

TEST_CASE("rates are read as per mille") {
  CHECK(per_mille_of("0.1") == 1);
  CHECK(per_mille_of("1") == 10);
  CHECK(per_mille_of("10") == 100);
}

struct Narrow {
  std::uint32_t number;
};

TEST_CASE("managers that collect begin with the rows of the dead that stay, and those that are called with none") {
  constexpr std::size_t living = 2000;
  const ChurnPlan plan(living, 10, 1);
  const auto bytes_after = [&]<bool EndedByCalls>(std::bool_constant<EndedByCalls>, std::size_t frames) {
    PublishedManagers<EndedByCalls, Narrow, std::uint64_t> managers;
    if constexpr (!EndedByCalls) managers.settle(living, plan.pairs(), Narrow{}, 0);
    std::vector<Entity30> entities(living);
    for (std::size_t i = 0; i < living; ++i) entities[i] = managers.create(Narrow{static_cast<std::uint32_t>(i)}, i);
    for (std::size_t frame = 0; frame < frames; ++frame) {
      for (const std::uint32_t place : plan.frame(frame)) {
        managers.destroy(entities[place]);
        entities[place] = managers.create(Narrow{place}, place);
      }
      collect(managers);
    }
    for (std::size_t i = 0; i < living; ++i) {
      const auto [narrow, wide] = managers.template find<Narrow, std::uint64_t>(entities[i]);
      REQUIRE((narrow != nullptr && wide != nullptr && narrow->number == i && *wide == i));
    }
    CHECK(managers.size() == living);
    const MemoryBreakdown bytes = managers.memory();
    CHECK(bytes.payload_bytes == living * 12);
    return static_cast<double>(bytes.index_bytes);
  };
  const double first = bytes_after(std::false_type{}, 0);
  for (const std::size_t frames : {100u, 300u})
    CHECK(std::abs(bytes_after(std::false_type{}, frames) / first - 1) < 0.2);
  CHECK(first > 1.8 * bytes_after(std::true_type{}, 300));
}

// ---- markers

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

// ---- trees

constexpr Creation orders[] = {Creation::by_breadth, Creation::by_depth, Creation::scattered, Creation::shuffled};

TEST_CASE("every node is created once, and no child before its parent") {
  for (const Creation order : orders) {
    const TreePlan plan = plan_tree(tree_parents(1000, 4), order, 100, 1);
    std::vector<bool> created(plan.size());
    for (const std::uint32_t node : plan.creation) {
      CHECK_FALSE(created[node]);
      CHECK((node == 0 || created[plan.parents[node]]));
      created[node] = true;
    }
    CHECK(plan.creation.size() == plan.size());
  }
}

TEST_CASE("scattered nodes are attached in another order than they are created in") {
  const TreePlan plan = plan_tree(flat_parents(1000), Creation::scattered, 100, 1);
  CHECK(plan.attachment == in_order(1000));
  CHECK(plan.creation != plan.attachment);
  CHECK(plan.creation.front() == 0);
}

TEST_CASE("by depth every node of a chain comes right after the one above it, by breadth after all of its level") {
  constexpr std::size_t depth = 10, chains = 100;
  const TreePlan deep = plan_tree(chain_parents(1 + depth * chains, depth), Creation::by_depth, 100, 1);
  const TreePlan broad = plan_tree(chain_parents(1 + depth * chains, depth), Creation::by_breadth, 100, 1);
  for (std::size_t i = 1; i < deep.size(); ++i) {
    const bool begins_a_chain = i % depth == 1;
    CHECK(deep.parents[deep.creation[i]] == (begins_a_chain ? 0 : deep.creation[i - 1]));
    CHECK(broad.parents[broad.creation[i]] == (i <= chains ? 0 : broad.creation[i - chains]));
  }
}

}  // namespace
}  // namespace stowage::workloads
