#include "harness/doctor/judge_tools.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace stowage::harness::doctor {
namespace {

/// "what is wrong; what would be right" in two.
std::pair<std::string, std::string> complaint_and_advice(const std::string& message) {
  constexpr std::string_view separator = "; ";
  const std::size_t end = message.find(separator);
  if (end == std::string::npos) return {message, ""};
  return {message.substr(0, end), message.substr(end + separator.size())};
}

}  // namespace

Check judge_tool(const Tool& tool, const std::string& found, const std::string& complaint) {
  if (complaint.empty()) return {.name = tool.name, .found = found};
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

Check judge_counters(const HardwareAvailability& hardware) {
  if (hardware.usable()) return {.name = "counters", .found = "the hardware's may be used"};
  auto [wrong, advice] = complaint_and_advice(hardware.obstacle);
  return {.name = "counters",
          .fitness = Fitness::missing,
          .found = wrong,
          .advice = advice.empty() ? "caches are simulated" : advice + "; until then caches are simulated"};
}

}  // namespace stowage::harness::doctor
