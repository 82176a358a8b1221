#include "harness/cli/select_cells.hpp"

#include <fmt/format.h>

#include <iostream>
#include <optional>

#include "harness/errors.hpp"
#include "harness/measure/system/terminal.hpp"
#include "harness/schedule/interrupt.hpp"

namespace stowage::harness {

CompileProgress::~CompileProgress() {
  if (line_is_open_) std::cerr << "\r\x1b[K" << std::flush;
}

ModuleBench CompileProgress::bench() {
  return {.stop = InterruptGuard::interrupted,
          .announce = [](const std::string& line) { std::cerr << fmt::format("stowage: {}\n", line) << std::flush; },
          .progress =
              [this](std::size_t done, std::size_t of) {
                if (!stderr_is_terminal()) return;
                line_is_open_ = true;
                std::cerr << fmt::format("\r\x1b[Kcompiling: {} of {} steps", done, of) << std::flush;
              }};
}

void add_storages(SelectionRequest& request, const CommandContext& context) {
  const InterruptGuard guard;
  for (const std::string& storage : request.storages) {
    CompileProgress progress;
    request.storage_names.push_back(context.modules.add_storage(storage, progress.bench()));
  }
}

void add_checked_storages(SelectionRequest& request, const CommandContext& context) {
  add_storages(request, context);
  const InterruptGuard guard;
  CompileProgress progress;
  context.modules.require_models(request.storage_names, progress.bench());
  for (const std::string& name : request.storage_names) {
    const std::optional<std::string> failure = context.catalogue.model(name)(1, model_operations);
    if (failure) throw NegativeAnswer(fmt::format("{} breaks the contract, so it is not measured: {}", name, *failure));
  }
}

void build_modules(std::vector<std::string> names, const CommandContext& context) {
  if (names.empty()) {
    for (const Recipe& recipe : context.modules.toolchain().strategies) names.push_back(recipe.name);
  }
  const InterruptGuard guard;
  CompileProgress progress;
  context.modules.require(names, progress.bench());
}

Selection select_cells(const SelectionRequest& request, const CommandContext& context) {
  Selection selection = resolve(request, context.catalogue);
  std::vector<std::string> names;
  for (const StrategyEntry* strategy : selection.strategies) names.push_back(strategy->name);
  const InterruptGuard guard;
  CompileProgress progress;
  context.modules.require(names, progress.bench());
  return selection;
}

}  // namespace stowage::harness
