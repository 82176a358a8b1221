#include "harness/results/names.hpp"

#include <charconv>

namespace stowage::harness {

std::string label_of(const std::string& strategy) {
  return strategy == reference_name ? strategy + " (floor)" : strategy;
}

SplitParameters split_parameters(const std::string& parameters) {
  const std::string_view number = std::string_view(parameters).substr(parameters.find(':') + 1);
  SplitParameters split;
  std::from_chars(number.data(), number.data() + number.size(), split.entities);
  const std::size_t slash = parameters.find('/');
  if (slash != std::string::npos) split.values = parameters.substr(slash + 1);
  return split;
}

}  // namespace stowage::harness
