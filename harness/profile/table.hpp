#pragma once

#include <toml++/toml.h>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/rules.hpp"

namespace stowage::harness {

/// Throws UserError with one line, `FILE:LINE:COLUMN: message`, whatever is in `message`.
[[noreturn]] void refuse_at(const std::filesystem::path& file, toml::source_position place, std::string_view message);

/// A string of the user's in quotes, short enough for a message.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// A table of a profile in which every key is known, every value is what its rule asks for, and nothing required is
/// missing. Refers to the document and to `file`.
class ProfileTable {
 public:
  /// Throws UserError for the first mistake: unknown keys before missing ones, because a slip of the pen is both.
  ProfileTable(const toml::table& table, const TableRule& rule, const std::filesystem::path& file);

  [[nodiscard]] bool has(std::string_view key) const { return table_->contains(key); }
  [[nodiscard]] std::string text(std::string_view key) const;  ///< empty where the key is absent
  [[nodiscard]] double number(std::string_view key, double otherwise) const;
  [[nodiscard]] std::size_t count(std::string_view key, std::size_t otherwise) const;
  [[nodiscard]] std::vector<std::string> words(std::string_view key) const;

  /// What is wrong with the value of `key`, or with its absence; and what would be right, after a semicolon.
  [[noreturn]] void refuse(std::string_view key, std::string_view message) const;
  [[noreturn]] void refuse_item(std::string_view key, std::size_t item, std::string_view message) const;
  /// What is wrong with the table as a whole.
  [[noreturn]] void refuse(std::string_view message) const { refuse_at(*file_, table_->source().begin, message); }

  [[nodiscard]] std::size_t line() const { return table_->source().begin.line; }
  [[nodiscard]] std::string header() const { return rule_->header(); }

 private:
  void check_known_keys() const;
  void check_required_keys() const;
  void check_values() const;

  const toml::table* table_;
  const TableRule* rule_;
  const std::filesystem::path* file_;
};

/// The tables of one name: one at most where its rule says so. Throws UserError for what is no such table, and where a
/// required one is missing.
[[nodiscard]] std::vector<ProfileTable> tables_of(const toml::table& root, const TableRule& rule,
                                                  const std::filesystem::path& file);

/// Throws UserError for the first table that no rule knows.
void check_known_tables(const toml::table& root, const std::filesystem::path& file);

}  // namespace stowage::harness
