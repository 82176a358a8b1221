#include "harness/cli/benchmark_flags.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

#include "harness/errors.hpp"
#include "harness/selection/nearest_name.hpp"
#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

struct Flag {
  std::string_view name;
  std::string_view instead;  ///< why the flag is refused, and what to do; empty where it is taken
};

constexpr Flag known_flags[] = {
    {"--benchmark_filter", ""},
    {"--benchmark_min_time", ""},
    {"--benchmark_repetitions", ""},
    {"--v", ""},
    {"--benchmark_list_tests", "use `stowage list`"},
    {"--benchmark_out", "use --out"},
    {"--benchmark_out_format", "results.json is always in Google Benchmark's JSON"},
    {"--benchmark_format", "use `stowage report --format`"},
    {"--benchmark_color", "tables have no colours"},
    {"--benchmark_counters_tabular", "tables are always tabular"},
    {"--benchmark_time_unit", "times are always nanoseconds"},
    {"--benchmark_context", "the environment is always recorded"},
    {"--benchmark_perf_counters", "the time pass counts nothing else, so that nothing disturbs it"},
    {"--benchmark_enable_random_interleaving", "repetitions are always interleaved at random"},
    {"--benchmark_min_warmup_time", "every repetition has its warm-up"},
    {"--benchmark_dry_run", "use `stowage verify`"},
    {"--benchmark_report_aggregates_only", "results.json always has repetitions and aggregates"},
    {"--benchmark_display_aggregates_only", "results.json always has repetitions and aggregates"},
};

const Flag& find_flag(std::string_view name) {
  const auto* const found = std::ranges::find(known_flags, name, &Flag::name);
  if (found != std::end(known_flags)) return *found;
  throw UserError(
      fmt::format("unknown Google Benchmark flag '{}' after --{}", name,
                  suggestion(name, names_of(known_flags, &Flag::name),
                             "--benchmark_filter, --benchmark_min_time and --benchmark_repetitions are understood")));
}

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

double parse_min_time(std::string_view value) {
  const std::string_view number = value.ends_with('s') ? value.substr(0, value.size() - 1) : value;
  const auto seconds = parse_all<double>(number);
  if (!seconds || !(*seconds > 0 && *seconds <= 3600)) {  // nor NaN
    throw UserError(fmt::format("--benchmark_min_time '{}' is not a time; give seconds, such as 0.05", value));
  }
  return *seconds;
}

std::size_t parse_repetitions(std::string_view value) {
  const auto count = parse_all<std::size_t>(value);
  if (!count || *count < fewest_samples || *count > 10'000) {
    throw UserError(
        fmt::format("--benchmark_repetitions '{}' does not do; give a number from {}, below which a median "
                    "has no 95 % interval, to 10000",
                    value, fewest_samples));
  }
  return *count;
}

/// Google Benchmark wants to be initialised even without flags.
void initialise(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "stowage");
  std::vector<char*> pointers;
  pointers.reserve(flags.size());
  for (std::string& flag : flags) pointers.push_back(flag.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
}

}  // namespace

BenchmarkFlags parse_benchmark_flags(const std::vector<std::string>& flags) {
  BenchmarkFlags parsed;
  std::vector<std::string> passed_on;
  for (const std::string& flag : flags) {
    const std::size_t equals = flag.find('=');
    const std::string_view name = std::string_view(flag).substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1);
    const Flag& known = find_flag(name);
    if (!known.instead.empty()) throw UserError(fmt::format("{} has no effect here; {}", name, known.instead));
    if (name == "--benchmark_filter") {
      parsed.filter = value;
    } else if (name == "--benchmark_min_time") {
      parsed.min_time_s = parse_min_time(value);
    } else if (name == "--benchmark_repetitions") {
      parsed.repetitions = parse_repetitions(value);
    } else {
      passed_on.push_back(flag);
    }
  }
  initialise(std::move(passed_on));
  return parsed;
}

}  // namespace stowage::harness
