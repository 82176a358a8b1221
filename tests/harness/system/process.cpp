// Child processes: output, exit codes and lines, and that none outlives the process that started it.
#include "harness/system/process.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <system_error>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("a process is waited for, and its output and exit code come back") {
  const ProcessResult result = capture_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"});
  CHECK(result.output == "out\n");
  CHECK(result.exit_code == 7);
  const char* const more_than_a_pipe_holds = "i=0; while [ $i -lt 20000 ]; do echo 1234567; i=$((i+1)); done";
  CHECK(capture_process({"/bin/sh", "-c", more_than_a_pipe_holds}).output.size() == 160'000);
}

TEST_CASE("as in a shell, a signal ends a process with 128 and its number, and what is not there ends with 127") {
  CHECK(run_process({"/bin/sh", "-c", "kill -TERM $$"}) == 128 + 15);
  CHECK(run_process({"/nowhere/at/all"}) == 127);
  CHECK(capture_process({"/nowhere/at/all"}).exit_code == 127);
  CHECK_THROWS_AS(LineProcess({"/nowhere/at/all"}, "/"), std::system_error);
}

TEST_CASE("extra variables replace inherited ones and leave the others") {
  const ProcessResult result = capture_process({"/bin/sh", "-c", "echo \"$PATH|$EXTRA\""}, {"PATH=/bin", "EXTRA=1"});
  CHECK(result.output == "/bin|1\n");
}

/// The next line, or the end, of a process that is sure to say one.
std::optional<std::string> next_line(LineProcess& process) {
  std::optional<std::string> line = process.receive();
  for (; !line && !process.has_ended(); line = process.receive()) {
    pollfd descriptor{process.descriptor(), POLLIN, 0};
    poll(&descriptor, 1, -1);
  }
  return line;
}

TEST_CASE("lines go to a process and come back") {
  LineProcess process({"/bin/sh", "-c", "while read line; do echo \"<$line>\"; done; exit 3"}, "/");
  REQUIRE(process.send("one"));
  REQUIRE(process.send("two words"));
  CHECK(next_line(process) == "<one>");
  CHECK(next_line(process) == "<two words>");
  CHECK_FALSE(process.receive().has_value());
  CHECK_FALSE(process.has_ended());
}

TEST_CASE("a process that ends is noticed, and its exit code is kept") {
  LineProcess process({"/bin/sh", "-c", "echo last; kill -ILL $$"}, "/");
  CHECK(next_line(process) == "last");
  CHECK_FALSE(next_line(process).has_value());
  CHECK(process.has_ended());
  CHECK(process.exit_code() == 128 + SIGILL);
  CHECK_FALSE(process.send("ping"));
}

TEST_CASE("a line process has an empty environment and the directory it was given") {
  LineProcess process({"/usr/bin/env"}, "/");
  CHECK_FALSE(next_line(process).has_value());
  LineProcess there({"/bin/pwd"}, "/usr");
  CHECK(next_line(there) == "/usr");
}

TEST_CASE("a line process takes its own children along when it goes") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);  // inherited by whatever is started
  const auto [reader, writer] = ends;
  {
    LineProcess process({"/bin/sh", "-c", "sleep 1000 & echo started; wait"}, "/");
    CHECK(next_line(process) == "started");
    close(writer);
  }
  // The end of the last writer is the end of the pipe; one that lived on would keep us waiting.
  char byte = 0;
  CHECK(read(reader, &byte, 1) == 0);
  close(reader);
}

/// Whether all that `work` starts is gone once the process that does it is killed. It must start something that says a
/// line on stdout, and does not end by itself.
template <class Work>
bool ends_with_its_parent(const Work& work) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const auto [reader, writer] = ends;
  const pid_t parent = fork();
  if (parent == 0) {
    dup2(writer, STDOUT_FILENO);
    work();
    _exit(0);
  }
  char byte = 0;
  REQUIRE(read(reader, &byte, 1) == 1);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  close(writer);
  while (read(reader, &byte, 1) == 1) {
  }  // the end of the last writer is the end of the pipe; one that lived on would keep us waiting
  close(reader);
  return true;
}

TEST_CASE("what was started ends when its parent is killed") {
  CHECK(ends_with_its_parent([] { static_cast<void>(run_process({"/bin/sh", "-c", "echo; exec sleep 1000"})); }));
  CHECK(ends_with_its_parent([] {
    constexpr int kept = 9;
    dup2(STDOUT_FILENO, kept);
    const LineProcess process({"/bin/sh", "-c", "echo >&9; exec sleep 1000"}, "/");
    pause();
  }));
}

TEST_CASE("a program that ends its own children is asked to when its parent is killed") {
  CHECK(ends_with_its_parent([] {
    static_cast<void>(run_until_stopped(
        // no `wait`: dash may miss a signal right before it; -9: a child that is not `sleep` yet has the shell's trap
        {"/bin/sh", "-c", "trap 'kill -9 $!; exit' TERM; sleep 1000 & echo; while sleep 0.05; do :; done"},
        [] { return false; }, std::nullopt, AtOurDeath::asked_to_end));
  }));
}

TEST_CASE("a program that is asked to end gets one signal, for Ctrl-C at a terminal reaches its own group alone") {
  CHECK(run_until_stopped(
            {"/bin/sh", "-c", "read -r pid name state parent group rest < /proc/$$/stat; [ $pid = $group ]"},
            [] { return false; }) == 0);
}

TEST_CASE("the search path finds a shell") {
  const std::vector<std::filesystem::path> directories = search_path();
  CHECK(std::ranges::any_of(directories, [](const auto& directory) { return is_executable(directory / "sh"); }));
  CHECK_FALSE(is_executable("/"));
}

}  // namespace
}  // namespace stowage::harness
