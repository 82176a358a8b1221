#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/doctor/check.hpp"
#include "harness/doctor/kernel_texts.hpp"

// Whether a machine is fit to measure, from what was found on it. Nothing here looks at the machine.
namespace stowage::harness::doctor {

/// `load` is of the minute before anything was measured; what the system does not tell is none.
[[nodiscard]] Check judge_processors(int processors, std::optional<double> load, const std::optional<Company>& company);

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

/// What the largest block of a preset holds at once.
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
  std::string obstacle = {};  ///< why nothing can be written there; empty where it can
  std::optional<std::uint64_t> free_bytes = {};
};
[[nodiscard]] Check judge_disk(const Disk& disk);

/// `setting` as Machine has it.
[[nodiscard]] Check judge_huge_pages(const std::string& setting);

/// `step_ns` is the least by which two readings differ; `source` is the kernel's, where that is told.
[[nodiscard]] Check judge_clock(double step_ns, const std::string& source);

}  // namespace stowage::harness::doctor
