#pragma once

// Products of transforms for hand-written hierarchies.

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <glm/ext/matrix_float4x4.hpp>

namespace stowage::workloads {

/// The world transform of a parent, ready for the locals of many children: each of its columns is in a register twice,
/// because two columns of a product are made at once.
class ParentWorld {
 public:
  explicit ParentWorld(const glm::mat4& world) noexcept {
    for (int i = 0; i < 4; ++i) set_twice(columns_[i], world[i]);
  }

  /// parent * local. Sums are ((a + b) + c) + d, as in all forms of a hierarchy, so that equal trees have equal bits.
  void times(const glm::mat4& local, glm::mat4& world) const noexcept {
    for (int i = 0; i < 4; i += 2) {
      Floats two, first, second, third, fourth;
      std::memcpy(&two, &local[i], sizeof two);
      spread<0>(two, first);
      spread<1>(two, second);
      spread<2>(two, third);
      spread<3>(two, fourth);
      const Floats sum = columns_[0] * first + columns_[1] * second + columns_[2] * third + columns_[3] * fourth;
      std::memcpy(&world[i], &sum, sizeof sum);
    }
  }

 private:
  /// Passed by reference: by value, how depends on the processor that a file is compiled for.
  using Floats [[gnu::vector_size(2 * sizeof(glm::vec4))]] = float;

  static void set_twice(Floats& two, const glm::vec4& column) noexcept {
#ifdef __AVX__
    two = reinterpret_cast<Floats>(_mm256_broadcast_ps(reinterpret_cast<const __m128*>(&column)));
#else
    two = Floats{column[0], column[1], column[2], column[3], column[0], column[1], column[2], column[3]};
#endif
  }
  /// Element `N` of each of two columns, four times.
  template <int N>
  static void spread(const Floats& two, Floats& four) noexcept {
#if defined(__clang__) || __GNUC__ > 11
    four = __builtin_shufflevector(two, two, N, N, N, N, N + 4, N + 4, N + 4, N + 4);
#else
    four = Floats{two[N], two[N], two[N], two[N], two[N + 4], two[N + 4], two[N + 4], two[N + 4]};
#endif
  }

  Floats columns_[4];
};

[[nodiscard]] inline glm::mat4 product(const glm::mat4& parent, const glm::mat4& local) noexcept {
  glm::mat4 world;
  ParentWorld(parent).times(local, world);
  return world;
}

/// The worlds of all rows but row 0, which come after their parents. Children of one parent that follow each other
/// fetch its world once. `Worlds` and `Locals` are pointers, or stand for one.
template <class Worlds, class Locals>
inline void multiply_all(std::size_t rows, const std::uint32_t* parents, Worlds worlds, Locals locals) noexcept {
  std::uint32_t known = 0;
  ParentWorld above(worlds[known]);
  for (std::size_t row = 1; row < rows; ++row) {
    if (parents[row] != known) above = ParentWorld(worlds[known = parents[row]]);
    above.times(locals[row], worlds[row]);
  }
}

/// The same for rows that are dirty or whose parent has changed. `changed` gets which those are.
template <class Worlds, class Locals>
inline void multiply_dirty(std::size_t rows, const std::uint32_t* parents, const std::uint8_t* dirty,
                           std::uint8_t* changed, Worlds worlds, Locals locals) noexcept {
  for (std::size_t row = 1; row < rows; ++row) {
    const std::uint8_t is_stale = dirty[row] | changed[parents[row]];
    changed[row] = is_stale;
    if (is_stale != 0) worlds[row] = product(worlds[parents[row]], locals[row]);
  }
}

}  // namespace stowage::workloads
