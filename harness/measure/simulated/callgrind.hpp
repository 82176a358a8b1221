#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure/environment.hpp"
#include "harness/measure/simulated/cache_model.hpp"
#include "harness/measure/simulated/simulator.hpp"
#include "harness/measure/system/process.hpp"

namespace stowage::harness {

/// An empty directory for a moment.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs this binary under Valgrind's tool Callgrind: a few processes, each of which loads one module and forks for every
/// cell of it, so that starting Valgrind is paid once a module. Destroying it kills them.
class CallgrindSimulator final : public Simulator {
 public:
  /// For so many processes at a time; starts the first. Throws EnvironmentError where there is no Valgrind or no such binary, where the binary
  /// was built from other sources than this one, and where Valgrind cannot execute its instructions.
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
    std::optional<std::size_t> ticket;  ///< of the cell it works on
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
