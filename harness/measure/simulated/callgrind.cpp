// Runs cells under Valgrind's Callgrind in worker processes, and parses the dumps that they leave.
#include "harness/measure/simulated/callgrind.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "harness/errors.hpp"
#include "harness/system/platform.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view build_hint = "`scripts/build release stowage` builds one";

fs::path find_valgrind() {
  if (const std::optional<fs::path> valgrind = find_program("valgrind")) return *valgrind;
  throw EnvironmentError("no valgrind to simulate caches with; install the package valgrind");
}

/// "valgrind-3.19.0" -> "3.19.0"
std::string version_of(const fs::path& valgrind) {
  constexpr std::string_view prefix = "valgrind-";
  const ProcessResult result = capture_process({valgrind.string(), "--version"});
  if (result.exit_code != 0 || !result.output.starts_with(prefix)) {
    throw EnvironmentError("{} --version does not answer; reinstall the package valgrind", valgrind.string());
  }
  return result.output.substr(prefix.size(), result.output.find('\n') - prefix.size());
}

/// This binary, unless STOWAGE_SIMULATED_BINARY names another.
fs::path find_simulated_binary() {
  const char* const chosen = std::getenv("STOWAGE_SIMULATED_BINARY");
  const bool is_chosen = chosen != nullptr && *chosen != '\0';
  const fs::path binary = is_chosen ? fs::absolute(chosen) : own_executable();
  if (is_executable(binary)) return binary;
  throw EnvironmentError("no binary to simulate at {}; {}", binary.string(), build_hint);
}

std::string option_of(std::string_view name, const CacheGeometry& cache) {
  return fmt::format("--{}={},{},{}", name, cache.bytes, cache.ways, cache.line_bytes);
}

/// Above some size the C library copies and fills by `rep` instructions, each of which the simulator counts once for
/// every byte, as no processor does. With this in the environment it uses vectors for all sizes.
constexpr std::string_view copying_by_vectors =
    "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=0x40000000:glibc.cpu.x86_rep_stosb_threshold=0x40000000";

/// The program is named without its directory, so that its stack is the same wherever it lies.
std::vector<std::string> command_for(const fs::path& valgrind, const fs::path& binary, const fs::path& dumps,
                                     const CacheModel& model) {
  return {valgrind.string(),
          "-q",
          "--vgdb=no",
          "--tool=callgrind",
          "--instr-atstart=no",
          "--cache-sim=yes",
          "--cacheuse=yes",
          option_of("I1", model.l1i),
          option_of("D1", model.l1d),
          option_of("LL", model.ll),
          fmt::format("--callgrind-out-file={}", (dumps / "dump.%p").string()),
          "./" + binary.filename().string(),
          std::string(simulated_argument)};
}

void check_same_sources(const Build& simulated, const fs::path& binary) {
  const std::string commit = describe_build().commit;
  if (simulated.commit == commit) return;
  throw EnvironmentError("{} was built from commit {}, and this program from commit {}; {} from the current sources",
                         binary.string(), simulated.commit, commit, build_hint);
}

/// Waits until one of `descriptors` can be read. A signal ends the wait early, so that the caller can check whether it
/// was asked to stop.
void wait_for(const std::vector<int>& descriptors, std::chrono::milliseconds patience) {
  std::vector<pollfd> polled;
  for (const int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  poll(polled.data(), polled.size(), static_cast<int>(patience.count()));
}

}  // namespace

CallgrindSimulator::CallgrindSimulator(const CacheModel& model, std::size_t workers)
    : valgrind_(find_valgrind()),
      version_(version_of(valgrind_)),
      binary_(find_simulated_binary()),
      command_(command_for(valgrind_, binary_, dumps_.path(), model)),
      workers_(workers) {
  start_process(workers_.front(), "");
  build_ = introduction_of(workers_.front());
  check_same_sources(build_, binary_);
}

void CallgrindSimulator::start_process(Worker& worker, const std::string& module) const {
  const std::vector environment{std::string(copying_by_vectors)};
  worker.process = std::make_unique<LineProcess>(command_, binary_.parent_path(), environment);
  worker.module = module;
  worker.introduced = false;
  static_cast<void>(worker.process->send(module));
}

Build CallgrindSimulator::introduction_of(Worker& worker) const {
  LineProcess& process = *worker.process;
  std::optional<std::string> line = process.receive();
  for (; !line && !process.has_ended(); line = process.receive())
    wait_for({process.descriptor()}, std::chrono::seconds(1));
  worker.introduced = true;
  if (line) return parse_build(*line);
  dumps_.check_room();
  const int exit_code = process.exit_code();
  if (exit_code == 128 + SIGILL) {
    throw EnvironmentError(
        "Valgrind {} does not know instructions that {} was built with; install a newer Valgrind, or build without "
        "them (-DSTOWAGE_ARCH=x86-64-v3)",
        version_, binary_.string());
  }
  throw EnvironmentError("Valgrind {} cannot run {}: it ended with {}; `valgrind {} {}` shows why", version_,
                         binary_.string(), exit_code, binary_.string(), simulated_argument);
}

bool CallgrindSimulator::is_ready_for(const std::string& module) const {
  return std::ranges::any_of(workers_, [&module](const Worker& worker) {
    return !worker.ticket && worker.process != nullptr && worker.module == module;
  });
}

void CallgrindSimulator::start(std::size_t ticket, const SimulationRequest& request) {
  const auto rank = [&request](const Worker& worker) {
    if (worker.ticket) return 3;
    if (worker.process == nullptr) return 1;
    return worker.module == request.module ? 0 : 2;
  };
  const auto idle = std::ranges::min_element(workers_, {}, rank);
  if (idle == workers_.end() || idle->ticket) throw std::logic_error("every simulation worker is busy");
  if (rank(*idle) != 0) start_process(*idle, request.module);
  // If the process does not listen any more, finished_by() finds out.
  static_cast<void>(idle->process->send(line_of(request)));
  idle->ticket = ticket;
}

std::optional<Simulator::Finished> CallgrindSimulator::next(std::chrono::milliseconds patience) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::vector<int> busy;
    for (Worker& worker : workers_) {
      if (!worker.ticket) continue;
      busy.push_back(worker.process->descriptor());
      if (std::optional<Finished> finished = finished_by(worker)) return finished;
    }
    if (attempt == 0) wait_for(busy, patience);
  }
  return std::nullopt;
}

std::optional<Simulator::Finished> CallgrindSimulator::finished_by(Worker& worker) {
  std::optional<std::string> line = worker.process->receive();
  if (line && !worker.introduced) {
    worker.introduced = true;
    line = worker.process->receive();
  }
  if (!line && !worker.process->has_ended()) return std::nullopt;
  Finished finished{.ticket = *worker.ticket};
  worker.ticket.reset();
  if (!line) {
    dumps_.check_room();
    finished.error = fmt::format("Valgrind ended with {}", worker.process->exit_code());
    worker.process.reset();
    return finished;
  }
  const SimulationAnswer answer = parse_answer(*line);
  finished.error = answer.error;
  if (answer.error.empty()) finished.simulation = take_dumps(answer);
  return finished;
}

Simulation CallgrindSimulator::take_dumps(const SimulationAnswer& answer) const {
  const auto parse = [&](int part) {
    const fs::path path = dumps_.path() / fmt::format("dump.{}.{}", answer.process, part);
    std::ifstream file(path);
    if (!file) {
      dumps_.check_room();
      throw EnvironmentError(
          "{} counts nothing under Valgrind: its header valgrind/callgrind.h was missing when it was built; install "
          "the package valgrind, then {} anew",
          binary_.string(), build_hint);
    }
    try {
      CallgrindDump dump = parse_dump(file);
      std::error_code ignored;
      fs::remove(path, ignored);
      return dump;
    } catch (const std::runtime_error&) {
      dumps_.check_room();  // Valgrind does not say that a dump is cut off
      throw;
    }
  };
  return {.nothing = parse(1), .pass = parse(2), .items = answer.items, .checksum = answer.checksum};
}

}  // namespace stowage::harness
