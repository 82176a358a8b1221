// The process under Valgrind: takes requests for cells, and counts each cell in a child of its own.
#include "harness/measure/simulated/protocol.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/build/modules.hpp"
#include "harness/errors.hpp"
#include "harness/system/environment.hpp"
#include "harness/verify/cells.hpp"
#include "workloads/support/measurement.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
// Without Valgrind's header nothing is counted; the parent finds no dump and reports that.
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS
#endif

namespace stowage::harness {
namespace {

/// Executes one instruction of each set that the compiler was allowed to use. A Valgrind that does not know it ends the
/// process here, at the start, instead of somewhere in the middle of a pass.
void try_instructions() {
#if defined(__GNUC__) && defined(__AVX512F__)
  asm volatile("vpxorq %%zmm0, %%zmm0, %%zmm0" : : : "xmm0");
#endif
#if defined(__GNUC__) && defined(__AVX2__)
  asm volatile("vpxor %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
#endif
}

/// Counts exactly run(), and the few instructions of the two requests and of the call, the same ones for every case.
[[gnu::noinline]] void count(workloads::Measurement& measurement) {
  CALLGRIND_ZERO_STATS;
  measurement.run(1);
  CALLGRIND_DUMP_STATS;
}

/// A case that does nothing: its figures are what counting itself costs.
struct NoWork {
  static constexpr bool repeatable = true;
  void prepare() {}
  void run() {}
  [[nodiscard]] std::uint64_t items() const { return 0; }
  [[nodiscard]] std::uint64_t checksum() const { return 0; }
  [[nodiscard]] MemoryBreakdown memory() const { return {}; }
};

void count_nothing() {
  workloads::MeasurementOf<NoWork> nothing;
  CALLGRIND_START_INSTRUMENTATION;
  count(nothing);
  CALLGRIND_STOP_INSTRUMENTATION;
}

/// The pass before the measured one leaves warm caches, as the time pass has it; and every function that is called has
/// been bound. A case that is not repeatable is prepared again between the two.
void simulate(workloads::Measurement& measurement, bool cold) {
  const auto warm_up = [&measurement] {
    measurement.run(1);
    if (!measurement.repeatable()) measurement.prepare();
  };
  count_nothing();
  measurement.prepare();
  if (cold) warm_up();
  CALLGRIND_START_INSTRUMENTATION;  // with empty caches
  if (!cold) warm_up();
  count(measurement);
  CALLGRIND_STOP_INSTRUMENTATION;
}

SimulationAnswer answer_to(std::string_view line, const Catalogue& catalogue) {
  SimulationAnswer answer;
  answer.error = error_of([&] {
    const SimulationRequest request = parse_request(line);
    const MakeMeasurement make = catalogue.maker(request.strategy, request.workload);
    if (make == nullptr) throw std::invalid_argument("the simulated binary has no such cell");
    const std::unique_ptr<workloads::Measurement> measurement = make(request.parameters);
    simulate(*measurement, request.cold);
    answer.process = getpid();
    answer.items = measurement->items();
    answer.checksum = measurement->checksum();
  });
  return answer;
}

void say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = write(STDOUT_FILENO, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// One line of stdin, without allocating.
class RequestReader {
 public:
  /// None at the end of the input, or if a line is longer than any request.
  [[nodiscard]] std::optional<std::string_view> next() {
    for (std::size_t length = 0; length < line_.size();) {
      const ssize_t count = read(STDIN_FILENO, &line_[length], 1);
      if (count == 0 || (count < 0 && errno != EINTR)) return std::nullopt;
      if (count < 0) continue;
      if (line_[length] == '\n') return std::string_view(line_.data(), length);
      ++length;
    }
    return std::nullopt;
  }

 private:
  std::array<char, 4096> line_{};
};

/// Loads a module by its name in the working directory, so that the heap is the same wherever the file lies. It is
/// trusted, because the process that asks for it has loaded the same file.
bool load_beside(std::string_view module, Catalogue& catalogue) {
  if (module.empty()) return true;
  const std::size_t slash = module.rfind('/');
  std::array<char, 4096> directory{};
  module.copy(directory.data(), slash);
  if (chdir(directory.data()) != 0) return false;
  return error_of([&] { load_trusted_module(fmt::format(".{}", module.substr(slash)), catalogue); }).empty();
}

std::string death_of(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("the simulation ended with {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGILL) return "executed an instruction that Valgrind does not know";
  return fmt::format("the simulation was ended by signal {}", WTERMSIG(status));
}

}  // namespace

int serve_simulation(Catalogue catalogue) {
  try_instructions();
  static RequestReader reader;
  const std::optional<std::string_view> module = reader.next();
  if (!module || !load_beside(*module, catalogue)) return static_cast<int>(ExitCode::environment_lacks);
  say(line_of(describe_build()));
  while (const std::optional<std::string_view> line = reader.next()) {
    const pid_t child = fork();
    if (child == 0) {
#ifdef __linux__
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // killed with us, however long a cell takes
#endif
      say(line_of(answer_to(*line, catalogue)));
      _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || status != 0) say(line_of(SimulationAnswer{.error = death_of(status)}));
  }
  return 0;
}

}  // namespace stowage::harness
