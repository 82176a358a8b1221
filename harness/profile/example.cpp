#include "harness/profile/example.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <system_error>

#include "harness/errors.hpp"
#include "harness/locations.hpp"
#include "harness/profile/example_text.hpp"
#include "harness/system/files.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;

std::string recommend_example() {
  constexpr std::string_view text = example_text;
  const std::string_view rest = text.substr(text.find('\n') + 1);
  const std::optional<fs::path> files = find_shared_files();
  if (!files) return std::string(rest);
  return fmt::format("#:schema {}\n{}", (*files / "profiles/schema.json").string(), rest);
}

void write_example(const fs::path& path) {
  std::error_code unreadable;
  if (fs::symlink_status(path, unreadable).type() != fs::file_type::not_found) {
    throw UserError(fmt::format("{} is there already; name a file that is not", path.string()));
  }
  replace_file(path, recommend_example());
}

}  // namespace stowage::harness
