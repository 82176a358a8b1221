#pragma once

// The layout of lanes: cursors, references, pointers and blocks for components whose scalars lie in separate arrays.
// `Q` is the component, const if it is only read.

#include <compare>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/layout/scalars.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::parts {

/// Where the scalars of row 0 are: the first lane, and how far each lane is from the one before.
template <class Q>
class SpreadCursor {
  using C = std::remove_const_t<Q>;
  using Scalars = typename detail::ScalarList<C>::type;
  template <class T>
  using Lane = std::conditional_t<std::is_const_v<Q>, const T, T>;

 public:
  using component_type = Q;
  static constexpr std::size_t lane_count = Scalars::size;

  SpreadCursor() = default;
  SpreadCursor(std::byte* first, std::size_t pitch_bytes) noexcept : first_(first), pitch_bytes_(pitch_bytes) {}

  template <std::size_t N>
  [[nodiscard]] auto* lane() const noexcept {
    return reinterpret_cast<Lane<stowage::detail::element_at<N, Scalars>>*>(first_ + N * pitch_bytes_);
  }
  [[nodiscard]] auto lanes() const noexcept {
    return [this]<std::size_t... Is>(std::index_sequence<Is...>) {
      return std::tuple(this->template lane<Is>()...);
    }(std::make_index_sequence<lane_count>{});
  }
  [[nodiscard]] auto scalars(std::size_t row) const noexcept {
    return std::apply([row](auto*... lane) { return std::tie(lane[row]...); }, lanes());
  }

  [[nodiscard]] auto operator[](std::size_t row) const noexcept { return *SpreadPointer<Q>(*this, row); }

  [[nodiscard]] bool is_null() const noexcept { return first_ == nullptr; }
  [[nodiscard]] SpreadCursor<const C> to_const() const noexcept { return {first_, pitch_bytes_}; }
  friend bool operator==(const SpreadCursor&, const SpreadCursor&) = default;
  friend auto operator<=>(const SpreadCursor&, const SpreadCursor&) = default;

 private:
  std::byte* first_ = nullptr;
  std::size_t pitch_bytes_ = 0;
};

/// A component gathered from its scalars, for as long as a caller holds it. Its final value is scattered again at the
/// end, also when that is an exception.
template <class Q, class Scalars>
class SpreadLoan {
  using C = std::remove_const_t<Q>;

 public:
  explicit SpreadLoan(const Scalars& scalars) noexcept : scalars_(scalars) {
    copy_scalars(scalars_, scalars_of(component_));
  }
  SpreadLoan(const SpreadLoan&) = delete;
  SpreadLoan& operator=(const SpreadLoan&) = delete;
  ~SpreadLoan() {
    if constexpr (!std::is_const_v<Q>) copy_scalars(scalars_of(component_), scalars_);
  }

  [[nodiscard]] Q& component() noexcept { return component_; }

 private:
  Scalars scalars_;
  C component_{};
};
template <class Q, class Scalars>
inline constexpr bool is_loan<SpreadLoan<Q, Scalars>> = true;

/// The same for one expression: only the scalars that have changed are written back, so that whatever else the
/// expression does to the component stays (`*p = {p->x + 1, 0, 0}`).
template <class Q, class Scalars>
class SpreadArrow {
  using C = std::remove_const_t<Q>;

 public:
  explicit SpreadArrow(const Scalars& scalars) noexcept : scalars_(scalars) {
    copy_scalars(scalars_, scalars_of(component_));
    before_ = component_;
  }
  SpreadArrow(const SpreadArrow&) = delete;
  SpreadArrow& operator=(const SpreadArrow&) = delete;
  ~SpreadArrow() {
    if constexpr (!std::is_const_v<Q>) {
      stowage::detail::for_each_index<std::tuple_size_v<Scalars>>([&](auto lane) {
        const auto& after = std::get<lane>(scalars_of(component_));
        if (std::memcmp(&after, &std::get<lane>(scalars_of(before_)), sizeof after) != 0) {
          std::get<lane>(scalars_) = after;
        }
      });
    }
  }

  [[nodiscard]] Q* operator->() noexcept { return std::addressof(component_); }

 private:
  Scalars scalars_;
  C component_{};
  C before_{};
};

/// Stands for a component in one row: converts to it, and, if it is not const, can be assigned another.
template <class Q>
class SpreadReference {
  using C = std::remove_const_t<Q>;

 public:
  using component_type = C;

  explicit SpreadReference(const SpreadPointer<Q>& pointer) noexcept : pointer_(pointer) {}
  SpreadReference(const SpreadReference&) = default;
  ~SpreadReference() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): a reference to C is good wherever a C is asked for
  operator C() const noexcept {
    C component{};
    copy_scalars(pointer_.scalars(), scalars_of(component));
    return component;
  }
  const SpreadReference& operator=(const C& component) const noexcept
    requires(!std::is_const_v<Q>)
  {
    copy_scalars(scalars_of(component), pointer_.scalars());
    return *this;
  }
  /// Like that of a reference: of what it refers to.
  SpreadReference& operator=(const SpreadReference& other) noexcept
    requires(!std::is_const_v<Q>)
  {
    static_cast<const SpreadReference&>(*this) = static_cast<C>(other);
    return *this;
  }
  /// The address of what it refers to, as for a reference.
  // NOLINTNEXTLINE(google-runtime-operator): stands in for Q&
  [[nodiscard]] SpreadPointer<Q> operator&() const noexcept { return pointer_; }

  /// Returns an object that holds a real component, for a function that takes a `Q&`.
  [[nodiscard]] auto lend() const noexcept {
    using Scalars = decltype(pointer_.scalars());
    return SpreadLoan<Q, Scalars>(pointer_.scalars());
  }

 private:
  SpreadPointer<Q> pointer_;
};

/// Points to a component in one row, or is null: `find<C>(entity)->x`, `*p = component`.
template <class Q>
class SpreadPointer {
  using C = std::remove_const_t<Q>;

 public:
  using element_type = Q;

  SpreadPointer() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): nullptr is a pointer of every type
  SpreadPointer(std::nullptr_t) noexcept {}
  SpreadPointer(const SpreadCursor<Q>& cursor, std::size_t row) noexcept : cursor_(cursor), row_(row) {}
  // NOLINTNEXTLINE(google-explicit-constructor): C* converts to const C*
  operator SpreadPointer<const C>() const noexcept
    requires(!std::is_const_v<Q>)
  {
    return {cursor_.to_const(), row_};
  }

  [[nodiscard]] SpreadReference<Q> operator*() const noexcept { return SpreadReference<Q>(*this); }
  /// The component is gathered for the length of the expression.
  [[nodiscard]] auto operator->() const noexcept {
    using Scalars = decltype(scalars());
    return SpreadArrow<Q, Scalars>(scalars());
  }
  [[nodiscard]] auto scalars() const noexcept { return cursor_.scalars(row_); }

  [[nodiscard]] const SpreadCursor<Q>& cursor() const noexcept { return cursor_; }
  [[nodiscard]] std::size_t row() const noexcept { return row_; }

  [[nodiscard]] explicit operator bool() const noexcept { return !cursor_.is_null(); }
  friend bool operator==(const SpreadPointer&, const SpreadPointer&) = default;
  friend bool operator==(const SpreadPointer& pointer, std::nullptr_t) noexcept { return pointer.cursor_.is_null(); }
  friend auto operator<=>(const SpreadPointer&, const SpreadPointer&) = default;

 private:
  SpreadCursor<Q> cursor_;
  std::size_t row_ = 0;
};

/// See rows.hpp.
template <class Q>
[[nodiscard]] SpreadPointer<Q> address_of(const SpreadCursor<Q>& cursor, std::size_t row) noexcept {
  STOWAGE_ASSUME(!cursor.is_null());
  return {cursor, row};
}

// The overloads, for spread components, of functions in rows.hpp.

template <class C, class... Arguments>
void construct_component(const SpreadPointer<C>& place, Arguments&&... arguments) {
  const C component = stowage::detail::make<C>(std::forward<Arguments>(arguments)...);
  copy_scalars(scalars_of(component), place.scalars());
}
template <class C>
void relocate_component(const SpreadPointer<C>& from, const SpreadPointer<C>& to) noexcept {
  copy_scalars(from.scalars(), to.scalars());
}
template <class C>
void destroy_component(const SpreadPointer<C>&) noexcept {}

/// `size()` components of one type as each_block hands them out if they are spread: an array for each scalar.
///
///     const auto [x, y, z] = positions.lanes();   // std::span<float> each
template <class Q>
class SpreadBlock {
 public:
  using element_type = Q;

  SpreadBlock(const SpreadCursor<Q>& cursor, std::size_t first, std::size_t size) noexcept
      : cursor_(cursor), first_(first), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] SpreadReference<Q> operator[](std::size_t position) const noexcept {
    return cursor_[first_ + position];
  }
  [[nodiscard]] auto lanes() const noexcept {
    return std::apply([this](auto*... lane) { return std::tuple(std::span(lane + first_, size_)...); },
                      cursor_.lanes());
  }

 private:
  SpreadCursor<Q> cursor_;
  std::size_t first_;
  std::size_t size_;
};

/// How a column holds a component that is_spread: an array (lane) for each scalar. See whole_column.hpp for the names.
///
///     [ x x x ...     | y y y ...     | z z z ...     ]      lane_pitch() from one to the next
template <class C>
struct SpreadColumn {
  template <class Q>
  using reference = SpreadReference<Q>;
  template <class Q>
  using pointer = SpreadPointer<Q>;
  template <class Q>
  using cursor_type = SpreadCursor<Q>;
  template <class Q>
  using block_type = SpreadBlock<Q>;

  static constexpr ColumnShape shape{detail::ScalarList<C>::widest, detail::ScalarList<C>::widest,
                                     SpreadCursor<C>::lane_count};
  /// Padding is not stored.
  static constexpr std::size_t component_bytes = detail::ScalarList<C>::bytes;
  static constexpr double lookup_lines = 1;

  using Place = SpreadCursor<C>;
  [[nodiscard]] static Place place(std::byte* start, std::size_t rows) noexcept {
    return {start, lane_pitch(rows, shape)};
  }

  template <class Q>
  [[nodiscard]] static SpreadCursor<Q> cursor(const Place& place) noexcept {
    if constexpr (std::is_const_v<Q>) {
      return place.to_const();
    } else {
      return place;
    }
  }
  template <class Q>
  [[nodiscard]] static SpreadBlock<Q> block(const Place& place, std::size_t first, std::size_t count) noexcept {
    return {cursor<Q>(place), first, count};
  }
  template <class Q>
  [[nodiscard]] static SpreadBlock<Q> block_of_one(const SpreadPointer<Q>& component) noexcept {
    return {component.cursor(), component.row(), 1};
  }

  template <class... Arguments>
  static void construct(const Place& place, std::size_t row, Arguments&&... arguments) {
    parts::construct_component(SpreadPointer<C>(place, row), std::forward<Arguments>(arguments)...);
  }
  static void construct_copies(const Place& place, std::size_t first, std::span<const C> components) noexcept {
    for (std::size_t i = 0; i < components.size(); ++i)
      copy_scalars(scalars_of(components[i]), place.scalars(first + i));
  }
  static void destroy(const Place&, std::size_t, std::size_t) noexcept {}
  static void relocate(const Place& place, std::size_t from, std::size_t to) noexcept {
    copy_scalars(place.scalars(from), place.scalars(to));
  }
  template <class Relocate>
  static void move(const Place& from, const Place& to, Relocate& relocate) noexcept {
    stowage::detail::for_each_index<SpreadCursor<C>::lane_count>(
        [&](auto lane) { relocate(from.template lane<lane>(), to.template lane<lane>()); });
  }
};

}  // namespace stowage::parts

template <class Q>
inline constexpr bool stowage::detail::stands_for_component<stowage::parts::SpreadReference<Q>> = true;
