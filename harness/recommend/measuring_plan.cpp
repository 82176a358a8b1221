#include "harness/recommend/measuring_plan.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/errors.hpp"

namespace stowage::harness {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuringPlan::Cells, entities, rates, shares, work, weight)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuringPlan, out, strategies, modules, blocks, seed, repetitions, min_time_s, budget_s,
                                   frames, frames_s, memory, simulated, simulation_budget_s)

std::string MeasuringPlan::Cells::parameters() const {
  return fmt::format("entities:{}/rates:{}/shares:{}/work:{}", entities, rates, shares, work);
}

MeasuringPlan::Cells MeasuringPlan::Cells::of_saves() const {
  constexpr double weight_of_saves = 0.3;
  Cells saves = *this;
  saves.work = "save";
  saves.weight *= weight_of_saves;
  return saves;
}

std::string to_text(const MeasuringPlan& plan) { return nlohmann::json(plan).dump(); }

MeasuringPlan parse_measuring_plan(std::string_view text) {
  try {
    return nlohmann::json::parse(text).get<MeasuringPlan>();
  } catch (const nlohmann::json::exception& error) {
    throw UserError(fmt::format("what is to be measured is not as `stowage recommend` writes it: {}", error.what()));
  }
}

}  // namespace stowage::harness
