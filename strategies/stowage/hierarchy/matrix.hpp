#pragma once

#include <cmath>

#include <glm/ext/matrix_float4x4.hpp>
#include <glm/matrix.hpp>

namespace stowage {

/// A transform as renderers upload it: four columns of four floats, 64 bytes, one cache line where it is aligned. Three
/// rows of four would save a quarter of the bytes of affine transforms, and cost every reader of them a conversion.
using Matrix = glm::mat4;

namespace hierarchy {

/// parent * local, each column as ((a + b) + c) + d. Every form multiplies here, in this order, so that equal trees
/// have equal bits whatever holds them. Written by columns because g++ makes 8 products and 6 sums of 256 bits of it,
/// and shuffles scalars for GLM's operator.
[[nodiscard]] inline Matrix compose(const Matrix& parent, const Matrix& local) noexcept {
  Matrix world;
  for (int column = 0; column < 4; ++column) {
    world[column] = parent[0] * local[column][0] + parent[1] * local[column][1] + parent[2] * local[column][2] +
                    parent[3] * local[column][3];
  }
  return world;
}

/// What roots are composed with, so that no loop asks who is a root.
[[nodiscard]] inline Matrix identity() noexcept { return Matrix(1.0f); }

/// Whether inverted() has an answer: not for a transform that flattens space, or that holds infinities.
[[nodiscard]] inline bool is_invertible(const Matrix& matrix) noexcept {
  return std::isnormal(glm::determinant(matrix));
}
[[nodiscard]] inline Matrix inverted(const Matrix& matrix) noexcept { return glm::inverse(matrix); }

}  // namespace hierarchy
}  // namespace stowage
