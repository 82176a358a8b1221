// A stored dump of Callgrind: its parser, the side that each source file belongs to, and the figures per item.
#include "harness/measure/simulated/figures.hpp"

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

// As Valgrind 3.19 writes it with --cacheuse=yes: compressed names, relative positions, zeros left out at the end of a
// line, and after `calls=` the cost of the callee, which has lines of its own.
constexpr const char* stored = R"(# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 9187
cmd:  ./stowage
part: 2

desc: D1 cache: 49152 B, 64 B, 12-way associative
desc: Trigger: Client Request

positions: instr line
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw AcCost1 SpLoss1 AcCost2 SpLoss2
summary: 132 24 5 0 9 2 0 4 1 100 128

ob=(1) /build/simulate/stowage
fl=(3) /src/workloads/support/measurement.hpp
fn=(6) MeasurementOf<LookupCase<IndirectionMap<A, B> > >::run(unsigned long)
0xbca80 60 1
+3 * 1
fi=(8) /src/workloads/lookup.hpp
+2 +10 100 20 0 0 8 0 0 4 0 90 128
fe=(3)
+7 -10 1 0 1
+7 -10 1 0 1 0 0 1
cob=(2) /usr/lib/libc.so
cfi=(9) ./string/memmove.S
cfn=(10) memmove
calls=2 +29
* * 28 4 3 0 1 1 0 0 1 10

fl=(9)
fn=(10)
0x4849 300 28 4 3 0 1 1 0 0 1 10

totals: 132 24 5 0 9 2 0 4 1 100 128
)";

CallgrindDump parse(const std::string& text) {
  std::istringstream in(text);
  return parse_dump(in);
}

std::string failure_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("costs are summed for each file that they were written in, and the costs of a callee count once") {
  const CallgrindDump dump = parse(stored);
  REQUIRE(dump.by_file.size() == 3);
  const CacheEvents& lookup = dump.by_file.at("/src/workloads/lookup.hpp");
  CHECK(
      lookup ==
      CacheEvents{.instructions = 100, .reads = 20, .writes = 0, .l1d_misses = 8, .ll_misses = 4, .unused_bytes = 128});
  CHECK(dump.by_file.at("/src/workloads/support/measurement.hpp").instructions == 4);
  CHECK(dump.by_file.at("./string/memmove.S").l1d_misses == 2);
  const CacheEvents total = parse(stored).total();
  CHECK(total.instructions == 132);
  CHECK(total.reads == 24);
  CHECK(total.writes == 5);
  CHECK(total.l1d_misses == 11);
  CHECK(total.ll_misses == 5);
}

TEST_CASE("a dump that cannot be used is refused with the place") {
  const std::string text = stored;
  CHECK_THAT(failure_of(text.substr(0, text.find("totals:"))), ContainsSubstring("truncated"));
  CHECK_THAT(failure_of(""), ContainsSubstring("truncated"));
  std::string without_cache = text;
  without_cache.replace(without_cache.find("DLmw"), 4, "____");
  CHECK_THAT(failure_of(without_cache), ContainsSubstring("line 12: there is no DLmw"));
  std::string unnamed = text;
  unnamed.replace(unnamed.find("fe=(3)"), 6, "fe=(5)");
  CHECK_THAT(failure_of(unnamed), ContainsSubstring("file (5) has no name"));
  std::string no_number = text;
  no_number.replace(no_number.find("100 20"), 6, "100 2x");
  CHECK_THAT(failure_of(no_number), ContainsSubstring("'2x' is no count"));
  CHECK_THAT(failure_of("events: Ir Dr Dw D1mr D1mw DLmr DLmw SpLoss1\n5 1\ntotals: 1\n"),
             ContainsSubstring("a cost before the file"));
}

const CacheModel reference = parse_cache_model("reference");
constexpr const char* payload_file = "/home/me/build/simulate/../../workloads/lookup.hpp";
constexpr const char* index_file = "/home/me/build/simulate/../../strategies/stowage/parts/index/array.hpp";

/// 1000 items with 1000 misses of index, 1125 of payload, and `unknown` ones.
Simulation lookups(std::uint64_t unknown = 0) {
  Simulation simulation;
  simulation.items = 1000;
  simulation.nothing.by_file["/home/me/harness/child.cpp"] = {.instructions = 17, .reads = 2, .writes = 7};
  simulation.pass.by_file[index_file] = {.instructions = 6000, .reads = 1002, .l1d_misses = 1000, .ll_misses = 200};
  simulation.pass.by_file[payload_file] = {
      .instructions = 9017, .reads = 2000, .writes = 7, .l1d_misses = 1125, .ll_misses = 500, .unused_bytes = 1000};
  simulation.pass.by_file["./malloc/malloc.c"] = {.l1d_misses = unknown};
  return simulation;
}

TEST_CASE("the cost of measuring is not part of the figures, and misses are split by the file that caused them") {
  const Counters counters = cache_counters(lookups(), reference, 12.0);
  CHECK(counters.at("instructions_per_item") == Approx(15));
  CHECK(counters.at("data_reads_per_item") == Approx(3));
  CHECK(counters.at("data_writes_per_item") == 0);
  CHECK(counters.at("l1d_misses_per_item") == Approx(2.125));
  CHECK(counters.at("ll_misses_per_item") == Approx(0.7));
  CHECK(counters.at("l1d_misses_index_per_item") == Approx(1));
  CHECK(counters.at("l1d_misses_payload_per_item") == Approx(1.125));
  CHECK(counters.at("ll_misses_index_per_item") == Approx(0.2));
  CHECK(counters.at("ll_misses_payload_per_item") == Approx(0.5));
}

TEST_CASE("the header of an outside storage is index, and what lies below its folder but is ours stays what it is") {
  CHECK(side_of("/usr/local/share/stowage/workloads/game/component.hpp") == Side::payload);
  CHECK(side_of("/home/me/game/table.hpp") == Side::neither);
  CHECK(side_of("/home/me/game/table.hpp", "/home/me/game") == Side::index);
  CHECK(side_of("/home/me/games/table.hpp", "/home/me/game") == Side::neither);
  CHECK(side_of("/home/me/game/stowage/workloads/lookup.hpp", "/home/me/game") == Side::payload);
}

TEST_CASE("if too many misses belong to neither side, neither is stated") {
  CHECK(cache_counters(lookups(20), reference, 12.0).contains("l1d_misses_index_per_item"));
  const Counters counters = cache_counters(lookups(30), reference, 12.0);
  CHECK_FALSE(counters.contains("l1d_misses_index_per_item"));
  CHECK_FALSE(counters.contains("l1d_misses_payload_per_item"));
  CHECK(counters.contains("ll_misses_index_per_item"));
}

TEST_CASE("the share of a line that is used follows from what the work needs, or from many evicted lines") {
  CHECK(cache_counters(lookups(), reference, 12.0).at("line_use_share") == Approx(12 / (64 * 2.125)));
  CHECK_FALSE(cache_counters(lookups(), reference, std::nullopt).contains("line_use_share"));
  // More than all of them: the work found bytes in the cache.
  CHECK_FALSE(cache_counters(lookups(), reference, 140.0).contains("line_use_share"));
  CHECK_FALSE(cache_counters(lookups(), reference, 12.0).contains("line_use_share_evicted"));
  const CacheModel small = parse_cache_model("L1=4k:4");
  CHECK(cache_counters(lookups(), small, 12.0).at("line_use_share_evicted") == Approx(1 - 1000.0 / (64 * 2125)));
}

TEST_CASE("a file belongs to a side by its place in the sources, wherever those are or are installed") {
  CHECK(side_of("/opt/include/stowage/parts/layout/columns.hpp") == Side::payload);
  CHECK(side_of("/opt/include/stowage/parts/index/array.hpp") == Side::index);
  CHECK(side_of("/opt/share/stowage/workloads/lookup.hpp") == Side::payload);
  CHECK(side_of("/opt/include/other/index/array.hpp") == Side::neither);
  CHECK(side_of(payload_file) == Side::payload);
  CHECK(side_of(index_file) == Side::index);
  CHECK(side_of("/x/strategies/stowage/parts/layout/rows.hpp") == Side::payload);
  CHECK(side_of("/x/strategies/stowage/contract/component.hpp") == Side::payload);
  CHECK(side_of("/x/strategies/stowage/contract/registry.hpp") == Side::index);
  CHECK(side_of("/x/strategies/stowage/sparse_direct.hpp") == Side::index);
  CHECK(side_of("/home/workloads/stowage/build/simulate/../../strategies/stowage/hash_index.hpp") == Side::index);
  CHECK(side_of("/x/strategies/stowage/build/simulate/../../workloads/join.hpp") == Side::payload);
  CHECK(side_of("/usr/include/boost/unordered/detail/foa.hpp") == Side::index);
  CHECK(side_of("/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h") == Side::index);
  CHECK(side_of("/usr/include/c++/12/bits/unique_ptr.h") == Side::index);
  CHECK(side_of("/usr/include/c++/12/bits/hashtable.h") == Side::index);
  CHECK(side_of("/usr/include/c++/12/bits/stl_function.h") == Side::index);
  CHECK(side_of("/usr/include/c++/12/bit") == Side::payload);
  CHECK(side_of("/usr/include/c++/12/bitset") == Side::neither);
  CHECK(side_of("./string/../sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S") == Side::neither);
  CHECK(side_of("???") == Side::neither);
}

}  // namespace
}  // namespace stowage::harness
