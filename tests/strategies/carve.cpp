#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/vectors.hpp>

#include "tests/support/catch.hpp"

// Where columns start in their block: in order, apart, aligned, and not at the same place modulo 4096.
namespace stowage::parts {
namespace {

using Shapes = std::vector<ColumnShape>;

const std::vector<Shapes> all_shapes{
    {{4, 4}, {4, 4}, {12, 4}, {12, 4}, {12, 4}},       // owners and a point mass
    {{4, 4}, {16, 8}, {32, 4}},                        // owners, render and transform
    {{4, 4}, {1, 1}, {64, 64}, {3, 1}, {32, 32}},      // over-aligned columns between odd ones
    {{4, 4}, {0, 1}, {256, 4}, {0, 1}, {8, 8}},        // tags take nothing
    {{4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}},  // more long columns than can be kept apart
};

std::vector<std::size_t> carved(std::size_t rows, const Shapes& shapes, std::size_t& end) {
  std::vector<std::size_t> offsets(shapes.size());
  end = carve(rows, shapes, offsets);
  return offsets;
}

bool in_order_apart_and_aligned(std::size_t rows, const Shapes& shapes) {
  std::size_t end = 0;
  const std::vector<std::size_t> offsets = carved(rows, shapes, end);
  std::size_t reached = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (offsets[i] < reached) return false;
    if (offsets[i] % shapes[i].alignment != 0 || offsets[i] % cache_line_bytes != 0) return false;
    reached = offsets[i] + rows * shapes[i].row_bytes;
  }
  return reached == end;
}

/// How far apart two offsets are on the circle of addresses that look equal to the processor.
std::size_t distance_modulo_4096(std::size_t a, std::size_t b) {
  const std::size_t apart = (a - b) % 4096;
  return std::min(apart, 4096 - apart);
}

/// The first four columns that are long enough to be in flight at two places that look equal.
bool long_columns_are_staggered(std::size_t rows, const Shapes& shapes) {
  std::size_t end = 0;
  const std::vector<std::size_t> offsets = carved(rows, shapes, end);
  std::vector<std::size_t> staggered;
  for (std::size_t i = 0; i < shapes.size() && staggered.size() < 4; ++i) {
    if (rows * shapes[i].row_bytes < detail::alias_matters_bytes) continue;
    const auto too_close = [&](std::size_t other) { return distance_modulo_4096(offsets[i], other) < 512; };
    if (std::ranges::any_of(staggered, too_close)) return false;
    staggered.push_back(offsets[i]);
  }
  return true;
}

/// What staggering may cost: never more than a turn of the circle per column.
bool gaps_are_small(std::size_t rows, const Shapes& shapes) {
  std::size_t end = 0;
  static_cast<void>(carved(rows, shapes, end));
  std::size_t used = 0;
  for (const ColumnShape& shape : shapes) used += rows * shape.row_bytes;
  return end - used <= 4096 * shapes.size();
}

TEST_CASE("columns are carved in order, apart, aligned and staggered, for 1 to 5000 rows") {
  std::size_t wrong = 0;
  for (const Shapes& shapes : all_shapes) {
    for (std::size_t rows = 1; rows <= 5000; ++rows) {
      const bool right = in_order_apart_and_aligned(rows, shapes) && long_columns_are_staggered(rows, shapes) &&
                         gaps_are_small(rows, shapes);
      if (!right && wrong++ == 0) FAIL_CHECK(rows << " rows of " << shapes.size() << " columns");
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a block is aligned for its widest column, and for a cache line at least") {
  CHECK(block_alignment(std::array<ColumnShape, 1>{{{1, 1}}}) == 64);
  CHECK(block_alignment(std::array<ColumnShape, 2>{{{1, 1}, {256, 256}}}) == 256);
}

struct Vector3 {
  float x, y, z;
};
struct Tag {};

TEST_CASE("columns take one allocation, arrays of their own one each, and neither any for a tag") {
  for (const std::size_t rows : {1, 16, 5000}) {
    Columns<EntityIndex, Vector3, Tag, double> columns;
    CHECK(columns.allocations() == 0);
    columns.reallocate(rows, 0);
    CHECK(columns.allocations() == 1);
    Vectors<EntityIndex, Vector3, Tag, double> vectors;
    vectors.reallocate(rows, 0);
    CHECK(vectors.allocations() == 3);
    CHECK(reinterpret_cast<std::uintptr_t>(columns.keys()) % cache_line_bytes == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(columns.cursor<double>()) % cache_line_bytes == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(vectors.cursor<double>()) % cache_line_bytes == 0);
  }
}

}  // namespace
}  // namespace stowage::parts
