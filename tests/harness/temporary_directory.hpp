#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace stowage::harness::fake {

/// An empty directory that is gone, with all that was put into it, at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() { std::filesystem::create_directories(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("stowage-test-" + std::to_string(std::random_device{}()));
};

}  // namespace stowage::harness::fake
