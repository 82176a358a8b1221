#include "harness/doctor/examination.hpp"

#include "harness/system/json.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::doctor {
namespace {

const Check fine{.name = "swap", .found = "none in use"};
const Check warm{.name = "turbo", .fitness = Fitness::poor, .found = "on", .advice = "`echo`"};
const Check busy{.name = "processors", .fitness = Fitness::poor, .found = "2", .advice = "`top`", .decides = true};
const Check no_python{
    .name = "Python", .fitness = Fitness::missing, .found = "none", .advice = "install", .without = "stowage report"};
const Check no_disk{
    .name = "disk", .fitness = Fitness::missing, .found = "full", .advice = "`stowage run --out DIR`", .decides = true};

NoiseFloor floor_with(const std::string& preset, const Interval& interval) {
  const char* const name = "world.iterate_sparse/indirection_map/entities:262144/world:typical-01234567/age:1";
  return {preset, {{.name = name, .ratio = {1.0, interval}}}};
}

Examination examination_of(const std::vector<Check>& checks) {
  return {.environment = {},
          .checks = checks,
          .floors = {floor_with("quick", {0.97, 1.02}), floor_with("standard", {1.001, 1.0049})}};
}

TEST_CASE("what is poor or missing is named, and only what decides changes the answer") {
  const Verdict fit = verdict_of({fine, warm, no_python});
  CHECK(fit.exit_code == ExitCode::done);
  CHECK(fit.text == "fit to measure; could be better: turbo; cannot be used here: `stowage report`");
  CHECK(verdict_of({fine}).text == "fit to measure");
  const Verdict unfit = verdict_of({fine, warm, busy, no_python});
  CHECK(unfit.exit_code == ExitCode::answer_is_no);
  CHECK(unfit.text == "not fit to measure: processors");
  const Verdict unable = verdict_of({busy, no_disk});
  CHECK(unable.exit_code == ExitCode::environment_lacks);
  CHECK_THAT(unable.text, ContainsSubstring("not able to measure: disk") && ContainsSubstring("processors"));
}

TEST_CASE("the summary says which differences are within the noise, rounded up") {
  CHECK(summary_of(examination_of({}).floors) ==
        "Differences below 3.0 % with quick, 0.5 % with standard are within the noise of this machine now");
  CHECK(summary_of({}).empty());
}

TEST_CASE("the text has a line for each check, what to do, the noise and the verdict, in 100 columns") {
  Check chatty = busy;
  for (int word = 0; word < 60; ++word) chatty.found += " and so on";
  const std::string text = examination_text(examination_of({fine, chatty}), 100);
  CHECK_THAT(text, ContainsSubstring("swap        ok      none in use"));
  CHECK_THAT(text, ContainsSubstring("-> `top`"));
  CHECK_THAT(text, ContainsSubstring("0.970 to 1.020") && ContainsSubstring("5.0 %"));
  CHECK_THAT(text, ContainsSubstring("chance"));
  CHECK_THAT(text, ContainsSubstring("Verdict: not fit to measure: processors\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("programs get the same as JSON, in which null is no figure, and an error has its words") {
  const auto root = nlohmann::json::parse(examination_json(examination_of({fine, busy})));
  CHECK(root.at("exit_code") == 1);
  CHECK(root.at("verdict") == "not fit to measure: processors");
  CHECK(root.at("checks").at(1).at("status") == "poor");
  CHECK(root.at("checks").at(1).at("advice") == "`top`");
  const auto& quick = root.at("noise").at(0);
  CHECK(quick.at("preset") == "quick");
  CHECK(quick.at("untold_difference").get<double>() == Approx(0.03));
  CHECK(quick.at("cells").at(0).at("has_1") == true);
  CHECK(root.at("noise").at(1).at("cells").at(0).at("has_1") == false);
  CHECK(root.at("environment").contains("machine"));
  Examination examination = examination_of({});
  examination.floors = {{"standard", {{.name = "walk", .error = "threw: no room"}, {.name = "build"}}}};
  const auto noise = nlohmann::json::parse(examination_json(examination)).at("noise").at(0);
  CHECK(noise.at("untold_difference").is_null());
  CHECK(noise.at("cells").at(0).at("error") == "threw: no room");
  CHECK(noise.at("cells").at(1).at("interval").is_null());
  CHECK_THAT(examination_text(examination, 100), ContainsSubstring("ERROR"));
}

}  // namespace
}  // namespace stowage::harness::doctor
