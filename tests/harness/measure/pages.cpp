#include "harness/measure/system/pages.hpp"

#include <sys/resource.h>

#include <cstddef>
#include <memory>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

long page_faults() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_minflt;
}

/// Of touching every page of a block that is taken from the heap and given back.
long faults_of_a_block() {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  constexpr std::size_t page = 4096;
  const long before = page_faults();
  const auto block = std::make_unique_for_overwrite<volatile std::byte[]>(bytes);
  for (std::size_t at = 0; at < bytes; at += page) block[at] = std::byte{1};
  return page_faults() - before;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool heap_is_glibcs = true;
#else
constexpr bool heap_is_glibcs = false;
#endif

TEST_CASE("pages that were freed come back without the system's help") {
  keep_freed_pages();
  const long of_new_ones = faults_of_a_block();
  const long of_the_same = faults_of_a_block();
  if (!heap_is_glibcs) return;  // whoever has the heap of this build does as it likes
  CHECK(of_new_ones > 100);
  CHECK(of_the_same < 100);
}

}  // namespace
}  // namespace stowage::harness
