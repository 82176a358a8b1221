#pragma once

// What many cases have in common.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <stowage/contract/events.hpp>
#include <stowage/contract/memory.hpp>

#include "workloads/support/capabilities.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::workloads {

/// A case on one storage. Some that create, destroy or change entities have the storage among their own members
/// instead, because with the storage first g++ 12 takes up to two instructions more for each, as in reference.direct of
/// `destroy`.
template <class Storage>
class StorageCase {
 public:
  /// Its entities, if the case does not say otherwise.
  [[nodiscard]] std::uint64_t items() const { return storage_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
  }
  /// Of a case that has frames.
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(storage_); }

 protected:
  Storage storage_;
};

/// A case whose checksum is the sum that its passes add up.
class SummedCase {
 public:
  void prepare() { sum_ = 0; }
  [[nodiscard]] std::uint64_t checksum() const { return sum_; }

 protected:
  void add_up(std::uint64_t sum) {
    sum_ += sum;
    keep(sum_);
  }

  std::uint64_t sum_ = 0;
};

/// What `make` makes with that one of `Numbers` which `text` names, as a constant.
template <std::size_t... Numbers, class Make>
[[nodiscard]] std::unique_ptr<Measurement> with_number(const std::string& text, Make&& make) {
  std::unique_ptr<Measurement> made;
  const std::size_t number = std::stoul(text);
  static_cast<void>(
      ((number == Numbers && (made = make(std::integral_constant<std::size_t, Numbers>{}), true)) || ...));
  return made;
}

}  // namespace stowage::workloads
