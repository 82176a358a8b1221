#include "harness/cli/select_cells.hpp"

#include <fmt/format.h>

#include <iostream>

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
