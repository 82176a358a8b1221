// Turns the checks and the noise that `stowage doctor` found into its verdict, its tables and its JSON.
#include "harness/doctor/examination.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/plan/preset.hpp"
#include "harness/results/json_fields.hpp"
#include "harness/system/json.hpp"
#include "harness/text.hpp"

namespace stowage::harness::doctor {
namespace {

/// The names of the checks that decide because they are `fitness`.
std::vector<std::string> deciding(const std::vector<Check>& checks, Fitness fitness) {
  std::vector<std::string> names;
  for (const Check& check : checks) {
    if (check.decides && check.fitness == fitness) names.push_back(check.name);
  }
  return names;
}

std::string fit_text(const std::vector<Check>& checks) {
  std::vector<std::string> poor;
  std::vector<std::string> lost;
  for (const Check& check : checks) {
    if (check.fitness == Fitness::poor) poor.push_back(check.name);
    if (!check.without.empty() && check.fitness == Fitness::missing) lost.push_back(fmt::format("`{}`", check.without));
  }
  std::string text = "fit to measure";
  if (!poor.empty()) text += fmt::format("; could be better: {}", fmt::join(poor, ", "));
  if (!lost.empty()) text += fmt::format("; cannot be used here: {}", fmt::join(lost, ", "));
  return text;
}

/// A share in percent, rounded up, so that a promise holds. The small term keeps 3 % from becoming 3.1 %.
std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", std::ceil(1000 * share - 1e-6) / 10) : "?";
}

std::string checks_text(const std::vector<Check>& checks, std::size_t columns) {
  std::vector<TextRow> rows;
  for (const Check& check : checks) {
    rows.push_back({check.name, std::string(name_of(check.fitness)), check.found});
    if (!check.advice.empty()) rows.push_back({"", "", "-> " + check.advice});
  }
  return text_table({"CHECK", "STATUS", "FOUND"}, rows, columns);
}

/// All cells are of one world, whose name would make their lines too long for a terminal.
std::string shown_name(const NoisyCell& cell) {
  const std::size_t begin = std::min(cell.name.find("/world:"), cell.name.size());
  const std::size_t end = std::min(cell.name.find('/', begin + 1), cell.name.size());
  return cell.name.substr(0, begin) + cell.name.substr(end);
}

std::string row_text(const NoisyCell& cell, std::size_t name_width) {
  const std::string name = shown_name(cell);
  if (!cell.error.empty()) return fmt::format("  {:<{}}  ERROR\n", name, name_width);
  if (!cell.ratio.interval) return fmt::format("  {:<{}}  {:.3f}\n", name, name_width, cell.ratio.median);
  return fmt::format("  {:<{}}  {:.3f}  {:.3f} to {:.3f}  {:>6}  {}\n", name, name_width, cell.ratio.median,
                     cell.ratio.interval->low, cell.ratio.interval->high, percent(width(cell)),
                     holds_one(cell) ? "yes" : "no");
}

std::string floor_text(const NoiseFloor& floor) {
  const Preset& preset = find_preset(floor.preset);
  const std::string title = fmt::format("{}: {} of {:g} ms", floor.preset, preset.repetitions, preset.min_time_s * 1e3);
  std::size_t name_width = title.size();
  for (const NoisyCell& cell : floor.cells) name_width = std::max(name_width, shown_name(cell).size());
  std::string text =
      fmt::format("  {:<{}}  {:<5}  {:<14}  {:>6}  {}\n", title, name_width, "ratio", "95 %", "width", "has 1");
  for (const NoisyCell& cell : floor.cells) text += row_text(cell, name_width);
  return text;
}

std::string noise_text(const std::vector<NoiseFloor>& floors) {
  if (floors.empty() || floors.back().cells.empty()) return "";
  std::string text = "\nNoise: each cell measured as if it were two strategies, in the shuffled rounds of `run`\n";
  for (const NoiseFloor& floor : floors) text += floor_text(floor);
  const bool some_differ =
      std::ranges::any_of(floors, [](const NoiseFloor& floor) { return !std::ranges::all_of(floor.cells, holds_one); });
  if (some_differ) text += "no: by chance (one in twenty), or because the two cells lie at different addresses\n";
  return text + "\n" + summary_of(floors) + "\n";
}

OrderedJson check_json(const Check& check) {
  return {{"name", check.name},
          {"status", name_of(check.fitness)},
          {"found", check.found},
          {"advice", check.advice},
          {"decides", check.decides}};
}

OrderedJson cell_json(const NoisyCell& cell) {
  if (!cell.error.empty()) return {{"name", cell.name}, {"error", cell.error}};
  OrderedJson json{{"name", cell.name}, {"ratio", cell.ratio.median}, {"interval", nullptr}};
  if (!cell.ratio.interval) return json;
  json["interval"] = OrderedJson::array({cell.ratio.interval->low, cell.ratio.interval->high});
  json["width"] = width(cell);
  json["has_1"] = holds_one(cell);
  return json;
}

OrderedJson floor_json(const NoiseFloor& floor) {
  const double untold = untold_difference(floor);
  return {
      {"preset", floor.preset},
      {"untold_difference", std::isfinite(untold) && !floor.cells.empty() ? OrderedJson(untold) : OrderedJson(nullptr)},
      {"cells", list_of(floor.cells, cell_json)}};
}

}  // namespace

Verdict verdict_of(const std::vector<Check>& checks) {
  const std::vector<std::string> missing = deciding(checks, Fitness::missing);
  const std::vector<std::string> poor = deciding(checks, Fitness::poor);
  const std::string also = poor.empty() ? "" : fmt::format(", nor fit to: {}", fmt::join(poor, ", "));
  if (!missing.empty()) {
    return {ExitCode::environment_lacks, fmt::format("not able to measure: {}{}", fmt::join(missing, ", "), also)};
  }
  if (!poor.empty()) {
    return {ExitCode::answer_is_no, fmt::format("not fit to measure: {}", fmt::join(poor, ", "))};
  }
  return {ExitCode::done, fit_text(checks)};
}

std::string summary_of(const std::vector<NoiseFloor>& floors) {
  if (floors.empty() || floors.back().cells.empty()) return "";
  std::vector<std::string> parts;
  for (const NoiseFloor& floor : floors) {
    parts.push_back(fmt::format("{} with {}", percent(untold_difference(floor)), floor.preset));
  }
  return fmt::format("Differences below {} are within the noise of this machine now", fmt::join(parts, ", "));
}

std::string examination_text(const Examination& examination, std::size_t columns) {
  return checks_text(examination.checks, columns) + noise_text(examination.floors) +
         fmt::format("Verdict: {}\n", verdict_of(examination.checks).text);
}

std::string examination_json(const Examination& examination) {
  const Verdict verdict = verdict_of(examination.checks);
  const OrderedJson root{{"verdict", verdict.text},
                         {"exit_code", static_cast<int>(verdict.exit_code)},
                         {"summary", summary_of(examination.floors)},
                         {"checks", list_of(examination.checks, check_json)},
                         {"noise", list_of(examination.floors, floor_json)},
                         {"environment",
                          {{"host", nlohmann::json(examination.environment.host)},
                           {"machine", nlohmann::json(examination.environment.machine)},
                           {"build", nlohmann::json(examination.environment.build)}}}};
  return root.dump(2) + "\n";
}

}  // namespace stowage::harness::doctor
