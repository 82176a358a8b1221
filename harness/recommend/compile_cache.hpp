#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

// What was compiled before, and how it is known to be what is needed now.

namespace stowage::harness {

/// Where compiled games are kept: STOWAGE_CACHE_DIR, or stowage in XDG_CACHE_HOME or ~/.cache. Throws EnvironmentError
/// where none of these is set.
[[nodiscard]] std::filesystem::path game_cache_directory();

/// 32 hexadecimal digits that other text is not expected to have: a name for what it says.
[[nodiscard]] std::string fingerprint(std::string_view text);

/// Figures of two builds of the library do not belong together, committed or not.
[[nodiscard]] std::string build_of_this_program();

/// Empty where there is no such file.
[[nodiscard]] std::string text_of(const std::filesystem::path& file);

/// Whether `object` is there and none of what it was made from, which the compiler has listed for make in `list`, has
/// been written since `source` was. What is beside the source is known by its text.
[[nodiscard]] bool is_up_to_date(const std::filesystem::path& object, const std::filesystem::path& source,
                                 const std::filesystem::path& list);

/// A file that is only seen when it is whole, and gone again when something went wrong on the way.
class Emerging {
 public:
  explicit Emerging(std::filesystem::path target);
  Emerging(const Emerging&) = delete;
  Emerging& operator=(const Emerging&) = delete;
  ~Emerging();
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  void emerge();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
};

/// Removes a file at the end of its life, if it is there.
class Forgotten {
 public:
  explicit Forgotten(std::filesystem::path file) : file_(std::move(file)) {}
  Forgotten(const Forgotten&) = delete;
  Forgotten& operator=(const Forgotten&) = delete;
  ~Forgotten();

 private:
  std::filesystem::path file_;
};

}  // namespace stowage::harness
