// The kinds of cores that trees of files describe as Linux does, and what --cpus means on them.
#include "harness/system/cores.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// What a file of /sys says of each core.
struct FakeCore {
  int mhz = 0;
  int capacity = 0;
  std::string l1d = "48K";
};

/// The kinds of a machine of `cores`; `others` are further files below /sys/devices.
std::vector<CoreKind> kinds_of(const std::vector<FakeCore>& cores,
                               const std::vector<std::pair<std::string, std::string>>& others = {}) {
  const TemporaryDirectory root;
  const auto write = [&](const std::string& file, const std::string& text) {
    const std::filesystem::path path = root.path() / "sys/devices" / file;
    std::filesystem::create_directories(path.parent_path());
    replace_file(path, text + "\n");
  };
  write("system/cpu/online", fmt::format("0-{}", cores.size() - 1));
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::string core = fmt::format("system/cpu/cpu{}/", i);
    if (cores[i].mhz != 0) write(core + "cpufreq/cpuinfo_max_freq", fmt::format("{}", cores[i].mhz * 1000));
    if (cores[i].capacity != 0) write(core + "cpu_capacity", fmt::format("{}", cores[i].capacity));
    write(core + "cache/index0/type", "Data");
    write(core + "cache/index0/level", "1");
    write(core + "cache/index0/size", cores[i].l1d);
    write(core + "cache/index0/shared_cpu_list", fmt::format("{}", i));
  }
  for (const auto& [file, text] : others) write(file, text);
  return core_kinds(root.path());
}

TEST_CASE("cores of one design are one kind, though the best may run at higher frequencies") {
  CHECK(kinds_text(kinds_of({{}, {}})) == "cores 0-1");
  CHECK(kinds_text(kinds_of({{.mhz = 5200}, {.mhz = 5700}, {.mhz = 5000}})) == "cores 0-2");
  CHECK(core_kinds("/nowhere").empty());
}

TEST_CASE("Intel names its designs, of which the faster comes first") {
  const auto kinds = kinds_of({{.mhz = 5000}, {.mhz = 4800}, {.mhz = 4700, .l1d = "32K"}, {.mhz = 4700, .l1d = "32K"}},
                              {{"cpu_core/cpus", "0-1"}, {"cpu_atom/cpus", "2-3"}});
  CHECK(kinds_text(kinds) == "fast cores 0-1 and slow cores 2-3");
  CHECK(kinds[0].mhz == 5000);
  CHECK(kinds[1].caches == std::vector<CacheLevel>{{"Data", 1, 32 * 1024, 1}});
  CHECK(kinds_text(kinds_of({{}, {}}, {{"cpu_core/cpus", "0"}, {"cpu_atom/cpus", "1"}})) ==
        "fast cores 0 and slow cores 1");
}

TEST_CASE("ARM's cores differ in their capacity, and the first ones are slow") {
  CHECK(kinds_text(kinds_of(
            {{.capacity = 300}, {.capacity = 800}, {.capacity = 800}, {.capacity = 1024}, {.capacity = 300}})) ==
        "fast cores 3 and middle cores 1-2 and slow cores 0,4");
  const char* const identification = "system/cpu/cpu{}/regs/identification/midr_el1";
  CHECK(kinds_text(kinds_of({{.mhz = 2000}, {.mhz = 2100}}, {{fmt::format(fmt::runtime(identification), 0), "0x1"},
                                                             {fmt::format(fmt::runtime(identification), 1), "0x2"}})) ==
        "fast cores 1 and slow cores 0");
}

TEST_CASE("frequencies far apart, or other first-level caches, are other kinds") {
  CHECK(kinds_text(kinds_of({{.mhz = 3300, .capacity = 1024}, {.mhz = 5100, .capacity = 1024}})) ==
        "fast cores 1 and slow cores 0");
  CHECK(kinds_text(kinds_of({{.l1d = "32K"}, {.l1d = "64K"}})) == "fast cores 1 and slow cores 0");
}

const std::vector<CoreKind>& two_kinds() {
  static const std::vector<CoreKind> kinds{{.name = "fast", .cpus = {4, 5, 6, 7}}, {.name = "slow", .cpus = {0, 1, 2}}};
  return kinds;
}

TEST_CASE("--cpus takes a kind or a list, and without it the fastest kind is taken") {
  CHECK(choose_cpus(two_kinds(), "") == std::vector{4, 5, 6, 7});
  CHECK(choose_cpus(two_kinds(), "slow") == std::vector{0, 1, 2});
  CHECK(choose_cpus(two_kinds(), "6,0-1,1") == std::vector{0, 1, 6});
  CHECK(choose_cpus(kinds_among(two_kinds(), {0, 2}), "") == std::vector{0, 2});
  CHECK(cpus_text({0, 1, 2, 6, 8, 9}) == "0-2,6,8-9");
}

TEST_CASE("cores of another kind are another processor") {
  CHECK(processor_of("Example", two_kinds()) == "Example, fast and slow cores");
  CHECK(processor_of("Example", {two_kinds()[1]}) == "Example, slow cores");
  CHECK(processor_of("Example", {{.cpus = {0, 1}}}) == "Example");
  CHECK(processor_of("Example", {}) == "Example");
}

TEST_CASE("--cpus with cores or kinds that do not exist is refused with what there is") {
  CHECK_THROWS_WITH(choose_cpus(two_kinds(), "0-3"),
                    ContainsSubstring("no core 3") && ContainsSubstring("fast cores 4-7 and slow cores 0-2"));
  CHECK_THROWS_AS(choose_cpus(two_kinds(), "middle"), UserError);
  for (const char* const nonsense : {"big", "1-", "-1", "3-1", "0,,1", "0-99999999", "1x"}) {
    CHECK_THROWS_WITH(choose_cpus(two_kinds(), nonsense), ContainsSubstring("neither a list such as 0-3,8"));
  }
  CHECK_THROWS_AS(choose_cpus({}, "0"), UserError);
}

#ifdef __linux__
TEST_CASE("the cores of this process are among those of the machine, whose caches are found") {
  const std::vector<CoreKind> used = kinds_in_use();
  REQUIRE(!used.empty());
  const std::vector<CacheLevel> caches = describe_environment().host.caches;
  CHECK((used.front().caches == caches || used.size() > 1));
}
#endif

}  // namespace
}  // namespace stowage::harness
