// Gathers what `stowage doctor` judges: /proc, /sys, the clock, the tools, and other programs while a run is timed.
#include "harness/doctor/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <system_error>

#include "harness/build/toolchain.hpp"
#include "harness/doctor/examination.hpp"
#include "harness/errors.hpp"
#include "harness/measure/hardware/counters.hpp"
#include "harness/measure/simulated/callgrind.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/platform.hpp"

namespace stowage::harness::doctor {

namespace fs = std::filesystem;
namespace {

constexpr const char* ticks_file = "/proc/stat";

std::optional<Turbo> turbo() {
  // Intel's own driver has a file of its own, in which 1 is off.
  const std::string intel = "/sys/devices/system/cpu/intel_pstate/no_turbo";
  const std::string others = "/sys/devices/system/cpu/cpufreq/boost";
  if (const auto is_off = parse_switch(first_line_of(intel))) {
    return Turbo{!*is_off, fmt::format("echo 1 | sudo tee {}", intel)};
  }
  if (const auto is_on = parse_switch(first_line_of(others))) {
    return Turbo{*is_on, fmt::format("echo 0 | sudo tee {}", others)};
  }
  return std::nullopt;
}

/// The smallest difference of two readings of the clock, with the time that reading takes.
double clock_step_ns() {
  using Clock = std::chrono::steady_clock;
  constexpr int steps = 1000;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps; ++step) {
    const Clock::time_point start = Clock::now();
    Clock::time_point next = start;
    while (next == start) next = Clock::now();
    least = std::min(least, std::chrono::duration<double, std::nano>(next - start).count());
  }
  return least;
}

/// The disk of the directory of runs or, if there is none, of the directory that it would be made in.
Disk disk_of_results() {
  std::error_code error;
  const fs::path runs(runs_directory);
  const bool is_there = fs::exists(runs, error);
  const fs::path place = is_there ? runs : fs::path(".");
  Disk disk{.directory = fmt::format("{}/", runs.string())};
  if (is_there && !fs::is_directory(runs, error)) {
    disk.obstacle = fmt::format("{} is no directory, and runs cannot go there", runs.string());
  } else if (!is_writable(place)) {
    disk.obstacle = fmt::format("{} may not be written to", fs::absolute(place, error).lexically_normal().string());
  } else if (const fs::space_info space = fs::space(place, error); !error) {
    disk.free_bytes = space.available;
  }
  return disk;
}

/// Judges a tool by what `find` returns or throws.
Check check_tool(const Tool& tool, const std::function<std::string()>& find) {
  try {
    return judge_tool(tool, find(), "");
  } catch (const std::exception& error) {
    return judge_tool(tool, "", error.what());
  }
}

/// What an entity in a cell takes. A `standard` run with 10 cells in its largest block held up to 3.34 GiB, or 342
/// bytes for each of 1M entities: 274 of them were in storages with 256 bytes of components (`point_mass_subset`,
/// `bytes:256`), the rest in lists of the workload and lost to the heap.
constexpr std::uint64_t bytes_per_entity = 350;

}  // namespace

Surroundings::Surroundings()
    : ticks_(parse_ticks(system_text(ticks_file))), started_s_(steady_now_s()), own_s_(own_processor_s()) {}

std::optional<Company> Surroundings::company() const {
  const Stretch stretch{
      .wall_s = steady_now_s() - started_s_, .own_s = own_processor_s() - own_s_, .ticks_per_s = clock_ticks_per_s()};
  const std::optional<ProcessorTicks> now = parse_ticks(system_text(ticks_file));
  if (!ticks_ || !now || stretch.ticks_per_s == 0) return std::nullopt;
  return company_between(*ticks_, *now, stretch);
}

void time_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                 const SaveRun& save, const VisitApart& apart) {
  constexpr double shortest_s = 1;  // the system counts processor time in ticks of 10 ms
  std::optional<double>& others = run.state.other_programs;
  const std::optional<double> before = others;
  const double started_s = steady_now_s();
  const Surroundings surroundings;
  const auto company_so_far = [&] {
    return steady_now_s() - started_s >= shortest_s ? surroundings.company() : std::nullopt;
  };
  const auto note = [&](const std::optional<Company>& company) {
    if (company) others = std::max(before.value_or(0), company->processors);
  };
  const SaveRun note_and_save = [&](const Run& state) {
    note(company_so_far());
    save(state);
  };
  run_blocks(run, blocks, plan, bench, note_and_save, apart);
  const std::optional<Company> company = company_so_far();
  note(company);
  if (!company && !run.state.doctor.empty()) return;
  std::vector<Check> checks = check_machine(run.environment, company, bench.catalogue);
  std::erase_if(checks, [](const Check& check) { return check.name == "disk"; });  // of results/, not of --out
  run.state.doctor = worse_verdict(run.state.doctor, verdict_of(checks).text);
  save(run);
}

std::vector<Check> check_machine(const Environment& environment, const std::optional<Company>& company,
                                 const Catalogue& catalogue) {
  const Machine& machine = environment.machine;
  const std::vector<double>& load = environment.host.load_avg;
  const std::optional<MemoryState> memory = parse_memory(system_text("/proc/meminfo"));
  std::vector<Check> checks{
      judge_processors(environment.host.num_cpus, load.empty() ? std::nullopt : std::optional(load.front()), company),
      judge_cores(kinds_in_use(), core_kinds()),
      judge_steal(machine.virtualisation, company),
      judge_governor(machine.governor, machine.virtualisation),
      judge_turbo(turbo(), machine.virtualisation),
      judge_smt(parse_switch(first_line_of("/sys/devices/system/cpu/smt/active")), machine.virtualisation),
      judge_memory(memory, memory_need_of_standard(catalogue)),
      judge_swap(memory),
      judge_disk(disk_of_results()),
      judge_huge_pages(machine.transparent_hugepages),
      judge_clock(clock_step_ns(), first_line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource"))};
  if (is_emulated(machine)) checks.insert(checks.begin(), judge_emulation(machine.virtualisation));
  return checks;
}

std::vector<Check> check_tools() {
  const PythonTool report = report_tool();
  return {
      judge_counters(obstacle_to_counting()),
      check_tool({"valgrind", "stowage cache --source simulated", "valgrind"},
                 [] {
                   const CallgrindSimulator simulator(parse_cache_model("reference"), 1);
                   return fmt::format("{} runs this binary", simulator.valgrind_version());
                 }),
      check_tool({"compiler", "stowage recommend", "g++ ninja-build"},
                 [] {
                   const Toolchain toolchain = read_toolchain(toolchain_file());
                   check_can_build(toolchain);
                   return fmt::format("{}, as {} says", toolchain.compiler, toolchain.file.string());
                 }),
      check_tool({"Python", "stowage report", report.packages()}, [&report] { return find_python(report).string(); })};
}

std::optional<MemoryNeed> memory_need_of_standard(const Catalogue& catalogue) {
  const auto takes_part = [](const StrategyEntry& entry) {
    return !entry.is_variant() && !entry.is_yardstick() && entry.copy == 0;
  };
  const auto cells = std::ranges::count_if(catalogue.strategies(), takes_part);  // no variant is in the largest blocks
  if (cells == 0) return std::nullopt;
  return MemoryNeed{.entities = std::ranges::max(find_preset("standard").entities),
                    .cells = static_cast<std::size_t>(cells),
                    .bytes_per_entity = bytes_per_entity};
}

}  // namespace stowage::harness::doctor
