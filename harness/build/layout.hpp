#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Where a module's code lies in memory: the order of its functions, and the room between them. A loop takes another
// time at another place, and one build has one place for each (Mytkowicz et al. 2009), so a module can be linked in
// several layouts from one object file.
namespace stowage::harness {

/// Of one module: 0 is as the compiler has it, the others are shuffled.
#ifdef __linux__
inline constexpr std::size_t most_layouts = 16;
#else
inline constexpr std::size_t most_layouts = 1;  // the others are made from ELF files
#endif

/// The first argument of the command by which Ninja makes a layout: `stowage __layout OBJECT LAYOUT`.
inline constexpr std::string_view layout_argument = "__layout";

/// A script for GNU ld by which the functions of `object`, an ELF file compiled with -ffunction-sections, lie in an
/// order and with gaps that follow from `layout`. Empty for layout 0. Throws EnvironmentError if the file is no such
/// object.
[[nodiscard]] std::string layout_script(const std::filesystem::path& object, std::size_t layout);

}  // namespace stowage::harness
