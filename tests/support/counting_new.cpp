#include "tests/support/counting_new.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace stowage::testing {

namespace {

// The size of every block stands in front of it:   [ ... size ][ what the program asked for ]
constexpr std::size_t least_alignment = 2 * sizeof(std::size_t);

constinit std::atomic<std::size_t> live_bytes{0};
constinit std::atomic<std::size_t> live_blocks{0};
constinit std::atomic<std::size_t> allocations{0};

constinit std::atomic<std::size_t> until_failure{0};  // 0: nothing fails
constinit std::atomic<bool> failure_lasts{false};
constinit std::atomic<bool> failed{false};

[[nodiscard]] bool refuses() noexcept {
  if (until_failure == 0) return false;
  if (until_failure == 1) {
    failed = true;
    if (!failure_lasts) until_failure = 0;
    return true;
  }
  --until_failure;
  return false;
}

[[nodiscard]] std::size_t& size_of(void* block) noexcept { return static_cast<std::size_t*>(block)[-1]; }

[[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (refuses()) return nullptr;
  const std::size_t front = std::max(alignment, least_alignment);
  void* raw = nullptr;
  if (posix_memalign(&raw, front, front + size) != 0) return nullptr;
  void* const block = static_cast<char*>(raw) + front;
  size_of(block) = size;
  live_bytes += size;
  ++live_blocks;
  ++allocations;
  return block;
}

[[nodiscard]] void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const block = allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block, std::size_t alignment) noexcept {
  if (block == nullptr) return;
  live_bytes -= size_of(block);
  --live_blocks;
  std::free(static_cast<char*>(block) - std::max(alignment, least_alignment));
}

void release_sized(void* block, std::size_t size, std::size_t alignment) noexcept {
  if (block != nullptr && size_of(block) != size) {
    std::fprintf(stderr, "a block of %zu bytes is given back as one of %zu\n", size_of(block), size);
    std::abort();
  }
  release(block, alignment);
}

[[nodiscard]] constexpr std::size_t bytes(std::align_val_t alignment) noexcept {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

HeapState heap() noexcept { return {live_bytes, live_blocks, allocations}; }

FailingAllocation::FailingAllocation(std::size_t nth, Shortage shortage) noexcept {
  failed = false;
  failure_lasts = shortage == Shortage::lasting;
  until_failure = nth;
}
FailingAllocation::~FailingAllocation() { until_failure = 0; }
// NOLINTNEXTLINE(readability-convert-member-functions-to-static): of this failure, as far as its user knows
bool FailingAllocation::happened() const noexcept { return failed; }

NoFailure::NoFailure() noexcept : until_failure_(until_failure.exchange(0)) {}
NoFailure::~NoFailure() { until_failure = until_failure_; }

}  // namespace stowage::testing

namespace testing = stowage::testing;

void* operator new(std::size_t size) { return testing::allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return testing::allocate_or_throw(size, 1); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return testing::allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return testing::allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return testing::allocate_or_throw(size, testing::bytes(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return testing::allocate_or_throw(size, testing::bytes(alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return testing::allocate(size, testing::bytes(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return testing::allocate(size, testing::bytes(alignment));
}

void operator delete(void* block) noexcept { testing::release(block, 1); }
void operator delete[](void* block) noexcept { testing::release(block, 1); }
void operator delete(void* block, const std::nothrow_t&) noexcept { testing::release(block, 1); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { testing::release(block, 1); }
void operator delete(void* block, std::size_t size) noexcept { testing::release_sized(block, size, 1); }
void operator delete[](void* block, std::size_t size) noexcept { testing::release_sized(block, size, 1); }
void operator delete(void* block, std::align_val_t alignment) noexcept {
  testing::release(block, testing::bytes(alignment));
}
void operator delete[](void* block, std::align_val_t alignment) noexcept {
  testing::release(block, testing::bytes(alignment));
}
void operator delete(void* block, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  testing::release(block, testing::bytes(alignment));
}
void operator delete[](void* block, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  testing::release(block, testing::bytes(alignment));
}
void operator delete(void* block, std::size_t size, std::align_val_t alignment) noexcept {
  testing::release_sized(block, size, testing::bytes(alignment));
}
void operator delete[](void* block, std::size_t size, std::align_val_t alignment) noexcept {
  testing::release_sized(block, size, testing::bytes(alignment));
}
