#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

struct CacheLevel {
  std::string type;  ///< "Data", "Instruction" or "Unified"
  int level = 0;
  std::uint64_t size = 0;  ///< bytes
  int num_sharing = 0;     ///< hardware threads that share it

  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

/// What Google Benchmark records of a machine, under its names.
struct Host {
  std::string date;  ///< ISO 8601 with the offset from UTC
  std::string host_name;
  std::string executable;
  int num_cpus = 0;
  int mhz_per_cpu = 0;
  bool cpu_scaling_enabled = false;
  std::vector<CacheLevel> caches = {};
  std::vector<double> load_avg;
  std::string library_build_type;
};

/// What else a figure depends on. `unknown` if the system does not report it.
struct Machine {
  std::string cpu_model;              ///< with the kind of the cores in use, if the machine has several
  std::string governor;               ///< "none" if the frequency is not the system's to set
  std::string virtualisation;         ///< the hypervisor, "emulated by ..." or "none"
  std::string transparent_hugepages;  ///< "always", "madvise" or "never", and whether malloc asks for them
  std::string os;
  std::uint64_t page_size = 0;
  std::uint64_t memory_bytes = 0;
  bool aslr = false;

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// What executes this program is another program, whose time says nothing about a processor.
[[nodiscard]] inline bool is_emulated(const Machine& machine) {
  return machine.virtualisation.starts_with("emulated by ");
}

/// How this binary was made.
struct Build {
  std::string version;
  std::string compiler;
  std::string flags;
  std::string commit;

  friend bool operator==(const Build&, const Build&) = default;
};

struct Environment {
  Host host;
  Machine machine;
  Build build;
};

/// How this binary was made: part of describe_environment(), for callers that need no more.
[[nodiscard]] Build describe_build();

/// The environment of this process, now.
[[nodiscard]] Environment describe_environment();

/// Throws EnvironmentError if this machine is emulated; `instead` says what can be done there.
void require_real_processor(std::string_view instead);

}  // namespace stowage::harness
