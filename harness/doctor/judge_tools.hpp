#pragma once

#include <string>

#include "harness/doctor/check.hpp"
#include "harness/measure/hardware/availability.hpp"

namespace stowage::harness::doctor {

/// A program that a command needs beside this one.
struct Tool {
  std::string name;      ///< of the check
  std::string command;   ///< that needs it: "stowage report"
  std::string packages;  ///< of Debian and Ubuntu
};

/// What was found of `tool`, or `complaint`, with which its command would end: what is wrong and, after a semicolon,
/// what would be right.
[[nodiscard]] Check judge_tool(const Tool& tool, const std::string& found, const std::string& complaint);

/// Misses are simulated where there are none, so these decide nothing.
[[nodiscard]] Check judge_counters(const HardwareAvailability& hardware);

}  // namespace stowage::harness::doctor
