#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness::adopt {

/// A game's components and where each of them goes, as an answer of `stowage recommend` has them.
struct GameSchema {
  struct Component {
    std::string name;
    std::size_t bytes = 0;  ///< if no type is named
    std::string type, header;
    bool recorded = false;  ///< marked as Changed<>
  };
  struct Entry {
    std::string mark;  ///< "Group", "Sparse", "Toggled" or empty
    std::vector<std::string> components;
  };
  std::string game;
  std::string strategy;
  std::vector<Component> components;
  std::vector<Entry> schema;
};

/// Of `answer`: recommendation.json, or the directory that has it. Throws UserError if that is no such file, or was
/// made without trying placements.
[[nodiscard]] GameSchema read_game_schema(const std::filesystem::path& answer);

/// The same for the text of such a file, which messages call `where`; `remedy` is what to give instead.
[[nodiscard]] GameSchema parse_game_schema(std::string_view text, const std::string& where, const std::string& remedy);

/// The end of an adopted header: the components in a namespace of the game's name, and `Storage`, which is `type` with
/// their schema. A component that the profile knows by its size alone is a struct of so many bytes.
[[nodiscard]] std::string game_schema_text(const GameSchema& game, std::string_view type);

}  // namespace stowage::harness::adopt
