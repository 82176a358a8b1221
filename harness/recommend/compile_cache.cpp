#include "harness/recommend/compile_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/build_commit.hpp"
#include "harness/errors.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Fowler, Noll and Vo, 1a: the same everywhere.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}

}  // namespace

fs::path game_cache_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? fs::path() : fs::path(value);
  };
  if (const fs::path own = variable("STOWAGE_CACHE_DIR"); !own.empty()) return fs::absolute(own);
  if (const fs::path caches = variable("XDG_CACHE_HOME"); !caches.empty()) return fs::absolute(caches) / "stowage";
  if (const fs::path home = variable("HOME"); !home.empty()) return fs::absolute(home) / ".cache" / "stowage";
  throw EnvironmentError("there is no place for compiled games; set STOWAGE_CACHE_DIR to a directory");
}

std::string fingerprint(std::string_view text) {
  return fmt::format("{:016x}{:016x}", hash_of(text, 0), hash_of(text, 0x9e3779b97f4a7c15u));
}

std::string build_of_this_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const auto written = fs::last_write_time(program, error).time_since_epoch().count();
  return fmt::format("{} {} {}", build_info::commit, fs::file_size(program, error), written);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_up_to_date(const fs::path& object, const fs::path& source, const fs::path& list) {
  std::error_code error;
  std::ifstream names(list);
  if (!fs::exists(object, error) || !names) return false;
  const fs::file_time_type compiled = fs::last_write_time(source, error);
  std::string name;
  for (std::string word; !error && names >> word;) {
    if (word == "\\" || word.ends_with(':')) continue;  // a line that goes on, and what is made
    name += word;
    if (name.ends_with('\\')) {  // a blank in a name
      name.back() = ' ';
      continue;
    }
    if (fs::path(name).parent_path() != source.parent_path() && fs::last_write_time(name, error) > compiled) {
      return false;
    }
    name.clear();
  }
  return !error;
}

Emerging::Emerging(fs::path target)
    : target_(std::move(target)), temporary_(fmt::format("{}.{}.part", target_.string(), getpid())) {}

Emerging::~Emerging() {
  std::error_code gone;
  fs::remove(temporary_, gone);
}

Forgotten::~Forgotten() {
  std::error_code gone;
  std::filesystem::remove(file_, gone);
}

void Emerging::emerge() { fs::rename(temporary_, target_); }

}  // namespace stowage::harness
