#include "workloads/support/churn.hpp"

#include "tests/support/catch.hpp"

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

}  // namespace
}  // namespace stowage::workloads
