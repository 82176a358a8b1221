#include <stowage/archetype_sections_byte_stream.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/sections/plan.hpp>

#include "tests/support/catch.hpp"

// Where components lie in an interleaved row: widest alignment first, no gap but at the end.
namespace stowage::parts {
namespace {

struct Vector3 {
  float x, y, z;
};
struct Flag {
  std::uint8_t value;
};
struct Tag {};
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
