#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// What the value of a key looks like.
enum class ValueForm : std::uint8_t {
  text,    ///< for people, or C++: printable, on one line
  word,    ///< a name that tables call each other by
  words,   ///< a list of such names
  choice,  ///< one of a few words
  whole,   ///< a whole number
  count,   ///< a whole number, or a string such as "40k"
  size,    ///< bytes as a whole number, or a string such as "64MB"
  number,
};

/// One key that a table of a profile may have.
struct KeyRule {
  std::string_view key;
  ValueForm form = ValueForm::number;
  bool is_required = false;
  std::string_view meaning;  ///< with its unit, for messages and editors
  double least = 0;          ///< of numbers
  bool above_least = false;  ///< `least` itself is not accepted
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> choices;

  [[nodiscard]] bool admits(double value) const noexcept {
    return (above_least ? value > least : value >= least) && value <= most;
  }
  /// "how many are alive, a whole number from 1 to 9": what comes after the semicolon of a message.
  [[nodiscard]] std::string accepted() const;
};

struct TableRule {
  std::string_view name;
  bool is_list = false;  ///< [[name]], once for each, instead of [name]
  std::size_t most = 1;
  bool is_required = false;
  std::string_view meaning;
  std::vector<KeyRule> keys;

  [[nodiscard]] std::string header() const;  ///< "[[system]]"
  /// The key must be there.
  [[nodiscard]] const KeyRule& rule_of(std::string_view key) const;
};

/// All tables and keys that a profile may have, in the order in which they are explained. The reader asks nothing else
/// which keys there are; the JSON schema and docs/profiles.md are tested to say the same.
[[nodiscard]] std::span<const TableRule> profile_rules();

/// The table of that name, which must be one.
[[nodiscard]] const TableRule& profile_rule(std::string_view table);

inline constexpr std::size_t longest_word = 40;
inline constexpr std::size_t longest_text = 200;
inline constexpr double most_profile_entities = 16.0 * 1024 * 1024;

}  // namespace stowage::harness
