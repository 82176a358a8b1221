#include "harness/measure/simulated/protocol.hpp"

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("a request, an answer whatever its message holds, and a build come back from their lines") {
  const SimulationRequest request{.workload = "join",
                                  .strategy = "archetype_sections.fixed_32k",
                                  .parameters = {.entities = 16384, .values = {{"order", "same"}, {"via", "each"}}},
                                  .cold = true};
  CHECK(parse_request(line_of(request)) == request);
  const SimulationRequest plain{
      .workload = "alive", .strategy = "reference", .parameters = {.entities = 1, .values = {}}};
  CHECK(parse_request(line_of(plain)) == plain);
  CHECK(line_of(request).find('\n') == std::string::npos);
  const SimulationAnswer done{.process = 4711, .items = 16384, .checksum = ~std::uint64_t{0}, .error = {}};
  CHECK(parse_answer(line_of(done)) == done);
  const SimulationAnswer failed{.error = "threw:\ttwo\nlines"};
  CHECK(parse_answer(line_of(failed)).error == "threw: two lines");
  const Build build{"0.1.0", "GNU 12.2.0", "-O3 -g1", "abc with local changes"};
  CHECK(parse_build(line_of(build)) == build);
}

TEST_CASE("anything else is refused") {
  for (const char* line : {"", "warm", "warm\tjoin\treference", "warm\tjoin\treference\tmany",
                           "hot\tjoin\treference\t1", "warm\tjoin\treference\t1\tvia"}) {
    CHECK_THROWS_AS(parse_request(line), std::invalid_argument);
  }
  CHECK_THROWS_AS(parse_answer("done\t1\t2"), std::invalid_argument);
  CHECK_THROWS_AS(parse_answer("done\tx\t2\t3"), std::invalid_argument);
  CHECK_THROWS_AS(parse_build("stowage\t0.1.0"), std::invalid_argument);
  CHECK_THROWS_AS(parse_build("unknown command"), std::invalid_argument);
}

}  // namespace
}  // namespace stowage::harness
