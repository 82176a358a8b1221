#include "harness/measure/memory/heap.hpp"

#include <sys/resource.h>

#include "tests/support/catch.hpp"

// The heap of a sanitizer does as it likes, and that of another C library too. So that it is tested at all, the build
// that is measured has this file in its workload_tests.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STOWAGE_TESTS_HAS_SANITIZER 1
#elif defined(__has_feature)
#define STOWAGE_TESTS_HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define STOWAGE_TESTS_HAS_SANITIZER 0
#endif

#if defined(__GLIBC__) && !STOWAGE_TESTS_HAS_SANITIZER
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

TEST_CASE("pages that were freed come back without the system's help") {
  keep_freed_pages();
  malloc_trim(0);  // what others have freed is not new
  const long of_new_ones = faults_of_a_block();
  const long of_the_same = faults_of_a_block();
  CHECK(of_new_ones >= 32);  // one for each 2 MiB, if the system gives as much at a time
  CHECK(of_the_same <= of_new_ones / 4);
}

}  // namespace
}  // namespace stowage::harness
#endif
