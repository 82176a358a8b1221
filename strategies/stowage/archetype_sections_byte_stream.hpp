#pragma once

// archetype_sections.byte_stream: an entity's row is a stream of bytes that says itself what is in it.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________
//     sections   { rows, stride, number of components, size, set } ...
//                    | row
//     data       [ owner owner ... | {A 4 12} A pad {B 4 12} B pad | {A 4 12} A pad {B 4 12} B pad | ... ]
//
//     find<A, B>(e)    slot = registry[e.index]
//                      if (slot.generation != e.generation) return null
//                      section = sections[slot.section]; at = section.rows + slot.row * section.stride
//                      for each of section.components: header = *at
//                          if (header.component is A or B) note its payload; stop when both are found
//                          at = next header
//     each<A, B>(fn)   for (section : sections of the sets with A and B)
//                          find both in row 0: all rows of a section have the same stream
//                          for (row ...) fn(*(a + row * stride), *(b + row * stride))
//     create, destroy  those of archetype_sections; the headers of all rows are written when the section is made
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): 5 bytes of component id, 1 of
//      alignment, 2 of length, the component, padded to 8. A lookup walks until it has all it wants, in one pass.
// Pick it when what components are is known only when the program runs, or when rows go to disk or network as they are.
// Otherwise archetype_sections.interleaved is the same without 8 bytes and a step for each component.
// Misses per shuffled lookup, all out of cache: 1.125 (metadata) + the lines of the stream up to the last component
// that is wanted: 2.5 for the second of a point mass, 3.25 for all four, because 88 bytes span two lines.

#include <cstring>

#include <stowage/archetype_sections.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/plan.hpp>

namespace stowage {

namespace parts {

/// What stands before each component in a stream: 5 bytes of component, 1 of alignment, 2 of length, read as one word.
class StreamHeader {
 public:
  static constexpr std::size_t bytes = 8;

  constexpr StreamHeader(std::size_t component, std::size_t alignment, std::size_t length) noexcept
      : word_(component | std::uint64_t{alignment} << 40 | std::uint64_t{length} << 48) {}
  [[nodiscard]] static StreamHeader read(const std::byte* from) noexcept {
    StreamHeader header(0, 0, 0);
    std::memcpy(&header.word_, from, bytes);
    return header;
  }
  void write(std::byte* to) const noexcept { std::memcpy(to, &word_, bytes); }

  [[nodiscard]] constexpr std::size_t component() const noexcept { return word_ & ((std::uint64_t{1} << 40) - 1); }
  [[nodiscard]] constexpr std::size_t alignment() const noexcept { return (word_ >> 40) & 0xff; }
  [[nodiscard]] constexpr std::size_t length() const noexcept { return word_ >> 48; }

  /// Where the payload begins, and where the next header does, for a header at this distance from the stream's start.
  [[nodiscard]] constexpr std::size_t payload(std::size_t at) const noexcept {
    return (at + bytes + alignment() - 1) & ~(alignment() - 1);
  }
  [[nodiscard]] constexpr std::size_t next(std::size_t at) const noexcept {
    return (payload(at) + length() + bytes - 1) & ~(bytes - 1);
  }

 private:
  std::uint64_t word_;
};

/// A layout of sections without a table: each row is a stream that says what it holds, and a lookup walks it until it
/// has found everything it wants, in one pass. The record knows how many components there are, no more.
///
///     row  [ A 4 12 | A | pad ][ B 16 32 | pad | B ][ C 1 0 ]
///
/// Loops need not walk: all rows of a section have the same stream, so that of row 0 gives the offsets for all.
/// Source: Cerulean Skies, "Designing a cache-friendly entity component system" (2019).
template <class SchemaType>
class SectionStreams {
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;
  static constexpr auto headers = []<class... Cs>(TypeList<Cs...>) {
    static_assert(stowage::detail::all_of<(row_bytes<Cs> < 65536)...>(),
                  "a stream has 2 bytes for the length of a component");
    static_assert(stowage::detail::all_of<(alignof(Cs) < 256)...>(),
                  "a stream has 1 byte for the alignment of a component");
    return std::array{StreamHeader(id<Cs>, alignof(Cs), row_bytes<Cs>)...};
  }(typename SchemaType::components{});

 public:
  using Plan = SectionPlan<SchemaType>;
  using Mask = typename Plan::Mask;

  struct Places {
    std::byte* rows = nullptr;
    std::uint32_t stride = 0;
    std::uint32_t components = 0;
    Mask mask;  ///< for structural change, which is about sets; lookups ask the stream
  };

  template <class Q>
  using reference = Q&;
  template <class Q>
  using pointer = Q*;
  template <class C>
  using block_type = StridedSpan<C>;
  template <class...>
  static constexpr bool scalar_loop = true;

  [[nodiscard]] static Plan plan(const Mask& mask) noexcept {
    Plan plan(mask);
    std::size_t alignment = StreamHeader::bytes;
    for_each_header(
        mask, [&](const StreamHeader& header, std::size_t) { alignment = (std::max)(alignment, header.alignment()); });
    plan.add_column({detail::align_up(stream_bytes(mask), alignment), alignment});
    return plan;
  }
  /// Bytes of a row that say what it holds.
  [[nodiscard]] static std::size_t index_row_bytes(const Plan& plan) noexcept {
    return count_of(plan.mask()) * StreamHeader::bytes;
  }
  [[nodiscard]] static Places places(const Plan& plan, std::byte* block) noexcept {
    return {block + plan.column_start(1), static_cast<std::uint32_t>(plan.columns()[1].row_bytes),
            static_cast<std::uint32_t>(count_of(plan.mask())), plan.mask()};
  }
  /// The headers of a row never change: they are written before there are components.
  static void prepare(const Places& places, const Mask& mask, std::size_t rows) noexcept {
    for (std::size_t row = 0; row < rows; ++row) {
      std::byte* const stream = places.rows + row * places.stride;
      for_each_header(mask, [&](const StreamHeader& header, std::size_t at) { header.write(stream + at); });
    }
  }

  template <class C>
  [[nodiscard]] static bool has(const Places& places) noexcept {
    return places.mask.has(id<C>);
  }

  /// The components of a row; null where it has none. One pass for all.
  template <class... Qs>
  [[nodiscard]] static std::tuple<Qs*...> find(const Places& places, std::size_t row) noexcept {
    std::tuple<Qs*...> found{};
    std::size_t wanted = sizeof...(Qs);
    std::byte* const stream = places.rows + row * places.stride;
    std::size_t at = 0;
    for (std::uint32_t left = places.components; left != 0; --left) {
      const StreamHeader header = StreamHeader::read(stream + at);
      if ((note_if<Qs>(std::get<Qs*>(found), header, stream + header.payload(at)) || ...) && --wanted == 0) break;
      at = header.next(at);
    }
    return found;
  }
  template <class... Qs>
  [[nodiscard]] static std::tuple<Qs*...> addresses(const Places& places, std::size_t row) noexcept {
    return find<Qs...>(places, row);
  }

  /// What a loop over rows of a section that has Q indexes.
  template <class Q, class...>
  [[nodiscard]] static auto cursor(const Places& places) noexcept {
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      return TagCursor<Q>{};
    } else {
      using Cursor = StridedCursor<Q, std::size_t>;
      return Cursor{reinterpret_cast<typename Cursor::Byte*>(std::get<0>(find<Q>(places, 0))), places.stride};
    }
  }
  template <class...>
  static constexpr bool may_have_better_cursors = false;
  template <class Q>
  [[nodiscard]] static block_type<Q> block(const Places& places, std::size_t first, std::size_t count) noexcept {
    return {address_of(cursor<Q>(places), first), count, is_tag<std::remove_const_t<Q>> ? 0 : places.stride};
  }

  /// See contract/lines.hpp; of an entity that has all components of the schema: every header up to the last component
  /// that is wanted, and a word of each that is.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    constexpr std::size_t last = (std::max)({id<std::remove_const_t<Qs>>...});
    std::array<Touched, 2 * component_count> touched{};
    std::size_t alignment = StreamHeader::bytes;
    std::size_t at = 0;
    for (std::size_t c = 0; c < component_count; ++c) {
      const bool is_wanted = ((id<std::remove_const_t<Qs>> == c) || ...);
      const std::size_t payload = headers[c].payload(at);
      if (c <= last) touched[2 * c] = {at, at + StreamHeader::bytes};
      if (is_wanted) touched[2 * c + 1] = {payload, payload + (std::min)(word_bytes, headers[c].length())};
      alignment = (std::max)(alignment, headers[c].alignment());
      at = headers[c].next(at);
    }
    return lines_touched(touched, detail::align_up(at, alignment));
  }
  /// Of the record of a section, by a lookup.
  template <class...>
  [[nodiscard]] static constexpr Touched record_touched() noexcept {
    return {0, offsetof(Places, mask)};
  }

 private:
  template <class Q>
  [[nodiscard]] static bool note_if(Q*& found, const StreamHeader& header, std::byte* payload) noexcept {
    if (header.component() != id<Q>) return false;
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      found = address_of(TagCursor<Q>{}, 0);
    } else {
      found = reinterpret_cast<Q*>(payload);
    }
    return true;
  }

  [[nodiscard]] static std::size_t count_of(const Mask& mask) noexcept {
    std::size_t components = 0;
    for_each_header(mask, [&](const StreamHeader&, std::size_t) { ++components; });
    return components;
  }
  [[nodiscard]] static std::size_t stream_bytes(const Mask& mask) noexcept {
    std::size_t end = 0;
    for_each_header(mask, [&](const StreamHeader& header, std::size_t at) { end = header.next(at); });
    return end;
  }
  /// Calls `function(header, at)` for the components of a set in the order of the schema.
  template <class Function>
  static void for_each_header(const Mask& mask, Function&& function) noexcept {
    std::size_t at = 0;
    for (std::size_t c = 0; c < component_count; ++c) {
      if (!mask.has(c)) continue;
      function(headers[c], at);
      at = headers[c].next(at);
    }
  }
};

struct ByteStreamForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionStreams<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsByteStream = ArchetypeSections<SchemaType, Registry, parts::ByteStreamForm>;

static_assert(assert_storage<ArchetypeSectionsByteStream<ProbeSchema>>());

}  // namespace stowage
