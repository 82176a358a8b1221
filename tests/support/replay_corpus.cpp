#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"

// Run on every file of STOWAGE_CORPUS. The same body is the fuzz target.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

TEST_CASE("the corpus of the fuzzer passes") {
  std::size_t replayed = 0;
  for (const auto& file : std::filesystem::directory_iterator(STOWAGE_CORPUS)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    INFO(file.path());
    REQUIRE_NOTHROW(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    ++replayed;
  }
  CHECK(replayed >= 8);
}
