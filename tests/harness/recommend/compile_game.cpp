#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/recommend/game_program.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/harness/temporary_directory.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

/// Writes what it is asked for, and no program.
constexpr const char* compiler_text = R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    -o | -MF) : > "$2"; shift ;;
  esac
  shift
done
)";

/// A compiler, and a cache of games.
class Workshop {
 public:
  Workshop() {
    const fs::path compiler = directory_.path() / "compiler";
    std::ofstream(compiler) << compiler_text;
    fs::permissions(compiler, fs::perms::owner_all);
    setenv("STOWAGE_CACHE_DIR", (directory_.path() / "games").c_str(), 1);
    toolchain_ = {.file = "toolchain.json",
                  .compiler = compiler.string(),
                  .compile_flags = {},
                  .link_flags = {},
                  .strategies = {}};
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
    return compile_game(fake::game(), toolchain_, strategies, bench);
  }

 private:
  fake::TemporaryDirectory directory_;
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

}  // namespace
}  // namespace stowage::harness
