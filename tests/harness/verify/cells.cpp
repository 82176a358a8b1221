#include "harness/verify/cells.hpp"

#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

std::vector<CellCheck> verify(const std::string& strategies, const std::string& workload = "walk") {
  static fake::FakeBench bench;
  static std::vector<Block> blocks;
  blocks = bench.blocks(strategies, workload, "1k");
  return verify_block(blocks.at(0), bench.catalogue, [] { return false; });
}

TEST_CASE("another checksum than the reference's, less work, and a case that throws are errors of that cell alone") {
  const std::vector<CellCheck> checks = verify("fast,wrong");
  CHECK(checks[0].error.empty());
  CHECK(checks[1].error.empty());
  CHECK_THAT(checks[2].error, ContainsSubstring("0x0000000000000401 differs from 0x0000000000000400 of reference"));
  CHECK_THAT(verify("lazy").back().error, ContainsSubstring("1023 items differ from the 1024 of reference"));
  CHECK(verify("throwing").back().error == "threw: no room for it");
}

TEST_CASE("without a reference the majority is right") {
  fake::FakeBench bench;
  Block block = bench.blocks("fast,twin,wrong", "walk", "1k").at(0);
  std::erase_if(block.strategies, [](const StrategyEntry* strategy) { return strategy->is_floor(); });
  const auto checks = verify_block(block, bench.catalogue, [] { return false; });
  CHECK(checks[0].error.empty());
  CHECK(checks[1].error.empty());
  CHECK_THAT(checks[2].error, ContainsSubstring("of most strategies"));
}

TEST_CASE("a stop leaves the rest unverified") {
  fake::FakeBench bench;
  const std::vector<Block> blocks = bench.blocks("fast,twin", "walk", "1k");
  CHECK(verify_block(blocks.at(0), bench.catalogue, [] { return true; }).empty());
}

}  // namespace
}  // namespace stowage::harness
