#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/system/cores.hpp"

// Whether a machine is fit to measure, from what Linux says of it. Nothing here looks at the machine: tests hand in
// stored texts.
namespace stowage::harness::doctor {

enum class Fitness : std::uint8_t { ok, poor, missing };

[[nodiscard]] constexpr std::string_view name_of(Fitness fitness) noexcept {
  switch (fitness) {
    case Fitness::ok:
      return "ok";
    case Fitness::poor:
      return "poor";
    default:
      return "missing";
  }
}

/// One thing that a measurement depends on.
struct Check {
  std::string name;
  Fitness fitness = Fitness::ok;
  std::string found = {};
  std::string advice = {};  ///< what to do about it; empty if it is ok
  /// Decides the verdict alone: if poor, figures are worthless; if missing, there are none.
  bool decides = false;
  std::string without = {};  ///< the command that cannot be used if it is missing, if that is one
};

[[nodiscard]] Check ok(std::string name, std::string found);
[[nodiscard]] Check poor(std::string name, std::string found, std::string advice, bool decides = false);
/// What nothing can be measured without.
[[nodiscard]] Check missing(std::string name, std::string found, std::string advice);

/// What all processors have done together since the system was started, in ticks.
struct ProcessorTicks {
  std::uint64_t busy = 0;    ///< of all programs and of the kernel
  std::uint64_t stolen = 0;  ///< a virtual processor wanted to run and the host ran something else

  friend bool operator==(const ProcessorTicks&, const ProcessorTicks&) = default;
};

/// Of /proc/stat; none if that is not its text.
[[nodiscard]] std::optional<ProcessorTicks> parse_ticks(std::string_view stat);

struct MemoryState {
  std::uint64_t available_bytes = 0;  ///< without taking any from another program
  std::uint64_t swap_used_bytes = 0;

  friend bool operator==(const MemoryState&, const MemoryState&) = default;
};

/// Of /proc/meminfo; none if that is not its text.
[[nodiscard]] std::optional<MemoryState> parse_memory(std::string_view meminfo);

/// A file in /sys that says "0" or "1"; none if it says anything else, or nothing.
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text);

/// A stretch of time, as this process knows it.
struct Stretch {
  double wall_s = 0;
  double own_s = 0;  ///< processor time of this process
  double ticks_per_s = 100;
};

/// What other programs and the host did during a stretch of time.
struct Company {
  double processors = 0;    ///< that other programs kept busy, in the mean
  double stolen_share = 0;  ///< of the time in which a program was ready to run, the part that the host took

  friend bool operator==(const Company&, const Company&) = default;
};

/// From the ticks at the beginning and at the end of a stretch. Never negative, though ticks are coarse.
[[nodiscard]] Company company_between(const ProcessorTicks& before, const ProcessorTicks& after,
                                      const Stretch& stretch);

/// `virtualisation` as Machine has it, of a machine that is emulated.
[[nodiscard]] Check judge_emulation(const std::string& virtualisation);

/// `load` is of the minute before anything was measured; facts that the system does not report are none.
[[nodiscard]] Check judge_processors(int processors, std::optional<double> load, const std::optional<Company>& company);

/// Of the cores in use, and of all.
[[nodiscard]] Check judge_cores(const std::vector<CoreKind>& used, const std::vector<CoreKind>& all);

[[nodiscard]] Check judge_steal(const std::string& virtualisation, const std::optional<Company>& company);

/// `governor` and `virtualisation` as Machine has them.
[[nodiscard]] Check judge_governor(const std::string& governor, const std::string& virtualisation);

/// Frequencies above the nominal one: whether they are allowed, and the command that forbids them.
struct Turbo {
  bool on = false;
  std::string off_command;
};
[[nodiscard]] Check judge_turbo(const std::optional<Turbo>& turbo, const std::string& virtualisation);

/// Whether hardware threads share a core.
[[nodiscard]] Check judge_smt(std::optional<bool> active, const std::string& virtualisation);

/// The memory that the largest block of a preset needs.
struct MemoryNeed {
  std::size_t entities = 0;
  std::size_t cells = 0;
  std::uint64_t bytes_per_entity = 0;  ///< of one cell, at most

  [[nodiscard]] std::uint64_t bytes() const noexcept { return entities * cells * bytes_per_entity; }
};
[[nodiscard]] Check judge_memory(const std::optional<MemoryState>& memory, const std::optional<MemoryNeed>& need);

[[nodiscard]] Check judge_swap(const std::optional<MemoryState>& memory);

/// Where results go.
struct Disk {
  std::string directory;
  std::string obstacle = {};  ///< why nothing can be written there; empty if it can
  std::optional<std::uint64_t> free_bytes = {};
};
[[nodiscard]] Check judge_disk(const Disk& disk);

/// `setting` as Machine has it.
[[nodiscard]] Check judge_huge_pages(const std::string& setting);

/// `step_ns` is the least by which two readings differ; `source` is the kernel's, if that is told.
[[nodiscard]] Check judge_clock(double step_ns, const std::string& source);

/// A program that a command needs beside this one.
struct Tool {
  std::string name;      ///< of the check
  std::string command;   ///< that needs it: "stowage report"
  std::string packages;  ///< of Debian and Ubuntu
};

/// What was found of `tool`, or `complaint`, with which its command would end: what is wrong and, after a semicolon,
/// what would be right.
[[nodiscard]] Check judge_tool(const Tool& tool, const std::string& found, const std::string& complaint);

/// `obstacle` is to hardware counters. Misses are simulated if there is one, so it decides nothing.
[[nodiscard]] Check judge_counters(const std::string& obstacle);

}  // namespace stowage::harness::doctor
