// Compiling a game with a fake compiler: which strategies wait if time is short, and what makes a module stale.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <optional>

#include "harness/errors.hpp"
#include "harness/recommend/compile_game.hpp"
#include "harness/system/lock.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

/// Writes what it is asked for, and no library. What it lists for make is the source, what that includes in quotes and
/// the lines of `dependencies`. It refuses a source that says `#error`, with the line in which it does.
constexpr const char* compiler_text = R"sh(#!/bin/sh
here=$(dirname "$0")
made= list= source= checks=
while [ $# -gt 0 ]; do
  case "$1" in
    -o) made=$2; shift ;;
    -MF) list=$2; shift ;;
    -fsyntax-only) checks=yes ;;
    *.cpp | *.hpp) source=$1 ;;
  esac
  shift
done
[ -z "$source" ] || ! grep -Hn '^#error' "$source" || { echo "$source:1:1: error: refused" >&2; exit 1; }
[ "$checks" ] || echo "$made" > "$made"
if [ "$list" ]; then
  {
    echo "${made:-${list%.d}}: $source \\"
    sed -n 's/^#include "\(.*\)"$/\1/p' types.hpp | sed 's/ /\\ /g; s/$/ \\/'
    sed 's/$/ \\/' "$here/dependencies"
    echo " types.hpp"
  } > "$list"
fi
)sh";

/// A compiler, and a cache of games.
class Workshop {
 public:
  Workshop() {
    const fs::path compiler = add_compiler("compiler");
    write("dependencies", "");
    setenv("STOWAGE_CACHE_DIR", (directory_.path() / "games").c_str(), 1);
    toolchain.file = "toolchain.json";
    toolchain.compiler = compiler.string();
  }
  ~Workshop() { unsetenv("STOWAGE_CACHE_DIR"); }

  /// Compiles these strategies, with time for `most` of them.
  GameProgram compile(const std::vector<std::string>& names, std::size_t most) {
    std::vector<Recipe> strategies;
    for (const std::string& name : names) {
      strategies.push_back({.name = name,
                            .header = name == refused ? "a.hpp>\n#error <" : "a.hpp",
                            .template_name = "A",
                            .source = "",
                            .summary = "",
                            .compile_flags = flags_of_strategies});
    }
    const CompileBench bench{.has_time = [most](std::size_t begun) { return begun < most; },
                             .stop = [] { return false; },
                             .progress = [](std::size_t, std::size_t) {},
                             .together = 1};
    return compile_game(game, toolchain, strategies, bench);
  }
  /// How many of two strategies had to be compiled. Both modules are there afterwards.
  std::size_t compiled_anew() {
    const GameProgram program = compile({"first", "second"}, 2);
    CHECK(program.strategies == std::vector<std::string>{"first", "second"});
    for (const auto& [strategy, module] : program.modules) CHECK(fs::exists(module));
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
  /// Adds a file older than all that is compiled, which the compiler lists for make as `listed`.
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
      const fs::path extension = entry.path().extension();
      if (entry.is_regular_file()) set_age(entry.path(), extension == ".cpp" || extension == ".hpp" ? 3 : 2);
    }
    for (const char* name : {"compiler", "another"}) {
      if (fs::exists(directory_.path() / name)) set_age(directory_.path() / name, 3);
    }
  }
  void set_age(const fs::path& file, int hours) const { fs::last_write_time(file, begin_ - std::chrono::hours(hours)); }

  Profile game = fake::game();
  Toolchain toolchain;
  std::vector<std::string> flags_of_strategies;
  std::string refused;

 private:
  TemporaryDirectory directory_;
  fs::file_time_type begin_ = fs::file_time_type::clock::now();
};

TEST_CASE("the first complaint of a compiler is its first error") {
  CHECK(first_complaint("In file included from a\na.hpp:3:1: error: no Health here\nb: error: more") ==
        "a.hpp:3:1: error: no Health here");
  CHECK(first_complaint("killed\n") == "killed");
  CHECK(first_complaint("") == "the compiler says nothing");
}

TEST_CASE("each version of Ninja says what has failed, and it is found") {
  const std::string code = GENERATE("", "[code=1] ");
  const auto failures =
      failures_in("[1/3] compile a\nFAILED: " + code + "a.o \nc++ a.cpp\na.cpp:1:1: error: no\n[2/3] link b\n" +
                  "FAILED: " + code + "stowage_b.so \nc++ b.o\nundefined\nninja: build stopped\n");
  CHECK(failures == std::map<std::string, std::string>{{"a", "a.cpp:1:1: error: no\n"}, {"b", "undefined\n"}});
}

using Names = std::vector<std::string>;
const Names all{"first", "first.one", "first.two", "second", "second.one"};

TEST_CASE("if time is short, variants wait, each family's second after its first") {
  Workshop workshop;
  const GameProgram program = workshop.compile(all, 3);
  CHECK(program.strategies == Names{"first", "first.one", "second"});
  CHECK(program.too_late == Names{"first.two", "second.one"});
  CHECK(program.compiled == 3);
}

TEST_CASE("a second call compiles the strategies that waited; base forms and at least one strategy never wait") {
  Workshop workshop;
  const GameProgram first = workshop.compile(all, 0);
  CHECK(first.strategies == Names{"first", "second"});
  CHECK(first.too_late == Names{"first.one", "first.two", "second.one"});
  const GameProgram second = workshop.compile(all, all.size());
  CHECK(second.strategies == all);
  CHECK(second.too_late.empty());
  CHECK(second.compiled == 3);
  CHECK(workshop.compile({"third.one", "third.two"}, 0).strategies == Names{"third.one"});
}

TEST_CASE("a strategy that does not compile is named with the compiler's error, and the others are compiled") {
  Workshop workshop;
  workshop.refused = "second";
  const GameProgram program = workshop.compile({"first", "second"}, 2);
  CHECK(program.strategies == Names{"first"});
  REQUIRE(program.failures.size() == 1);
  CHECK(program.failures.front().strategy == "second");
  CHECK(program.failures.front().reason.starts_with("second.cpp:1:1: error: refused"));
  CHECK_THROWS_AS(workshop.compile({"second"}, 1), UserError);
}

// ---- what a second answer may take from the cache: each of these counts the strategies of two that are compiled

TEST_CASE("another profile is another game, and the first is kept") {
  Workshop workshop;
  workshop.compiled_anew();
  workshop.game.components[0].bytes = 16;
  CHECK(workshop.compiled_anew() == 2);
  workshop.game.components[0].bytes = 12;
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("two checkouts of a game share nothing if its profile names a header") {
  Workshop workshop;
  const auto directory_in = [&](const fs::path& checkout, bool has_header) {
    workshop.game.file = checkout / "game.toml";
    workshop.game.components[1] = {.name = "health", .bytes = 4};
    if (has_header) workshop.game.components[1] = {.name = "health", .type = "Health", .header = checkout / "a.hpp"};
    return game_build_plan(workshop.game, workshop.toolchain, "bind_game").directory;
  };
  CHECK(directory_in("/first", true) != directory_in("/second", true));
  CHECK(directory_in("/first", false) == directory_in("/second", false));
}

TEST_CASE("a forecast changes no source while another process compiles there") {
  Workshop workshop;
  const BuildPlan plan = game_build_plan(workshop.game, workshop.toolchain, "bind_game");
  const auto forecast_steps = [&] { return forecast(workshop.toolchain, plan, {}).steps; };
  CHECK(forecast_steps() > 0);
  CHECK(fs::remove(plan.directory / "build.ninja"));
  std::optional<Lock> other(std::in_place, plan.directory / "lock", [] { return false; });
  auto steps = std::async(std::launch::async, forecast_steps);
  CHECK(steps.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout);
  CHECK_FALSE(fs::exists(plan.directory / "build.ninja"));
  other.reset();
  CHECK(steps.get() > 0);
}

TEST_CASE("a game is compiled anew when a header of the user was written since") {
  Workshop workshop;
  const fs::path header = workshop.write("my game/health.hpp", "struct Health { int points; };\n");
  workshop.set_age(header, 3);
  workshop.game.components[1] = {.name = "health", .type = "Health", .header = header};
  CHECK(workshop.compiled_anew() == 2);
  workshop.let_time_pass();
  CHECK(workshop.compiled_anew() == 0);
  workshop.set_age(header, 1);
  CHECK(workshop.compiled_anew() == 2);
}

TEST_CASE("a game is compiled anew with other flags and by another compiler, and the first is kept") {
  Workshop workshop;
  workshop.compiled_anew();
  Toolchain& toolchain = workshop.toolchain;
  const Toolchain former = toolchain;
  SECTION("flags of the compiler") { toolchain.compile_flags = {"-O1"}; }
  SECTION("flags of strategies") { workshop.flags_of_strategies = {"-DECS=1"}; }
  SECTION("a compiler") { toolchain.compiler = workshop.add_compiler("another").string(); }
  CHECK(workshop.compiled_anew() == 2);
  CHECK(workshop.compiled_anew() == 0);
  if (!workshop.flags_of_strategies.empty()) return;  // those replace what was compiled with others
  toolchain = former;
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("a strategy is compiled anew if any of its headers has changed") {
  Workshop workshop;
  workshop.add_dependency("strategies/a.hpp", "strategies/a.hpp");
  const auto [name, listed] = GENERATE(std::pair("strategies/b.hpp", "strategies/b.hpp"),
                                       std::pair("my game/with blanks.hpp", "my\\ game/with\\ blanks.hpp"));
  CAPTURE(name);
  const fs::path header = workshop.add_dependency(name, listed);
  workshop.add_dependency("strategies/c.hpp", "strategies/c.hpp");
  CHECK(workshop.compiled_anew() == 2);
  workshop.let_time_pass();
  CHECK(workshop.compiled_anew() == 0);
  SECTION("it was changed") { workshop.set_age(header, 1); }
  SECTION("it is gone") {
    fs::remove(header);
    workshop.write("dependencies", "");
  }
  CHECK(workshop.compiled_anew() == 2);
  CHECK(workshop.compiled_anew() == 0);
}

TEST_CASE("an object file or a module that is gone is made again") {
  Workshop workshop;
  const fs::path directory = fs::path(workshop.compile({"first", "second"}, 2).modules.at("first")).parent_path();
  CHECK(fs::remove(directory / "first.o"));
  CHECK(workshop.compiled_anew() == 1);
  CHECK(fs::remove(directory / "stowage_first.so"));
  CHECK(workshop.compile({"first", "second"}, 2).modules.size() == 2);
  CHECK(fs::exists(directory / "stowage_first.so"));
}

}  // namespace
}  // namespace stowage::harness
