#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/adopt/game_schema.hpp"
#include "harness/build/toolchain.hpp"
#include "harness/measure/simulated/figures.hpp"
#include "harness/plan/merge.hpp"
#include "harness/plan/selection.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/json.hpp"
#include "harness/system/document.hpp"
#include "harness/system/json.hpp"

// What libFuzzer calls (-DSTOWAGE_FUZZ=ON, clang) with texts of its own making, for the reader that STOWAGE_FUZZED
// names: a text is read, or refused by one line that says what is wrong. What is read goes on to what commands make of
// it.

namespace stowage::harness {
namespace {

using Read = void (*)(const std::string& text);

/// As `run --resume` and `merge` do.
void use_results(const std::string& text) {
  const Run run = parse_run(text, "fuzz.json");
  std::vector<MergedPart> parts = {{"one", run}, {"other", parse_run(to_json_text(run), "fuzz.json")}};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::string& shard = parts[part].run.options.shard;
    if (find_shard(shard)) shard = Shard{part + 1, parts.size()}.name();
  }
  static_cast<void>(to_json_text(merge_shards(std::move(parts))));
}

void use_answer(const std::string& text) {
  const adopt::GameSchema game = adopt::parse_game_schema(text, "fuzz.json", "give another");
  static_cast<void>(adopt::game_schema_text(game, "stowage::Hybrid"));
}

Read named_reader() {
  const char* named = std::getenv("STOWAGE_FUZZED");
  const std::string_view name = named == nullptr ? "" : named;
  if (name == "profile") return [](const std::string& text) { static_cast<void>(parse_profile(text, "fuzz.toml")); };
  if (name == "results") return use_results;
  if (name == "answer") return use_answer;
  if (name == "calibration") {
    return [](const std::string& text) {
      static_cast<void>(read_document(text, "calibration", "fuzz.json", "remove it"));
    };
  }
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
  static const auto read = stowage::harness::named_reader();
  try {
    read(std::string(reinterpret_cast<const char*>(bytes), size));
  } catch (const std::runtime_error& error) {
    if (*error.what() == '\0') std::abort();
  }
  return 0;
}
