#include "harness/build/layout.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "harness/errors.hpp"
#include "harness/random_order.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Gaps before functions: up to 15 times this. The compiler still aligns each function and loop as it wants.
constexpr std::size_t gap_bytes = 16;
constexpr std::size_t most_gaps = 16;

/// A struct of the file at `offset`.
template <class T>
T read_at(const std::string& file, std::size_t offset, const fs::path& path) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) {
    throw EnvironmentError("{} is no object file that can be laid out; remove it", path.string());
  }
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

/// Names of the sections that have functions, each once.
std::vector<std::string> function_sections(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  const auto head = read_at<Elf64_Ehdr>(file, 0, path);
  const auto section = [&](std::size_t number) {
    return read_at<Elf64_Shdr>(file, head.e_shoff + number * sizeof(Elf64_Shdr), path);
  };
  // a file with many sections says in the first one how many, and where their names are
  const std::size_t count = head.e_shnum != 0 ? head.e_shnum : section(0).sh_size;
  const std::size_t names = section(head.e_shstrndx != SHN_XINDEX ? head.e_shstrndx : section(0).sh_link).sh_offset;
  std::set<std::string> found;
  for (std::size_t number = 0; number < count; ++number) {
    const Elf64_Shdr its = section(number);
    if ((its.sh_flags & SHF_EXECINSTR) == 0) continue;
    static_cast<void>(read_at<char>(file, names + its.sh_name, path));
    found.insert(file.c_str() + names + its.sh_name);
  }
  return {found.begin(), found.end()};
}

}  // namespace

std::string layout_script(const fs::path& object, std::size_t layout) {
  if (layout == 0) return "";
  std::vector<std::string> sections = function_sections(object);
  std::mt19937_64 generator(layout);
  shuffle(sections, generator);
  std::string script = "SECTIONS\n{\n  .text.shuffled : ALIGN(64)\n  {\n";
  for (const std::string& name : sections) {
    script += fmt::format("    . = . + {};\n    *({})\n", gap_bytes * below(generator, most_gaps), name);
  }
  return script + "  }\n}\nINSERT BEFORE .text;\n";
}

}  // namespace stowage::harness
