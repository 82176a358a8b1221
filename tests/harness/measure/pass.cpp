#include "harness/measure/pass.hpp"

#include "harness/measure/rounds.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

// Written down once: another compiler or library that finds another order would measure another thing.
TEST_CASE("the same block is shuffled in the same order everywhere, and others otherwise") {
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  auto generator = generator_for(20'140'908, "join/entities:1024");
  shuffle(values, generator);
  CHECK(values == std::vector<int>{5, 9, 6, 4, 0, 1, 2, 8, 3, 7});
  for (int i = 0; i < 1000; ++i) CHECK(below(generator, 7) < 7);
  CHECK(below(generator, 1) == 0);
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

/// A disk that takes its time.
struct SlowDisk {
  double now_s = 100;
  double write_s = 1;
  bool is_full = false;
  std::vector<double> written_at_s;

  SparingSave save() {
    return {[this](const Run&) {
              written_at_s.push_back(now_s);
              now_s += write_s;
              if (is_full) throw std::runtime_error("disk full");
            },
            [this] { return now_s; }};
  }
};

TEST_CASE("writing takes no more than a fiftieth of the time") {
  SlowDisk disk;
  SparingSave save = disk.save();
  const Run run;
  for (int block = 0; block < 600; ++block) {
    save(run);
    disk.now_s += 1;
  }
  const double took_s = disk.now_s - 100;
  CHECK(static_cast<double>(disk.written_at_s.size()) * disk.write_s <= took_s / 50 + disk.write_s);
  CHECK(disk.written_at_s.size() > 9);
}

TEST_CASE("a write that takes no time is made every time") {
  SlowDisk disk;
  disk.write_s = 0;
  SparingSave save = disk.save();
  for (int block = 0; block < 5; ++block) save(Run());
  CHECK(disk.written_at_s.size() == 5);
}

TEST_CASE("postponed writes are done at the end and none twice, and an interrupted run is written at once") {
  SlowDisk disk;
  SparingSave save = disk.save();
  Run run;
  save(run);
  save.finish(run);
  CHECK(disk.written_at_s.size() == 1);
  save(run);
  CHECK(disk.written_at_s.size() == 1);
  save.finish(run);
  CHECK(disk.written_at_s.size() == 2);
  run.state.interrupted = true;
  save(run);
  CHECK(disk.written_at_s.size() == 3);
}

TEST_CASE("a disk that refused a run is not asked again for the same") {
  SlowDisk disk;
  disk.is_full = true;
  SparingSave save = disk.save();
  CHECK_THROWS_AS(save(Run()), std::runtime_error);
  CHECK_NOTHROW(save.finish(Run()));
  CHECK(disk.written_at_s.size() == 1);
}

}  // namespace
}  // namespace stowage::harness
