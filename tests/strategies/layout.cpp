// Where columns start in their block: in order, apart, aligned, and not at the same place modulo 4096; and where
// components lie in an interleaved row.
#include <bit>

#include <stowage/archetype_sections_byte_stream.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/layout/vectors.hpp>
#include <stowage/parts/sections/plan.hpp>

#include "tests/support/catch.hpp"

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

// ---- interleaved rows: widest alignment first, no gap but at the end

struct Flag {
  std::uint8_t value;
};
struct alignas(64) Wide {
  std::uint32_t value;
};

using PointMass = RowPlan<float, Vector3, Flag, Tag>;
static_assert(PointMass::offset<float> == 0);
static_assert(PointMass::offset<Vector3> == 4);
static_assert(PointMass::offset<Flag> == 16);
static_assert(PointMass::stride_bytes == 20, "a row of 17 bytes, rounded up to the alignment of a float");

using Mixed = RowPlan<Flag, double, Tag, Vector3, std::uint16_t, Wide>;
static_assert(Mixed::alignment == 64);
static_assert(Mixed::offset<Wide> == 0);
static_assert(Mixed::offset<double> == 64);
static_assert(Mixed::offset<Vector3> == 72);
static_assert(Mixed::offset<std::uint16_t> == 84);
static_assert(Mixed::offset<Flag> == 86);
static_assert(Mixed::stride_bytes == 128);

using OnlyTags = RowPlan<Tag>;
static_assert(OnlyTags::stride_bytes == 0);

TEST_CASE("the components of an interleaved row are a stride apart, beside each other, and tags nowhere") {
  Interleaved<EntityIndex, Flag, Vector3, Tag> rows;
  rows.reallocate(100, 0);
  CHECK(rows.allocations() == 1);
  const auto address = [](const void* component) { return reinterpret_cast<std::uintptr_t>(component); };
  CHECK(address(rows.at<Vector3>(1)) - address(rows.at<Vector3>(0)) == 16);
  CHECK(address(rows.at<Flag>(7)) - address(rows.at<Vector3>(7)) == 12);
  CHECK(rows.at<Tag>(3) == rows.at<Tag>(99));
  CHECK(rows.block<Vector3>(10, 5).stride_bytes() == 16);
  CHECK(rows.block<Tag>(10, 5).stride_bytes() == 0);
  const auto* const first = reinterpret_cast<const std::byte*>(rows.keys());
  CHECK(reinterpret_cast<const std::byte*>(rows.at<Vector3>(0)) >= first + 100 * sizeof(EntityIndex));
  CHECK(reinterpret_cast<const std::byte*>(rows.at<Flag>(99)) < first + rows.held_bytes());
}

/// Overloads the operators that generic code likes to use.
struct Awkward {
  std::uint32_t number;

  void operator&() const = delete;
  template <class Other>
  void operator,(const Other&) const = delete;
};

TEST_CASE("interleaved rows are copied without the operators of their components") {
  Interleaved<EntityIndex, Awkward, Flag> rows;
  rows.reallocate(2, 0);
  const std::array<Awkward, 2> numbers{{{1}, {2}}};
  const std::array<Flag, 2> flags{{{3}, {4}}};
  rows.construct_rows(0, numbers, flags);
  CHECK(rows.at<Awkward>(1)->number == 2);
  CHECK(rows.at<Flag>(1)->value == 4);
}

using Everything = Schema<Flag, double, Tag, Vector3, std::uint16_t, Wide>;

TEST_CASE("a row that is planned when running is one that is planned when compiling") {
  SectionPlan<Everything>::Mask all;
  for (std::size_t c = 0; c < Everything::component_count; ++c) all = all.toggled(c);
  SectionPlan<Everything> plan(all);
  plan.add_column_of(all);
  plan.carve(10);
  const auto offset = [&](std::size_t component) { return plan.start(component) - plan.column_start(1); };
  CHECK(offset(0) == Mixed::offset<Flag>);
  CHECK(offset(1) == Mixed::offset<double>);
  CHECK(offset(3) == Mixed::offset<Vector3>);
  CHECK(offset(4) == Mixed::offset<std::uint16_t>);
  CHECK(offset(5) == Mixed::offset<Wide>);
  CHECK(plan.stride(0) == Mixed::stride_bytes);
  CHECK(plan.alignment() == 64);
  CHECK(plan.payload_row_bytes() == 1 + 8 + 12 + 2 + sizeof(Wide));
}

/// The bytes of one row of a stream, as a lookup would walk them.
TEST_CASE("a stream says of each component which it is, how it is aligned and how long it is") {
  using Streams = SectionStreams<Everything>;
  Streams::Mask some;
  for (const std::size_t component : {0, 1, 2, 5}) some = some.toggled(component);
  auto plan = Streams::plan(some);
  Block block(plan.carve(3), plan.alignment());
  const auto places = Streams::places(plan, block.data());
  Streams::prepare(places, some, 3);
  const std::byte* const row = block.data() + plan.column_start(1) + 2 * plan.columns()[1].row_bytes;
  std::size_t at = 0;
  const auto expect = [&](std::size_t component, std::size_t alignment, std::size_t length, std::size_t payload) {
    const StreamHeader header = StreamHeader::read(row + at);
    CHECK(header.component() == component);
    CHECK(header.alignment() == alignment);
    CHECK(header.length() == length);
    CHECK(header.payload(at) == payload);
    at = header.next(at);
  };
  expect(0, 1, sizeof(Flag), 8);
  expect(1, alignof(double), sizeof(double), 24);
  expect(2, 1, 0, 40);  // a tag is a header
  expect(5, 64, sizeof(Wide), 64);
  CHECK(at == 128);
  CHECK(plan.columns()[1].row_bytes == 128);
  const auto [wide, flag, vector, tag] = Streams::find<Wide, Flag, Vector3, Tag>(places, 2);
  CHECK(reinterpret_cast<const std::byte*>(wide) == row + 64);
  CHECK(reinterpret_cast<const std::byte*>(flag) == row + 8);
  CHECK(vector == nullptr);
  CHECK(tag != nullptr);
}

}  // namespace
}  // namespace stowage::parts
