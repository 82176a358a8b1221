#pragma once

// Text of a game made fit for a line of a file, and for a shell.

#include <stowage/record/observations.hpp>

namespace stowage::record::detail {

/// Bytes of the character of UTF-8 that `text` begins with; 0 if it begins with none.
[[nodiscard]] inline std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
  }
  const bool is_longer_than_needed = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_none = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return is_longer_than_needed || is_none ? 0 : size;
}

/// Names may come from files of the game: control characters become blanks, and what is no UTF-8 question marks.
[[nodiscard]] inline std::string in_a_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool is_control = first < ' ' || first == 0x7F;
    line += size == 0 ? "?" : is_control ? " " : text.substr(0, size);
    text.remove_prefix((std::max<std::size_t>)(size, 1));
  }
  return line;
}

/// As a shell takes it.
[[nodiscard]] inline std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("_-./,:=+@%", c) != nullptr; };
  if (!text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = text.starts_with('-') ? "./'" : "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace stowage::record::detail
