#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stowage::serialize {

/// A 64-bit checksum at the speed of memory: eight lanes, each of which takes every eighth word of 8 bytes in by a
/// rotation, an exclusive or and a multiplication, so that eight multiplications are under way at once (8 bytes a cycle
/// on a processor that begins one in each). Ours; the shape is that of the multiply-rotate hashes such as xxHash.
///
/// Each step is a bijection of the lane for a given word and of the word for a given lane, and so is the fold at the
/// end: damage within one word of 8 bytes is always seen, anything else but for a chance of 2^-64. Keeps accidents out,
/// not attackers: whoever writes the file can write the checksum too.
class Checksum {
 public:
  static constexpr std::size_t block_bytes = 64;

  /// Takes in whole blocks.
  void add_blocks(const std::byte* from, std::size_t blocks) noexcept {
    std::array<std::uint64_t, lane_count> lanes = lanes_;
    for (std::size_t block = 0; block < blocks; ++block) {
      std::array<std::uint64_t, lane_count> words;
      std::memcpy(words.data(), from + block * block_bytes, block_bytes);
      for (std::size_t i = 0; i < lane_count; ++i) lanes[i] = step(lanes[i], words[i]);
    }
    lanes_ = lanes;
    bytes_ += blocks * block_bytes;
  }

  /// The checksum of all blocks and of the `count` bytes after them, fewer than a block.
  [[nodiscard]] std::uint64_t finish(const std::byte* rest, std::size_t count) const noexcept {
    std::array<std::uint64_t, lane_count> words{};
    if (count != 0) std::memcpy(words.data(), rest, count);
    std::uint64_t sum = bytes_ + count;
    for (std::size_t i = 0; i < lane_count; ++i) sum = mixed(step(sum, step(lanes_[i], words[i])));
    return sum;
  }

 private:
  static constexpr std::size_t lane_count = 8;
  static constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15u;  // odd, so that multiplying loses nothing

  [[nodiscard]] static constexpr std::uint64_t step(std::uint64_t lane, std::uint64_t word) noexcept {
    return (std::rotl(lane, 27) ^ word) * multiplier;
  }
  [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t sum) noexcept { return sum ^ (sum >> 32); }

  std::array<std::uint64_t, lane_count> lanes_{1, 2, 3, 4, 5, 6, 7, 8};
  std::uint64_t bytes_ = 0;
};

[[nodiscard]] inline std::uint64_t checksum_of(const std::byte* bytes, std::size_t count) noexcept {
  Checksum sum;
  const std::size_t blocks = count / Checksum::block_bytes;
  sum.add_blocks(bytes, blocks);
  return sum.finish(bytes + blocks * Checksum::block_bytes, count % Checksum::block_bytes);
}

}  // namespace stowage::serialize
