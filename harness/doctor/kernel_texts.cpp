#include "harness/doctor/kernel_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <string>

namespace stowage::harness::doctor {
namespace {

/// The columns of the line `cpu`. Guests are part of user, and waiting for a disk is no work.
enum Column : std::size_t {
  in_user,
  in_nice,
  in_system,
  in_idle,
  in_iowait,
  in_irq,
  in_softirq,
  in_steal,
  all_columns
};

/// The number of kB behind `key:` at the beginning of a line.
std::optional<std::uint64_t> kilobytes_of(std::string_view meminfo, const std::string& key) {
  std::istringstream lines{std::string(meminfo)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream words(line.substr(key.size() + 1));
    std::uint64_t kilobytes = 0;
    if (words >> kilobytes) return kilobytes;
  }
  return std::nullopt;
}

double difference(std::uint64_t before, std::uint64_t after) {
  return after > before ? static_cast<double>(after - before) : 0;
}

}  // namespace

std::optional<ProcessorTicks> parse_ticks(std::string_view stat) {
  std::istringstream words{std::string(stat)};
  std::string name;
  if (!(words >> name) || name != "cpu") return std::nullopt;
  std::array<std::uint64_t, all_columns> ticks{};
  std::size_t read = 0;
  while (read < all_columns && words >> ticks.at(read)) ++read;
  if (read <= in_idle) return std::nullopt;  // the others came with later kernels
  return ProcessorTicks{.busy = ticks[in_user] + ticks[in_nice] + ticks[in_system] + ticks[in_irq] + ticks[in_softirq],
                        .stolen = ticks[in_steal]};
}

std::optional<MemoryState> parse_memory(std::string_view meminfo) {
  constexpr std::uint64_t kilobyte = 1024;
  const std::optional<std::uint64_t> available = kilobytes_of(meminfo, "MemAvailable");
  if (!available) return std::nullopt;
  const std::uint64_t swap = kilobytes_of(meminfo, "SwapTotal").value_or(0);
  const std::uint64_t free_swap = kilobytes_of(meminfo, "SwapFree").value_or(swap);
  return MemoryState{.available_bytes = *available * kilobyte,
                     .swap_used_bytes = (swap - std::min(swap, free_swap)) * kilobyte};
}

std::optional<bool> parse_switch(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  if (text == "0") return false;
  if (text == "1") return true;
  return std::nullopt;
}

Company company_between(const ProcessorTicks& before, const ProcessorTicks& after, const Stretch& stretch) {
  const double busy_s = difference(before.busy, after.busy) / stretch.ticks_per_s;
  const double stolen_s = difference(before.stolen, after.stolen) / stretch.ticks_per_s;
  const double wanted_s = busy_s + stolen_s;
  return {.processors = stretch.wall_s > 0 ? std::max(0.0, (busy_s - stretch.own_s) / stretch.wall_s) : 0,
          .stolen_share = wanted_s > 0 ? stolen_s / wanted_s : 0};
}

}  // namespace stowage::harness::doctor
