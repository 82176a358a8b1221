#include <bit>

#include <stowage/contract/entity.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/vectors.hpp>

#include "tests/support/catch.hpp"

// Where columns start in their block: in order, apart, aligned, and not at the same place modulo 4096.
namespace stowage::parts {
namespace {

using Shapes = std::vector<ColumnShape>;

constexpr ColumnShape owners = shape_of_keys<EntityIndex>;
const std::vector<Shapes> all_shapes{
    {owners, {4, 4}, {12, 4}, {12, 4}, {12, 4}},               // a point mass
    {owners, {4, 4, 1}, {4, 4, 3}, {4, 4, 3}, {4, 4, 3}},      // the same in lanes
    {owners, {16, 8}, {32, 4}},                                // render and transform
    {owners, {1, 1}, {64, 64}, {3, 1}, {32, 32}},              // over-aligned columns between odd ones
    {owners, {0, 1}, {256, 4}, {0, 1}, {8, 8}},                // tags take nothing
    {{4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}},  // a column of a point mass in place of the owners
    {owners, {4, 4, 16}, {4, 4, 16}, {4, 4, 16}, {4, 4, 16}, {4, 4, 16}},  // more than can be kept apart
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
    reached = offsets[i] + column_bytes(rows, shapes[i]);
  }
  return reached == end;
}

/// How far apart two offsets are on the circle of addresses that look equal to the processor.
std::size_t distance_modulo_4096(std::size_t a, std::size_t b) {
  const std::size_t apart = (a - b) % 4096;
  return std::min(apart, 4096 - apart);
}

/// Every place where an array starts that is long enough, and written, so that a store to it can be in flight beside a
/// load from another.
std::vector<std::size_t> places_of_written(std::size_t rows, const Shapes& shapes) {
  std::size_t end = 0;
  const std::vector<std::size_t> offsets = carved(rows, shapes, end);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!may_alias(rows, shapes[i])) continue;
    for (std::size_t lane = 0; lane < shapes[i].lanes; ++lane) {
      places.push_back(offsets[i] + lane * lane_pitch(rows, shapes[i]));
    }
  }
  return places;
}

/// How far apart the two are that are nearest to each other.
std::size_t nearest(const std::vector<std::size_t>& places) {
  std::size_t distance = 4096;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) distance = std::min(distance, distance_modulo_4096(places[i], places[j]));
  }
  return distance;
}

/// Half of what evenly spread ones would have: there may be a better order, but none is looked for. More than can be
/// kept a cache line apart lie as they come.
bool written_columns_are_staggered(std::size_t rows, const Shapes& shapes) {
  const std::vector<std::size_t> places = places_of_written(rows, shapes);
  if (places.size() < 2 || places.size() > 16) return true;
  return nearest(places) >= std::min<std::size_t>(512, std::bit_floor(4096 / places.size()) / 2);
}

/// What staggering may cost: never more than a turn of the circle per column, nor more than the column takes.
bool gaps_are_small(std::size_t rows, const Shapes& shapes) {
  std::size_t end = 0;
  static_cast<void>(carved(rows, shapes, end));
  std::size_t used = 0;
  std::size_t allowed = 0;
  for (const ColumnShape& shape : shapes) {
    used += column_bytes(rows, shape);
    allowed += 128 + std::min<std::size_t>(4096, column_bytes(rows, shape));
  }
  return end - used <= allowed;
}

TEST_CASE("columns are carved in order, apart, aligned and staggered, for 1 to 5000 rows") {
  std::size_t wrong = 0;
  for (const Shapes& shapes : all_shapes) {
    for (std::size_t rows = 1; rows <= 5000; rows += rows < 600 ? 1 : 23) {
      const bool right = in_order_apart_and_aligned(rows, shapes) && written_columns_are_staggered(rows, shapes) &&
                         gaps_are_small(rows, shapes);
      if (!right && wrong++ == 0) FAIL_CHECK(rows << " rows of " << shapes.size() << " columns");
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("arrays that a simulation walks start far apart, and a block is aligned for its widest column") {
  std::size_t wrong = 0;
  for (std::size_t rows = 1024; rows <= 1024 * 1024; rows += rows < 5000 ? 61 : 4999) {
    wrong += nearest(places_of_written(rows, all_shapes[0])) < 512;
    wrong += nearest(places_of_written(rows, all_shapes[1])) < 256;
  }
  CHECK(wrong == 0);
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
