// The memory pass: figures per entity, a memory() that is wrong, resuming, and no counting while a clock runs.
#include "harness/measure/memory.hpp"

#include <new>
#include <thread>

#include "harness/measure/memory/heap.hpp"
#include "harness/measure/time.hpp"
#include "harness/results/metrics.hpp"
#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/array.hpp"

namespace stowage::harness {
namespace {

using workloads::Measurement;
using workloads::Parameters;

constexpr std::size_t entity_bytes = 16;

/// Holds four times the bytes of its entities, then shrinks to twice as many, and memory() says so.
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

/// Its memory() says in the end that it has given everything back.
class Optimist final : public Breathing {
 public:
  using Breathing::Breathing;
  [[nodiscard]] MemoryBreakdown memory() const override { return living_ ? Breathing::memory() : MemoryBreakdown{}; }
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

TEST_CASE("a cell is counted from before its construction, without the case itself, and counters are per entity") {
  const MemoryCount count = count_of<Breathing>(100);
  CHECK(count.disagreement.empty());
  CHECK(count.held.live_bytes == 2 * 100 * entity_bytes);
  CHECK(count.held.live_blocks == 1);
  CHECK(count.held.peak_bytes == 4 * 100 * entity_bytes);
  CHECK(count.held.allocations == 2);
  CHECK(count.bytes_emptied == 2 * 100 * entity_bytes);
  CHECK_FALSE(heap_is_observed());
  const Counters counters = memory_counters(count);
  CHECK(counters.at("payload_bytes_per_entity") == 16);
  CHECK(counters.at("index_bytes_per_entity") == 0);
  CHECK(counters.at("slack_bytes_per_entity") == 16);
  CHECK(counters.at("bytes_per_entity") == 32);
  CHECK(counters.at("peak_bytes_per_entity") == 64);
  CHECK(counters.at("bytes_per_entity_after_clear") == 32);
  CHECK(counters.at("allocations") == 1);
  CHECK(counters.at("allocations_made") == 2);
  CHECK(counters.contains("allocator_overhead_bytes_per_entity") == usable_sizes_are_known);
  CHECK(count_of<Optimist>(100).disagreement ==
        "memory() says 0 bytes in 0 blocks after everything was destroyed, the allocator says 3200 in 1");
}

TEST_CASE("every verified cell gets all its figures; if its memory() is wrong, it is left out with both accounts") {
  fake::TimedRun timed("fast,wrong,forgetful", "walk,build", "1k");
  Run& run = timed.run;
  run_memory_pass(run, timed.blocks, timed.bench.bench(), fake::save_nowhere);
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      INFO(block.cell_name(cell));
      CHECK(cell.repetitions.size() == (cell.error.empty() ? timed.time_plan.repetitions : 0));
      const bool is_counted = cell.error.empty() && cell.strategy != "forgetful";
      for (const Metric& metric : metrics) {
        if (metric.pass != memory_pass) continue;
        INFO(metric.name);
        const bool applies = metric.name != "bytes_per_entity_after_clear" || cell.strategy != "reference";
        CHECK(cell.counters.contains(std::string(metric.name)) == (is_counted && applies));
      }
      if (is_counted) CHECK(cell.counters.at("bytes_per_entity") == 8);
    }
  }
  REQUIRE(run.passes.size() == 1);
  CHECK(run.passes[0].pass == "memory");
  CHECK(run.passes[0].source == "counted");
  REQUIRE(run.omissions.size() == 2);
  CHECK(run.omissions[0].pass == "memory");
  CHECK(run.omissions[0].cell == "walk/forgetful/entities:1024/via:each");
  CHECK(run.omissions[0].reason == "memory() says 8184 bytes in 1 blocks after the pass, the allocator says 8192 in 1");
}

TEST_CASE("the run is saved after every block, and a pass that was interrupted goes on where it stopped") {
  fake::TimedRun timed("fast,forgetful", "walk", "1k,2k,4k");
  Run& run = timed.run;
  std::size_t saved = 0;
  run_memory_pass(run, timed.blocks, timed.bench.bench(), [&](const Run&) { timed.bench.stopped = ++saved == 1; });
  CHECK(run.state.interrupted);
  CHECK(saved == 2);  // the block, and that it was interrupted
  CHECK(run.omissions.size() == 1);

  timed.bench.stopped = false;
  run.blocks[0].cells[0].counters["bytes_per_entity"] = 17;
  run_memory_pass(run, timed.blocks, timed.bench.bench(), [&](const Run&) { ++saved; });
  CHECK_FALSE(run.state.interrupted);
  CHECK(saved == 4);
  CHECK(run.omissions.size() == 3);
  CHECK(run.passes.size() == 1);
  CHECK(run.blocks[0].cells[0].counters.at("bytes_per_entity") == 17);
  CHECK(run.blocks[2].cells[0].counters.contains("bytes_per_entity"));
}

TEST_CASE("nothing is counted while a clock runs, before a memory pass or after it") {
  fake::FakeBench fake_bench;
  const auto blocks = fake_bench.blocks("fast,twin", "walk,build", "1k");
  SteadyTimer timer;
  std::ostringstream unread;
  Progress progress(unread, false);
  const Bench bench{fake_bench.catalogue, timer, progress, [] { return false; }, [] { return 0.0; }};
  std::size_t counted = 0;
  const fake::RegionProbe probe([&] { counted += heap_is_observed() ? 1 : 0; });
  for (int round = 0; round < 2; ++round) {
    Run run;
    run_blocks(run, blocks, fake::TimedRun::time_plan, bench, fake::save_nowhere);
    run_memory_pass(run, blocks, bench, fake::save_nowhere);
  }
  CHECK(probe.times_entered > 0);
  CHECK(counted == 0);
}

// ---- heap trackers count every form of new and delete, of all threads or of one, and only while they live

struct alignas(64) Line {
  std::byte bytes[64];
};

/// What one form of new and its delete do, called by name so that no compiler leaves the pair out.
struct Form {
  const char* name;
  void* (*allocate)();
  void (*release)(void*);
};

constexpr std::size_t asked_for = 100;
constexpr std::align_val_t alignment{128};

const Form forms[] = {
    {"plain", [] { return ::operator new(asked_for); }, [](void* block) { ::operator delete(block); }},
    {"sized", [] { return ::operator new(asked_for); }, [](void* block) { ::operator delete(block, asked_for); }},
    {"array", [] { return ::operator new[](asked_for); }, [](void* block) { ::operator delete[](block); }},
    {"sized array", [] { return ::operator new[](asked_for); },
     [](void* block) { ::operator delete[](block, asked_for); }},
    {"nothrow", [] { return ::operator new(asked_for, std::nothrow); },
     [](void* block) { ::operator delete(block, std::nothrow); }},
    {"nothrow array", [] { return ::operator new[](asked_for, std::nothrow); },
     [](void* block) { ::operator delete[](block, std::nothrow); }},
    {"aligned", [] { return ::operator new(asked_for, alignment); },
     [](void* block) { ::operator delete(block, alignment); }},
    {"aligned, sized", [] { return ::operator new(asked_for, alignment); },
     [](void* block) { ::operator delete(block, asked_for, alignment); }},
    {"aligned array", [] { return ::operator new[](asked_for, alignment); },
     [](void* block) { ::operator delete[](block, alignment); }},
    {"aligned array, sized", [] { return ::operator new[](asked_for, alignment); },
     [](void* block) { ::operator delete[](block, asked_for, alignment); }},
    {"aligned nothrow", [] { return ::operator new(asked_for, alignment, std::nothrow); },
     [](void* block) { ::operator delete(block, alignment, std::nothrow); }},
    {"aligned nothrow array", [] { return ::operator new[](asked_for, alignment, std::nothrow); },
     [](void* block) { ::operator delete[](block, alignment, std::nothrow); }},
};

TEST_CASE("every form of new and delete is counted") {
  for (const Form& form : forms) {
    INFO(form.name);
    HeapUse held, after;
    {
      const HeapTracker tracker;
      void* const block = form.allocate();
      held = tracker.use();
      form.release(block);
      after = tracker.use();
    }
    CHECK((held.live_bytes == asked_for && held.live_blocks == 1));
    CHECK((!usable_sizes_are_known || held.live_usable_bytes >= asked_for));
    CHECK((after.live_bytes == 0 && after.live_usable_bytes == 0 && after.live_blocks == 0));
    CHECK((after.peak_bytes == asked_for && after.allocations == 1));
  }
}

TEST_CASE("blocks from before the count and blocks that outlive it are handled") {
  auto before = std::make_unique<std::vector<int>>(100);
  std::unique_ptr<Line> left;
  HeapUse use;
  {
    const HeapTracker tracker;
    before.reset();
    left = std::make_unique<Line>();
    use = tracker.use();
  }
  CHECK(use.live_bytes == sizeof(Line));
  CHECK(use.live_blocks == 1);
  left.reset();
}

TEST_CASE("memory that a workload keeps for itself is not counted") {
  HeapUse use;
  {
    const HeapTracker tracker;
    CHECK(heap_is_observed());
    const std::size_t checking = tracker.use().allocations;
    const workloads::Array<int> handles(1000);
    use = tracker.use();
    use.allocations -= checking;
  }
  CHECK(use.allocations == 0);
}

TEST_CASE("threads are counted together") {
  const auto work = [] {
    for (int i = 0; i < 1000; ++i) ::operator delete(::operator new(8));
  };
  HeapUse before, after;
  {
    const HeapTracker tracker;
    std::thread other(work);
    before = tracker.use();
    work();
    other.join();
    after = tracker.use();
  }
  CHECK(after.allocations >= 2000);
  CHECK(after.live_bytes <= before.live_bytes + 8);
}

TEST_CASE("each thread is counted by itself, at the same time as others") {
  const auto use_after = [](std::size_t blocks) {
    const ThreadHeapTracker tracker;
    for (std::size_t i = 0; i < blocks; ++i) ::operator delete(::operator new(8));
    return tracker.use();
  };
  HeapUse of_other, of_this;
  {
    const std::jthread other([&] { of_other = use_after(2000); });
    of_this = use_after(1000);
  }
  CHECK(of_other.allocations == 2000);
  CHECK(of_this.allocations == 1000);
  CHECK(of_other.live_blocks == 0);
  CHECK(of_this.peak_bytes == 8);
  CHECK_FALSE(heap_is_observed());
}

struct Refusing final : HeapObserver {
  bool allocated(void*, std::size_t) noexcept override { return false; }
  void freeing(void*, std::optional<std::size_t>) noexcept override {}
};

TEST_CASE("an allocation that the observer refuses fails") {
  Refusing refusing;
  bool threw = false;
  observe_heap(&refusing);
  try {
    ::operator delete(::operator new(8));
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  void* const none = ::operator new(8, std::nothrow);
  observe_heap(nullptr);
  CHECK(threw);
  CHECK(none == nullptr);
}

}  // namespace
}  // namespace stowage::harness
