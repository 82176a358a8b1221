#pragma once

#include <boost/core/noncopyable.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/simulated/cache_model.hpp"
#include "harness/measure/simulated/figures.hpp"
#include "harness/measure/simulated/protocol.hpp"
#include "harness/system/environment.hpp"
#include "harness/system/files.hpp"
#include "harness/system/process.hpp"

namespace stowage::harness {

/// Simulates cells, several at a time. Tests put one of known figures here.
class Simulator : boost::noncopyable {
 public:
  /// The result of the cell that was started with that ticket: `simulation`, or the reason why there is none.
  struct Finished {
    std::size_t ticket = 0;
    Simulation simulation = {};
    std::string error = {};
  };

  virtual ~Simulator() = default;

  /// How many cells may be under way together.
  [[nodiscard]] virtual std::size_t workers() const = 0;
  /// Whether a cell of `module` can be started without loading another module first.
  [[nodiscard]] virtual bool is_ready_for(const std::string& /*module*/) const { return true; }
  /// Only while fewer than workers() are under way.
  virtual void start(std::size_t ticket, const SimulationRequest& request) = 0;
  /// A cell that is done; none if no cell was done within `patience`.
  [[nodiscard]] virtual std::optional<Finished> next(std::chrono::milliseconds patience) = 0;
};

/// Runs this binary under Valgrind's tool Callgrind: a few processes, each of which loads one module and forks for
/// every cell of it, so that starting Valgrind is paid once a module. Destroying it kills them.
class CallgrindSimulator final : public Simulator {
 public:
  /// For so many processes at a time; starts the first. Throws EnvironmentError if there is no Valgrind or no such
  /// binary, if the binary was built from other sources than this one, and if Valgrind cannot execute its instructions.
  CallgrindSimulator(const CacheModel& model, std::size_t workers);

  [[nodiscard]] std::size_t workers() const override { return workers_.size(); }
  [[nodiscard]] bool is_ready_for(const std::string& module) const override;
  void start(std::size_t ticket, const SimulationRequest& request) override;
  [[nodiscard]] std::optional<Finished> next(std::chrono::milliseconds patience) override;

  [[nodiscard]] const std::string& valgrind_version() const noexcept { return version_; }
  /// How the simulated binary was made.
  [[nodiscard]] const Build& build() const noexcept { return build_; }

 private:
  struct Worker {
    std::unique_ptr<LineProcess> process;  ///< null until its first cell
    std::string module = {};               ///< that the process has loaded
    bool introduced = false;               ///< it has said how it was built
    std::optional<std::size_t> ticket;     ///< of the cell it works on
  };

  [[nodiscard]] Build introduction_of(Worker& worker) const;
  void start_process(Worker& worker, const std::string& module) const;
  [[nodiscard]] std::optional<Finished> finished_by(Worker& worker);
  [[nodiscard]] Simulation take_dumps(const SimulationAnswer& answer) const;

  std::filesystem::path valgrind_;
  std::string version_;
  std::filesystem::path binary_;
  TemporaryDirectory dumps_;
  std::vector<std::string> command_;
  std::vector<Worker> workers_;
  Build build_;
};

}  // namespace stowage::harness
