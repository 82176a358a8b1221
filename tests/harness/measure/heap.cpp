// Heap trackers count every form of new and delete, of all threads or of one, and only while they live.
#include "harness/measure/memory/heap.hpp"

#include <new>
#include <thread>

#include "tests/support/catch.hpp"
#include "workloads/support/array.hpp"

namespace stowage::harness {
namespace {

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

TEST_CASE("the peak is the most that was held at once") {
  HeapUse use;
  {
    const HeapTracker tracker;
    ::operator delete(::operator new(1000));
    const std::vector<std::byte> small(10);
    use = tracker.use();
  }
  CHECK(use.live_bytes == 10);
  CHECK(use.peak_bytes == 1000);
  CHECK(use.allocations == 2);
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
