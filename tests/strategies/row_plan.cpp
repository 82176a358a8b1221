#include <cstddef>
#include <cstdint>

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

}  // namespace
}  // namespace stowage::parts
