// What the headers' drawings predict of a lookup, in numbers. Whether it comes true is for the simulator to say.
#include <boost/version.hpp>

#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_arena.hpp>
#include <stowage/archetype_sections_byte_stream.hpp>
#include <stowage/archetype_sections_free_list.hpp>
#include <stowage/archetype_sections_interleaved.hpp>
#include <stowage/archetype_sections_mixed.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/hash_index.hpp>
#include <stowage/hash_index_list_in_array.hpp>
#include <stowage/hash_index_node.hpp>
#include <stowage/hybrid.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_changed.hpp>
#include <stowage/indirection_map_lazy.hpp>
#include <stowage/indirection_map_paired.hpp>
#include <stowage/interleaved_pairs.hpp>
#include <stowage/naive_objects.hpp>
#include <stowage/object_indices.hpp>
#include <stowage/offset_table.hpp>
#include <stowage/sparse_direct.hpp>
#if BOOST_VERSION >= 108100
#include <stowage/archetype_sections_lanes.hpp>
#include <stowage/hash_index_flat_map.hpp>
#include <stowage/indirection_map_lanes.hpp>
#endif

#include "tests/support/catch.hpp"
#include "workloads/support/components.hpp"

namespace stowage {
namespace {

using workloads::Acceleration;
using workloads::Mass;
using workloads::PointMassSchema;
using workloads::Position;
using workloads::Render;
using workloads::Transform;
using workloads::Velocity;

TEST_CASE("objects that straddle a line cost another") {
  CHECK(lines_touched({{0, 8}}, 8) == 1);
  CHECK(lines_touched({{0, 12}}, 12) == 1 + 2.0 / 16);
  CHECK(lines_touched({{0, 16}}, 40) == 1 + 1.0 / 8);
  CHECK(lines_touched({{0, 64}}, 64) == 1);
  CHECK(lines_touched({{0, 64}}, 4) == 2 - 1.0 / 16);
  CHECK(lines_touched({{60, 68}}, 64) == 2);
}

TEST_CASE("what is touched twice, or not at all, costs nothing more") {
  CHECK(lines_touched({{0, 4}, {8, 12}}, 64) == 1);
  CHECK(lines_touched({{8, 12}, {0, 4}, {0, 4}}, 64) == 1);
  CHECK(lines_touched({{0, 4}, {128, 132}}, 64) == 2);
  CHECK(lines_touched({{0, 4}, {32, 32}}, 64) == 1);
  CHECK(lines_touched({}, 8) == 0);
}

template <class Storage>
constexpr double one = Storage::template lookup_lines<Position>();
template <class Storage>
constexpr double four = Storage::template lookup_lines<Mass, Position, Velocity, Acceleration>();

TEST_CASE("the drawings predict so many lines per lookup of a point mass") {
  CHECK(one<NaiveObjects<PointMassSchema>> == 3.5);
  CHECK(four<NaiveObjects<PointMassSchema>> == 4.5);
  CHECK(one<NaiveObjectsInlineFields<PointMassSchema>> == 2.5);
  CHECK(four<NaiveObjectsInlineFields<PointMassSchema>> == 3);
  CHECK(one<SparseDirect<PointMassSchema>> == 3);
  CHECK(four<SparseDirect<PointMassSchema>> == 6);
  CHECK(one<IndirectionMap<PointMassSchema>> == 2);
  CHECK(four<IndirectionMap<PointMassSchema>> == 5);
  CHECK(one<IndirectionMapVectors<PointMassSchema>> == 2);
  CHECK(four<IndirectionMapVectors<PointMassSchema>> == 5);
  CHECK(four<IndirectionMapChanged<PointMassSchema>> == 5);
  CHECK(one<IndirectionMapLazy<PointMassSchema>> == 2);
  CHECK(four<IndirectionMapLazy<PointMassSchema>> == 5);
  CHECK(one<IndirectionMapLazyProbing<PointMassSchema>> == 2);
  CHECK(one<IndirectionMapPaired<PointMassSchema>> == 2);
  CHECK(four<IndirectionMapPaired<PointMassSchema>> == 5);
  CHECK(one<HashIndex<PointMassSchema>> == 2.125);
  CHECK(four<HashIndex<PointMassSchema>> == 5.125);
  CHECK(one<HashIndexFixedCapacity<PointMassSchema>> == 2.125);
  CHECK(one<HashIndexLinear<PointMassSchema>> == 2.125 + 6.0 / 64);
  CHECK(one<HashIndexLinearIdentity<PointMassSchema>> == 2.125);
  CHECK(one<HashIndexListInArray<PointMassSchema>> == 3);
  CHECK(four<HashIndexListInArray<PointMassSchema>> == 6);
  CHECK(one<HashIndexNode<PointMassSchema>> == 3.5);
  CHECK(four<HashIndexNode<PointMassSchema>> == 6.5);
  CHECK(one<HashIndexNodeVectors<PointMassSchema>> == 3.5);
  CHECK(one<IndirectionMapPaged<PointMassSchema>> == 2);
  CHECK(one<OffsetTable<PointMassSchema>> == 2);
  CHECK(four<OffsetTable<PointMassSchema>> == 5);
  CHECK(one<OffsetTable16<PointMassSchema>> == 2);
  CHECK(one<ObjectIndices<PointMassSchema>> == 3);
  CHECK(four<ObjectIndices<PointMassSchema>> == 6);
  CHECK(one<InterleavedPairs<PointMassSchema>> == 2);
  CHECK(four<InterleavedPairs<PointMassSchema>> == 2.375);
  CHECK(one<ArchetypeSections<PointMassSchema>> == 2.125);
  CHECK(four<ArchetypeSections<PointMassSchema>> == 5.125);
  CHECK(one<ArchetypeSectionsInterleaved<PointMassSchema>> == 2.125);
  CHECK(four<ArchetypeSectionsInterleaved<PointMassSchema>> == 2.5);
  CHECK(one<ArchetypeSectionsMixed<PointMassSchema>> == 2.125);
  CHECK(four<ArchetypeSectionsMixed<PointMassSchema>> == 2.5);
  CHECK(one<ArchetypeSectionsByteStream<PointMassSchema>> == 2.5);
  CHECK(four<ArchetypeSectionsByteStream<PointMassSchema>> == 3.25);
  CHECK(one<Hybrid<PointMassSchema>> == 2.125);
  CHECK(four<Hybrid<PointMassSchema>> == 5.125);
#if BOOST_VERSION >= 108100
  CHECK(one<IndirectionMapLanes<PointMassSchema>> == 2);
  CHECK(four<IndirectionMapLanes<PointMassSchema>> == 5);
  CHECK(one<HashIndexFlatMap<PointMassSchema>> == 3.125);
  CHECK(four<HashIndexFlatMap<PointMassSchema>> == 6.125);
  CHECK(one<ArchetypeSectionsLanes<PointMassSchema>> == 2.125);
  CHECK(four<ArchetypeSectionsLanes<PointMassSchema>> == 5.125);
#endif
}

TEST_CASE("the record of a section is another line, as far as it is not in the cache") {
  CHECK(one<ArchetypeSectionsFixed4k<PointMassSchema>> == Approx(3.125).epsilon(0.01));
  CHECK(four<ArchetypeSectionsFixed4k<PointMassSchema>> == Approx(6.125).epsilon(0.01));
  CHECK(one<ArchetypeSectionsFixed32k<PointMassSchema>> == Approx(3.125 - 0.16).epsilon(0.01));
  CHECK(four<ArchetypeSectionsFixed32k<PointMassSchema>> == Approx(6.125 - 0.08).epsilon(0.01));
  CHECK(one<ArchetypeSectionsFixed128k<PointMassSchema>> == Approx(3.125 - 0.5).epsilon(0.01));
  CHECK(four<ArchetypeSectionsFreeList<PointMassSchema>> == four<ArchetypeSectionsFixed32k<PointMassSchema>>);
  CHECK(four<ArchetypeSectionsArena<PointMassSchema>> == four<ArchetypeSectionsFixed32k<PointMassSchema>>);
}

TEST_CASE("a mixture costs a row for each group and a column for each component beside") {
  using Storage = ArchetypeSectionsMixed<Schema<Group<Render, Transform>, Mass, Position>>;
  CHECK(Storage::lookup_lines<Mass>() == 2.125);
  CHECK(Storage::lookup_lines<Render, Mass>() == 3.125);
  CHECK(Storage::lookup_lines<Position, Render, Mass>() == 4.125);
}

TEST_CASE("a sparse component costs a map entry and itself, beside what its entity has in a section") {
  using Storage = Hybrid<Schema<Group<Position, Velocity>, Sparse<Mass>, Sparse<Render>>>;
  CHECK(Storage::lookup_lines<Mass>() == 2);
  CHECK(Storage::lookup_lines<Mass, Render>() == 2 * IndirectionMap<Schema<Mass, Render>>::lookup_lines<Mass>());
  CHECK(Storage::lookup_lines<Velocity, Mass, Position>() == 3.125 + 2);
}

TEST_CASE("a number far from the generation of an offset table's record is in another line for some of its records") {
  using Index = parts::OffsetTableIndex<Entity, 5, std::uint32_t>;
  CHECK(Index::lookup_lines<0>() == 1);
  CHECK(Index::lookup_lines<1>() == 1 + 1.0 / 8);
  CHECK(Index::lookup_lines<4>() == 1 + 2.0 / 8);
}

TEST_CASE("heap objects made in unrelated orders cost a line each, and one object of four straddles") {
  using Storage = NaiveObjects<Schema<Render, Transform>>;
  CHECK(Storage::scattered_lookup_lines<Render, Transform>() == 1 + 1.25 + 2);
}

}  // namespace
}  // namespace stowage
