# Writes OUTPUT, in which every header below ROOT/stowage, and LICENCE, is a string, whose length the
# literal has: to count a megabyte takes the compiler 3 s, and more steps than clang allows.
file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/stowage/*.hpp)
list(SORT headers)
set(entries "")
foreach(header IN LISTS headers)
  file(READ ${ROOT}/${header} text)
  string(APPEND entries "    {\"${header}\", R\"library_text(${text})library_text\"sv},\n")
endforeach()
list(LENGTH headers count)
file(READ ${LICENCE} licence)
file(WRITE ${OUTPUT} "// Generated from the headers of the library.
#include <array>

#include \"harness/adopt/library.hpp\"

namespace stowage::harness::adopt {
namespace {

using namespace std::string_view_literals;

constexpr std::array<LibraryFile, ${count}> files{{
${entries}}};

constexpr std::string_view licence = R\"library_text(${licence})library_text\";

}  // namespace

std::span<const LibraryFile> library_files() noexcept { return files; }

std::string_view licence_text() noexcept { return licence; }

}  // namespace stowage::harness::adopt
")
