#include "harness/selection/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <stowage/contract/entity.hpp>

#include "harness/errors.hpp"

namespace stowage::harness {
namespace {

constexpr std::uint64_t kilo = 1024;
constexpr std::uint64_t mega = kilo * kilo;
constexpr std::uint64_t giga = kilo * mega;

/// All of `text`, as a number; none where it is not one or does not fit.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit count_units[] = {{"k", kilo}, {"K", kilo}, {"M", mega}, {"m", mega}};
constexpr Unit byte_units[] = {{"kB", kilo},  {"KB", kilo}, {"KiB", kilo}, {"MB", mega},
                               {"MiB", mega}, {"GB", giga}, {"GiB", giga}, {"B", 1}};

/// Takes the first of `units` that `text` ends with off it.
std::uint64_t take_unit(std::string_view& text, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    return unit.factor;
  }
  return 1;
}

std::optional<std::uint64_t> parse_times(std::string_view text, std::uint64_t factor) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return *number * factor;
}

bool is_huge_number(std::string_view text) {
  take_unit(text, count_units);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t parse_entity_count(const std::string& text) {
  const std::optional<std::uint64_t> count = parse_count(text);
  constexpr std::uint64_t most = Entity::max_entities;
  if (count ? *count > most : is_huge_number(text)) {
    throw UserError(fmt::format("--entities {}: a handle has {} index bits, at most {} entities; give fewer", text,
                                Entity::index_bits, most));
  }
  if (!count) {
    throw UserError(
        fmt::format("--entities '{}' is not a number of entities; give a list such as 1k,16k,1M "
                    "(k is 1,024, M is 1,048,576)",
                    text));
  }
  if (*count == 0) throw UserError("--entities 0: there is nothing to measure; give at least 1");
  return static_cast<std::size_t>(*count);
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  const std::uint64_t factor = take_unit(text, count_units);
  return parse_times(text, factor);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const std::uint64_t factor = take_unit(text, byte_units);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_times(text, factor);
}

std::vector<std::size_t> parse_entities(std::string_view text) {
  std::set<std::size_t> sizes;
  for (const std::string& part : split_list(text)) sizes.insert(parse_entity_count(part));
  return {sizes.begin(), sizes.end()};
}

std::string entities_text(std::size_t entities) {
  if (entities >= mega && entities % mega == 0) return fmt::format("{}M", entities / mega);
  if (entities >= kilo && entities % kilo == 0) return fmt::format("{}k", entities / kilo);
  return std::to_string(entities);
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_number(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : parse_number(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count) {
    throw UserError(
        fmt::format("--shard '{}' is not one part of several; give I/N with 1 <= I <= N, such as 2/4", text));
  }
  return {static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)};
}

}  // namespace stowage::harness
