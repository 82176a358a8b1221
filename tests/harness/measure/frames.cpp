#include "harness/measure/frames.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "tests/harness/fake_catalogue.hpp"
#include "tests/support/catch.hpp"
#include "workloads/contract/measurement.hpp"

namespace stowage::harness {
namespace {

using workloads::Parameters;

/// So many sequences of the frames that `march` has.
FrameLog marched(const char* strategy, const char* how, std::size_t sequences) {
  const auto measurement = fake::make().maker(strategy, "march")(Parameters{.entities = 16, .values = {{"on", how}}});
  measurement->prepare();
  FrameLog log;
  for (std::size_t i = 0; i < sequences; ++i) log.record(*measurement, [] { return fake::frame_clock_ns; });
  return log;
}

TEST_CASE("quantiles are frames that were seen, and shares are of all of them") {
  const Counters counters = marched("fast", "wheels", 20).counters();
  CHECK(counters.at("frames") == 2000);
  CHECK(counters.at("frame_p50_ns") == Approx(1000));
  CHECK(counters.at("frame_p99_ns") == Approx(1000));  // one in a hundred is longer
  CHECK(counters.at("frame_p999_ns") == Approx(20e6));
  CHECK(counters.at("frame_max_ns") == Approx(20e6));
  CHECK(counters.at("frame_over_8_3_ms_share") == Approx(0.01));
  CHECK(counters.at("frame_over_16_6_ms_share") == Approx(0.01));
}

TEST_CASE("a quantile that so few frames cannot tell is absent") {
  const Counters counters = marched("fast", "foot", 9).counters();
  CHECK(counters.contains("frame_p99_ns"));
  CHECK(counters.contains("frame_spike_ns"));
  CHECK(counters.contains("frame_p50_ns_low"));
  CHECK(counters.contains("frame_p99_ns_high"));
  CHECK_FALSE(marched("fast", "foot", 3).counters().contains("frame_p99_ns_high"));  // that takes 368 frames
  CHECK_FALSE(counters.contains("frame_p999_ns"));
  CHECK(FrameLog().counters().empty());
}

TEST_CASE("the worst frame carries what the storage did in it, and no other frame's") {
  const Counters counters = marched("fast", "foot", 3).counters();
  CHECK(counters.at("worst_frame_growths") == 2);
  CHECK(counters.at("worst_frame_rehashes") == 0);
  CHECK(counters.at("worst_frame_sections") == 0);
  CHECK(counters.at("worst_frame_collected_rows") == 0);
}

TEST_CASE("what a storage does not count is absent") {
  const Counters by_hand = marched("reference", "foot", 1).counters();
  CHECK_FALSE(by_hand.contains("worst_frame_growths"));
  CHECK_FALSE(marched("fast", "wheels", 1).counters().contains("rows_moved_per_frame"));
}

TEST_CASE("rows moved are those of the frames that count") {
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
  [[nodiscard]] std::optional<StorageEvents> events() const { return std::nullopt; }
  [[nodiscard]] std::uint64_t items() const { return 1; }
  [[nodiscard]] std::uint64_t checksum() const { return 0; }
  [[nodiscard]] MemoryBreakdown memory() const { return {}; }

  static inline std::size_t steps = 0;
};

TEST_CASE("frames that only warm are not looked at") {
  workloads::MeasurementOf<WarmedCase> measurement;
  FrameLog log;
  log.record(measurement, [] { return static_cast<double>(WarmedCase::steps); });
  CHECK(WarmedCase::steps == 7);
  CHECK(log.counters().at("frames") == 2);
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

}  // namespace
}  // namespace stowage::harness
