#pragma once

#include "harness/build/interface.hpp"
#include "harness/catalogue.hpp"

namespace stowage::harness {

/// What a module, a shared library with one strategy compiled for all workloads, exports under `module_symbol`.
struct ModuleInterface {
  const char* build;                     ///< module_interface of the sources that it was compiled from
  void (*add_to)(Catalogue& catalogue);  ///< adds the strategy and its cells
};
inline constexpr const char* module_symbol = "stowage_module";

}  // namespace stowage::harness

/// Exports `ADD_TO`. Everything else of a module is hidden, so that no call in it goes through a table of symbols.
#define STOWAGE_EXPORT_MODULE(ADD_TO)                                                                 \
  extern "C" [[gnu::visibility("default")]] const ::stowage::harness::ModuleInterface stowage_module; \
  const ::stowage::harness::ModuleInterface stowage_module { ::stowage::harness::module_interface, ADD_TO }
