#pragma once

#include <cstdlib>
#include <limits>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace stowage::harness {

/// From now on what is freed stays with this process and is given out again. Else whoever allocates inside the clock
/// waits for the system to clear pages or does not, by what others have freed before: at a million entities that was 24
/// ns an entity or nothing, between rounds of one cell. With other libraries than glibc it may be so still.
inline void keep_freed_pages() noexcept {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace stowage::harness
