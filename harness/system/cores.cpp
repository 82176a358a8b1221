// Finds the kinds of cores in /sys, and pins the process to one of them.
#include "harness/system/cores.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace stowage::harness {
namespace {

/// Cores of one design differ by less: the best cores of a chip may run at higher frequencies than the others.
constexpr double least_share_of_speed = 0.85;
constexpr int most_cpus = 4096;

struct Core {
  int cpu = 0;
  std::string design;   ///< equal for cores of one design, as far as the system says
  double capacity = 0;  ///< work per time, relative to other cores of the machine; 0 if it is unknown
  int mhz = 0;
  std::vector<CacheLevel> caches;
};

bool is_like(const Core& core, const Core& faster) {
  return core.design == faster.design && core.capacity >= least_share_of_speed * faster.capacity &&
         core.mhz >= least_share_of_speed * faster.mhz;
}

/// "0-3,8" -> 0, 1, 2, 3, 8; none if that is no such list.
std::optional<std::vector<int>> parse_cpus(std::string_view list) {
  std::vector<int> cpus;
  for (const std::string& part : split_list(list)) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number<int>(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most_cpus) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  std::ranges::sort(cpus);
  cpus.erase(std::ranges::unique(cpus).begin(), cpus.end());
  return cpus.empty() ? std::nullopt : std::optional(cpus);
}

std::vector<CacheLevel> caches_of(const std::string& cpu) {
  std::vector<CacheLevel> caches;
  for (int index = 0;; ++index) {
    const std::string cache = fmt::format("{}/cache/index{}/", cpu, index);
    CacheLevel level{.type = first_line_of(cache + "type"),
                     .level = parse_number<int>(first_line_of(cache + "level")).value_or(0),
                     .size = parse_count(first_line_of(cache + "size")).value_or(0)};
    if (level.type.empty()) return caches;
    const auto sharing = parse_cpus(first_line_of(cache + "shared_cpu_list"));
    level.num_sharing = sharing ? static_cast<int>(sharing->size()) : 0;
    caches.push_back(std::move(level));
  }
}

/// Intel's processors say which cores are of which design.
std::string intel_design(const std::string& devices, int cpu) {
  for (const char* design : {"cpu_core", "cpu_atom", "cpu_lowpower"}) {
    const auto cpus = parse_cpus(first_line_of(fmt::format("{}/{}/cpus", devices, design)));
    if (cpus && std::ranges::find(*cpus, cpu) != cpus->end()) return design;
  }
  return "";
}

Core core_of(const std::string& devices, int cpu) {
  const std::string files = fmt::format("{}/system/cpu/cpu{}", devices, cpu);
  const auto number_in = [&](const char* name) {
    return parse_number<double>(first_line_of(fmt::format("{}/{}", files, name))).value_or(0);
  };
  constexpr double khz_per_mhz = 1000;
  Core core{.cpu = cpu,
            .design = intel_design(devices, cpu) + first_line_of(files + "/regs/identification/midr_el1"),
            .capacity = number_in("cpu_capacity"),
            .mhz = static_cast<int>(number_in("cpufreq/cpuinfo_max_freq") / khz_per_mhz),
            .caches = caches_of(files)};
  for (const CacheLevel& cache : core.caches) {
    if (cache.level == 1) core.design += fmt::format(" {} {}", cache.type, cache.size);
  }
  return core;
}

void name_kinds(std::vector<CoreKind>& kinds) {
  if (kinds.size() < 2) return;
  for (std::size_t i = 1; i + 1 < kinds.size(); ++i) {
    kinds[i].name = i == 1 ? "middle" : fmt::format("middle{}", i);
  }
  kinds.front().name = "fast";
  kinds.back().name = "slow";
}

std::vector<int> cpus_of(const std::vector<CoreKind>& kinds) {
  std::vector<int> cpus;
  for (const CoreKind& kind : kinds) cpus.insert(cpus.end(), kind.cpus.begin(), kind.cpus.end());
  std::ranges::sort(cpus);
  return cpus;
}

/// Empty if the system does not report it.
std::vector<int> cpus_of_this_process() {
  std::vector<int> cpus;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
#endif
  return cpus;
}

bool pin([[maybe_unused]] const std::vector<int>& cpus) {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
#else
  return false;
#endif
}

}  // namespace

std::string cpus_text(const std::vector<int>& cpus) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    parts.push_back(end == i + 1 ? fmt::to_string(cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::vector<CoreKind> core_kinds(const std::string& root) {
  const std::string devices = root + "/sys/devices";
  std::vector<Core> cores;
  for (const int cpu : parse_cpus(first_line_of(devices + "/system/cpu/online")).value_or(std::vector<int>())) {
    cores.push_back(core_of(devices, cpu));
  }
  const auto speed = [](const Core& core) {
    return std::tuple(core.capacity, core.mhz, core.caches.empty() ? 0 : core.caches.front().size);
  };
  std::ranges::stable_sort(cores, std::greater(), speed);
  std::vector<CoreKind> kinds;
  std::vector<const Core*> fastest;  // of each kind
  for (const Core& core : cores) {
    const auto same = std::ranges::find_if(fastest, [&](const Core* first) { return is_like(core, *first); });
    const std::ptrdiff_t index = same - fastest.begin();
    if (same == fastest.end()) {
      fastest.push_back(&core);
      kinds.push_back({.mhz = core.mhz, .caches = core.caches});
    }
    kinds[static_cast<std::size_t>(index)].cpus.push_back(core.cpu);
  }
  for (CoreKind& kind : kinds) std::ranges::sort(kind.cpus);
  name_kinds(kinds);
  return kinds;
}

std::vector<CoreKind> kinds_among(std::vector<CoreKind> kinds, const std::vector<int>& usable) {
  for (CoreKind& kind : kinds) {
    std::erase_if(kind.cpus, [&](int cpu) { return std::ranges::find(usable, cpu) == usable.end(); });
  }
  std::erase_if(kinds, [](const CoreKind& kind) { return kind.cpus.empty(); });
  return kinds;
}

std::vector<CoreKind> kinds_in_use() { return kinds_among(core_kinds(), cpus_of_this_process()); }

std::string kinds_text(const std::vector<CoreKind>& kinds) {
  std::vector<std::string> texts;
  for (const CoreKind& kind : kinds) {
    texts.push_back(fmt::format("{}{}cores {}", kind.name, kind.name.empty() ? "" : " ", cpus_text(kind.cpus)));
  }
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string processor_of(const std::string& model, const std::vector<CoreKind>& used) {
  if (used.empty() || used.front().name.empty()) return model;
  return fmt::format("{}, {} cores", model, fmt::join(names_of(used, &CoreKind::name), " and "));
}

std::vector<int> choose_cpus(const std::vector<CoreKind>& usable, const std::string& asked) {
  if (usable.empty()) throw UserError("--cpus {}: this system does not say which cores it has; remove --cpus", asked);
  if (asked.empty()) return usable.front().cpus;
  const auto named = std::ranges::find(usable, asked, &CoreKind::name);
  if (named != usable.end()) return named->cpus;
  const std::optional<std::vector<int>> cpus = parse_cpus(asked);
  if (!cpus) {
    throw UserError("--cpus '{}' is neither a list such as 0-3,8 nor a kind of cores; this process has {}", asked,
                    kinds_text(usable));
  }
  const std::vector<int> all = cpus_of(usable);
  const auto missing = std::ranges::find_if(*cpus, [&](int cpu) { return !std::ranges::binary_search(all, cpu); });
  if (missing == cpus->end()) return *cpus;
  throw UserError("--cpus {}: this process has no core {}; it has {}", asked, *missing, kinds_text(usable));
}

void pin_to_cpus(const std::string& asked) {
  const std::vector<CoreKind> usable = kinds_in_use();
  if (usable.empty() && asked.empty()) return;
  const std::vector<int> cpus = choose_cpus(usable, asked);
  if (cpus == cpus_of(usable)) return;
  if (pin(cpus)) {
    say("pinned to {}, of {}", kinds_text(kinds_among(usable, cpus)), kinds_text(usable));
  } else if (!asked.empty()) {
    throw EnvironmentError("--cpus {}: the system does not let this process choose its cores; remove --cpus", asked);
  }
}

}  // namespace stowage::harness
