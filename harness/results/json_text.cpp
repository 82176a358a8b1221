#include "harness/results/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>

#include "harness/errors.hpp"

namespace stowage::harness {
namespace {

std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1);
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(1, column));
}

[[noreturn]] void fail_to_parse(std::string_view text, std::string_view where, std::string_view otherwise,
                                std::size_t byte) {
  const bool looks_like_json = text.find_first_not_of(" \t\r\n") == text.find('{');
  if (looks_like_json && !text.empty() && byte > text.size()) {
    throw UserError(fmt::format("{} is truncated: it ends at {}; copy the file again, or repeat the run", where,
                                position(text, text.size())));
  }
  throw UserError(fmt::format("{} is not JSON, see {}; {}", where, position(text, byte), otherwise));
}

/// Google Benchmark writes NaN and Infinity for a figure that is no number, which JSON does not know: null.
std::string without_non_numbers(std::string_view text) {
  static const std::regex non_number(R"((:\s*)-?(NaN|Infinity)\b)");
  return std::regex_replace(std::string(text), non_number, "$1null");
}

nlohmann::json parse_with_non_numbers(std::string_view text, std::string_view where, std::string_view otherwise,
                                      std::size_t first_error) {
  const bool has_any = text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
  if (!has_any) fail_to_parse(text, where, otherwise, first_error);
  try {
    return nlohmann::json::parse(without_non_numbers(text));
  } catch (const nlohmann::json::parse_error&) {
    fail_to_parse(text, where, otherwise, first_error);
  }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where, std::string_view otherwise) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return parse_with_non_numbers(text, where, otherwise, error.byte);
  } catch (const nlohmann::json::exception& error) {  // a number beyond what a double can be
    throw UserError(fmt::format("{}: {}; {}", where, message_of(error), otherwise));
  }
}

std::string_view message_of(const nlohmann::json::exception& error) {
  const std::string_view what(error.what());
  const std::size_t prefix = what.find("] ");
  return prefix == std::string_view::npos ? what : what.substr(prefix + 2);
}

}  // namespace stowage::harness
