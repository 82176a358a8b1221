# Writes OUTPUT with the commit of SOURCE_DIR, only when that changed.
execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse --short=10 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
                OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
elseif(changes)
  string(APPEND commit " with local changes")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[#pragma once

#include <string_view>

namespace stowage::harness::build_info {

inline constexpr std::string_view commit = "@commit@";

}  // namespace stowage::harness::build_info
]] @ONLY)
