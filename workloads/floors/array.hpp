#pragma once

// The memory of hand-written floors: arrays that start on cache lines, and arrays of equal length in one block.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace stowage::workloads {

inline constexpr std::align_val_t on_a_line{64};

/// Takes memory from operator new that starts on a cache line.
template <class T>
class LineAllocator {
 public:
  using value_type = T;
  static_assert(alignof(T) <= static_cast<std::size_t>(on_a_line));

  LineAllocator() noexcept = default;
  template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): containers convert it to the types they allocate
  LineAllocator(const LineAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(n * sizeof(T), on_a_line));
  }
  void deallocate(T* block, std::size_t) noexcept { ::operator delete(block, on_a_line); }

  template <class U>
  friend bool operator==(const LineAllocator&, const LineAllocator<U>&) noexcept {
    return true;
  }
};

/// An array of a hand-written reference. It starts on a cache line as the columns of the strategies do, or the
/// comparison would be about where malloc puts it. Arrays that are written while others are read go into one Columns,
/// which keeps them apart modulo 4096, too.
template <class T>
using StoredArray = std::vector<T, LineAllocator<T>>;

/// The room of an array that has to hold `needed` elements and has room for `capacity`: twice as much up to 4,096, then
/// three eighths more.
[[nodiscard]] constexpr std::size_t grown(std::size_t capacity, std::size_t needed) noexcept {
  const std::size_t more = capacity < 4096 ? 2 * capacity : capacity + capacity / 8 * 3;
  return std::max({std::size_t{16}, more, needed});
}

/// Bytes of an element: none of a type without members.
template <class T>
inline constexpr std::size_t element_bytes = std::is_empty_v<T> ? 0 : sizeof(T);

/// Arrays of equal length in one allocation, which know their room and not how many rows are in use.
///
///     [ A0 A1 A2 ... | B0 B1 B2 ... ]      each on a cache line; long ones at different places modulo 4096
///
/// A store and a later load whose addresses agree modulo 4096 look dependent to the processor, so that loops over two
/// such arrays wait.
template <class... Ts>
class Columns {
  static_assert((std::is_trivially_copyable_v<Ts> && ...), "rows are moved as bytes");

 public:
  Columns() = default;
  /// Throws std::bad_alloc.
  explicit Columns(std::size_t capacity) : capacity_(capacity) {
    constexpr std::array<std::size_t, sizeof...(Ts)> sizes{element_bytes<Ts>...};
    std::array<std::size_t, sizeof...(Ts)> starts{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      starts[i] = start_behind(bytes_, i, capacity * sizes[i]);
      bytes_ = starts[i] + capacity * sizes[i];
    }
    block_ = static_cast<std::byte*>(::operator new(bytes_, on_a_line));
    std::size_t i = 0;
    for_each([&]<class T>(T*& array) { array = reinterpret_cast<T*>(block_ + starts[i++]); });
  }
  Columns(Columns&& other) noexcept { swap(other); }
  Columns& operator=(Columns&& other) noexcept {
    Columns moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Columns() {
    if (block_ != nullptr) ::operator delete(block_, on_a_line);
  }

  /// The array of elements of this type, of which there is one.
  template <class T>
  [[nodiscard]] T* of() const noexcept {
    return std::get<T*>(arrays_);
  }
  /// The array with this number.
  template <std::size_t I>
  [[nodiscard]] auto* number() const noexcept {
    return std::get<I>(arrays_);
  }
  /// Calls `fn(array)` for each.
  template <class Fn>
  void for_each(Fn&& fn) {
    std::apply([&](auto*&... arrays) { (fn(arrays), ...); }, arrays_);
  }

  /// Gives room for `capacity` rows and moves the first `rows` there. Throws std::bad_alloc; then nothing has changed.
  [[gnu::noinline]] void reallocate(std::size_t capacity, std::size_t rows) {
    Columns larger(capacity);
    larger.copy_rows(*this, rows);
    swap(larger);
  }
  /// The first `rows` rows of another. Needs room.
  void copy_rows(const Columns& other, std::size_t rows) noexcept {
    if (rows == 0) return;
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (std::memcpy(static_cast<void*>(number<Is>()), other.template number<Is>(), rows * element_bytes<Ts>), ...);
    }(std::index_sequence_for<Ts...>{});
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t allocations() const noexcept { return block_ != nullptr ? 1 : 0; }

 private:
  static constexpr std::size_t line = 64, period = 4096;
  /// How far apart two long arrays start modulo the period.
  static constexpr std::size_t distance = std::max(line, period / std::bit_ceil(sizeof...(Ts)));

  /// Where array `number` of so many bytes begins if the one before ends at `end`.
  [[nodiscard]] static constexpr std::size_t start_behind(std::size_t end, std::size_t number, std::size_t bytes) {
    const std::size_t start = (end + line - 1) / line * line;
    if (bytes < period / 2) return start;  // too short to be in two such places at once
    return start + (number * distance + period - start % period) % period;
  }
  void swap(Columns& other) noexcept {
    std::swap(arrays_, other.arrays_);
    std::swap(block_, other.block_);
    std::swap(capacity_, other.capacity_);
    std::swap(bytes_, other.bytes_);
  }

  std::tuple<Ts*...> arrays_{};
  std::byte* block_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace stowage::workloads
