#pragma once

// How a component is written to files, which programs specialise: its name, version, references, codec and validity.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/format.hpp>

namespace stowage {

/// To be specialised, with any of:
///
///     template <>
///     struct stowage::ComponentFormat<Parent> {
///       // without: as the compiler spells the type
///       static constexpr std::string_view name = "parent";
///       // without: 1
///       static constexpr std::uint32_t version = 2;
///       // without: has no references
///       static constexpr auto references = std::tuple{&Parent::entity};
///       // both, or neither; decode() is given the version of the file
///       static void encode(const Parent& component, ByteWriter& to);
///       static Parent decode(ByteReader& from, std::uint32_t version);
///       // without: every value is, if its bools are 0 or 1
///       static bool valid(const Parent& component) noexcept;
///     };
///
/// `references` names the members that are handles, or std::array, C arrays or, with a codec, containers of handles.
/// load() makes them refer to the entities that it has made; a handle that is not named stays what it was.
///
/// A trivially copyable component without codec is written as its bytes. Files then hold whatever lies between its
/// members. Raise its version when a member changes, because the size may stay the same. It must not have pointers.
/// With a codec, `decode` is told the version that wrote the file, so that it can read old ones.
///
/// A file may hold any bytes. load() looks at every bool that is a component, or that lies in one at any depth, if the
/// component can be taken apart (fields_of() in parts/fields.hpp says which can). It asks `valid` about the rest: enums
/// of which not every number is one, indices, and bools in components that stay whole. Such a bool may be neither true
/// nor false when `valid` is called: look at its byte. If a value is refused, load() throws InvalidValue.
///
/// A component is recognised by its name. The name that the compiler gives changes with namespaces, and in part with
/// the compiler: give one to whatever is kept in files.
///
/// `seeded_ids` names members that are std::uint32_t ids of the older scheme: see seeded_id() in load_plan.hpp.
template <class C>
struct ComponentFormat {};

namespace serialize {

template <class C>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  constexpr std::string_view text = __FUNCSIG__;
  constexpr std::string_view before = "type_name<";
  constexpr std::size_t first = text.find(before) + before.size();
  return text.substr(first, text.rfind(">(") - first);
#else
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "C = ";
  constexpr std::size_t first = text.find(before) + before.size();
  constexpr std::size_t alias = text.rfind("; std::string_view = ");  // g++ explains the return type
  return text.substr(first, (alias != text.npos ? alias : text.rfind(']')) - first);
#endif
}

template <class C>
concept HasCodec = requires(const C& component, ByteWriter& to, ByteReader& from, std::uint32_t version) {
  ComponentFormat<C>::encode(component, to);
  { ComponentFormat<C>::decode(from, version) } -> std::same_as<C>;
};
template <class C>
concept HasHalfACodec = requires { &ComponentFormat<C>::encode; } || requires { &ComponentFormat<C>::decode; };

template <class C>
[[nodiscard]] consteval std::string_view name_of() {
  if constexpr (requires { ComponentFormat<C>::name; }) {
    return ComponentFormat<C>::name;
  } else {
    return type_name<C>();
  }
}
template <class C>
[[nodiscard]] consteval std::uint32_t version_of() {
  if constexpr (requires { ComponentFormat<C>::version; }) {
    return ComponentFormat<C>::version;
  } else {
    return 1;
  }
}
template <class C>
[[nodiscard]] consteval auto references_of() {
  if constexpr (requires { ComponentFormat<C>::references; }) {
    return ComponentFormat<C>::references;
  } else {
    return std::tuple<>{};
  }
}
template <class C>
[[nodiscard]] consteval auto seeded_ids_of() {
  if constexpr (requires { ComponentFormat<C>::seeded_ids; }) {
    return ComponentFormat<C>::seeded_ids;
  } else {
    return std::tuple<>{};
  }
}
template <class C>
inline constexpr bool has_references = std::tuple_size_v<decltype(references_of<C>())> != 0;

/// Calls `function(handle)` for every handle in a member that may be one or hold many.
template <class Member, class Function>
void for_each_handle(Member& member, Function&& function) {
  if constexpr (is_handle<std::remove_const_t<Member>>) {
    function(member);
  } else {
    static_assert(std::ranges::range<Member>, "references: a member is a handle, or an array or container of handles");
    for (auto& element : member) for_each_handle(element, function);
  }
}
template <class C, class Function>
void for_each_reference(C& component, Function&& function) {
  std::apply([&](auto... members) { (for_each_handle(component.*members, function), ...); }, references_of<C>());
}

template <class Handle, class Member>
[[nodiscard]] consteval bool is_made_of() {
  if constexpr (std::ranges::range<Member>) {
    return is_made_of<Handle, std::ranges::range_value_t<Member>>();
  } else {
    return std::is_same_v<Handle, Member>;
  }
}
/// Whether a component has no references but such handles.
template <class C, class Handle>
inline constexpr bool refers_by = []<class... Members>(std::tuple<Members...>) {
  return (is_made_of<Handle, std::remove_cvref_t<decltype(std::declval<C&>().*std::declval<Members>())>>() && ...);
}(references_of<C>());

/// A value within the bytes of a component.
struct Field {
  std::uint32_t offset;
  std::uint32_t bytes;
};

/// How many values lie side by side in a member; 0 if they are elsewhere.
template <class T, class Member>
inline constexpr std::size_t fields_in = std::is_same_v<T, Member> || is_handle<Member> ? 1 : 0;
template <class T, class Element, std::size_t N>
inline constexpr std::size_t fields_in<T, std::array<Element, N>> = N * fields_in<T, Element>;
template <class T, class Element, std::size_t N>
inline constexpr std::size_t fields_in<T, Element[N]> = N * fields_in<T, Element>;

template <class C, class Member>
[[nodiscard]] std::size_t offset_of(Member C::* member) noexcept {
  alignas(C) static std::array<std::byte, sizeof(C)> place;  // an array of bytes begins the life of what may be in it
  const C* const component = reinterpret_cast<const C*>(place.data());
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(std::addressof(component->*member)) -
                                  place.data());
}

/// The fields of the members, each as wide as a value of it. Only for components written as their bytes.
template <class C, class... Members>
[[nodiscard]] auto fields_of(std::tuple<Members C::*...> members) noexcept {
  constexpr std::size_t total = (std::size_t{0} + ... + fields_in<std::uint32_t, Members>);
  static_assert(((fields_in<std::uint32_t, Members> != 0) && ...),
                "a component without codec refers by handles, and arrays of handles, that lie in it");
  std::array<Field, total> fields{};
  [[maybe_unused]] std::size_t next = 0;
  const auto add = [&]<class Member>(Member C::* member) {
    constexpr std::size_t count = fields_in<std::uint32_t, Member>;
    constexpr std::size_t bytes = sizeof(Member) / count;
    for (std::size_t i = 0; i < count; ++i) {
      fields[next++] = {static_cast<std::uint32_t>(offset_of(member) + i * bytes), static_cast<std::uint32_t>(bytes)};
    }
  };
  std::apply([&](auto... each) { (add(each), ...); }, members);
  return fields;
}

template <class C>
concept HasValidity = requires(const C& component) {
  { ComponentFormat<C>::valid(component) } -> std::same_as<bool>;
};

/// Row of the first of `rows` components, side by side at any address, with a value that C does not have; `rows` if
/// there is none.
template <class C>
[[nodiscard]] std::size_t first_invalid(const std::byte* column, std::size_t rows) noexcept {
  for (std::size_t row = 0; row < rows; ++row) {
    const std::byte* const bytes = column + row * sizeof(C);
    if (!has_sound_bools<C>(bytes)) return row;
    if constexpr (HasValidity<C>) {
      alignas(C) std::array<std::byte, sizeof(C)> copy;
      std::memcpy(copy.data(), bytes, sizeof(C));
      if (!ComponentFormat<C>::valid(*std::launder(reinterpret_cast<const C*>(copy.data())))) return row;
    }
  }
  return rows;
}

/// A component without its type.
struct ComponentOperations {
  std::string_view name;
  std::uint32_t version;
  ColumnKind kind;
  std::size_t bytes;
  std::size_t alignment;
  std::span<const Field> references;  ///< if it is raw
  std::span<const Field> seeded_ids;
  void (*encode)(const std::byte* component, ByteWriter& to);
  void (*decode)(ByteReader& from, std::uint32_t version, std::byte* to);  ///< constructs one
  void (*destroy)(std::byte* first, std::size_t count) noexcept;
  /// first_invalid() if it is raw, and of one at its address if it is encoded; null if every value is valid.
  std::size_t (*first_invalid)(const std::byte* column, std::size_t rows) noexcept;
};

template <class C>
[[nodiscard]] ComponentOperations operations_of() noexcept {
  ComponentOperations operations{name_of<C>(), version_of<C>(), ColumnKind::raw, sizeof(C), alignof(C), {},
                                 {},           nullptr,         nullptr,         nullptr,   nullptr};
  if constexpr (HasCodec<C>) {
    operations.kind = ColumnKind::encoded;
    operations.encode = [](const std::byte* component, ByteWriter& to) {
      ComponentFormat<C>::encode(*std::launder(reinterpret_cast<const C*>(component)), to);
    };
    operations.decode = [](ByteReader& from, std::uint32_t version, std::byte* to) {
      ::new (static_cast<void*>(to)) C(ComponentFormat<C>::decode(from, version));
    };
    operations.destroy = [](std::byte* first, std::size_t count) noexcept {
      std::destroy_n(std::launder(reinterpret_cast<C*>(first)), count);
    };
    if constexpr (HasValidity<C>) {  // its bools are those that the codec made
      operations.first_invalid = [](const std::byte* component, std::size_t) noexcept -> std::size_t {
        return ComponentFormat<C>::valid(*std::launder(reinterpret_cast<const C*>(component))) ? 1U : 0U;
      };
    }
  } else {
    static_assert(
        !HasHalfACodec<C>,
        "ComponentFormat: encode(const C&, ByteWriter&) and decode(ByteReader&, std::uint32_t) -> C go together");
    static_assert(
        std::is_trivially_copyable_v<C>,
        "a component that is not trivially copyable needs a codec: ComponentFormat<C> with encode and decode");
    if constexpr (is_tag<C>) {
      operations.kind = ColumnKind::tag;
    } else {
      if constexpr (std::is_class_v<C>) {
        static const auto references = fields_of<C>(references_of<C>());
        static const auto seeded_ids = fields_of<C>(seeded_ids_of<C>());
        operations.references = references;
        operations.seeded_ids = seeded_ids;
      }
      if constexpr (has_bools<C> || HasValidity<C>) operations.first_invalid = &first_invalid<C>;
    }
  }
  return operations;
}

template <class... Cs>
[[nodiscard]] consteval bool names_are_distinct() {
  std::array<std::string_view, sizeof...(Cs)> names{name_of<Cs>()...};
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

/// Those of all components of a schema, in its order.
template <class... Cs>
[[nodiscard]] std::span<const ComponentOperations> operations_of(TypeList<Cs...>) noexcept {
  static_assert(names_are_distinct<Cs...>(), "ComponentFormat: two components have one name, by which files know them");
  static const std::array<ComponentOperations, sizeof...(Cs)> operations{operations_of<Cs>()...};
  return operations;
}

}  // namespace serialize
}  // namespace stowage
