#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/build/toolchain.hpp"
#include "harness/measure/simulated/figures.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/read.hpp"

// What libFuzzer calls (-DSTOWAGE_FUZZ=ON, clang) with texts of its own making, for the parser that STOWAGE_FUZZED
// names: a text is read, or refused by an exception that says what is wrong.

namespace stowage::harness {
namespace {

using Parse = void (*)(const std::string& text);

Parse named_parser() {
  const char* named = std::getenv("STOWAGE_FUZZED");
  const std::string_view name = named == nullptr ? "" : named;
  if (name == "profile") return [](const std::string& text) { static_cast<void>(parse_profile(text, "fuzz.toml")); };
  if (name == "results") return [](const std::string& text) { static_cast<void>(parse_run(text, "fuzz.json")); };
  if (name == "module") return [](const std::string& text) { static_cast<void>(parse_toolchain(text, "fuzz.json")); };
  if (name == "dump") {
    return [](const std::string& text) {
      std::istringstream stream(text);
      static_cast<void>(parse_dump(stream));
    };
  }
  std::abort();
}

}  // namespace
}  // namespace stowage::harness

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto parse = stowage::harness::named_parser();
  try {
    parse(std::string(reinterpret_cast<const char*>(bytes), size));
  } catch (const std::runtime_error& error) {
    if (*error.what() == '\0') std::abort();
  }
  return 0;
}
