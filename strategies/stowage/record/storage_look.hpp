#pragma once

// Looks at an adopted storage, or at one of the library.

#include <stowage/record/recorder.hpp>

namespace stowage::record {

/// For an adopted storage, or one of the library. Components that are off count as absent, and those that the schema
/// marks as Toggled as states. `parent_of`, if the game has a hierarchy, returns the parent of an entity or a null
/// handle.
template <class Storage, class ParentOf = std::nullptr_t>
[[nodiscard]] Recorder::Look storage(Storage& storage, ParentOf parent_of = nullptr) {
  return [&storage, parent_of](Recorder& recorder) {
    const auto each_of = [&]<template <class...> class List, class... Cs>(const List<Cs...>*) {
      const auto look_at = [&]<class C>(const C*) {
        const std::size_t number = recorder.component<C>();
        storage.template each<const C>([&](auto entity, const auto&) {
          recorder.entity(entity.index(), entity.word());
          recorder.has(entity.index(), number);
          if constexpr (!std::is_same_v<ParentOf, std::nullptr_t>) {
            if (const auto parent = parent_of(entity); !parent.is_null())
              recorder.child_of(entity.index(), parent.index());
          }
        });
      };
      (look_at(static_cast<const Cs*>(nullptr)), ...);
    };
    const auto mark = [&]<template <class...> class List, class... Cs>(const List<Cs...>*) {
      recorder.states<Cs...>();
    };
    using Schema = typename std::remove_const_t<Storage>::schema_type;
    each_of(static_cast<const typename Schema::components*>(nullptr));
    mark(static_cast<const typename Schema::toggled*>(nullptr));
  };
}

}  // namespace stowage::record
