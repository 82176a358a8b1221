#pragma once

// What codecs of components write to and read from (ByteWriter, ByteReader), and the buffer that files lie in.
// A component that is not trivially copyable has a codec in its ComponentFormat: see component_format.hpp.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/parts/fields.hpp>
#include <stowage/serialize/format.hpp>

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

/// Whether T is a bool or can be seen to have one.
template <class T>
inline constexpr bool has_bools = [] {
  if constexpr (parts::element_count<T> != 0) {
    return has_bools<parts::element_of<T>>;
  } else {
    return []<class... Fields>(std::type_identity<std::tuple<Fields&...>>) {
      return (has_bools<std::remove_cv_t<Fields>> || ...);
    }(std::type_identity<decltype(parts::fields_of(std::declval<T&>()))>{});
  }
}();
template <>
inline constexpr bool has_bools<bool> = true;

/// Whether every bool in the bytes of a T, as far as T can be taken apart, is 0 or 1.
template <class T>
[[nodiscard]] bool has_sound_bools(const std::byte* bytes) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return (*bytes & ~std::byte{1}) == std::byte{0};
  } else if constexpr (has_bools<T>) {
    alignas(T) static std::array<std::byte, sizeof(T)> place;  // an array of bytes begins the life of what may be in it
    T& whole = *reinterpret_cast<T*>(place.data());
    const auto is_sound = [&]<class Part>(Part& part) {
      const std::ptrdiff_t offset = reinterpret_cast<const std::byte*>(std::addressof(part)) - place.data();
      return has_sound_bools<std::remove_cv_t<Part>>(bytes + offset);
    };
    if constexpr (constexpr std::size_t count = parts::element_count<T>; count != 0) {
      return std::ranges::all_of(whole, is_sound);
    } else {
      return std::apply([&](auto&... fields) { return (is_sound(fields) && ...); }, parts::fields_of(whole));
    }
  } else {
    return true;
  }
}

/// Says which place an entity has in a file, or null_place.
class Places {
 public:
  virtual std::uint32_t place_of(std::uint64_t word) = 0;

 protected:
  ~Places() = default;
};

}  // namespace serialize

/// Bytes on the heap, uninitialised until they are written, aligned for every component of a file: a sink for save()
/// that keeps its memory from one file to the next, and a source for load().
class ByteBuffer {
 public:
  static constexpr std::size_t alignment = cache_line_bytes;

  /// Room for a file of this size; what was there before is lost. Throws std::bad_alloc; then nothing has changed.
  std::byte* room(std::size_t bytes) {
    if (bytes > bytes_.capacity()) {
      parts::GrowingArray<std::byte> larger;
      larger.reserve(bytes);
      bytes_ = std::move(larger);
    }
    bytes_.clear();
    bytes_.extend_unwritten(bytes);
    return data();
  }
  void append(const void* bytes, std::size_t count) {
    const std::size_t end = size();
    bytes_.extend_unwritten(end + count);
    if (count != 0) std::memcpy(data() + end, bytes, count);
  }

  [[nodiscard]] std::byte* data() noexcept { return bytes_.data(); }
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data(), size()}; }

 private:
  parts::GrowingArray<std::byte> bytes_;
};

/// Appends values to the column of a component. Every write may throw std::bad_alloc.
class ByteWriter {
 public:
  /// `places` is null if the file keeps handles.
  ByteWriter(ByteBuffer& to, serialize::Places* places) noexcept : to_(to), places_(places) {}

  template <serialize::PlainValue T>
  void write(const T& value) {
    to_.append(&value, sizeof value);
  }
  /// 4 bytes of length before the characters. Throws std::length_error if it does not fit there.
  void write(std::string_view text) {
    if (text.size() > (std::numeric_limits<std::uint32_t>::max)()) STOWAGE_THROW(std::length_error("a text of 4 GiB"));
    write(static_cast<std::uint32_t>(text.size()));
    to_.append(text.data(), text.size());
  }
  /// A reference to an entity, as the file has references: a codec need not know how.
  template <class Word, unsigned IndexBits, unsigned GenerationBits>
  void write(BasicEntity<Word, IndexBits, GenerationBits> entity) {
    if (places_ == nullptr) return write(std::uint64_t{entity.word()});
    write(std::uint64_t{entity.is_null() ? serialize::null_place : places_->place_of(entity.word())});
  }

 private:
  ByteBuffer& to_;
  serialize::Places* places_;
};

/// Takes values out of the column of a component, in the order in which they were written. Throws MalformedFile if
/// there are fewer bytes than are asked for, and InvalidValue if a bool in them is neither 0 nor 1, so a codec can read
/// without checks of its own.
class ByteReader {
 public:
  /// `entities` is how many the file has; handles are taken as they are if it keeps them.
  ByteReader(std::span<const std::byte> from, std::uint32_t entities, bool keeps_handles) noexcept
      : from_(from), entities_(entities), keeps_handles_(keeps_handles) {}

  template <serialize::PlainValue T>
    requires std::default_initializable<T>
  [[nodiscard]] T read() {
    const std::byte* const bytes = next(sizeof(T)).data();
    if (!serialize::has_sound_bools<T>(bytes)) {
      STOWAGE_THROW(InvalidValue("the codec of a component reads a bool that is neither 0 nor 1"));
    }
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  /// Until load() is done, the handle stands for a place in the file: only store it, in a member that
  /// ComponentFormat<C>::references names.
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
  /// Reads a number of elements of at least `element_bytes` each. It is never more than there are bytes for, so room
  /// for them can be reserved.
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
