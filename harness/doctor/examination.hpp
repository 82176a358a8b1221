#pragma once

#include <string>
#include <vector>

#include "harness/doctor/judge.hpp"
#include "harness/doctor/noise.hpp"
#include "harness/errors.hpp"
#include "harness/system/environment.hpp"

namespace stowage::harness::doctor {

/// All that `stowage doctor` has found.
struct Examination {
  Environment environment;
  std::vector<Check> checks = {};
  std::vector<NoiseFloor> floors = {};
};

struct Verdict {
  ExitCode exit_code = ExitCode::done;
  std::string text;  ///< one sentence, with what decided
};

/// A missing requirement counts before figures that could not be trusted.
[[nodiscard]] Verdict verdict_of(const std::vector<Check>& checks);

/// Which differences are within the noise, in one sentence; empty if nothing was measured.
[[nodiscard]] std::string summary_of(const std::vector<NoiseFloor>& floors);

/// For people, in lines of `columns` characters.
[[nodiscard]] std::string examination_text(const Examination& examination, std::size_t columns);
/// For programs: `{verdict, exit_code, summary, checks, noise, environment}`.
[[nodiscard]] std::string examination_json(const Examination& examination);

}  // namespace stowage::harness::doctor
