#include "harness/measure/system/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "harness/errors.hpp"

namespace stowage::harness {
namespace {

/// By descriptor and not by stream: a directory, or a file on a broken disk, can be opened, and what then goes wrong
/// has a reason here that can be told.
class ReadableFile {
 public:
  explicit ReadableFile(const std::filesystem::path& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;
  ~ReadableFile() {
    if (is_open()) close(descriptor_);
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// Appends what is left of it to `text`. False, with the reason in errno, where that cannot be.
  [[nodiscard]] bool append_to(std::string& text) const {
    std::array<char, std::size_t{1} << 16U> block{};
    while (true) {
      const ssize_t count = ::read(descriptor_, block.data(), block.size());
      if (count == 0) return true;
      if (count > 0) {
        text.append(block.data(), static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        return false;
      }
    }
  }

 private:
  int descriptor_;
};

}  // namespace

std::string read_text_file(const std::filesystem::path& path, const std::function<std::string()>& remedy) {
  const ReadableFile file(path);
  std::string text;
  if (file.is_open() && file.append_to(text)) return text;
  const std::string reason = std::strerror(errno);
  throw UserError(fmt::format("cannot read {}: {}{}", path.string(), reason, remedy()));
}

}  // namespace stowage::harness
