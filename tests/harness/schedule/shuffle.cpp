#include "harness/schedule/shuffle.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

std::vector<int> zero_to_nine() {
  std::vector<int> values(10);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// Written down once: another compiler or library that finds another order would measure another thing.
TEST_CASE("the same block is shuffled in the same order everywhere") {
  std::vector<int> values = zero_to_nine();
  auto generator = generator_for(20'140'908, "join/entities:1024");
  shuffle(values, generator);
  CHECK(values == std::vector<int>{5, 9, 6, 4, 0, 1, 2, 8, 3, 7});
}

TEST_CASE("a shuffle keeps every value") {
  std::vector<int> values = zero_to_nine();
  auto generator = generator_for(1, "");
  shuffle(values, generator);
  CHECK(std::ranges::is_permutation(values, zero_to_nine()));
}

TEST_CASE("other blocks and other seeds are shuffled otherwise") {
  auto one = generator_for(1, "a");
  auto other_block = generator_for(1, "b");
  auto other_seed = generator_for(2, "a");
  const auto first = one();
  CHECK(first != other_block());
  CHECK(first != other_seed());
}

TEST_CASE("every value comes to every place equally often") {
  constexpr int rounds = 6000;
  std::vector<std::vector<int>> counts(3, std::vector<int>(3));
  auto generator = generator_for(7, "fair");
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::size_t> values = {0, 1, 2};
    shuffle(values, generator);
    for (std::size_t place = 0; place < values.size(); ++place) ++counts[place][values[place]];
  }
  for (const std::vector<int>& place : counts) {
    for (const int count : place) CHECK(count == Approx(rounds / 3).epsilon(0.05));
  }
}

TEST_CASE("below() stays below its bound") {
  auto generator = generator_for(3, "");
  for (int i = 0; i < 1000; ++i) CHECK(below(generator, 7) < 7);
  CHECK(below(generator, 1) == 0);
}

}  // namespace
}  // namespace stowage::harness
