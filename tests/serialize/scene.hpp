#pragma once

// A saved scene with every kind of column, and how to take its file apart, change it, and give it checksums again.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <stowage/contract/schema.hpp>
#include <stowage/serialize/serialize.hpp>

namespace stowage::serialize_test {

struct Position {
  float x, y;
};
struct Parent {
  Entity entity;
};
struct Name {
  std::string text;
};
struct Hidden {};
struct Health {
  std::uint32_t points;
};

using Scene = Schema<Group<Position, Parent>, Name, Hidden, Health>;

}  // namespace stowage::serialize_test

template <>
struct stowage::ComponentFormat<stowage::serialize_test::Position> {
  static constexpr std::string_view name = "position";
};
template <>
struct stowage::ComponentFormat<stowage::serialize_test::Parent> {
  static constexpr std::string_view name = "parent";
  static constexpr auto references = std::tuple{&serialize_test::Parent::entity};
};
template <>
struct stowage::ComponentFormat<stowage::serialize_test::Name> {
  static constexpr std::string_view name = "name";
  static void encode(const serialize_test::Name& component, ByteWriter& to) {
    to.write(std::string_view(component.text));
  }
  static serialize_test::Name decode(ByteReader& from, std::uint32_t) { return {from.read_string()}; }
};
template <>
struct stowage::ComponentFormat<stowage::serialize_test::Hidden> {
  static constexpr std::string_view name = "hidden";
};
template <>
struct stowage::ComponentFormat<stowage::serialize_test::Health> {
  static constexpr std::string_view name = "health";
  static constexpr std::uint32_t version = 2;
};

namespace stowage::serialize_test {

/// A parent, two children of which one is hidden, and an entity without components.
template <class Storage>
std::vector<Entity> fill(Storage& storage) {
  const Entity root = storage.create(Position{1, 2}, Parent{}, Name{"root"});
  const Entity child = storage.create(Position{3, 4}, Parent{root}, Health{7});
  const Entity hidden = storage.create(Parent{root}, Hidden{}, Name{"hidden"});
  return {root, child, hidden, storage.create()};
}

using Bytes = std::vector<std::byte>;

template <class Storage>
[[nodiscard]] Bytes saved(const Storage& storage, const SaveOptions& options = {}) {
  ByteBuffer file;
  save(storage, file, options);
  return {file.bytes().begin(), file.bytes().end()};
}
template <class Storage>
[[nodiscard]] Bytes sample() {
  Storage storage;
  fill(storage);
  return saved(storage);
}

/// Everything that can be seen of a storage of scenes.
template <class Storage>
[[nodiscard]] std::string seen(const Storage& storage) {
  std::string all = std::to_string(storage.size());
  const auto add = [&](Entity entity, const std::string& what) { all += " " + std::to_string(entity.word()) + what; };
  storage.template each<const Position>(
      [&](Entity e, const Position& p) { add(e, "p" + std::to_string(p.x) + std::to_string(p.y)); });
  storage.template each<const Parent>(
      [&](Entity e, const Parent& p) { add(e, "a" + std::to_string(p.entity.word())); });
  storage.template each<const Name>([&](Entity e, const Name& n) { add(e, "n" + n.text); });
  storage.template each<const Hidden>([&](Entity e, const Hidden&) { add(e, "h"); });
  storage.template each<const Health>([&](Entity e, const Health& h) { add(e, "l" + std::to_string(h.points)); });
  return all;
}

// ---- taking a file apart, to change it

template <class Number>
[[nodiscard]] Number number_at(const Bytes& file, std::size_t at) {
  Number number{};
  if (at + sizeof number <= file.size()) std::memcpy(&number, file.data() + at, sizeof number);
  return number;
}
template <class Number>
void put(Bytes& file, std::size_t at, Number number) {
  if (at + sizeof number <= file.size()) std::memcpy(file.data() + at, &number, sizeof number);
}

/// Where the entries of the directory and the sections of a file are, as far as it makes sense.
struct Map {
  std::vector<std::size_t> components;
  std::vector<std::size_t> tables;
  std::vector<std::size_t> columns;
  struct Section {
    std::size_t start, bytes, checksum_at;
  };
  std::vector<Section> sections;
};

[[nodiscard]] inline Map map_of(const Bytes& file) {
  using namespace serialize;
  Map map;
  FileHeader header{};
  if (file.size() < sizeof header) return map;
  std::memcpy(&header, file.data(), sizeof header);
  std::size_t at = sizeof header;
  if (header.directory_bytes > file.size() - at) return map;
  std::size_t position = at + header.directory_bytes;
  const auto add_section = [&](std::uint64_t bytes, std::size_t checksum_at) {
    const std::size_t start = aligned(position, section_alignment);
    if (start > file.size() || bytes > file.size() - start) return;
    map.sections.push_back({start, static_cast<std::size_t>(bytes), checksum_at});
    position = start + bytes;
  };
  add_section(std::uint64_t{header.entities} * 4, offsetof(FileHeader, entities_checksum));
  for (std::uint32_t i = 0; i < header.components && at + sizeof(FileComponent) <= file.size(); ++i) {
    map.components.push_back(at);
    at += sizeof(FileComponent) + aligned(number_at<FileComponent>(file, at).name_bytes, 8);
  }
  for (std::uint32_t t = 0; t < header.tables && at + sizeof(FileTable) <= file.size(); ++t) {
    const auto table = number_at<FileTable>(file, at);
    map.tables.push_back(at);
    if (table.first_place == null_place) {
      add_section(std::uint64_t{table.rows} * 4, at + offsetof(FileTable, list_checksum));
    }
    at += sizeof table;
    for (std::uint32_t c = 0; c < table.columns && at + sizeof(FileColumn) <= file.size(); ++c) {
      map.columns.push_back(at);
      add_section(number_at<FileColumn>(file, at).bytes, at + offsetof(FileColumn, checksum));
      at += sizeof(FileColumn);
    }
  }
  return map;
}

/// Gives a file the checksums and the size that it should have: what is wrong with it then is what was changed.
inline void seal(Bytes& file) {
  using namespace serialize;
  FileHeader header{};
  if (file.size() < sizeof header) return;
  put<std::uint64_t>(file, offsetof(FileHeader, file_bytes), file.size());
  for (const Map::Section& section : map_of(file).sections) {
    put(file, section.checksum_at, checksum_of(file.data() + section.start, section.bytes));
  }
  std::memcpy(&header, file.data(), sizeof header);
  if (header.directory_bytes > file.size() - sizeof header) return;
  put(file, offsetof(FileHeader, checksum), front_checksum(header, file.data() + sizeof header));
}

}  // namespace stowage::serialize_test
