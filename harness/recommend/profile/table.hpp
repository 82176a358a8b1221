#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/recommend/profile/profile.hpp"

// profiles/schema.json, as it was when this program was built, says which tables and keys a profile may have, what
// their values look like, and what they mean. Editors and this reader check by the same text, and messages are made of
// it.

namespace stowage::harness {

/// Throws UserError with one line, `FILE:LINE:COLUMN: message`, whatever is in `message`.
[[noreturn]] void throw_at(const std::filesystem::path& file, toml::source_position place, std::string_view message);

/// The same with a format of fmt, and what it is filled with.
template <class... Args>
[[noreturn]] void refuse_at(const std::filesystem::path& file, toml::source_position place,
                            fmt::format_string<Args...> message, Args&&... args) {
  throw_at(file, place, fmt::format(message, std::forward<Args>(args)...));
}

/// A string of the user's in quotes, short enough for a message.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// A table of a profile in which every key is known, every value is what the schema asks for, and nothing required is
/// missing. Refers to the document and to `file`.
class ProfileTable {
 public:
  /// Throws UserError for the first mistake: unknown keys before missing ones, because a misspelled key is both.
  /// `header` is "[system]", or "[[system]]" of a list.
  ProfileTable(const toml::table& table, const nlohmann::ordered_json& schema, std::string header,
               const std::filesystem::path& file);

  [[nodiscard]] bool has(std::string_view key) const { return table_->contains(key); }
  [[nodiscard]] std::string text(std::string_view key) const;  ///< empty if the key is absent
  [[nodiscard]] double number(std::string_view key, double otherwise) const;
  [[nodiscard]] std::size_t count(std::string_view key, std::size_t otherwise) const;
  [[nodiscard]] bool flag(std::string_view key) const;  ///< false if the key is absent
  [[nodiscard]] std::vector<std::string> words(std::string_view key) const;
  /// Of a list of tables in braces.
  [[nodiscard]] std::vector<ProfileTable> tables(const std::string& key) const;

  /// Refuses the table if it lacks `key`, which only some tables of its name may do.
  void require(const std::string& key) const;

  /// What is wrong with the value of `key`, or with its absence; and what would be right, after a semicolon.
  template <class... Args>
  [[noreturn]] void refuse(std::string_view key, fmt::format_string<Args...> message, Args&&... args) const {
    refuse_at(*file_, value_of(key).source().begin, message, std::forward<Args>(args)...);
  }
  template <class... Args>
  [[noreturn]] void refuse_item(std::string_view key, std::size_t item, fmt::format_string<Args...> message,
                                Args&&... args) const {
    refuse_at(*file_, value_of(key).as_array()->get(item)->source().begin, message, std::forward<Args>(args)...);
  }
  /// What is wrong with the table as a whole.
  template <class... Args>
  [[noreturn]] void refuse_table(fmt::format_string<Args...> message, Args&&... args) const {
    refuse_at(*file_, table_->source().begin, message, std::forward<Args>(args)...);
  }

  [[nodiscard]] std::size_t line() const { return table_->source().begin.line; }
  [[nodiscard]] std::size_t line(std::string_view key) const { return value_of(key).source().begin.line; }
  [[nodiscard]] const std::string& header() const { return header_; }

 private:
  /// The table itself if it has no such key.
  [[nodiscard]] const toml::node& value_of(std::string_view key) const {
    const toml::node* const value = table_->get(key);
    return value == nullptr ? *table_ : *value;
  }
  void check_known_keys(const nlohmann::ordered_json& keys) const;
  void check_value(const std::string& key, const nlohmann::ordered_json& schema) const;

  const toml::table* table_;
  const nlohmann::ordered_json* schema_;
  const std::filesystem::path* file_;
  std::string header_;
};

/// The tables of one name: one at most unless the schema says that it is a list. Throws UserError for what is no such
/// table, and if a required one is missing.
[[nodiscard]] std::vector<ProfileTable> tables_of(const toml::table& root, const std::string& name,
                                                  const std::filesystem::path& file);

/// Throws UserError for the first table, or key outside all tables, that the schema does not have.
void check_known_tables(const toml::table& root, const std::filesystem::path& file);

/// The profile that the tables of `root` describe. Throws UserError for the first mistake.
[[nodiscard]] Profile read_tables(const toml::table& root, const std::filesystem::path& file);

}  // namespace stowage::harness
