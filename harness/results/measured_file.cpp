#include "harness/results/measured_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unordered_map>

#include "harness/errors.hpp"
#include "harness/results/json_text.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/names.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr std::string_view what_would_do = "give a run directory, or a JSON file of Google Benchmark";

struct FactPlace {
  const char* what;
  const char* pointer;
};

/// In the order in which they are likely to explain a difference.
constexpr FactPlace fact_places[] = {
    {"host", "/host_name"},
    {"processor", "/stowage/cpu_model"},
    {"processors", "/num_cpus"},
    {"caches", "/caches"},
    {"operating system", "/stowage/os"},
    {"virtualisation", "/stowage/virtualisation"},
    {"governor", "/stowage/governor"},
    {"frequency scaling", "/cpu_scaling_enabled"},
    {"huge pages", "/stowage/transparent_hugepages"},
    {"page size", "/stowage/page_size"},
    {"address randomisation", "/stowage/aslr"},
    {"compiler", "/stowage/compiler"},
    {"compiler flags", "/stowage/flags"},
    {"version", "/stowage/version"},
    {"commit", "/stowage/commit"},
    {"build of the library", "/library_build_type"},
    {"program", "/executable"},
    {"seed", "/stowage/seed"},
    {"preset", "/stowage/preset"},
    {"seconds a repetition", "/stowage/min_time_s"},
};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::vector<ContextFact> facts_of(const Json& context) {
  std::vector<ContextFact> facts;
  for (const auto& [what, pointer] : fact_places) {
    const Json::json_pointer place(pointer);
    if (context.contains(place)) facts.push_back({what, text_of(context.at(place))});
  }
  return facts;
}

/// Of the passes that count exactly. Hardware counters and clocks do not.
std::map<std::string, std::string> exact_passes_of(const Json& stowage) {
  std::map<std::string, std::string> exact;
  for (const Json& record : stowage.value("passes", Json::array())) {
    const std::string pass = record.at("pass");
    const std::string source = record.at("source");
    if (source == "counted") exact[pass] = source;
    if (source != "simulated") continue;
    const Json& details = record.at("details");
    exact[pass] = fmt::format("caches {}, L1d {}, LL {}", details.value("caches", "?"), details.value("l1d", "?"),
                              details.value("ll", "?"));
  }
  return exact;
}

/// Puts the entries of `benchmarks` together into cells.
class CellReader {
 public:
  explicit CellReader(std::string where) : where_(std::move(where)) {}

  void read(const Json& entry, std::size_t index) {
    entry_ = fmt::format("{}: entry {} of `benchmarks`", where_, index + 1);
    if (!entry.is_object() || !entry.contains("name")) throw UserError(entry_ + " has no `name`");
    const std::string name = entry.at("name");
    entry_ += fmt::format(" ('{}')", name);
    MeasuredCell& cell = cell_named(entry.value("run_name", name));
    read_figures(entry, cell);
    if (entry.value("error_occurred", false) || entry.contains("skipped")) {
      cell.error = entry.value("error_message", entry.value("skip_message", "skipped"));
    } else if (entry.value("run_type", "iteration") == "iteration") {
      read_round(entry, cell);
    } else if (entry.value("aggregate_name", "") == "median") {
      const double median_ns = time_of(entry, "real_time");
      if (median_ns > 0) cell.median_ns = median_ns;
    }
  }

  [[nodiscard]] std::vector<MeasuredCell> take() { return std::move(cells_); }

 private:
  MeasuredCell& cell_named(const std::string& name) {
    const auto [known, is_new] = indices_.try_emplace(name, cells_.size());
    if (is_new) cells_.emplace_back().name = name;
    return cells_[known->second];
  }

  static void read_figures(const Json& entry, MeasuredCell& cell) {
    for (const Metric& metric : metrics) {
      const auto figure = entry.find(metric.name);
      const bool is_counter = metric.pass != time_pass && figure != entry.end() && figure->is_number();
      if (is_counter) cell.figures[std::string(metric.name)] = figure->get<double>();
    }
  }

  /// An entry without a time is there for its counters.
  void read_round(const Json& entry, MeasuredCell& cell) const {
    const double real_ns = time_of(entry, "real_time");
    if (real_ns <= 0) return;
    MeasuredRound round{.real_ns = real_ns, .cpu_ns = time_of(entry, "cpu_time"), .ratio = std::nullopt};
    if (const auto ratio = entry.find("ratio_to_reference"); ratio != entry.end()) round.ratio = ratio->get<double>();
    cell.rounds.push_back(round);
  }

  [[nodiscard]] double time_of(const Json& entry, const char* key) const {
    const auto time = entry.find(key);
    if (time == entry.end() || !time->is_number()) throw UserError(fmt::format("{} has no number `{}`", entry_, key));
    return time->get<double>() * unit_ns(entry.value("time_unit", "ns"));
  }

  [[nodiscard]] double unit_ns(const std::string& unit) const {
    if (unit == "ns") return 1;
    if (unit == "us") return 1e3;
    if (unit == "ms") return 1e6;
    if (unit == "s") return 1e9;
    throw UserError(fmt::format("{} has `time_unit` '{}'; Google Benchmark writes ns, us, ms or s", entry_, unit));
  }

  std::string where_;
  std::string entry_;  ///< how a message names what is being read
  std::vector<MeasuredCell> cells_;
  std::unordered_map<std::string, std::size_t> indices_;
};

MeasuredFile read_file(const Json& root, const fs::path& where) {
  for (const char* key : {"context", "benchmarks"}) {
    if (root.is_object() && root.contains(key)) continue;
    throw UserError(fmt::format("{} has no `{}`: it is no results file; {}", where.string(), key, what_would_do));
  }
  const Json& context = root.at("context");
  const Json stowage = context.value("stowage", Json());
  MeasuredFile file{
      .path = where, .is_of_stowage = stowage.is_object(), .facts = facts_of(context), .exact_passes = {}, .cells = {}};
  if (file.is_of_stowage) file.exact_passes = exact_passes_of(stowage);
  CellReader reader(where.string());
  for (std::size_t index = 0; const Json& entry : root.at("benchmarks")) reader.read(entry, index++);
  file.cells = reader.take();
  if (file.cells.empty()) {
    throw UserError(fmt::format("{} has no entry in `benchmarks`: nothing was measured", where.string()));
  }
  return file;
}

/// What lies beside a path that leads nowhere and could have been meant.
std::vector<std::string> neighbours_of(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, unreadable)) {
    const bool could_be = entry.path().extension() == ".json" || fs::exists(entry.path() / results_file, unreadable);
    if (could_be) names.push_back((path.has_parent_path() ? entry.path() : entry.path().filename()).string());
  }
  return names;
}

}  // namespace

std::string MeasuredFile::fact(std::string_view what) const {
  const auto found = std::ranges::find(facts, what, &ContextFact::what);
  return found == facts.end() ? "" : found->value;
}

MeasuredFile parse_measured_file(std::string_view text, const fs::path& where) {
  const Json root = parse_json(text, where.string(), what_would_do);
  try {
    return read_file(root, where);
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("{} is damaged: {}; {}", where.string(), message_of(error), what_would_do));
  }
}

MeasuredFile load_measured_file(const fs::path& path) {
  std::error_code unreadable;
  const fs::path file_path = fs::is_directory(path, unreadable) ? path / results_file : path;
  const auto remedy = [&] {
    std::error_code unknown;
    if (fs::exists(file_path, unknown)) return fmt::format("; {}", what_would_do);  // there is no slip in its name
    const fs::path meant = path.has_filename() ? path : path.parent_path();         // a trailing slash is no name
    return suggestion(meant.string(), neighbours_of(meant), what_would_do);
  };
  return parse_measured_file(read_text_file(file_path, remedy), file_path);
}

}  // namespace stowage::harness
