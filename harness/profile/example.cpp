#include "harness/profile/example.hpp"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/measure/system/durable_file.hpp"
#include "harness/profile/example_text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;

std::string recommend_example() {
  constexpr std::string_view text = example_text;
  const std::string_view rest = text.substr(text.find('\n') + 1);
  const fs::path schema = fs::path(build_info::source_dir) / "profiles" / "schema.json";
  std::error_code unreadable;
  if (!fs::exists(schema, unreadable)) return std::string(rest);
  return fmt::format("#:schema {}\n{}", schema.string(), rest);
}

void write_example(const fs::path& path) {
  std::error_code unreadable;
  if (fs::symlink_status(path, unreadable).type() != fs::file_type::not_found) {
    throw UserError(fmt::format("{} is there already; name a file that is not", path.string()));
  }
  replace_file(path, recommend_example());
}

}  // namespace stowage::harness
