// The files of a run: results.json with its entries and figures, read back to the last bit, files that are refused, and
// its directory.
#include "harness/results/json.hpp"

#include <chrono>
#include <filesystem>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/document.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json written() { return Json::parse(to_json_text(fake::sample_run())); }

/// What is written of a cell of the first block: of its first repetition, or of its figures.
Json entry_of(const Run& run, const std::string& strategy, const std::string& suffix = "") {
  const Json entries = Json::parse(to_json_text(run)).at("benchmarks");
  const std::string name = "walk/" + strategy + "/entities:1024/via:each" + suffix;
  const auto found = std::ranges::find_if(entries, [&](const Json& entry) { return entry.at("name") == name; });
  REQUIRE(found != entries.end());
  return *found;
}
Json median_of(const Run& run, const std::string& strategy) { return entry_of(run, strategy, "_median"); }

TEST_CASE("of the verdicts on the parts of a run the worst is kept") {
  const std::string unknown;
  const std::string fit = "fit to measure; cannot be used here: `hardware`";
  const std::string fair = "fit to measure; could be better: processors";
  const std::string unfit = "not fit to measure: load";
  for (const auto& [one, other] : {std::pair(unknown, fit), std::pair(fit, fair), std::pair(fair, unfit)}) {
    CHECK(worse_verdict(one, other) == other);
    CHECK(worse_verdict(other, one) == other);
  }
}

TEST_CASE("entries have the keys that Google Benchmark's tools read: of a cell its repetitions, then their median") {
  const Json root = written();
  for (const Json& entry : root.at("benchmarks")) {
    for (const char* key : {"name", "run_name", "run_type", "repetitions", "threads", "iterations", "real_time",
                            "cpu_time", "time_unit", "family_index"}) {
      CAPTURE(entry.dump(), key);
      CHECK(entry.contains(key));
    }
    CHECK(entry.contains(entry.at("run_type") == "aggregate" ? "aggregate_name" : "repetition_index"));
  }
  std::vector<std::string> names;
  for (const Json& entry : root.at("benchmarks")) {
    if (entry.at("run_name") == "walk/fast/entities:1024/via:each") names.push_back(entry.at("name"));
  }
  REQUIRE(names.size() == 7 + 1);
  CHECK(names.front() == "walk/fast/entities:1024/via:each");
  CHECK(names.back() == "walk/fast/entities:1024/via:each_median");
}

TEST_CASE("the median carries the figures of a cell with their intervals, and its standing; the best is at 1") {
  const Run run = fake::sample_run();
  const Json median = median_of(run, "twin");
  CHECK(median.at("ns_per_item") == Approx(2.1));
  CHECK(median.at("ns_per_item_low") == Approx(1.9));
  CHECK(median.at("ns_per_item_high") == Approx(2.2));
  CHECK(median.at("ratio_to_reference") == Approx(2.1));
  CHECK(median.at("ratio_to_reference_low") == Approx(1.9));
  CHECK(median.at("ratio_to_reference_high") == Approx(2.2));
  CHECK(median.at("ratio_to_best") == Approx(1.05));
  CHECK(median.at("ratio_to_best_low") == Approx(0.95));
  CHECK(median.at("ratio_to_best_high") == Approx(1.1));
  CHECK(median.at("real_time") == Approx(2100));
  CHECK(median.at("standing") == "open");
  CHECK(median.at("items") == 1000);
  CHECK(median_of(run, "fast").at("ratio_to_best") == 1);
  CHECK_FALSE(median_of(run, "fast").contains("ratio_to_best_low"));
  CHECK(median_of(run, "fast").at("standing") == "best");
  CHECK(median_of(run, "plodder").at("standing") == "worse");
  CHECK(median_of(run, "reference").at("standing") == "hand-written");
  CHECK(median_of(run, "reference").at("ratio_to_best") == 0.5);
}

TEST_CASE("a cell has its distance from the contract floor, with its interval, and which row that is") {
  Run run = fake::sample_run();
  CHECK(median_of(run, "twin").at("contract_floor") == "reference");
  run.blocks[0].cells.push_back(fake::cell("reference.store", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}));
  const Json median = median_of(run, "twin");
  CHECK(median.at("ratio_to_contract") == Approx(4.2));
  CHECK(median.at("ratio_to_contract_low") == Approx(3.8));
  CHECK(median.at("ratio_to_contract_high") == Approx(4.4));
  CHECK(median.at("contract_floor") == "reference.store");
  CHECK(entry_of(run, "twin").at("ratio_to_contract") == Approx(3.8));
  CHECK_FALSE(entry_of(run, "wrong").contains("ratio_to_contract"));
}

TEST_CASE("a file states the rule of its intervals, and the pass of each counter") {
  const Json stowage = written().at("context").at("stowage");
  REQUIRE(stowage.at("interval_samples").size() == 5);  // strategies
  CHECK(stowage.at("interval_samples")[0] == Json{6});  // of seven rounds the whole range
  CHECK(stowage.at("figures").at("memory").size() > 5);
  CHECK(stowage.at("figures").at("floor") == Json{"floor_lines_per_item"});
  CHECK(stowage.at("line_bytes") == 64);
}

TEST_CASE("times have seven digits, figures follow from those that are stored, and what is read is what was written") {
  Run run = fake::sample_run();
  CHECK_FALSE(parse_run(to_json_text(run), "x").state.other_programs);
  run.state.other_programs = 1.5;
  run.state.time_pass_s = 36.5;
  for (Repetition& repetition : run.blocks[0].cells[1].repetitions) repetition.real_ns += 1.0 / 3;
  CellResult& fast = run.blocks[0].cells[3];
  fast.counters["frame_max_ns"] = 17;
  fast.frame_histogram = {0, 3, 1};
  fast.frames_ns = {1200, 900.5};
  const std::string text = to_json_text(run);
  CHECK(parse_run(text, "results.json").state.other_programs == 1.5);
  CHECK(parse_run(text, "results.json").state.time_pass_s == 36.5);
  CHECK(to_json_text(parse_run(text, "results.json")) == text);
  CHECK(to_json_text(parse_run("\xEF\xBB\xBF" + text, "results.json")) == text);  // a byte order mark
  CHECK(median_of(run, "fast").at("frame_histogram") == Json{0, 3, 1});
  CHECK(median_of(run, "fast").at("frames_ns") == Json{1200.0, 900.5});
  CHECK_FALSE(median_of(run, "twin").contains("frames_ns"));
  CHECK_FALSE(median_of(run, "twin").contains("frame_histogram"));
}

TEST_CASE("a figure that does not apply is absent") {
  Run run = fake::sample_run();
  std::erase_if(run.blocks[0].cells, [](const CellResult& cell) { return cell.strategy == "reference"; });
  run.blocks[0].cells[0].repetitions.resize(3);
  const Json median = median_of(run, "plodder");
  CHECK_FALSE(median.contains("ratio_to_reference"));
  CHECK_FALSE(median.contains("ratio_to_contract"));
  CHECK_FALSE(median.contains("ns_per_item_low"));
}

TEST_CASE(
    "a failed cell is an error in Google Benchmark's form and is listed in the context, which has its keys and ours") {
  const Json root = written();
  const Json error = entry_of(fake::sample_run(), "wrong");
  CHECK(error.at("error_occurred") == true);
  CHECK_THAT(error.at("error_message").get<std::string>(), ContainsSubstring("differs"));
  CHECK_FALSE(error.contains("ns_per_item"));
  CHECK(root.at("context").at("stowage").at("errors").size() == 2);
  CHECK(root.at("context").at("stowage").at("errors")[0].at("cell") == "walk/wrong/entities:1024/via:each");
  const Json context = root.at("context");
  for (const char* key : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches",
                          "load_avg", "library_build_type"}) {
    CHECK(context.contains(key));
  }
  CHECK(context.at("stowage").at("format") == 2);
  CHECK(context.at("stowage").at("blocks_done") == 2);
  CHECK(context.at("stowage").at("strategy_cards")[0].at("semantics").is_null());
}

TEST_CASE("a cell that was simulated and not timed has its counters, and no time") {
  Run run = fake::sample_run();
  run.blocks.resize(1);
  run.blocks[0].cells = {fake::cell("fast", {})};
  run.blocks[0].cells[0].counters = {{"instructions_per_item", 1.0 / 3}};
  const std::string text = to_json_text(run);
  const Json entries = Json::parse(text).at("benchmarks");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].at("name") == "walk/fast/entities:1024/via:each");
  CHECK(entries[0].at("real_time") == 0);
  CHECK(entries[0].at("instructions_per_item") == 1.0 / 3);
  CHECK_FALSE(entries[0].contains("contract_floor"));
  CHECK_FALSE(entries[0].contains("ns_per_item"));
  CHECK_FALSE(entries[0].contains("l1d_misses_per_item"));
  CHECK(to_json_text(parse_run(text, "results.json")) == text);
  run.blocks[0].cells.push_back(fake::cell("reference.store", {}));
  CHECK(entry_of(run, "fast").at("contract_floor") == "reference.store");
}

TEST_CASE("exact figures are written without anything that says when, where and how fast") {
  Run run = fake::sample_run();
  const std::string text = to_exact_json_text(run);
  run.environment.host.date = "2031-01-01T00:00:00+00:00";
  run.environment.host.load_avg = {9, 9, 9};
  run.environment.machine.cpu_model = "another processor";
  run.state.wall_s = 1234;
  run.state.command = "another command";
  CHECK(to_exact_json_text(run) == text);
  const Json context = Json::parse(text).at("context");
  CHECK(context.at("stowage").at("passes").size() == 1);
  CHECK(context.at("stowage").at("compiler") == "a compiler");
  for (const char* of_times : {"repetitions", "min_time_s", "precision", "wall_s", "time_pass_s"}) {
    CHECK_FALSE(context.at("stowage").contains(of_times));
  }
}

TEST_CASE("a file that is no results file is refused with the reason") {
  const std::string good = to_json_text(fake::sample_run());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto [text, reason] = GENERATE_COPY(table<std::string, std::string>({
      {good.substr(0, good.size() / 2), "truncated"},
      {good.substr(0, good.size() - 3), "truncated"},
      {"", "is not JSON"},
      {"<html>", "is not JSON, see line 1, column 1"},
      {"{\n  \"context\": oops}", "is not JSON, see line 2"},
      {"[]", "has no `context`"},
      {R"({"context": {}, "benchmarks": []})", "has no `stowage`"},
      {replaced("\"format\": 2", "\"format\": 3"), "format 3, this version reads format 2"},
      {replaced("\"seed\": 20140908", "\"seed\": 2e4300"), "too large"},
      {replaced("\"seed\": 20140908", "\"seed\": " + std::string(5000, '9')), "too large"},
      {replaced("\"seed\": 20140908", "\"seed\": NaN"), "is not JSON"},
      {replaced("\"preset\"", "\"reset\""), "lacks `preset`"},
      {replaced("\"preset\": \"quick\"", "\"visits\": 0, \"preset\": \"quick\""),
       "context.stowage.visits must be from 1"},
      {replaced("\"preset\": \"quick\"", "\"preset\": \"qu\\u001bick\""), "context.stowage.preset must be a name"},
      {replaced("walk/reference/entities:1024/via:each\",\"run_type", "walk\",\"run_type"), "benchmarks[0].run_name"},
      {replaced("\"real_time\":1000.0", "\"real_time\":0.0"), "a repetition of no time"},
      {replaced("\"cpu_time\":", "\"gpu_time\":"), "a repetition without cpu_time"},
      {replaced("\"repetition_index\":1,", "\"repetition_index\":0,"), "is there twice"},
      {replaced("\"items\":1000,", "\"items\":0,"), "repetitions and no items"},
      {std::string(1'000'000, '['), "is not JSON"},
      {R"({"context":{"stowage":{"format":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}}}",
       "format unknown"},
      {R"({"context":{"stowage":{"format":2,"x":)" + std::string(100'000, '[') + std::string(100'000, ']') +
           R"(},"x":1},"benchmarks":[]})",
       "is damaged"},
  }));
  CAPTURE(reason);
  CHECK_THROWS_AS(parse_run(text, "DIR/results.json"), UserError);
  CHECK_THROWS_WITH(parse_run(text, "DIR/results.json"),
                    ContainsSubstring("DIR/results.json") && ContainsSubstring(reason));
}

TEST_CASE("what is written can be read, whatever a message or a command line has in it") {
  Run run = fake::sample_run();
  run.state.command = "stowage run --cells 'a\nb\x1b[31m'";
  run.blocks[0].cells[4].error = "two\nlines\x7f";
  run.environment.host.host_name = "caf\xE9";  // in another encoding than UTF-8
  const Run read = parse_run(to_json_text(run), "x");
  CHECK(read.state.command == "stowage run --cells 'a b [31m'");
  CHECK(read.blocks[0].cells[4].error == "two lines ");
  CHECK_THAT(read.environment.host.host_name, ContainsSubstring("caf"));
}

TEST_CASE("files are accepted and refused as by the reader in Python") {
  const fs::path file = fs::path(build_info::source_dir) / "tests/files/vectors.json";
  for (const Json& vector : Json::parse(system_text(file))) {
    CAPTURE(vector.dump());
    std::string said;
    try {
      check_document(vector.at("document"), vector.at("kind").get<std::string>(), "x", "repeat it");
    } catch (const UserError& error) {
      said = error.what();
    }
    if (vector.at("fault").is_null()) {
      CHECK(said.empty());
      continue;
    }
    const auto place = vector.at("fault").get<std::string>();
    CHECK_THAT(said, Catch::Matchers::StartsWith("x is damaged: " + (place.empty() ? "it" : place) + " "));
  }
}

// ---- the directory of a run

/// Runs are looked for below the current directory.
class WorkingDirectory {
 public:
  WorkingDirectory() { fs::current_path(directory_.path()); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;
  ~WorkingDirectory() { fs::current_path(former_); }

 private:
  fs::path former_ = fs::current_path();
  TemporaryDirectory directory_;
};

void save_sample(const fs::path& directory) {
  fs::create_directories(directory);
  save_run(directory, fake::sample_run());
}

TEST_CASE("a new run is named by date, host and preset, and never takes the place of another") {
  const WorkingDirectory somewhere;
  const Run run = fake::sample_run();
  const fs::path first = new_run_directory(run.environment, "quick");
  CHECK(first == "results/20261120-190000-a_host_with_odd_characters-quick");
  CHECK(fs::is_directory(first));
  CHECK(new_run_directory(run.environment, "quick") == first.string() + "-2");
}

TEST_CASE("the newest run is the last one that has results, the run before another the last that is older") {
  const WorkingDirectory somewhere;
  CHECK_THROWS_AS(newest_run_directory(), UserError);
  const fs::path older = "results/20250101-000000-a-quick";
  const fs::path newer = "results/20260101-000000-a-quick";
  save_sample(older);
  save_sample(newer);
  for (const char* empty : {"results/20250601-000000-empty", "results/20270101-000000-empty"}) {
    fs::create_directories(empty);
  }
  CHECK(newest_run_directory() == newer);
  CHECK(run_directory_before(newer) == older);
  CHECK_THROWS_WITH(run_directory_before(older), ContainsSubstring("is older than"));
  save_sample("results/before");
  fs::last_write_time("results/before/results.json",
                      fs::last_write_time(newer / "results.json") - std::chrono::hours(1));
  CHECK(newest_run_directory() == newer);
  CHECK(run_directory_before(older / "") == "results/before");
}

}  // namespace
}  // namespace stowage::harness
