// Frames by a fake clock: quantiles, events and histograms, and how the frames pass divides its time among cells.
#include "harness/measure/frames.hpp"

#include <numeric>

#include "tests/harness/fake_bench.hpp"
#include "tests/harness/fake_catalogue.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::harness {
namespace {

using workloads::Parameters;

/// The log of so many sequences of `march`.
FrameLog marched(const char* strategy, const char* how, std::size_t sequences) {
  const auto measurement = fake::make().maker(strategy, "march")(Parameters{.entities = 16, .values = {{"on", how}}});
  measurement->prepare();
  FrameLog log;
  for (std::size_t i = 0; i < sequences; ++i) log.record(*measurement, [] { return fake::frame_clock_ns; });
  return log;
}

TEST_CASE("quantiles are frames that were seen, absent if there are too few, and shares are of all of them") {
  const Counters counters = marched("fast", "wheels", 20).counters();
  CHECK(counters.at("frames") == 2000);
  CHECK(counters.at("frame_p50_ns") == Approx(1000));
  CHECK(counters.at("frame_p99_ns") == Approx(1000));  // one in a hundred is longer
  CHECK(counters.at("frame_p999_ns") == Approx(20e6));
  CHECK(counters.at("frame_max_ns") == Approx(20e6));
  CHECK(counters.at("frame_over_8_3_ms_share") == Approx(0.01));
  CHECK(counters.at("frame_over_16_6_ms_share") == Approx(0.01));
  const Counters few = marched("fast", "foot", 9).counters();
  for (const char* name : {"frame_p99_ns", "frame_spike_ns", "frame_p50_ns_low", "frame_p99_ns_high"}) {
    INFO(name);
    CHECK(few.contains(name));
  }
  CHECK_FALSE(marched("fast", "foot", 3).counters().contains("frame_p99_ns_high"));  // that takes 368 frames
  CHECK_FALSE(few.contains("frame_p999_ns"));
  CHECK(FrameLog().counters().empty());
}

TEST_CASE("the worst frame carries what the storage did in it and no other frame's; what it does not count is absent") {
  const Counters counters = marched("fast", "foot", 3).counters();
  CHECK(counters.at("worst_frame_growths") == 2);
  CHECK(counters.at("worst_frame_rehashes") == 0);
  CHECK(counters.at("worst_frame_sections") == 0);
  CHECK(counters.at("worst_frame_collected_rows") == 0);
  const Counters by_hand = marched("reference", "foot", 1).counters();
  CHECK_FALSE(by_hand.contains("worst_frame_growths"));
  CHECK_FALSE(counters.contains("collected_rows_per_frame"));
  CHECK_FALSE(marched("fast", "wheels", 1).counters().contains("rows_moved_per_frame"));
  CHECK(marched("twin", "wheels", 2).counters().at("rows_moved_per_frame") == 3);
  CHECK(marched("twin", "foot", 2).counters().at("rows_moved_per_frame") == 3);
}

struct WarmedCase {
  static constexpr bool repeatable = true;
  void prepare() {}
  void run() {}
  [[nodiscard]] std::size_t frames() const { return 2; }
  [[nodiscard]] std::size_t warming_frames() const { return 5; }
  void step(std::size_t) { ++steps; }
  [[nodiscard]] std::optional<StorageEvents> events() const { return StorageEvents{.collected_rows = 3 * steps}; }
  [[nodiscard]] std::uint64_t items() const { return 1; }
  [[nodiscard]] std::uint64_t checksum() const { return 0; }
  [[nodiscard]] MemoryBreakdown memory() const { return {}; }

  static inline std::size_t steps = 0;
};

TEST_CASE("warming frames are not counted") {
  workloads::MeasurementOf<WarmedCase> measurement;
  FrameLog log;
  log.record(measurement, [] { return static_cast<double>(WarmedCase::steps); });
  CHECK(WarmedCase::steps == 7);
  CHECK(log.counters().at("frames") == 2);
  CHECK(log.counters().at("collected_rows_per_frame") == 3);
}

TEST_CASE("the histogram has eight bins for each factor of ten, and loses no frame") {
  const std::vector<double> frames = {1, 100, 133, 134, 1000, 999'999, 1e6, 99e6, 100e6, 1e12};
  const std::vector<std::uint64_t> bins = frame_histogram(frames);
  REQUIRE(bins.size() == 48);
  CHECK(bins[0] == 3);
  CHECK(bins[1] == 1);
  CHECK(bins[8] == 1);
  CHECK(bins[31] == 1);
  CHECK(bins[32] == 1);
  CHECK(bins[47] == 3);
  CHECK(std::accumulate(bins.begin(), bins.end(), std::uint64_t{0}) == frames.size());
}

constexpr FramesPlan plan{.frames = 1000, .most_s_per_cell = 100, .seed = 1};

double fake_now_ns() { return fake::frame_clock_ns; }

/// A run that was timed, and whose frames are not timed yet.
struct Pass : fake::TimedRun {
  explicit Pass(const std::string& strategies, const std::string& workloads = "march")
      : TimedRun(strategies, workloads, "1k") {}
  void time_frames(const FramesPlan& wanted = plan, const SaveRun& save = fake::save_nowhere) {
    run_frames_pass(run, blocks, wanted, bench.bench(), fake_now_ns, save);
  }
};

std::uint64_t frames_in(const CellResult& cell) {
  return std::accumulate(cell.frame_histogram.begin(), cell.frame_histogram.end(), std::uint64_t{0});
}

TEST_CASE("every verified cell with frames gets their figures, and one that throws is left out with the reason") {
  Pass pass("fast,twin,wrong,stumbling,reference.loop");
  pass.time_frames();
  for (const char* strategy : {"reference", "fast", "twin"}) {
    INFO(strategy);
    CHECK(pass.cell(strategy).counters.at("frames") == 1000);
    CHECK(pass.cell(strategy).counters.at("frame_p50_ns") == Approx(1000));
    CHECK(frames_in(pass.cell(strategy)) == 1000);
  }
  CHECK(pass.cell("wrong").counters.empty());
  CHECK_FALSE(pass.cell("reference.loop").counters.contains("frames"));
  CHECK(pass.cell("reference.loop").frame_histogram.empty());
  REQUIRE(pass.run.passes.size() == 1);
  CHECK(pass.run.passes[0].pass == "frames");
  CHECK_FALSE(pass.cell("stumbling").counters.contains("frames"));
  CHECK(pass.cell("stumbling").repetitions.size() == Pass::time_plan.repetitions);
  REQUIRE(pass.run.omissions.size() == 2);
  CHECK(pass.run.omissions[0].pass == "frames");
  CHECK(pass.run.omissions[0].cell == "march/stumbling/entities:1024/on:wheels");
  CHECK(pass.run.omissions[0].reason == "threw: the hold is full");
}

TEST_CASE("work without frames has no frames pass") {
  Pass pass("fast", "walk,build");
  std::size_t saved = 0;
  pass.time_frames(plan, [&](const Run&) { ++saved; });
  CHECK_FALSE(pass.cell("fast").counters.contains("frames"));
  CHECK(pass.run.passes.empty());
  CHECK(saved == 0);
}

/// Of every strategy in a block: repeatable work is in the first, and in the second what is prepared for each sequence.
std::uint64_t frames_of_each(const FramesPlan& wanted, std::size_t block, double preparing_ns = 0) {
  fake::frame_preparing_ns = preparing_ns;
  Pass pass("fast,twin");
  pass.time_frames(wanted);
  fake::frame_preparing_ns = 0;
  const std::uint64_t frames = frames_in(pass.cell("fast", block));
  for (const char* strategy : {"reference", "fast", "twin"}) {
    INFO(strategy);
    const CellResult& cell = pass.cell(strategy, block);
    CHECK(frames_in(cell) == frames);
    CHECK(cell.counters.at("frames") == static_cast<double>(frames));
    CHECK(cell.frames_ns.size() == (wanted.keeps_frames ? frames : 0));
  }
  return frames;
}

// A sequence is 20.099 ms by the fake clock, and of a repeatable case a frame more.
TEST_CASE("all cells of a block get as many frames, as many as their time suffices for together, and may keep them") {
  CHECK(frames_of_each({.frames = 1000, .most_s_per_cell = 0.05, .seed = 1, .keeps_frames = true}, 0) == 300);
  CHECK(frames_of_each({.frames = 1000, .most_s_per_cell = 0, .seed = 1}, 0) == 100);  // however late it is
  CHECK(frames_of_each({.frames = 1000, .fewest_frames = 101, .most_s_per_cell = 0, .seed = 1}, 0) == 200);
  const FramesPlan of_50_ms{.frames = 1000, .most_s_per_cell = 0.05, .seed = 1};
  CHECK(frames_of_each(of_50_ms, 1) == 300);
  CHECK(frames_of_each(of_50_ms, 1, 30e6) == 300);   // with preparations a sequence would be all the time there is
  CHECK(frames_of_each(of_50_ms, 1, 180e6) == 100);  // so long that they are charged
}

TEST_CASE("a block that was stopped has no figures, and the pass goes on there") {
  Pass pass("fast,twin");
  REQUIRE(pass.blocks.size() == 2);
  std::size_t saved = 0;
  pass.time_frames(plan, [&](const Run&) { pass.bench.stopped = ++saved == 1; });
  CHECK(saved == 2);
  CHECK(pass.run.state.interrupted);
  CHECK(pass.cell("fast", 0).counters.contains("frames"));
  CHECK_FALSE(pass.cell("fast", 1).counters.contains("frames"));

  pass.bench.stopped = false;
  pass.run.blocks[0].cells[0].counters["frame_p50_ns"] = 17;
  pass.time_frames(plan, [&](const Run&) { ++saved; });
  CHECK(saved == 3);
  CHECK_FALSE(pass.run.state.interrupted);
  CHECK(pass.run.blocks[0].cells[0].counters.at("frame_p50_ns") == 17);
  CHECK(pass.cell("fast", 1).counters.contains("frames"));
  CHECK(pass.run.passes.size() == 1);
}

}  // namespace
}  // namespace stowage::harness
