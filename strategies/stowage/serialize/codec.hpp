#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <stowage/contract/entity.hpp>
#include <stowage/serialize/byte_buffer.hpp>
#include <stowage/serialize/errors.hpp>
#include <stowage/serialize/format.hpp>

// What codecs of components write with and read from. A component that is not trivially copyable has a codec in its
// ComponentFormat; see component_format.hpp.

namespace stowage {

namespace serialize {

template <class T>
inline constexpr bool is_handle = false;
template <class Word, unsigned IndexBits, unsigned GenerationBits>
inline constexpr bool is_handle<BasicEntity<Word, IndexBits, GenerationBits>> = true;

/// What is written as its bytes.
template <class T>
concept PlainValue =
    std::is_trivially_copyable_v<T> && !is_handle<T> && !std::is_pointer_v<T> && !std::is_same_v<T, std::string_view>;

/// Says which place an entity has in a file, or null_place; what it knows is behind a pointer.
struct PlaceOfWord {
  void* knowledge = nullptr;
  std::uint32_t (*place_of)(void* knowledge, std::uint64_t word) = nullptr;  ///< null where handles are kept
};

}  // namespace serialize

/// Appends values to the column of a component. Every write may throw std::bad_alloc.
class ByteWriter {
 public:
  ByteWriter(ByteBuffer& to, const serialize::PlaceOfWord& places) noexcept : to_(to), places_(places) {}

  template <serialize::PlainValue T>
  void write(const T& value) {
    to_.append(&value, sizeof value);
  }
  /// 4 bytes of length before the characters.
  void write(std::string_view text) {
    write(static_cast<std::uint32_t>(text.size()));
    to_.append(text.data(), text.size());
  }
  /// A reference to an entity, as the file has references: a codec need not know how.
  template <class Word, unsigned IndexBits, unsigned GenerationBits>
  void write(BasicEntity<Word, IndexBits, GenerationBits> entity) {
    if (places_.place_of == nullptr) return write(std::uint64_t{entity.word()});
    const std::uint32_t place = entity.is_null() ? serialize::null_place  //
                                                 : places_.place_of(places_.knowledge, entity.word());
    write(std::uint64_t{place});
  }

 private:
  ByteBuffer& to_;
  const serialize::PlaceOfWord& places_;
};

/// Takes values out of the column of a component, in the order in which they were written. Throws MalformedFile where
/// there are fewer bytes than are asked for, so that nothing need be checked before it is read.
class ByteReader {
 public:
  /// `entities` is how many the file has; handles are taken as they are where it keeps them.
  ByteReader(std::span<const std::byte> from, std::uint32_t entities, bool keeps_handles) noexcept
      : from_(from), entities_(entities), keeps_handles_(keeps_handles) {}

  template <serialize::PlainValue T>
    requires std::default_initializable<T>
  [[nodiscard]] T read() {
    T value;
    std::memcpy(&value, next(sizeof value).data(), sizeof value);
    return value;
  }
  /// Stands for the entity at a place of the file until load() is done: nothing but a place to keep it in may be made
  /// of it, and ComponentFormat<C>::references must name that.
  template <class EntityType>
    requires serialize::is_handle<EntityType>
  [[nodiscard]] EntityType read() {
    using Word = typename EntityType::word_type;
    const auto word = read<std::uint64_t>();
    if (keeps_handles_) return EntityType::from_word(static_cast<Word>(word));
    if (word == serialize::null_place) return {};
    if (word >= entities_) STOWAGE_THROW(DanglingReference("a component refers to an entity that is not in the file"));
    return EntityType::from_word(static_cast<Word>(word));
  }
  [[nodiscard]] std::string read_string() {
    const std::span<const std::byte> text = next(read<std::uint32_t>());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  /// A number of elements that take `element_bytes` each at least: never more than there are bytes for, so that room
  /// for them may be taken.
  [[nodiscard]] std::size_t read_count(std::size_t element_bytes) {
    const std::size_t count = read<std::uint32_t>();
    if (element_bytes == 0 || count > from_.size() / element_bytes) STOWAGE_THROW(ended());
    return count;
  }

  [[nodiscard]] std::size_t bytes_left() const noexcept { return from_.size(); }

 private:
  [[nodiscard]] std::span<const std::byte> next(std::size_t bytes) {
    if (bytes > from_.size()) STOWAGE_THROW(ended());
    const std::span<const std::byte> taken = from_.first(bytes);
    from_ = from_.subspan(bytes);
    return taken;
  }
  [[nodiscard]] static MalformedFile ended() {
    return MalformedFile("the codec of a component wants more than there is");
  }

  std::span<const std::byte> from_;
  std::uint32_t entities_;
  bool keeps_handles_;
};

}  // namespace stowage
