#include "harness/doctor/judge_machine.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "harness/selection/lists.hpp"

namespace stowage::harness::doctor {
namespace {

/// Of one processor, kept busy by others while we measured: noticeable, and so much that caches are not ours.
constexpr double noticeable_company = 0.1;
constexpr double too_much_company = 0.5;
/// Of the minute before: it falls for minutes after all is quiet, and so decides nothing.
constexpr double noticeable_load = 0.5;
constexpr double noticeable_steal = 0.005;
constexpr double too_much_steal = 0.05;
/// A frame is microseconds; the shortest repetition, of `quick`, is 4 ms, a hundredth of which is the coarsest step.
constexpr double fine_step_ns = 1000;
constexpr double coarsest_step_ns = 40'000;
/// Twice what a `standard` run leaves: 49 MB of results, 76 MB of report.
constexpr std::uint64_t bytes_of_a_run = 250'000'000;

constexpr double gigabyte = 1024.0 * 1024 * 1024;

bool is_virtual(const std::string& virtualisation) { return virtualisation != "none" && virtualisation != "unknown"; }

std::string where_it_is_not_visible(const std::string& virtualisation) {
  return is_virtual(virtualisation)
             ? fmt::format("not visible: the host of this virtual machine ({}) decides", virtualisation)
             : "not visible: this system does not tell";
}

std::string gigabytes(std::uint64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / gigabyte); }

std::string company_text(int processors, std::optional<double> load, const std::optional<Company>& company) {
  std::string text = fmt::format("{} processor{}", processors, processors == 1 ? "" : "s");
  if (load) text += fmt::format("; load average {:.2f} before", *load);
  if (company) text += fmt::format("; other programs kept {:.2f} processors busy meanwhile", company->processors);
  return text;
}

}  // namespace

Check judge_processors(int processors, std::optional<double> load, const std::optional<Company>& company) {
  Check check{.name = "processors", .found = company_text(processors, load, company)};
  const double others = company ? company->processors : 0;
  if (others >= noticeable_company) {
    check.fitness = Fitness::poor;
    check.decides = others >= too_much_company;
    check.advice = "close other programs, of which `top` shows the busiest first";
  } else if (load && *load >= noticeable_load) {
    check.fitness = Fitness::poor;
    check.advice = "something was running a moment ago: wait until `uptime` says less than 0.5, and ask again";
  } else if (processors == 1) {
    check.fitness = Fitness::poor;
    check.advice = "whatever else wants to run interrupts what is measured: use a machine with two processors";
  }
  return check;
}

Check judge_steal(const std::string& virtualisation, const std::optional<Company>& company) {
  Check check{.name = "steal time"};
  if (virtualisation == "none") {
    check.found = "no hypervisor";
    return check;
  }
  if (!company) {
    check.found = "not visible: this system has no /proc/stat";
    return check;
  }
  check.found =
      fmt::format("the host ({}) took {:.1f} % of the time meanwhile", virtualisation, 100 * company->stolen_share);
  if (company->stolen_share < noticeable_steal) return check;
  check.fitness = Fitness::poor;
  check.decides = company->stolen_share >= too_much_steal;
  check.advice =
      "measure when its other machines are quiet (`vmstat 1` shows the share as `st`), or on a host of your own";
  return check;
}

Check judge_governor(const std::string& governor, const std::string& virtualisation) {
  Check check{.name = "governor", .found = governor};
  if (governor == "none") check.found = where_it_is_not_visible(virtualisation);
  if (governor == "none" || governor == "performance") return check;
  check.fitness = Fitness::poor;
  check.advice = "`sudo cpupower frequency-set -g performance`, so that the frequency does not follow the load";
  return check;
}

Check judge_turbo(const std::optional<Turbo>& turbo, const std::string& virtualisation) {
  Check check{.name = "turbo"};
  if (!turbo) {
    check.found = where_it_is_not_visible(virtualisation);
    return check;
  }
  check.found = turbo->on ? "on: the frequency depends on heat and on the other processors" : "off";
  if (!turbo->on) return check;
  check.fitness = Fitness::poor;
  check.advice = fmt::format("`{}` until the next start", turbo->off_command);
  return check;
}

Check judge_smt(std::optional<bool> active, const std::string& virtualisation) {
  Check check{.name = "SMT"};
  if (!active) {
    check.found = where_it_is_not_visible(virtualisation);
    return check;
  }
  check.found = *active ? "on: two threads share the caches of a core" : "off";
  if (is_virtual(virtualisation)) check.found += ", as far as this virtual machine is told";
  if (!*active) return check;
  check.fitness = Fitness::poor;
  check.advice = "`echo off | sudo tee /sys/devices/system/cpu/smt/control` until the next start";
  return check;
}

Check judge_memory(const std::optional<MemoryState>& memory, const std::optional<MemoryNeed>& need) {
  Check check{.name = "memory"};
  if (!memory) {
    check.found = "not visible: this system has no /proc/meminfo";
    return check;
  }
  check.found = gigabytes(memory->available_bytes) + " free";
  if (!need) return check;
  check.found += fmt::format("; standard takes up to {}: {} cells of {} entities, {} B each", gigabytes(need->bytes()),
                             need->cells, entities_text(need->entities), need->bytes_per_entity);
  if (memory->available_bytes >= need->bytes()) return check;
  check.fitness = Fitness::poor;
  check.decides = true;
  check.advice =
      "close other programs, or measure less at once: `stowage run --preset standard --entities 1k,16k,256k`";
  return check;
}

Check judge_swap(const std::optional<MemoryState>& memory) {
  Check check{.name = "swap"};
  if (!memory) {
    check.found = "not visible: this system has no /proc/meminfo";
    return check;
  }
  check.found = memory->swap_used_bytes == 0 ? "none in use" : gigabytes(memory->swap_used_bytes) + " in use";
  if (memory->swap_used_bytes == 0) return check;
  check.fitness = Fitness::poor;
  check.advice = "where memory has room for it: `sudo swapoff -a && sudo swapon -a`";
  return check;
}

Check judge_disk(const Disk& disk) {
  Check check{.name = "disk"};
  const std::string advice = "measure elsewhere: `stowage run --out DIR`";
  if (!disk.obstacle.empty()) {
    return {.name = "disk", .fitness = Fitness::missing, .found = disk.obstacle, .advice = advice, .decides = true};
  }
  if (!disk.free_bytes) {
    check.found = fmt::format("{} may be written to; how much is free is not told", disk.directory);
    return check;
  }
  check.found =
      fmt::format("{} free for {}; a standard run takes 0.1 GiB", gigabytes(*disk.free_bytes), disk.directory);
  if (*disk.free_bytes >= bytes_of_a_run) return check;
  check.fitness = Fitness::missing;
  check.decides = true;
  check.advice = "remove runs that are not needed any more (`du -sh results/*`), or " + advice;
  return check;
}

Check judge_huge_pages(const std::string& setting) {
  Check check{.name = "huge pages", .found = setting};
  if (setting == "unknown") check.found = "not visible: this kernel has no such setting";
  if (setting != "always") return check;
  check.found = "always: which large arrays get some depends on what ran before";
  check.fitness = Fitness::poor;
  check.advice = "`echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled` until the next start";
  return check;
}

Check judge_clock(double step_ns, const std::string& source) {
  Check check{
      .name = "clock",
      .found = fmt::format("steps of {:.0f} ns{}", step_ns, source.empty() ? "" : fmt::format(" ({})", source))};
  if (step_ns <= fine_step_ns) return check;
  check.fitness = Fitness::poor;
  check.decides = step_ns > coarsest_step_ns;
  check.advice =
      "where `cat /sys/devices/system/clocksource/clocksource0/available_clocksource` has tsc: "
      "`echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`";
  return check;
}

}  // namespace stowage::harness::doctor
