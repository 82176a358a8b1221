#include "harness/doctor/calibration.hpp"

#include <fmt/format.h>

#include "harness/errors.hpp"
#include "harness/system/document.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness::doctor {
namespace {

/// Of calibrations by the verdicts of today; reports/stowage_report/calibrate/store.py writes it.
constexpr int calibration_format = 3;

}  // namespace

std::string copy_name(std::string_view strategy, int percent) { return fmt::format("{}+{}%", strategy, percent); }

std::optional<int> slowdown_of(std::string_view strategy) {
  const std::size_t plus = strategy.rfind('+');
  if (plus == std::string_view::npos || !strategy.ends_with('%')) return std::nullopt;
  return parse_number<int>(strategy.substr(plus + 1, strategy.size() - plus - 2));
}

double wait_busily(double ns) {
  const double start_ns = steady_now_ns();
  for (;;) {
    const double passed_ns = steady_now_ns() - start_ns;
    if (passed_ns >= ns) return passed_ns;
  }
}

TimedRepetition SlowedTimer::time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes,
                                  bool is_warmed) {
  TimedRepetition timed = timer_.time(cell, measurement, passes, is_warmed);
  const int percent = slowdown_of(split_list(cell, '/').at(1)).value_or(0);
  if (percent == 0) return timed;
  const auto count = static_cast<double>(passes);
  const double waited_ns = wait_(percent / 100.0 * timed.repetition.real_ns * count);
  timed.repetition.real_ns += waited_ns / count;
  timed.repetition.cpu_ns += waited_ns / count;
  timed.elapsed_ns += waited_ns;
  return timed;
}

Run without_copies(Run run) {
  const auto is_copy = [](const std::string& strategy) { return slowdown_of(strategy).has_value(); };
  std::erase_if(run.options.strategies, is_copy);
  std::erase_if(run.strategy_cards, [&](const StrategyRecord& card) { return is_copy(card.name); });
  for (BlockResult& block : run.blocks) {
    std::erase_if(block.cells, [&](const CellResult& cell) { return is_copy(cell.strategy); });
  }
  return run;
}

std::string quoted_rates(const std::filesystem::path& directory, const std::string& command,
                         const Environment& environment) {
  const nlohmann::json facts{{"host", environment.host.host_name},
                             {"processor", environment.machine.cpu_model},
                             {"processors", fmt::to_string(environment.host.num_cpus)},
                             {"compiler", environment.build.compiler},
                             {"compiler flags", environment.build.flags},
                             {"version", environment.build.version}};
  try {
    const std::string file = (directory / "calibration.json").string();
    const nlohmann::json document = read_document(read_text_file(file, {}), "calibration", file, "remove it");
    const bool is_current = document.at("format") == calibration_format && document.at("facts") == facts;
    return is_current ? document.at("sentences").value(command, "") : "";
  } catch (const UserError&) {  // one that is not there or damaged says nothing
    return "";
  }
}

}  // namespace stowage::harness::doctor
