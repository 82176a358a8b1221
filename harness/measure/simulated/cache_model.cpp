// Reads --model: caches of a named machine, the host's from /sys, a TLB, or sizes and ways, checked for what Valgrind
// can simulate.
#include "harness/measure/simulated/cache_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = kib * kib;
/// Valgrind's own bounds; a line is no longer than the largest page of a TLB.
constexpr std::uint64_t smallest_line = 16;
constexpr std::uint64_t largest_line = 2 * mib;
constexpr std::uint64_t largest_cache = 1024 * mib;

struct NamedModel {
  std::string_view name;
  std::string_view caches;
};

/// The first two levels, which one core has to itself: nothing else is simulated that could share the second. All have
/// a power of two of sets as they are, so nothing is rounded.
constexpr std::array<NamedModel, 6> named_models{{
    // Golden Cove in servers (Intel's optimization manual).
    {"reference", "L1=48k:12,L1i=32k:8,LL=2M:16,line=64"},
    // A performance core; four share the second level. `sysctl hw` tells its sizes and the line of 128 bytes, which
    // may not be that of the first level; the ways are as others have measured them.
    {"apple-m1", "L1=128k:8,L1i=192k:6,LL=12M:12,line=128"},
    // PlayStation 5, Xbox Series and Steam Deck (AMD's optimization guide for family 17h); the third level is left out.
    {"zen2", "L1=32k:8,L1i=32k:8,LL=512k:8,line=64"},
    // A small core of phones and boards; up to four share the second level (Arm's manual, with the usual size of each).
    {"cortex-a53", "L1=32k:4,L1i=32k:2,LL=512k:16,line=64"},
    // As many entries as common processors have. Their second level has 1,536 for pages of 2 MiB as well, which are
    // more than the largest cache; 512 translate 1 GiB.
    {"tlb", "L1=256k:4,L1i=512k:8,LL=6M:12,line=4k"},
    {"tlb-2M", "L1=64M:4,L1i=16M:8,LL=1024M:16,line=2M"},
}};

std::vector<std::string> model_names() {
  std::vector<std::string> names = names_of(named_models, &NamedModel::name);
  names.emplace_back("host");
  return names;
}

std::string accepted() {
  return fmt::format("give {}, or sizes and ways such as L1=48k:12,LL=2M:16", fmt::join(model_names(), ", "));
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= mib && bytes % mib == 0) return fmt::format("{} MiB", bytes / mib);
  if (bytes >= kib && bytes % kib == 0) return fmt::format("{} KiB", bytes / kib);
  return fmt::format("{} bytes", bytes);
}

/// "48k" and "2M", as in --entities; none if it is no size or none that could be simulated.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::optional<std::uint64_t> bytes = parse_count(text);
  return bytes && *bytes <= largest_cache ? bytes : std::nullopt;
}

/// `name=value` of an explicit model.
struct Part {
  std::string name;
  std::string value;
};

[[noreturn]] void fail(const Part& part, const std::string& why) {
  throw UserError("--model {}={}: {}", part.name, part.value, why);
}

Part parse_part(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw UserError("unknown cache model '{}'{}", text, suggestion(text, model_names(), accepted()));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::uint64_t parse_line(const Part& part) {
  const std::optional<std::uint64_t> bytes = parse_size(part.value);
  if (!bytes || !std::has_single_bit(*bytes) || *bytes < smallest_line || *bytes > largest_line) {
    fail(part, fmt::format("a line has a power of two of bytes from {} to {}, such as 64", smallest_line,
                           entities_text(largest_line)));
  }
  return *bytes;
}

CacheGeometry parse_cache(const Part& part) {
  const std::size_t colon = part.value.find(':');
  const auto bytes = parse_size(std::string_view(part.value).substr(0, colon));
  const auto ways =
      colon == std::string::npos ? std::nullopt : parse_number(std::string_view(part.value).substr(colon + 1));
  if (!bytes || !ways) fail(part, "give size:ways, such as 48k:12, at most 1024M");
  return {*bytes, *ways, 0};
}

CacheGeometry rounded_down(CacheGeometry geometry) {
  const std::uint64_t sets = std::bit_floor(geometry.lines() / geometry.ways);
  geometry.bytes = sets * geometry.ways * geometry.line_bytes;
  return geometry;
}

/// Throws UserError if no such cache can be simulated, and names the nearest sizes that can.
void check(const Part& part, const CacheGeometry& geometry) {
  if (geometry.ways == 0) fail(part, "a cache has at least one way");
  const std::uint64_t set_bytes = geometry.ways * geometry.line_bytes;
  if (geometry.ways > geometry.lines()) {
    fail(part, fmt::format("{} ways of {}-byte lines take {} at least", geometry.ways, geometry.line_bytes,
                           entities_text(set_bytes)));
  }
  if (geometry.bytes % set_bytes == 0 && std::has_single_bit(geometry.sets())) return;
  const std::uint64_t below = rounded_down(geometry).bytes;
  fail(part,
       fmt::format("the number of sets (size / ways / line) must be a power of two; with {} ways {} or {} would do",
                   geometry.ways, entities_text(below), entities_text(2 * below)));
}

CacheModel explicit_model(std::string_view text, std::string_view name) {
  CacheModel model{.name = std::string(name)};
  std::array<Part, 4> parts{{{"L1", "48k:12"}, {"L1i", "32k:8"}, {"LL", "2M:16"}, {"line", "64"}}};
  for (const std::string& word : split_list(text)) {
    const Part part = parse_part(word);
    auto* const known = std::ranges::find(parts, part.name, &Part::name);
    if (known == parts.end()) {
      throw UserError("--model has no '{}'{}", part.name,
                      suggestion(part.name, names_of(parts, &Part::name), accepted()));
    }
    *known = part;
  }
  const auto& [l1d, l1i, ll, line_part] = parts;
  const std::uint64_t line = parse_line(line_part);
  const auto cache = [line](const Part& part) {
    CacheGeometry geometry = parse_cache(part);
    geometry.line_bytes = line;
    check(part, geometry);
    return geometry;
  };
  model.l1d = cache(l1d);
  model.l1i = cache(l1i);
  model.ll = cache(ll);
  if (model.ll.bytes < std::max(model.l1d.bytes, model.l1i.bytes)) {
    fail(ll, fmt::format("the last level is never smaller than the first; give at least {}",
                         entities_text(std::max(model.l1d.bytes, model.l1i.bytes))));
  }
  return model;
}

/// What Linux says of one cache of the processor. What it does not know is 0.
struct HostCache {
  std::string type;
  std::uint64_t level = 0;
  CacheGeometry geometry;
};

std::vector<HostCache> caches_in(const fs::path& directory) {
  std::vector<HostCache> caches;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, absent)) {
    const auto text_of = [&](const char* name) { return first_line_of((entry.path() / name).string()); };
    const auto number_in = [&](const char* name) { return parse_number(text_of(name)).value_or(0); };
    caches.push_back({text_of("type"),
                      number_in("level"),
                      {parse_size(text_of("size")).value_or(0), number_in("ways_of_associativity"),
                       number_in("coherency_line_size")}});
  }
  return caches;
}

CacheModel host_model(const fs::path& directory) {
  std::vector<HostCache> caches = caches_in(directory);
  // Linux says 0 ways for a fully associative cache, too.
  std::erase_if(caches, [](const HostCache& cache) {
    const auto [bytes, ways, line_bytes] = cache.geometry;
    return cache.level == 0 || bytes == 0 || ways == 0 || line_bytes == 0;
  });
  CacheModel model{.name = "host"};
  const auto take = [&model](const char* name, const CacheGeometry& found) {
    const CacheGeometry simulated = rounded_down(found);
    if (simulated != found) {
      model.roundings.push_back(fmt::format("the machine's {} has {}; simulated is {}, a power of two of sets", name,
                                            found.text(), bytes_text(simulated.bytes)));
    }
    return simulated;
  };
  const auto first_level = [&caches](std::string_view type) {
    return std::ranges::find_if(caches,
                                [type](const HostCache& cache) { return cache.level == 1 && cache.type == type; });
  };
  const auto data = first_level("Data");
  const auto instructions = first_level("Instruction");
  const auto last = std::ranges::max_element(caches, {}, &HostCache::level);
  if (data == caches.end() || instructions == caches.end() || last->level < 2) {
    throw EnvironmentError(
        "--model host: {} does not say what caches this machine has; give their sizes, such as --model "
        "L1=48k:12,LL=2M:16",
        directory.string());
  }
  model.l1d = take("first-level data cache", data->geometry);
  model.l1i = take("first-level instruction cache", instructions->geometry);
  model.ll = take("last-level cache", last->geometry);
  return model;
}

}  // namespace

std::string CacheGeometry::text() const {
  if (line_bytes >= smallest_page_bytes)
    return fmt::format("{} pages of {}, {}-way", lines(), bytes_text(line_bytes), ways);
  return fmt::format("{}, {}-way, {}-byte lines", bytes_text(bytes), ways, line_bytes);
}

CacheModel parse_cache_model(std::string_view text, const fs::path& directory) {
  if (text == "host") return host_model(directory);
  const auto* const known = std::ranges::find(named_models, text, &NamedModel::name);
  return explicit_model(known == named_models.end() ? text : known->caches, text);
}

std::uint64_t host_line_bytes(const fs::path& directory) {
  for (const HostCache& cache : caches_in(directory)) {
    if (cache.level == 1 && cache.type != "Instruction") return cache.geometry.line_bytes;
  }
  return 0;
}

}  // namespace stowage::harness
