#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// "a,b" -> {"a", "b"}. An empty part stays: it is a name that nobody has.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

/// "16k" -> 16384: a whole number with a unit or none; `k` is 1024 and `M` is 1024 * 1024. None for other text, and for
/// what does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// "64MB" -> 67108864: the same for bytes; a kB is 1024 of them, or KiB, then MB and GB.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// "1k,16384,1M" -> ascending numbers without repetition; `k` is 1024 and `M` is 1024 * 1024. Throws UserError for what
/// is no number, 0, negative, or more entities than a handle can tell apart.
[[nodiscard]] std::vector<std::size_t> parse_entities(std::string_view text);

/// 16384 -> "16k": the inverse of parse_entities, for tables.
[[nodiscard]] std::string entities_text(std::size_t entities);

/// Part `index` of `count`, counted from 1: how one run is handed out to several machines or jobs.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  /// Blocks go round, so that each shard gets small and large ones of every workload.
  [[nodiscard]] bool takes(std::size_t block) const noexcept { return block % count == index - 1; }
  [[nodiscard]] std::string name() const { return std::to_string(index) + "/" + std::to_string(count); }
};

/// "2/4". Throws UserError for anything else.
[[nodiscard]] Shard parse_shard(std::string_view text);

}  // namespace stowage::harness
