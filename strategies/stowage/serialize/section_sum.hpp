#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <stowage/serialize/checksum.hpp>

namespace stowage::serialize {

/// Sums up one section of a file from its start to its end, while somebody writes it or copies it elsewhere.
class SectionSum {
 public:
  /// Bytes that are let pass before they are summed up: they have to be in a first-level cache then. Not fewer, because
  /// all lanes of the checksum are fetched and put back each time.
  static constexpr std::size_t piece_bytes = 16 * 1024;

  SectionSum() = default;
  explicit SectionSum(const std::byte* section) noexcept : section_(section) {}

  /// Bytes that are in the section and known here.
  [[nodiscard]] std::size_t bytes() const noexcept { return passed_; }

  /// Copies bytes of which either side is next in the section.
  void copy(const std::byte* from, std::byte* to, std::size_t count) noexcept {
    if (passed_ - summed_ + count < piece_bytes) {
      std::memcpy(to, from, count);
      passed_ += count;
      return;
    }
    sum_up();
    const std::size_t begun = passed_ - summed_;  // of a block
    const std::size_t head = begun == 0 ? 0 : std::min(count, Checksum::block_bytes - begun);
    std::memcpy(to, from, head);
    passed_ += head;
    sum_up();
    if (head == count) return;
    const std::size_t whole = (count - head) / Checksum::block_bytes * Checksum::block_bytes;
    sum_.copy_blocks(from + head, to + head, whole / Checksum::block_bytes);
    summed_ += whole;
    std::memcpy(to + head + whole, from + head + whole, count - head - whole);
    passed_ += count - head;
  }

  /// The next bytes of the section are there.
  void advance(std::size_t count) noexcept {
    passed_ += count;
    if (passed_ - summed_ >= piece_bytes) sum_up();
  }

  [[nodiscard]] std::uint64_t finish() noexcept {
    sum_up();
    return sum_.finish(section_ + summed_, passed_ - summed_);
  }

 private:
  void sum_up() noexcept {
    const std::size_t blocks = (passed_ - summed_) / Checksum::block_bytes;
    if (blocks == 0) return;
    sum_.add_blocks(section_ + summed_, blocks);
    summed_ += blocks * Checksum::block_bytes;
  }

  const std::byte* section_ = nullptr;
  std::size_t passed_ = 0;
  std::size_t summed_ = 0;
  Checksum sum_;
};

}  // namespace stowage::serialize
