// What the headers' drawings predict of a lookup, in numbers. Whether it comes true is for the simulator to say.
#include <boost/version.hpp>

#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_arena.hpp>
#include <stowage/archetype_sections_byte_stream.hpp>
#include <stowage/archetype_sections_free_list.hpp>
#include <stowage/archetype_sections_interleaved.hpp>
#include <stowage/archetype_sections_mixed.hpp>
#include <stowage/archetype_sections_published.hpp>
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

TEST_CASE("objects that straddle a line cost another, and what is touched twice or not at all costs nothing more") {
  CHECK(lines_touched({{0, 8}}, 8) == 1);
  CHECK(lines_touched({{0, 12}}, 12) == 1 + 2.0 / 16);
  CHECK(lines_touched({{0, 16}}, 40) == 1 + 1.0 / 8);
  CHECK(lines_touched({{0, 64}}, 64) == 1);
  CHECK(lines_touched({{0, 64}}, 4) == 2 - 1.0 / 16);
  CHECK(lines_touched({{60, 68}}, 64) == 2);
  CHECK(lines_touched({{0, 4}, {8, 12}}, 64) == 1);
  CHECK(lines_touched({{8, 12}, {0, 4}, {0, 4}}, 64) == 1);
  CHECK(lines_touched({{0, 4}, {128, 132}}, 64) == 2);
  CHECK(lines_touched({{0, 4}, {32, 32}}, 64) == 1);
  CHECK(lines_touched({}, 8) == 0);
  CHECK(lines_touched({{0, 12}}, 12, 128) == 1 + 2.0 / 32);
  CHECK(lines_touched({{0, 36}}, 44, 128) == 1 + 8.0 / 32);
  CHECK(lines_touched({{0, 256}}, 256, 128) == 2);
}

/// Per lookup of one component of a point mass, and of all four.
using Lines = std::pair<double, double>;
template <class Storage>
constexpr Lines lines{Storage::template lookup_lines<Position>(),
                      Storage::template lookup_lines<Mass, Position, Velocity, Acceleration>()};

TEST_CASE("the drawings predict so many lines per lookup of a point mass") {
  CHECK(lines<NaiveObjects<PointMassSchema>> == Lines{3.5, 4.5});
  CHECK(lines<NaiveObjectsInlineFields<PointMassSchema>> == Lines{2.5, 3});
  CHECK(lines<SparseDirect<PointMassSchema>> == Lines{3, 6});
  CHECK(lines<IndirectionMap<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<IndirectionMapVectors<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<IndirectionMapChanged<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<IndirectionMapLazy<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<IndirectionMapLazyProbing<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<IndirectionMapPaired<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<HashIndex<PointMassSchema>> == Lines{2.125, 5.125});
  CHECK(lines<HashIndexFixedCapacity<PointMassSchema>> == Lines{2.125, 5.125});
  CHECK(lines<HashIndexLinear<PointMassSchema>> == Lines{2.125 + 6.0 / 64, 5.125 + 6.0 / 64});
  CHECK(lines<HashIndexLinearIdentity<PointMassSchema>> == Lines{2.125, 5.125});
  CHECK(lines<HashIndexListInArray<PointMassSchema>> == Lines{3, 6});
  CHECK(lines<HashIndexNode<PointMassSchema>> == Lines{3.5, 6.5});
  CHECK(lines<HashIndexNodeVectors<PointMassSchema>> == Lines{3.5, 6.5});
  CHECK(lines<IndirectionMapPaged<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<IndirectionMapUngrouped<PointMassSchema>> == Lines{2, 8});
  CHECK(lines<OffsetTable<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<OffsetTable16<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<ObjectIndices<PointMassSchema>> == Lines{3, 6});
  CHECK(lines<InterleavedPairs<PointMassSchema>> == Lines{2, 2.375});
  CHECK(lines<ArchetypeSections<PointMassSchema>> == Lines{2.125, 5.125});
  CHECK(lines<ArchetypeSectionsInterleaved<PointMassSchema>> == Lines{2.125, 2.5});
  CHECK(lines<ArchetypeSectionsMixed<PointMassSchema>> == Lines{2.125, 2.5});
  CHECK(lines<ArchetypeSectionsByteStream<PointMassSchema>> == Lines{2.5, 3.25});
  CHECK(lines<Hybrid<PointMassSchema>> == Lines{2.125, 5.125});
#if BOOST_VERSION >= 108100
  CHECK(lines<IndirectionMapLanes<PointMassSchema>> == Lines{2, 5});
  CHECK(lines<HashIndexFlatMap<PointMassSchema>> == Lines{3.125, 6.125});
  CHECK(lines<ArchetypeSectionsLanes<PointMassSchema>> == Lines{2.125, 5.125});
#endif
}

TEST_CASE("the record of a section is another line, as far as it is not in the cache") {
  const auto [one_of_4k, four_of_4k] = lines<ArchetypeSectionsFixed4k<PointMassSchema>>;
  CHECK(one_of_4k == Approx(3.125).epsilon(0.01));
  CHECK(four_of_4k == Approx(6.125).epsilon(0.01));
  const auto [one, four] = lines<ArchetypeSectionsFixed32k<PointMassSchema>>;
  CHECK(one == Approx(3.125 - 0.16).epsilon(0.01));
  CHECK(four == Approx(6.125 - 0.08).epsilon(0.01));
  CHECK(lines<ArchetypeSectionsFixed128k<PointMassSchema>>.first == Approx(3.125 - 0.5).epsilon(0.01));
  CHECK(lines<ArchetypeSectionsFreeList<PointMassSchema>>.second == four);
  CHECK(lines<ArchetypeSectionsArena<PointMassSchema>>.second == four);
  const auto [one_of_published, four_of_published] = lines<ArchetypeSectionsPublished<PointMassSchema>>;
  CHECK(one_of_published == Approx(1 + 1.375 + 0.85).epsilon(0.01));
  CHECK(four_of_published == Approx(1 + 2.125 + 0.88).epsilon(0.01));
}

TEST_CASE("a mixture costs a row for each group and a column for each component, a sparse component a map entry") {
  using Storage = ArchetypeSectionsMixed<Schema<Group<Render, Transform>, Mass, Position>>;
  CHECK(Storage::lookup_lines<Mass>() == 2.125);
  CHECK(Storage::lookup_lines<Render, Mass>() == 3.125);
  CHECK(Storage::lookup_lines<Position, Render, Mass>() == 4.125);
  using Apart = Hybrid<Schema<Group<Position, Velocity>, Sparse<Mass>, Sparse<Render>>>;
  CHECK(Apart::lookup_lines<Mass>() == 2);
  CHECK(Apart::lookup_lines<Mass, Render>() == 2 * IndirectionMap<Schema<Mass, Render>>::lookup_lines<Mass>());
  CHECK(Apart::lookup_lines<Velocity, Mass, Position>() == 3.125 + 2);
}

TEST_CASE(
    "what lies apart is another line: some numbers of an offset table's records, and objects made in unrelated "
    "orders") {
  using Index = parts::OffsetTableIndex<Entity, 5, std::uint32_t>;
  CHECK(Index::lookup_lines<0>() == 1);
  CHECK(Index::lookup_lines<1>() == 1 + 1.0 / 8);
  CHECK(Index::lookup_lines<4>() == 1 + 2.0 / 8);
  using Storage = NaiveObjects<Schema<Render, Transform>>;
  CHECK(Storage::scattered_lookup_lines<Render, Transform>() == 1 + 1.25 + 2);
}

}  // namespace
}  // namespace stowage
