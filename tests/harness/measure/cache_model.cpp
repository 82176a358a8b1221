#include "harness/measure/simulated/cache_model.hpp"

#include <fstream>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

constexpr std::uint64_t kib = 1024;

std::string refusal_of(const std::string& model) {
  try {
    static_cast<void>(parse_cache_model(model));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// One cache as Linux describes it.
void describe(const std::filesystem::path& directory, const std::string& level, const std::string& type,
              const std::string& size, const std::string& ways) {
  std::filesystem::create_directories(directory);
  const auto write = [&directory](const char* file, const std::string& text) {
    std::ofstream(directory / file) << text << "\n";
  };
  write("level", level);
  write("type", type);
  write("size", size);
  write("ways_of_associativity", ways);
  write("coherency_line_size", "64");
}

TEST_CASE("the reference model is the same everywhere, and explicit sizes replace those of it") {
  const CacheModel model = parse_cache_model("reference", "/nowhere");
  CHECK(model.l1d == CacheGeometry{48 * kib, 12, 64});
  CHECK(model.ll == CacheGeometry{2048 * kib, 16, 64});
  CHECK(model.l1d.sets() == 64);
  CHECK(model.l1d.text() == "48 KiB, 12-way, 64-byte lines");
  const CacheModel given = parse_cache_model("L1=32k:8,LL=1M:16,line=32");
  CHECK(given.name == "L1=32k:8,LL=1M:16,line=32");
  CHECK(given.l1d == CacheGeometry{32 * kib, 8, 32});
  CHECK(given.l1i == CacheGeometry{32 * kib, 8, 32});
  CHECK(given.ll == CacheGeometry{1024 * kib, 16, 32});
}

TEST_CASE("an impossible cache is refused with the nearest possible one") {
  CHECK_THAT(refusal_of("refrence"), ContainsSubstring("unknown cache model 'refrence'; did you mean 'reference'?"));
  CHECK_THAT(refusal_of("zen5"), ContainsSubstring("give reference, host, or sizes"));
  CHECK_THAT(refusal_of("L1=50k:12"), ContainsSubstring("L1=50k:12: the number of sets (size / ways / line) must be a "
                                                        "power of two; with 12 ways 48k or 96k would do"));
  CHECK_THAT(refusal_of("L1=0k:8"), ContainsSubstring("8 ways of 64-byte lines take 512 at least"));
  CHECK_THAT(refusal_of("L1=48k:0"), ContainsSubstring("at least one way"));
  CHECK_THAT(refusal_of("L1=48k"), ContainsSubstring("give size:ways, such as 48k:12"));
  CHECK_THAT(refusal_of("L1=many:12"), ContainsSubstring("give size:ways"));
  CHECK_THAT(refusal_of("LL=4096M:16"), ContainsSubstring("at most 1024M"));
  CHECK_THAT(refusal_of("LL=99999999999999999999:16"), ContainsSubstring("give size:ways"));
  CHECK_THAT(refusal_of("line=0"), ContainsSubstring("line=0: a line has a power of two of bytes from 16"));
  CHECK_THAT(refusal_of("line=48"), ContainsSubstring("a power of two"));
  CHECK_THAT(refusal_of("LL=32k:16"), ContainsSubstring("never smaller than the first; give at least 48k"));
  CHECK_THAT(refusal_of("L2=1M:16"), ContainsSubstring("--model has no 'L2'; did you mean 'L1'?"));
  CHECK_THAT(refusal_of("L1=48k:12,"), ContainsSubstring("unknown cache model ''"));
  CHECK_THAT(refusal_of(""), ContainsSubstring("unknown cache model ''"));
}

TEST_CASE("the host's caches are read, and rounded down if they cannot be simulated") {
  const TemporaryDirectory directory;
  describe(directory.path() / "index0", "1", "Data", "32K", "8");
  describe(directory.path() / "index1", "1", "Instruction", "32K", "8");
  describe(directory.path() / "index2", "2", "Unified", "1024K", "16");
  describe(directory.path() / "index3", "3", "Unified", "327680K", "16");
  const CacheModel model = parse_cache_model("host", directory.path());
  CHECK(model.l1d == CacheGeometry{32 * kib, 8, 64});
  CHECK(model.ll == CacheGeometry{256 * kib * kib, 16, 64});
  REQUIRE(model.roundings.size() == 1);
  CHECK_THAT(model.roundings[0], ContainsSubstring("last-level cache has 320 MiB"));
  CHECK_THAT(model.roundings[0], ContainsSubstring("simulated is 256 MiB"));
}

TEST_CASE("a machine that does not describe its caches cannot be the model") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(parse_cache_model("host", directory.path()), EnvironmentError);
  CHECK_THROWS_AS(parse_cache_model("host", directory.path() / "nowhere"), EnvironmentError);
  describe(directory.path() / "index0", "1", "Data", "32K", "8");
  CHECK_THROWS_AS(parse_cache_model("host", directory.path()), EnvironmentError);
}

}  // namespace
}  // namespace stowage::harness
