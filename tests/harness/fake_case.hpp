#pragma once

#include <cstdint>

#include "workloads/support/measurement.hpp"

namespace stowage::harness::fake {

/// A case of which a test is only interested in the calls.
class Case : public workloads::Measurement {
 public:
  explicit Case(bool repeatable, std::uint64_t items = 1) : repeatable_(repeatable), items_(items) {}
  void prepare() override {}
  [[nodiscard]] bool repeatable() const override { return repeatable_; }
  [[nodiscard]] std::uint64_t items() const override { return items_; }
  [[nodiscard]] std::uint64_t checksum() override { return 0; }
  [[nodiscard]] MemoryBreakdown memory() const override { return {}; }

 private:
  bool repeatable_;
  std::uint64_t items_;
};

}  // namespace stowage::harness::fake
