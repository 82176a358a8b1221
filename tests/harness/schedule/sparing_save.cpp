#include "harness/schedule/sparing_save.hpp"

#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

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

TEST_CASE("what was put off is written at the end, and nothing twice") {
  SlowDisk disk;
  SparingSave save = disk.save();
  const Run run;
  save(run);
  save.finish(run);
  CHECK(disk.written_at_s.size() == 1);
  save(run);
  CHECK(disk.written_at_s.size() == 1);
  save.finish(run);
  CHECK(disk.written_at_s.size() == 2);
}

TEST_CASE("an interrupted run is written at once") {
  SlowDisk disk;
  SparingSave save = disk.save();
  Run run;
  save(run);
  run.state.interrupted = true;
  save(run);
  CHECK(disk.written_at_s.size() == 2);
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
