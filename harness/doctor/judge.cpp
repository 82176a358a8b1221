// The judgements of `stowage doctor`: parses the files of /proc, and has the threshold and the advice of each check.
#include "harness/doctor/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "harness/text.hpp"

namespace stowage::harness::doctor {
namespace {

/// Processors that other programs kept busy while we measured: noticeable, and so many that the caches are not ours.
constexpr double noticeable_company = 0.1;
constexpr double too_much_company = 0.5;
/// Load average of the minute before. It keeps falling for minutes after all is quiet, so it decides nothing.
constexpr double noticeable_load = 0.5;
constexpr double noticeable_steal = 0.005;
constexpr double too_much_steal = 0.05;
/// A frame takes microseconds. The shortest repetition, of `quick`, takes 4 ms: the coarsest step is 1 % of that.
constexpr double fine_step_ns = 1000;
constexpr double coarsest_step_ns = 40'000;
/// Twice what a `standard` run leaves: 49 MB of results, 76 MB of report.
constexpr std::uint64_t bytes_of_a_run = 250'000'000;

constexpr double gigabyte = 1024.0 * 1024 * 1024;

bool is_virtual(const std::string& virtualisation) { return virtualisation != "none" && virtualisation != "unknown"; }

std::string not_visible(const std::string& virtualisation) {
  return is_virtual(virtualisation)
             ? fmt::format("not visible: the host of this virtual machine ({}) decides", virtualisation)
             : "not visible: this system does not report it";
}

std::string gigabytes(std::uint64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / gigabyte); }

/// Splits "what is wrong; what would be right" at the semicolon.
std::pair<std::string, std::string> complaint_and_advice(const std::string& message) {
  constexpr std::string_view separator = "; ";
  const std::size_t end = message.find(separator);
  if (end == std::string::npos) return {message, ""};
  return {message.substr(0, end), message.substr(end + separator.size())};
}

/// The columns of the line `cpu`. Guests are counted in user, and waiting for a disk is no work.
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

// ---- texts

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

// ---- judgements

Check ok(std::string name, std::string found) { return {.name = std::move(name), .found = std::move(found)}; }

Check poor(std::string name, std::string found, std::string advice, bool decides) {
  return {std::move(name), Fitness::poor, std::move(found), std::move(advice), decides};
}

Check missing(std::string name, std::string found, std::string advice) {
  return {std::move(name), Fitness::missing, std::move(found), std::move(advice), true};
}

Check judge_emulation(const std::string& virtualisation) {
  return missing("emulation", fmt::format("this processor is {}", virtualisation),
                 "measure on a real one; here `run` and `verify` check results and count bytes, and time nothing");
}

Check judge_processors(int processors, std::optional<double> load, const std::optional<Company>& company) {
  std::string found = fmt::format("{} processor{}", processors, processors == 1 ? "" : "s");
  if (load) found += fmt::format("; load average {:.2f} before", *load);
  if (company) found += fmt::format("; other programs kept {:.2f} processors busy meanwhile", company->processors);
  Check check = ok("processors", std::move(found));
  const double others = company ? company->processors : 0;
  if (others >= noticeable_company) {
    check.decides = others >= too_much_company;
    check.advice = "close other programs, of which `top` shows the busiest first";
  } else if (load && *load >= noticeable_load) {
    check.advice = "another program ran a moment ago: wait until `uptime` says less than 0.5, and ask again";
  } else if (processors == 1) {
    check.advice = "any other program interrupts the measurement: use a machine with at least 2 processors";
  }
  if (!check.advice.empty()) check.fitness = Fitness::poor;
  return check;
}

Check judge_cores(const std::vector<CoreKind>& used, const std::vector<CoreKind>& all) {
  if (all.empty() || used.empty()) return ok("cores", "not visible: this system does not report them");
  if (all.size() == 1) return ok("cores", "all are alike");
  std::string found = fmt::format("in use: {}", kinds_text(used));
  if (used.front().mhz != 0) found += fmt::format(", up to {} MHz", used.front().mhz);
  found += fmt::format("; this machine has {}", kinds_text(all));
  if (used.size() == 1) return ok("cores", std::move(found));
  return poor("cores", std::move(found), fmt::format("threads mix kinds of cores: add `--cpus {}`", used.front().name));
}

Check judge_steal(const std::string& virtualisation, const std::optional<Company>& company) {
  if (virtualisation == "none") return ok("steal time", "no hypervisor");
  if (!company) return ok("steal time", "not visible: this system has no /proc/stat");
  const double share = company->stolen_share;
  std::string found = fmt::format("the host ({}) took {:.1f} % of the time meanwhile", virtualisation, 100 * share);
  if (share < noticeable_steal) return ok("steal time", std::move(found));
  return poor(
      "steal time", std::move(found),
      "measure when its other machines are quiet (`vmstat 1` shows the share as `st`), or on a host of your own",
      share >= too_much_steal);
}

Check judge_governor(const std::string& governor, const std::string& virtualisation) {
  if (governor == "none") return ok("governor", not_visible(virtualisation));
  if (governor == "performance") return ok("governor", governor);
  return poor("governor", governor,
              "`sudo cpupower frequency-set -g performance`, so that the frequency does not follow the load");
}

Check judge_turbo(const std::optional<Turbo>& turbo, const std::string& virtualisation) {
  if (!turbo) return ok("turbo", not_visible(virtualisation));
  if (!turbo->on) return ok("turbo", "off");
  return poor("turbo", "on: the frequency depends on heat and on the other processors",
              fmt::format("`{}` until the next boot", turbo->off_command));
}

Check judge_smt(std::optional<bool> active, const std::string& virtualisation) {
  if (!active) return ok("SMT", not_visible(virtualisation));
  const char* const limit = is_virtual(virtualisation) ? ", as reported to this virtual machine" : "";
  if (!*active) return ok("SMT", fmt::format("off{}", limit));
  return poor("SMT", fmt::format("on: two threads share the caches of a core{}", limit),
              "`echo off | sudo tee /sys/devices/system/cpu/smt/control` until the next boot");
}

Check judge_memory(const std::optional<MemoryState>& memory, const std::optional<MemoryNeed>& need) {
  if (!memory) return ok("memory", "not visible: this system has no /proc/meminfo");
  std::string found = gigabytes(memory->available_bytes) + " free";
  if (!need) return ok("memory", std::move(found));
  found += fmt::format("; standard takes up to {}: {} cells of {} entities, {} B each", gigabytes(need->bytes()),
                       need->cells, entities_text(need->entities), need->bytes_per_entity);
  if (memory->available_bytes >= need->bytes()) return ok("memory", std::move(found));
  return poor("memory", std::move(found),
              "close other programs, or measure less at once: `stowage run --preset standard --entities 1k,16k,256k`",
              true);
}

Check judge_swap(const std::optional<MemoryState>& memory) {
  if (!memory) return ok("swap", "not visible: this system has no /proc/meminfo");
  if (memory->swap_used_bytes == 0) return ok("swap", "none in use");
  return poor("swap", gigabytes(memory->swap_used_bytes) + " in use",
              "if memory has room for it: `sudo swapoff -a && sudo swapon -a`");
}

Check judge_disk(const Disk& disk) {
  const std::string elsewhere = "measure elsewhere: `stowage run --out DIR`";
  if (!disk.obstacle.empty()) return missing("disk", disk.obstacle, elsewhere);
  if (!disk.free_bytes) {
    return ok("disk", fmt::format("{} may be written to; how much is free is unknown", disk.directory));
  }
  std::string found =
      fmt::format("{} free for {}; a standard run takes 0.1 GiB", gigabytes(*disk.free_bytes), disk.directory);
  if (*disk.free_bytes >= bytes_of_a_run) return ok("disk", std::move(found));
  return missing("disk", std::move(found),
                 "remove runs that are not needed any more (`du -sh results/*`), or " + elsewhere);
}

Check judge_huge_pages(const std::string& setting) {
  if (setting == "unknown") return ok("huge pages", "not visible: this kernel has no such setting");
  if (setting != "always") return ok("huge pages", setting);
  return poor("huge pages", "always: which large arrays get some depends on what ran before",
              "`echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled` until the next boot");
}

Check judge_clock(double step_ns, const std::string& source) {
  std::string found = fmt::format("steps of {:.0f} ns{}", step_ns, source.empty() ? "" : fmt::format(" ({})", source));
  if (step_ns <= fine_step_ns) return ok("clock", std::move(found));
  return poor("clock", std::move(found),
              "if `cat /sys/devices/system/clocksource/clocksource0/available_clocksource` has tsc: `echo tsc | sudo "
              "tee /sys/devices/system/clocksource/clocksource0/current_clocksource`",
              step_ns > coarsest_step_ns);
}

Check judge_tool(const Tool& tool, const std::string& found, const std::string& complaint) {
  if (complaint.empty()) return ok(tool.name, found);
  auto [wrong, advice] = complaint_and_advice(complaint);
  const std::string install = fmt::format("Debian, Ubuntu: `sudo apt-get install {}`", tool.packages);
  return {.name = tool.name,
          .fitness = Fitness::missing,
          .found = wrong,
          .advice = advice.empty()                   ? install
                    : advice.starts_with("install ") ? fmt::format("{} ({})", advice, install)
                                                     : advice,
          .without = tool.command};
}

Check judge_counters(const std::string& obstacle) {
  if (obstacle.empty()) return ok("counters", "hardware counters are available");
  auto [wrong, advice] = complaint_and_advice(obstacle);
  return {.name = "counters",
          .fitness = Fitness::missing,
          .found = wrong,
          .advice = advice.empty() ? "caches are simulated" : advice + "; until then caches are simulated"};
}

}  // namespace stowage::harness::doctor
