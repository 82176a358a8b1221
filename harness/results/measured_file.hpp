#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// One timed repetition, whoever's program made it.
struct MeasuredRound {
  double real_ns = 0;
  double cpu_ns = 0;            ///< 0 where it is not known
  std::optional<double> ratio;  ///< to the reference in the same round; stowage alone measures in rounds
};

/// A benchmark of Google Benchmark; of stowage's files, a cell.
struct MeasuredCell {
  std::string name;
  std::vector<MeasuredRound> rounds;
  std::optional<double> median_ns;        ///< where a file has aggregates and no repetitions
  std::map<std::string, double> figures;  ///< the counters that metrics.hpp names, beside those of time
  std::string error;                      ///< empty where it was measured
};

/// One thing that figures depend on: "compiler" is "GNU 12.2.0".
struct ContextFact {
  std::string what;
  std::string value;
};

/// What any file in Google Benchmark's JSON schema holds that can be compared: of a run of stowage, of its exact JSON
/// (`stowage cache --format json`), or of another program.
struct MeasuredFile {
  std::filesystem::path path;
  bool is_of_stowage = false;
  std::vector<ContextFact> facts;                   ///< those that the file has, in an order of their own
  std::map<std::string, std::string> exact_passes;  ///< by pass, what its figures depend on beside the binary
  std::vector<MeasuredCell> cells;                  ///< in the file's order, each name once

  /// Empty where the file does not say.
  [[nodiscard]] std::string fact(std::string_view what) const;
};

/// Throws UserError that begins with `where` and says line and column where `text` is not JSON, names the entry where
/// one lacks what the schema asks for, and says so where there is none.
[[nodiscard]] MeasuredFile parse_measured_file(std::string_view text, const std::filesystem::path& where);

/// Reads `path`, or `path`/results.json where that is a directory. Throws UserError as above, and where there is no
/// such file: with the nearest name beside it.
[[nodiscard]] MeasuredFile load_measured_file(const std::filesystem::path& path);

}  // namespace stowage::harness
