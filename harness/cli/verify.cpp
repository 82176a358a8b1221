// `stowage verify`: compares strategies with the reference model, with the allocator and with each other, in a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/measure/memory.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

/// Several sequences find more than a single one as long as all of them, because each begins with an empty storage.
constexpr std::uint64_t model_seeds[] = {1, 2, 3, 4, 5};

/// What was found of one strategy.
struct Verdict {
  std::string model = "-";  ///< of the check against the reference model; hand-written loops have none
  std::size_t cells = 0;
  std::size_t failed_cells = 0;
  std::size_t counted_cells = 0;  ///< with a memory() that was compared with the allocator
  std::size_t misjudged_cells = 0;
};

class Verifier {
 public:
  Verifier(const Selection& selection, const Catalogue& catalogue)
      : selection_(selection), catalogue_(catalogue), blocks_(expand(selection, catalogue)) {}

  void run() {
    progress_.start(cells_of(blocks_), 0);
    for (const StrategyEntry* strategy : selection_.strategies) check_model(*strategy);
    for (const Block& block : blocks_) check_block(block);
    progress_.stop();
    std::cout << table() << missing_cells_text() << std::flush;
    if (failures_ > 0) {
      throw NegativeAnswer("{} checks failed, named above", failures_);
    }
  }

 private:
  static void stop_when_interrupted() {
    if (InterruptGuard::interrupted()) throw Interrupted("interrupted before everything was verified");
  }

  void report_failure(const std::string& what, const std::string& how) {
    ++failures_;
    progress_.stop();
    say("{}: {}", what, how);
  }

  void check_model(const StrategyEntry& strategy) {
    const CheckModel check = catalogue_.model(strategy.name);
    if (check == nullptr) return;  // a hand-written loop
    progress_.working_on(strategy.name, "against the model");
    for (const std::uint64_t seed : model_seeds) {
      stop_when_interrupted();
      std::optional<std::string> failure;
      const std::string error = error_of([&] { failure = check(seed, model_operations); });
      if (!error.empty()) failure = error;
      if (!failure) continue;
      verdicts_[strategy.name].model = "FAILED";
      report_failure(fmt::format("{} (model, seed {})", strategy.name, seed), *failure);
      return;
    }
    verdicts_[strategy.name].model = fmt::format("ok, {} operations", model_operations * std::size(model_seeds));
  }

  void check_block(const Block& block) {
    progress_.working_on(block.name(), "checksums");
    const std::vector<CellCheck> checks = verify_block(block, catalogue_, InterruptGuard::interrupted);
    stop_when_interrupted();
    for (const CellCheck& check : checks) {
      Verdict& verdict = verdicts_[check.strategy->name];
      ++verdict.cells;
      if (check.error.empty()) {
        stop_when_interrupted();
        check_memory(block, *check.strategy, verdict);
        continue;
      }
      ++verdict.failed_cells;
      report_failure(block.cell_name(*check.strategy), check.error);
    }
    progress_.block_done(static_cast<double>(checks.size()));
  }

  void check_memory(const Block& block, const StrategyEntry& strategy, Verdict& verdict) {
    if (!strategy.reason_to_lack(Capability::memory_accounting).empty()) return;
    progress_.working_on(block.cell_name(strategy), "memory");
    const MakeMeasurement make = catalogue_.maker(strategy.name, block.workload->card.name);
    std::string disagreement;
    const std::string error = error_of([&] { disagreement = count_memory(make, block.parameters).disagreement; });
    if (error.empty() && !disagreement.empty() && block.workload->has_types_of_user) return;  // they may own the rest
    ++verdict.counted_cells;
    if (error.empty() && disagreement.empty()) return;
    ++verdict.misjudged_cells;
    report_failure(block.cell_name(strategy), error.empty() ? disagreement : error);
  }

  static std::string outcome(std::size_t failed, std::size_t all, std::string_view success) {
    return failed == 0 ? fmt::format("{} {}", all, success) : fmt::format("{} of {} FAILED", failed, all);
  }

  [[nodiscard]] std::string table() {
    std::vector<TextRow> rows;
    for (const StrategyEntry* strategy : selection_.strategies) {
      const Verdict& verdict = verdicts_[strategy->name];
      if (verdict.cells == 0 && strategy->is_company()) continue;  // hand-written for other workloads
      rows.push_back({strategy->name, verdict.model, outcome(verdict.failed_cells, verdict.cells, "equal"),
                      strategy->reason_to_lack(Capability::memory_accounting).empty()
                          ? outcome(verdict.misjudged_cells, verdict.counted_cells, "to the byte")
                          : "not offered"});
    }
    return text_table({"STRATEGY", "AGAINST THE MODEL", "CELLS", "MEMORY"}, rows);
  }

  /// A line for each reason: how many of the selected cells cannot exist, the first of them, and of which strategies.
  [[nodiscard]] std::string missing_cells_text() const {
    std::vector<MissingCell> missing = missing_cells(selection_, catalogue_);
    std::string text;
    while (!missing.empty()) {
      const MissingCell first = missing.front();
      std::vector<std::string> strategies;
      const std::size_t cells = std::erase_if(missing, [&](const MissingCell& cell) {
        if (cell.reason != first.reason) return false;
        if (!std::ranges::count(strategies, cell.strategy->name)) strategies.push_back(cell.strategy->name);
        return true;
      });
      text += fmt::format("{}: {} left out ({}): {}\n", fmt::join(strategies, ", "),
                          cells == 1 ? "1 cell" : fmt::format("{} cells", cells),
                          cells == 1 ? first.name : first.name + ", ...", first.reason);
    }
    return text;
  }

  const Selection& selection_;
  const Catalogue& catalogue_;
  std::vector<Block> blocks_;
  Progress progress_{std::cerr, stderr_is_terminal()};
  std::map<std::string, Verdict> verdicts_;
  std::size_t failures_ = 0;
};

void verify(SelectionRequest& request, const CommandContext& context) {
  add_storages(request, context);
  const Selection selection = select_cells(request, context);
  const std::vector<std::string> names = names_of(selection.strategies, &StrategyEntry::name);
  context.modules.require_models(names);
  const InterruptGuard guard;
  Verifier(selection, context.catalogue).run();
}

}  // namespace

void add_verify_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "verify", "Checks strategies against the reference model and the allocator, and that all cells do equal work");
  const auto request = std::make_shared<SelectionRequest>();
  add_selection_options(*command, *request);
  set_action(*command, context, [request, &context] {
    request->takes_variants = true;
    verify(*request, context);
  });
}

}  // namespace stowage::harness
