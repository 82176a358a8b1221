// Each judgement of `stowage doctor` on both sides of its threshold, the parsers of /proc on stored texts, and the
// verdict.
#include "harness/doctor/judge.hpp"

#include "harness/doctor/examination.hpp"
#include "harness/system/json.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::doctor {
namespace {

constexpr std::uint64_t gigabyte_of_memory = 1024ULL * 1024 * 1024;

bool is_ok(const Check& check) { return check.fitness == Fitness::ok && check.advice.empty() && !check.decides; }
bool is_poor(const Check& check) { return check.fitness == Fitness::poor && !check.advice.empty(); }
bool warns(const Check& check) { return is_poor(check) && !check.decides; }
bool forbids(const Check& check) { return is_poor(check) && check.decides; }

TEST_CASE("a quiet machine of several processors is ok, and one with other busy programs is not") {
  CHECK(is_ok(judge_processors(2, 0.1, Company{.processors = 0.02})));
  CHECK(is_ok(judge_processors(2, std::nullopt, std::nullopt)));
  const Check noticed = judge_processors(2, 0.1, Company{.processors = 0.2});
  CHECK(warns(noticed));
  CHECK_THAT(noticed.found, ContainsSubstring("2 processors") && ContainsSubstring("0.20 processors busy"));
  CHECK(forbids(judge_processors(2, 0.1, Company{.processors = 0.9})));
  const Check alone = judge_processors(1, 0.1, Company{});
  CHECK(is_poor(alone));
  CHECK_THAT(alone.found, ContainsSubstring("1 processor;"));
  const Check before = judge_processors(2, 1.8, Company{.processors = 0});  // load from before the examination
  CHECK(warns(before));
  CHECK_THAT(before.advice, ContainsSubstring("uptime"));
  CHECK(is_poor(judge_processors(2, 1.8, std::nullopt)));
}

TEST_CASE("threads on two kinds of cores are poor, and on one kind ok") {
  const std::vector<CoreKind> kinds{{.name = "fast", .cpus = {0, 1}, .mhz = 5000}, {.name = "slow", .cpus = {2}}};
  CHECK(is_ok(judge_cores({{.cpus = {0, 1}}}, {{.cpus = {0, 1}}})));
  CHECK(is_ok(judge_cores({}, {})));
  const Check pinned = judge_cores({kinds[0]}, kinds);
  CHECK(is_ok(pinned));
  CHECK_THAT(pinned.found, ContainsSubstring("in use: fast cores 0-1, up to 5000 MHz") && ContainsSubstring("slow"));
  const Check mixed = judge_cores(kinds, kinds);
  CHECK(warns(mixed));
  CHECK_THAT(mixed.advice, ContainsSubstring("mix kinds") && ContainsSubstring("`--cpus fast`"));
}

TEST_CASE("an emulated processor measures nothing") {
  const Check check = judge_emulation("emulated by qemu-aarch64");
  CHECK_THAT(check.found, ContainsSubstring("qemu-aarch64"));
  CHECK(verdict_of({check}).exit_code == ExitCode::environment_lacks);
}

TEST_CASE("steal time is looked at in virtual machines") {
  CHECK(is_ok(judge_steal("none", std::nullopt)));
  CHECK(is_ok(judge_steal("kvm", std::nullopt)));
  CHECK(is_ok(judge_steal("kvm", Company{.stolen_share = 0.001})));
  CHECK(warns(judge_steal("kvm", Company{.stolen_share = 0.02})));
  CHECK(forbids(judge_steal("kvm", Company{.stolen_share = 0.2})));
}

TEST_CASE("facts that a virtual machine cannot see are attributed to its host") {
  for (const Check& check :
       {judge_governor("none", "kvm"), judge_turbo(std::nullopt, "kvm"), judge_smt(std::nullopt, "kvm")}) {
    CHECK(is_ok(check));
    CHECK_THAT(check.found, ContainsSubstring("not visible") && ContainsSubstring("(kvm)"));
  }
  CHECK_THAT(judge_governor("none", "none").found, ContainsSubstring("not visible"));
  CHECK_THAT(judge_smt(false, "kvm").found, ContainsSubstring("reported to this virtual machine"));
  CHECK(judge_smt(false, "none").found == "off");
}

TEST_CASE("a varying frequency is poor, with the command against it, and decides nothing") {
  CHECK(is_ok(judge_governor("performance", "none")));
  CHECK(is_ok(judge_turbo(Turbo{false, "echo"}, "none")));
  const Check governor = judge_governor("powersave", "none");
  CHECK(warns(governor));
  CHECK_THAT(governor.advice, ContainsSubstring("cpupower frequency-set -g performance"));
  const Check turbo = judge_turbo(Turbo{true, "echo 0 | sudo tee boost"}, "none");
  CHECK(is_poor(turbo));
  CHECK_THAT(turbo.advice, ContainsSubstring("`echo 0 | sudo tee boost`"));
  CHECK(is_poor(judge_smt(true, "none")));
}

TEST_CASE("too little memory for standard decides the verdict and is explained, and swap in use is poor") {
  const MemoryNeed need{.entities = 1024 * 1024, .cells = 8, .bytes_per_entity = 256};
  CHECK(is_ok(judge_memory(MemoryState{.available_bytes = 3 * gigabyte_of_memory}, need)));
  const Check check = judge_memory(MemoryState{.available_bytes = gigabyte_of_memory}, need);
  CHECK(forbids(check));
  CHECK_THAT(check.found, ContainsSubstring("1.0 GiB free") && ContainsSubstring("2.0 GiB") &&
                              ContainsSubstring("8 cells of 1M entities, 256 B each"));
  CHECK(is_ok(judge_memory(std::nullopt, need)));
  CHECK(is_ok(judge_memory(MemoryState{}, std::nullopt)));
  CHECK(is_ok(judge_swap(MemoryState{})));
  CHECK(is_ok(judge_swap(std::nullopt)));
  CHECK(is_poor(judge_swap(MemoryState{.swap_used_bytes = gigabyte_of_memory})));
}

TEST_CASE("without a place for results nothing can be measured") {
  CHECK(is_ok(judge_disk({.directory = "results/", .free_bytes = gigabyte_of_memory})));
  CHECK(is_ok(judge_disk({.directory = "results/", .free_bytes = std::nullopt})));
  for (const Check& check : {judge_disk({.directory = "results/", .free_bytes = 1000}),
                             judge_disk({.directory = "results/", .obstacle = "results is no directory"})}) {
    CHECK(check.fitness == Fitness::missing);
    CHECK(check.decides);
    CHECK_THAT(check.advice, ContainsSubstring("--out"));
  }
}

TEST_CASE("a clock that is coarse beside a frame is poor and beside a repetition decides; huge pages are poor") {
  CHECK(is_ok(judge_clock(30, "tsc")));
  CHECK_THAT(judge_clock(30, "tsc").found, ContainsSubstring("30 ns (tsc)"));
  CHECK(warns(judge_clock(2000, "hpet")));
  CHECK(judge_clock(1e6, "").decides);
  for (const char* setting : {"madvise", "never", "unknown"}) CHECK(is_ok(judge_huge_pages(setting)));
  CHECK(is_poor(judge_huge_pages("always")));
}

TEST_CASE("a tool that is missing says what is wrong, what to install and what cannot be used") {
  const Tool valgrind{"valgrind", "stowage cache --source simulated", "valgrind"};
  CHECK(is_ok(judge_tool(valgrind, "3.19.0", "")));
  const Check check = judge_tool(valgrind, "", "no valgrind to simulate with; install the package valgrind");
  CHECK(check.fitness == Fitness::missing);
  CHECK_FALSE(check.decides);
  CHECK(check.found == "no valgrind to simulate with");
  CHECK(check.advice == "install the package valgrind (Debian, Ubuntu: `sudo apt-get install valgrind`)");
  CHECK(check.without == "stowage cache --source simulated");
  CHECK(judge_tool(valgrind, "", "it cannot run this; `valgrind this` shows why").advice ==
        "`valgrind this` shows why");
  CHECK_THAT(judge_tool(valgrind, "", "broken").advice, ContainsSubstring("apt-get install valgrind"));
}

TEST_CASE("counters that are missing are simulated") {
  CHECK(is_ok(judge_counters("")));
  const Check check = judge_counters("this virtual machine (kvm) shows none; measure on the host");
  CHECK(check.fitness == Fitness::missing);
  CHECK_FALSE(check.decides);
  CHECK(check.found == "this virtual machine (kvm) shows none");
  CHECK_THAT(check.advice, ContainsSubstring("measure on the host") && ContainsSubstring("simulated"));
}

/// The files of a virtual machine with two processors.
const std::string stored_stat =
    "cpu  630525 90 53257 269654 1569 7 302 1271 40 5\n"
    "cpu0 258456 75 24205 194069 582 0 13 656 0 0\n"
    "cpu1 372069 14 29051 75585 987 0 288 614 0 0\n"
    "intr 2357551 0 0\n";

const std::string stored_meminfo =
    "MemTotal:       24684084 kB\n"
    "MemFree:        22562968 kB\n"
    "MemAvailable:   23071308 kB\n"
    "SwapCached:            0 kB\n"
    "SwapTotal:       2097148 kB\n"
    "SwapFree:        2095100 kB\n";

TEST_CASE("work is what programs and the kernel did; waiting, guests counted twice and steal are none") {
  CHECK(parse_ticks(stored_stat) == ProcessorTicks{.busy = 630525 + 90 + 53257 + 7 + 302, .stolen = 1271});
  // a kernel that does not know of steal yet
  CHECK(parse_ticks("cpu  100 1 20 3000\ncpu0 100 1 20 3000\n") == ProcessorTicks{.busy = 121, .stolen = 0});
  for (const char* text : {"", "cpu", "cpu  1 2 3\n", "cpu0 1 2 3 4\n", "intr 1 2 3 4 5 6 7 8\n", "cpu  a b c d\n"}) {
    CHECK_FALSE(parse_ticks(text));
  }
}

TEST_CASE("memory is what is available, swap is what is used of it, and a switch is on, off or unknown") {
  CHECK(parse_memory(stored_meminfo) ==
        MemoryState{.available_bytes = 23071308ULL * 1024, .swap_used_bytes = 2048ULL * 1024});
  CHECK(parse_memory("MemAvailable: 8 kB\n") == MemoryState{.available_bytes = 8192, .swap_used_bytes = 0});
  CHECK_FALSE(parse_memory("MemTotal: 24684084 kB\n"));
  CHECK_FALSE(parse_memory(""));
  CHECK(parse_switch("1\n") == true);
  CHECK(parse_switch("0") == false);
  for (const char* text : {"", "2", "notsupported", "10"}) CHECK_FALSE(parse_switch(text).has_value());
}

TEST_CASE("busy time that is not our own is that of other programs, in processors, and never negative") {
  // 400 ticks of 100 a second are 4 s, of which 3.5 are ours, in 5 s
  const Company company =
      company_between({.busy = 1000, .stolen = 50}, {.busy = 1400, .stolen = 150}, {.wall_s = 5, .own_s = 3.5});
  CHECK(company.processors == Approx(0.1));
  CHECK(company.stolen_share == Approx(0.2));
  CHECK(company_between({.busy = 100}, {.busy = 140}, {.wall_s = 1, .own_s = 0.5}) == Company{});
  CHECK(company_between({.busy = 100, .stolen = 9}, {.busy = 90, .stolen = 3}, {.wall_s = 1, .own_s = 0}) == Company{});
  CHECK(company_between({}, {}, {.wall_s = 0, .own_s = 0}) == Company{});
}

// ---- the verdict on all checks

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
