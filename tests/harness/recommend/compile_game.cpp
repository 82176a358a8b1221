#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/recommend/game_program.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/harness/temporary_directory.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

/// Writes what it is asked for, and no program. What it preprocesses is the text of what the source includes; what it
/// has listed for make is the generated header beside the source and the lines of `dependencies`, unless these came
/// precompiled.
constexpr const char* compiler_text = R"sh(#!/bin/sh
here=$(dirname "$0")
made= list= source= precompiled= preprocesses= links=yes
while [ $# -gt 0 ]; do
  case "$1" in
    -o) made=$2; shift ;;
    -MF) list=$2; shift ;;
    -include) precompiled=$2; shift ;;
    -E) preprocesses=yes links= ;;
    -c | -x | -fsyntax-only) links= ;;
    *.cpp | *.hpp) source=$1 ;;
  esac
  shift
done
[ -z "$made" ] || : > "$made"
[ -z "$links" ] || echo linked >> "$here/links"
if [ "$preprocesses" ]; then
  sed -n 's/^#include "\(.*\)"$/\1/p' "$source" | while read -r header; do cat "$header"; done > "$made"
fi
if [ "$list" ]; then
  echo "$made: $source \\" > "$list"
  [ "$precompiled" ] || sed 's/$/ \\/' "$here/dependencies" >> "$list"
  echo " $(dirname "$source")/types.hpp" >> "$list"
fi
)sh";

/// A compiler, and a cache of games.
class Workshop {
 public:
  Workshop() {
    const fs::path compiler = add_compiler("compiler");
    write("dependencies", "");
    write("links", "");
    setenv("STOWAGE_CACHE_DIR", (directory_.path() / "games").c_str(), 1);
    toolchain_ = {.file = "toolchain.json",
                  .compiler = compiler.string(),
                  .compile_flags = {},
                  .link_flags = {},
                  .strategies = {}};
    game = fake::game();
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() { unsetenv("STOWAGE_CACHE_DIR"); }

  /// Where there is time for so many strategies.
  GameProgram compile(const std::vector<std::string>& names, std::size_t most) {
    std::vector<ToolchainStrategy> strategies;
    for (const std::string& name : names) {
      strategies.push_back({.name = name, .header = "a.hpp", .template_name = "A", .source = "", .summary = ""});
    }
    const CompileBench bench{.jobs = 1,
                             .has_time = [most](std::size_t begun) { return begun < most; },
                             .stop = [] { return false; },
                             .progress = [](std::size_t, std::size_t) {}};
    for (ToolchainStrategy& strategy : strategies) strategy.compile_flags = flags_of_strategies;
    return compile_game(game, toolchain_, strategies, bench);
  }
  /// Of two strategies, how many files are compiled. A program for both is there then.
  std::size_t compiled_anew() {
    const GameProgram program = compile({"first", "second"}, 2);
    CHECK(program.strategies.size() == 2);
    CHECK(fs::exists(program.executable));
    return program.compiled;
  }

  fs::path write(const std::string& name, const std::string& text) {
    const fs::path file = directory_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  fs::path add_compiler(const std::string& name) {
    const fs::path compiler = write(name, compiler_text);
    fs::permissions(compiler, fs::perms::owner_all);
    return compiler;
  }
  /// A file that was there before anything was compiled, of which make is told by `listed`.
  fs::path add_dependency(const std::string& name, const std::string& listed) {
    const fs::path file = write(name, "");
    set_age(file, 3);
    std::ofstream(directory_.path() / "dependencies", std::ios::app)
        << directory_.path().string() + "/" + listed + "\n";
    return file;
  }
  /// Writing times are set by hand, because nothing here waits for a clock: what there is was compiled two hours ago.
  void let_time_pass() const {
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path() / "games")) {
      if (entry.is_regular_file()) set_age(entry.path(), 2);
    }
  }
  void set_age(const fs::path& file, int hours) const { fs::last_write_time(file, begin_ - std::chrono::hours(hours)); }
  /// How often a program was linked.
  [[nodiscard]] std::size_t links() const {
    std::ifstream file(directory_.path() / "links");
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
  }

  Profile game;
  std::vector<std::string> flags_of_strategies;
  [[nodiscard]] Toolchain& toolchain() { return toolchain_; }

 private:
  fake::TemporaryDirectory directory_;
  fs::file_time_type begin_ = fs::file_time_type::clock::now();
  Toolchain toolchain_;
};

using Names = std::vector<std::string>;
const Names all{"first", "first.one", "first.two", "second", "second.one"};

TEST_CASE("where time is short, variants wait, each family's second after its first") {
  Workshop workshop;
  const GameProgram program = workshop.compile(all, 3);
  CHECK(program.strategies == Names{"first", "first.one", "second"});
  CHECK(program.too_late == Names{"first.two", "second.one"});
  CHECK(program.compiled == 4);  // and main()
  CHECK(fs::exists(program.executable));
}

TEST_CASE("what waited is all that is compiled when the game is asked for again") {
  Workshop workshop;
  const GameProgram first = workshop.compile(all, 3);
  const GameProgram second = workshop.compile(all, all.size());
  CHECK(second.strategies == all);
  CHECK(second.too_late.empty());
  CHECK(second.compiled == 2);
  CHECK(second.executable != first.executable);
}

TEST_CASE("plain forms are compiled however long it takes, and somebody always is") {
  Workshop workshop;
  CHECK(workshop.compile(all, 0).strategies == Names{"first", "second"});
  CHECK(workshop.compile({"third.one", "third.two"}, 0).strategies == Names{"third.one"});
}

// ---- what a second answer may take from the cache: each of these counts the files that are compiled for two
// strategies, which are three with main()

TEST_CASE("the same game is neither compiled nor linked a second time") {
  Workshop workshop;
  CHECK(workshop.compiled_anew() == 3);
  CHECK(workshop.links() == 1);
  CHECK(workshop.compiled_anew() == 0);
  CHECK(workshop.links() == 1);
}

TEST_CASE("another profile is another game, and the first is kept") {
  Workshop workshop;
  workshop.compiled_anew();
  workshop.game.components[0].bytes = 16;
  CHECK(workshop.compiled_anew() == 3);
  workshop.game.components[0].bytes = 12;
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("a game is compiled anew when the text of the user's headers is another") {
  Workshop workshop;
  const fs::path header = workshop.write("my game/health.hpp", "struct Health { int points; };\n");
  workshop.game.components[1] = {.name = "health", .type = "Health", .header = header};
  CHECK(workshop.compiled_anew() == 3);
  CHECK(workshop.compiled_anew() == 0);
  workshop.write("my game/health.hpp", "struct Health { long points; };\n");
  CHECK(workshop.compiled_anew() == 3);
  CHECK(workshop.links() == 2);
  workshop.write("my game/health.hpp", "struct Health { int points; };\n");
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("a game is compiled anew with other flags and by another compiler") {
  Workshop workshop;
  workshop.compiled_anew();
  Toolchain& toolchain = workshop.toolchain();
  const Toolchain former = toolchain;
  SECTION("flags of the compiler") { toolchain.compile_flags = {"-O1"}; }
  SECTION("flags of the linker") { toolchain.link_flags = {"-lm"}; }
  SECTION("a compiler") { toolchain.compiler = workshop.add_compiler("another").string(); }
  CHECK(workshop.compiled_anew() == 3);
  CHECK(workshop.links() == 2);
  CHECK(workshop.compiled_anew() == 0);
  toolchain = former;
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("a strategy is compiled anew with other flags of its own") {
  Workshop workshop;
  workshop.compiled_anew();
  workshop.flags_of_strategies = {"-DECS=1"};
  CHECK(workshop.compiled_anew() == 2);
  CHECK(workshop.links() == 2);
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("what has been written since is compiled anew, wherever it stands in the compiler's list") {
  Workshop workshop;
  workshop.add_dependency("strategies/a.hpp", "strategies/a.hpp");
  const auto [name, listed] = GENERATE(std::pair("strategies/b.hpp", "strategies/b.hpp"),
                                       std::pair("my game/with blanks.hpp", "my\\ game/with\\ blanks.hpp"));
  CAPTURE(name);
  const fs::path header = workshop.add_dependency(name, listed);
  workshop.add_dependency("strategies/c.hpp", "strategies/c.hpp");
  CHECK(workshop.compiled_anew() == 3);
  workshop.let_time_pass();
  CHECK(workshop.compiled_anew() == 0);
  SECTION("it was changed") { workshop.set_age(header, 1); }
  SECTION("it is gone") {
    fs::remove(header);
    workshop.write("dependencies", "");
  }
  CHECK(workshop.compiled_anew() == 3);
  CHECK(workshop.links() == 2);
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("what was precompiled for all of them counts as if each had included it") {
  Workshop workshop;
  const fs::path header = workshop.add_dependency("strategies/a.hpp", "strategies/a.hpp");
  CHECK(workshop.compile(all, all.size()).compiled == all.size() + 1);
  workshop.let_time_pass();
  CHECK(workshop.compile(all, all.size()).compiled == 0);
  workshop.set_age(header, 1);
  CHECK(workshop.compile(all, all.size()).compiled == all.size() + 1);
}

TEST_CASE("an object file or a list of its headers that is gone is made again") {
  Workshop workshop;
  const fs::path directory = workshop.compile({"first", "second"}, 2).executable.parent_path();
  const std::string lost = GENERATE("first.o", "first.o.d");
  CAPTURE(lost);
  CHECK(fs::remove(directory / lost));
  CHECK(workshop.compiled_anew() == 1);
}

}  // namespace
}  // namespace stowage::harness
