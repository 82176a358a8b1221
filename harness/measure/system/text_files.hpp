#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

// The small texts in which a system tells of itself: /proc, /sys and /etc.
namespace stowage::harness {

/// Empty where there is no such file.
[[nodiscard]] inline std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Empty where there is no such file.
[[nodiscard]] inline std::string system_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The value of the first line `key<separator>value` of a file; empty where there is none.
[[nodiscard]] inline std::string field_of(const std::string& path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t\"", line.find(separator) + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return start == std::string::npos ? std::string() : line.substr(start, end - start + 1);
  }
  return {};
}

}  // namespace stowage::harness
