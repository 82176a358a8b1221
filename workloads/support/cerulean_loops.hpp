#pragma once

// The loops of Cerulean Skies' article ("Designing a cache-friendly entity component system", 2019) before and after
// "Removing the map", to compare one with the other: interleaved components that are found by a hash map, and streams
// of bytes that are found by four bytes of metadata. Neither has generations.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include <stowage/contract/memory.hpp>

#include "workloads/support/array.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/random.hpp"

namespace stowage::workloads {

/// Numbered from 1.
using CeruleanEntity = std::uint64_t;
/// Offsets have 16 bits.
inline constexpr std::size_t most_cerulean_entities = 65536;

/// Key and value together in a flat array of 16-byte slots, which the article's types give. Open addressing by linear
/// probing; half of the slots are in use at most.
///
///     [entity offset -][ - - - ][entity offset -] ...
template <class Hash>
class CeruleanMap {
  struct Slot {
    CeruleanEntity entity;  ///< 0 if the slot is free
    std::uint16_t offset;
  };
  static_assert(sizeof(Slot) == 16);

 public:
  explicit CeruleanMap(std::size_t entities) : slots_(std::bit_ceil(2 * entities)) {}

  [[nodiscard]] std::uint16_t& operator[](CeruleanEntity entity) noexcept {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = Hash::of(entity) & last;
    while (slots_[at].entity != entity) {
      if (slots_[at].entity == 0) {
        slots_[at].entity = entity;
        break;
      }
      at = (at + 1) & last;
    }
    return slots_[at].offset;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.size() * sizeof(Slot); }

 private:
  std::vector<Slot> slots_;
};

/// The article does not say which hash.
struct MixingHash {
  static constexpr std::string_view name = "reference.hash_map", form = "exact",
                                    summary = "Cerulean Skies' loop before it removes the map";
  [[nodiscard]] static std::uint64_t of(CeruleanEntity entity) noexcept { return mixed(0, entity); }
};
struct NumberItself {
  static constexpr std::string_view name = "reference.hash_map_identity", form = "exact",
                                    summary = "the same, and a number's hash is the number itself";
  [[nodiscard]] static std::uint64_t of(CeruleanEntity entity) noexcept { return entity; }
};

/// The step before: both components of an entity in one struct, and one map to its place.
template <class Hash>
class CeruleanMapped {
  struct RenderTransform {
    Render render;
    Transform transform;
  };

 public:
  CeruleanMapped(std::size_t entities, const Values& values) : offsets_(entities) {
    for (std::size_t i = 0; i < entities; ++i) {
      entities_.push_back(i + 1);
      offsets_[i + 1] = static_cast<std::uint16_t>(i);
      components_.push_back({values.render(i), values.transform(i)});
    }
  }

  /// Calls `read(render, transform)` for each entity of the list.
  template <class Read>
  void loop(Read read) {
    for (const CeruleanEntity entity : entities_) {
      const RenderTransform& both = components_[offsets_[entity]];
      read(both.render, both.transform);
    }
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t used = components_.size() * sizeof(RenderTransform);
    return {.payload_bytes = used,
            .index_bytes = offsets_.bytes(),
            .slack_bytes = components_.capacity() * sizeof(RenderTransform) - used,
            .allocations = 2};
  }

 private:
  Array<CeruleanEntity> entities_;
  CeruleanMap<Hash> offsets_;
  std::vector<RenderTransform> components_;
};

/// A section of one component set, in which each row says what it holds:
///
///     metadata    [section row][section row] ...                   2 + 2 bytes per entity
///     data        [ {id 5, alignment 1, length 2} padding component padding | {...} ... ][ next row ] ...
///
/// The article's offset is of bytes, with which 16 bits end after 64 KiB; here it is the number of the row. Of its
/// components, which are one after the other, the loop reads Render and Transform: `Before` them and `Behind` them are
/// components of 8 bytes.
template <std::size_t Before, std::size_t Behind>
class CeruleanSection {
  using Component = std::uint64_t;
  static constexpr Component render_id = Before + 1, transform_id = Before + 2;
  static constexpr std::size_t header_bytes = 8, stride = (Before + Behind) * 16 + 24 + 40;

  struct Metadata {
    std::uint16_t section, row;
  };
  static_assert(sizeof(Metadata) == 4);
  struct Section {
    std::vector<Component> components;
    std::vector<std::byte> data;
  };

 public:
  CeruleanSection(std::size_t entities, const Values& values) {
    Section& section = *sections_.emplace_back(std::make_unique<Section>());
    for (Component id = 1; id <= Before + Behind + 2; ++id) section.components.push_back(id);
    section.data.resize(entities * stride);
    for (std::size_t i = 0; i < entities; ++i) {
      metadata_.push_back({0, static_cast<std::uint16_t>(i)});
      std::byte* to = section.data.data() + i * stride;
      for (const Component id : section.components) {
        if (id == render_id) {
          to = written(to, id, values.render(i));
        } else if (id == transform_id) {
          to = written(to, id, values.transform(i));
        } else {
          to = written(to, id, std::uint64_t{i});
        }
      }
    }
  }

  /// Calls `read(render, transform)` for each entity, in the order of the metadata.
  template <class Read>
  void loop(Read read) {
    for (const Metadata& metadata : metadata_) {
      const Render* const render = get_component<Render>(render_id, metadata);
      const Transform* const transform = get_component<Transform>(transform_id, metadata);
      read(*render, *transform);
    }
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const Section& section = *sections_.front();
    const std::size_t headers = metadata_.size() * section.components.size() * header_bytes;
    const std::size_t set = section.components.capacity() * sizeof(Component) + sizeof(Section);
    return {.payload_bytes = section.data.size() - headers,
            .index_bytes = headers + set + metadata_.capacity() * sizeof(Metadata) + sizeof sections_.front(),
            .allocations = 5};
  }

 private:
  /// Id, alignment and length in one word, and the component; returns where the next header stands.
  template <class T>
  static std::byte* written(std::byte* to, Component id, const T& component) {
    const std::uint64_t header = id | std::uint64_t{alignof(T)} << 40 | std::uint64_t{sizeof(T)} << 48;
    std::memcpy(to, &header, header_bytes);
    std::byte* const payload = aligned(to + header_bytes, alignof(T));
    std::memcpy(payload, &component, sizeof component);
    return aligned(payload + sizeof(T), header_bytes);
  }
  /// The article's, with the header read as one word.
  template <class T>
  [[nodiscard]] const T* get_component(Component wanted, const Metadata& metadata) const noexcept {
    Section& section = *sections_[metadata.section];
    std::byte* head = section.data.data() + metadata.row * stride;
    for (std::size_t left = section.components.size(); left != 0; --left) {
      std::uint64_t header = 0;
      std::memcpy(&header, head, header_bytes);
      std::byte* const payload = aligned(head + header_bytes, header >> 40 & 0xff);
      if ((header & ((std::uint64_t{1} << 40) - 1)) == wanted) return reinterpret_cast<const T*>(payload);
      head = aligned(payload + (header >> 48), header_bytes);
    }
    return nullptr;
  }
  [[nodiscard]] static std::byte* aligned(std::byte* address, std::size_t alignment) noexcept {
    return address + (-reinterpret_cast<std::uintptr_t>(address) & (alignment - 1));
  }

  std::vector<std::unique_ptr<Section>> sections_;
  std::vector<Metadata> metadata_;
};

struct OnlyTwo {
  static constexpr std::string_view name = "reference.byte_stream", form = "near",
                                    summary = "Cerulean Skies' loop by metadata, over streams of these two components";
};
struct FirstTwo {
  static constexpr std::string_view name = "reference.byte_stream_first", form = "near",
                                    summary = "the same, and six components stand behind the two";
};
struct LastTwo {
  static constexpr std::string_view name = "reference.byte_stream_last", form = "near",
                                    summary = "the same, and six components stand before the two";
};

}  // namespace stowage::workloads
