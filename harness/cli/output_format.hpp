#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/errors.hpp"
#include "harness/selection/nearest_name.hpp"

namespace stowage::harness {

/// Throws UserError where `format` is not one of those that the command can write.
inline void check_format(const std::string& format, const std::vector<std::string>& formats) {
  if (std::ranges::find(formats, format) != formats.end()) return;
  throw UserError(fmt::format("unknown format '{}'{}", format,
                              suggestion(format, formats, fmt::format("give {}", fmt::join(formats, " or ")))));
}

}  // namespace stowage::harness
