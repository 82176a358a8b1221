#pragma once

// The checksum of saved files, at the speed of memory, and the sum of a section that is made while bytes are copied.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stowage::serialize {

/// 64 bits. 32 lanes take in every 32nd word of 8 bytes, with nothing but what a vector register does in one
/// instruction: with x = lane ^ word, the upper half of x goes into the lower one by an exclusive or, that is
/// multiplied by an odd number, the upper half is added on top, and the halves change places.
///
/// Each step is a bijection of the lane for a given word and of the word for a given lane, and so is every step of the
/// fold at the end: damage within one word is always seen. Damage in several words is missed only if one undoes in a
/// lane what another has made of 64 bits, and the multiplication changes all of these. The checksum finds accidents,
/// not attacks: the writer of a file writes its checksums too.
class Checksum {
  static constexpr std::size_t lane_count = 32;

 public:
  static constexpr std::size_t block_bytes = lane_count * sizeof(std::uint64_t);

  /// Takes in whole blocks.
  void add_blocks(const std::byte* from, std::size_t blocks) noexcept {
#if defined(__AVX2__) && (defined(__clang__) || __GNUC__ >= 12)
    add_vectors<false>(from, nullptr, blocks);
#else
    add_words(from, blocks);
#endif
  }

  /// The same, and copies them: in one pass, in which the sum costs next to nothing while the copy waits for memory.
  void copy_blocks(const std::byte* from, std::byte* to, std::size_t blocks) noexcept {
#if defined(__AVX2__) && (defined(__clang__) || __GNUC__ >= 12)
    add_vectors<true>(from, to, blocks);
#else
    constexpr std::size_t most = 16 * 1024 / block_bytes;  // at a time, which a first-level cache still has
    for (std::size_t count = (std::min)(blocks, most); count != 0; count = (std::min)(blocks, most)) {
      std::memcpy(to, from, count * block_bytes);
      add_words(from, count);
      from += count * block_bytes;
      to += count * block_bytes;
      blocks -= count;
    }
#endif
  }

  /// The same word by word, for processors without such registers.
  void add_words(const std::byte* from, std::size_t blocks) noexcept {
    bytes_ += blocks * block_bytes;
    for (; blocks != 0; --blocks, from += block_bytes) {
      std::array<std::uint64_t, lane_count> words;
      std::memcpy(words.data(), from, block_bytes);
      for (std::size_t i = 0; i < lane_count; ++i) lanes_[i] = step(lanes_[i], words[i]);
    }
  }

  /// The checksum of all blocks and of the `count` bytes after them, fewer than a block.
  [[nodiscard]] std::uint64_t finish(const std::byte* rest, std::size_t count) const noexcept {
    std::array<std::uint64_t, lane_count> words{};
    if (count != 0) std::memcpy(words.data(), rest, count);
    std::uint64_t sum = bytes_ + count;
    for (std::size_t i = 0; i < lane_count; ++i) sum = mixed(sum ^ step(lanes_[i], words[i]));
    return sum;
  }

 private:
  static constexpr std::uint64_t multiplier = 0x9e3779b1;  // odd, and of half a word
  static constexpr std::uint64_t upper_half = 0xffff'ffff'0000'0000;

  [[nodiscard]] static constexpr std::uint64_t step(std::uint64_t lane, std::uint64_t word) noexcept {
    const std::uint64_t x = lane ^ word;
    const std::uint64_t lower = (x ^ x >> 32) & ~upper_half;
    const std::uint64_t y = lower * multiplier + (x & upper_half);
    return y >> 32 | y << 32;
  }
  /// The finaliser of splitmix64.
  [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t sum) noexcept {
    sum = (sum ^ (sum >> 30)) * 0xbf58476d1ce4e5b9u;
    sum = (sum ^ (sum >> 27)) * 0x94d049bb133111ebu;
    return sum ^ (sum >> 31);
  }

#if defined(__AVX2__) && (defined(__clang__) || __GNUC__ >= 12)
  // written with the compilers' own vectors (g++ 11 lacks a function for them), because neither finds this
  // multiplication by itself, and the header with the names of the instructions takes longer to read than all of this
  // library

  /// All lanes stay in eight registers.
  template <bool Copies>
  void add_vectors(const std::byte* from, [[maybe_unused]] std::byte* to, std::size_t blocks) noexcept {
    bytes_ += blocks * block_bytes;
    using Words = std::uint64_t __attribute__((vector_size(32)));
    using Halves = int __attribute__((vector_size(32)));
    constexpr std::size_t vectors = block_bytes / sizeof(Words);
    Words lanes[vectors];
    std::memcpy(lanes, lanes_.data(), sizeof lanes);
    const Words factor = Words{} + multiplier;
    for (; blocks != 0; --blocks, from += block_bytes) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < vectors; ++i) {
        Words words;
        std::memcpy(&words, from + i * sizeof words, sizeof words);
        if constexpr (Copies) std::memcpy(to + i * sizeof words, &words, sizeof words);
        const Words x = lanes[i] ^ words;
        const Words lower = x ^ (x >> 32);  // of which the multiplication takes the lower halves
        const Words product = (Words)__builtin_ia32_pmuludq256((Halves)lower, (Halves)factor);
        const Halves y = (Halves)(product + (x & upper_half));
        lanes[i] = (Words)__builtin_shufflevector(y, y, 1, 0, 3, 2, 5, 4, 7, 6);
      }
      if constexpr (Copies) to += block_bytes;
    }
    std::memcpy(lanes_.data(), lanes, sizeof lanes);
  }
#endif

  [[nodiscard]] static constexpr std::array<std::uint64_t, lane_count> first_lanes() noexcept {
    std::array<std::uint64_t, lane_count> lanes{};
    for (std::size_t i = 0; i < lane_count; ++i) lanes[i] = mixed(i + 1);
    return lanes;
  }

  std::array<std::uint64_t, lane_count> lanes_ = first_lanes();
  std::uint64_t bytes_ = 0;
};

[[nodiscard]] inline std::uint64_t checksum_of(const std::byte* bytes, std::size_t count) noexcept {
  Checksum sum;
  const std::size_t blocks = count / Checksum::block_bytes;
  sum.add_blocks(bytes, blocks);
  return sum.finish(bytes + blocks * Checksum::block_bytes, count % Checksum::block_bytes);
}

/// Sums up one section of a file from its start to its end, while it is written, or copied elsewhere.
class SectionSum {
 public:
  /// Bytes that pass before they are summed up: they must still be in a first-level cache then. Not fewer, because all
  /// lanes of the checksum are fetched and put back each time.
  static constexpr std::size_t piece_bytes = 16 * 1024;

  SectionSum() = default;
  explicit SectionSum(const std::byte* section) noexcept : section_(section) {}

  /// Bytes of the section so far.
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
    const std::size_t head = begun == 0 ? 0 : (std::min)(count, Checksum::block_bytes - begun);
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
