#include "harness/measure/memory.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using workloads::Measurement;
using workloads::Parameters;

constexpr std::size_t entity_bytes = 16;

/// Grows to four bytes for each that its entities have, shrinks to twice of that, and knows it.
class Breathing : public Measurement {
 public:
  explicit Breathing(const Parameters& parameters) : entities_(parameters.entities) {}

  void prepare() override { bytes_ = std::vector<std::byte>(4 * entities_ * entity_bytes); }
  void run(std::size_t) override {
    bytes_.clear();
    bytes_.shrink_to_fit();
    bytes_.resize(2 * entities_ * entity_bytes);
  }
  [[nodiscard]] bool repeatable() const override { return false; }
  [[nodiscard]] std::uint64_t items() const override { return entities_; }
  [[nodiscard]] std::uint64_t checksum() override { return 0; }
  [[nodiscard]] MemoryBreakdown memory() const override {
    return {.payload_bytes = living_ ? entities_ * entity_bytes : 0,
            .index_bytes = 0,
            .slack_bytes = bytes_.size() - (living_ ? entities_ * entity_bytes : 0),
            .allocations = 1};
  }
  bool destroy_all() override {
    living_ = false;
    return true;
  }

 protected:
  std::size_t entities_;
  bool living_ = true;
  std::vector<std::byte> bytes_;
};

/// Believes that it gives everything back in the end.
class Optimist final : public Breathing {
 public:
  using Breathing::Breathing;
  [[nodiscard]] MemoryBreakdown memory() const override { return living_ ? Breathing::memory() : MemoryBreakdown{}; }
};

class HandWritten final : public Breathing {
 public:
  using Breathing::Breathing;
  bool destroy_all() override { return Measurement::destroy_all(); }
};

template <class Case>
std::unique_ptr<Measurement> make(const Parameters& parameters) {
  return std::make_unique<Case>(parameters);
}

template <class Case>
MemoryCount count_of(std::size_t entities) {
  Parameters parameters;
  parameters.entities = entities;
  return count_memory(make<Case>, parameters);
}

TEST_CASE("a cell is counted from before its construction, and the case itself is not") {
  const MemoryCount count = count_of<Breathing>(100);
  CHECK(count.disagreement.empty());
  CHECK(count.held.live_bytes == 2 * 100 * entity_bytes);
  CHECK(count.held.live_blocks == 1);
  CHECK(count.held.peak_bytes == 4 * 100 * entity_bytes);
  CHECK(count.held.allocations == 2);
  CHECK(count.bytes_emptied == 2 * 100 * entity_bytes);
  CHECK_FALSE(heap_is_observed());
}

TEST_CASE("counters are per entity") {
  Counters counters = memory_counters(count_of<Breathing>(100));
  CHECK(counters.at("payload_bytes_per_entity") == 16);
  CHECK(counters.at("index_bytes_per_entity") == 0);
  CHECK(counters.at("slack_bytes_per_entity") == 16);
  CHECK(counters.at("bytes_per_entity") == 32);
  CHECK(counters.at("peak_bytes_per_entity") == 64);
  CHECK(counters.at("bytes_per_entity_after_clear") == 32);
  CHECK(counters.at("allocations") == 1);
  CHECK(counters.at("allocations_made") == 2);
  CHECK(counters.contains("allocator_overhead_bytes_per_entity") == usable_sizes_are_known);
}

TEST_CASE("what has no entities to destroy has no figure for it") {
  const MemoryCount count = count_of<HandWritten>(100);
  CHECK(count.disagreement.empty());
  CHECK_FALSE(memory_counters(count).contains("bytes_per_entity_after_clear"));
}

TEST_CASE("an account that is wrong only after everything was destroyed is found out") {
  CHECK(count_of<Optimist>(100).disagreement ==
        "memory() says 0 bytes in 0 blocks after everything was destroyed, the allocator says 3200 in 1");
}

}  // namespace
}  // namespace stowage::harness
