#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/system/environment.hpp"

// The kinds of cores of a machine, and the one to which a measurement is pinned.
namespace stowage::harness {

/// Cores that are alike: in their design, their first-level cache, and nearly in their speed.
struct CoreKind {
  std::string name = {};  ///< "fast", "middle" or "slow"; empty if all cores of the machine are alike
  std::vector<int> cpus = {};
  int mhz = 0;  ///< of its fastest core, at most; 0 if the system does not report it
  std::vector<CacheLevel> caches = {};
};

/// 0, 1, 2, 3, 8 -> "0-3,8"
[[nodiscard]] std::string cpus_text(const std::vector<int>& cpus);

/// All kinds, the fastest first, from the files of Linux below `root`; empty if there are none.
[[nodiscard]] std::vector<CoreKind> core_kinds(const std::string& root = "");

/// The kinds of which `usable` has cores, with these alone.
[[nodiscard]] std::vector<CoreKind> kinds_among(std::vector<CoreKind> kinds, const std::vector<int>& usable);
/// Those on which this process may run; empty if the system does not report it.
[[nodiscard]] std::vector<CoreKind> kinds_in_use();

/// "fast cores 0-7 and slow cores 8-11"; "cores 0-3" if all are alike
[[nodiscard]] std::string kinds_text(const std::vector<CoreKind>& kinds);

/// Cores of another kind are another processor: "Example CPU 9000, fast cores". Just `model` if all are alike.
[[nodiscard]] std::string processor_of(const std::string& model, const std::vector<CoreKind>& used);

/// The cores of `usable` that `asked` means: a list, the name of a kind, or the fastest kind if it is empty.
/// Throws UserError, with what there is, if there are no such cores.
[[nodiscard]] std::vector<int> choose_cpus(const std::vector<CoreKind>& usable, const std::string& asked);

/// Pins this process, and those that it starts, to the cores that `asked` means, and says so if that leaves cores out.
/// Throws what choose_cpus() does, and EnvironmentError if the system refuses what was asked for.
void pin_to_cpus(const std::string& asked);

}  // namespace stowage::harness
