#include "harness/measure/simulated/dump.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

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
fl=(3) /src/workloads/contract/measurement.hpp
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

TEST_CASE("costs are summed for each file that they were written in") {
  const CallgrindDump dump = parse(stored);
  REQUIRE(dump.by_file.size() == 3);
  const CacheEvents& lookup = dump.by_file.at("/src/workloads/lookup.hpp");
  CHECK(
      lookup ==
      CacheEvents{.instructions = 100, .reads = 20, .writes = 0, .l1d_misses = 8, .ll_misses = 4, .unused_bytes = 128});
  CHECK(dump.by_file.at("/src/workloads/contract/measurement.hpp").instructions == 4);
  CHECK(dump.by_file.at("./string/memmove.S").l1d_misses == 2);
}

TEST_CASE("the costs of a callee count once") {
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

}  // namespace
}  // namespace stowage::harness
