#pragma once

#include <cstdlib>

#include "tests/support/altered_find.hpp"

namespace stowage::testing {

/// indirection_map some of whose lookups are made twice: as many percent of them as STOWAGE_PLANTED_SLOWDOWN says
/// where the storage is made. One program, so that a run with it and one without differ in nothing else; simulated
/// caches, which are given no environment, count the same in both. What a comparison of two runs must find by its time
/// alone.
template <class SchemaType>
class PlantedSlowdown : public AlteredFind<PlantedSlowdown<SchemaType>, SchemaType> {
  friend AlteredFind<PlantedSlowdown, SchemaType>;

  template <class Handle, class Find>
  [[nodiscard]] auto look_up(Handle entity, Find&& find) const noexcept {
    if (is_made_twice()) keep(find(entity));
    return find(entity);
  }

  [[nodiscard]] static int planted_percent() {
    const char* percent = std::getenv("STOWAGE_PLANTED_SLOWDOWN");
    return percent == nullptr ? 0 : std::atoi(percent);
  }

  [[nodiscard]] bool is_made_twice() const noexcept {
    owed_ += percent_;
    if (owed_ < 100) return false;
    owed_ -= 100;
    return true;
  }

  /// The compiler has to make what it is asked to keep, and to make it anew the next time.
  template <class Found>
  static void keep(Found found) noexcept {
    asm volatile("" : : "m"(found) : "memory");
  }

  int percent_ = planted_percent();
  mutable int owed_ = 0;  ///< percent of a lookup
};

}  // namespace stowage::testing
