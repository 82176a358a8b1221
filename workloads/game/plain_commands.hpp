#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <stowage/contract/memory.hpp>
#include <stowage/contract/type_list.hpp>

namespace stowage::workloads::game {

/// Changes that are written down and made later: for each component a list, in the order in which they came.
template <class Storage, class List>
class PlainCommands;
template <class Storage, class... Cs>
class PlainCommands<Storage, TypeList<Cs...>> {
  using Entity = typename Storage::entity_type;
  template <class C>
  struct Change {
    Entity entity;
    bool gains;
    C component;
  };

 public:
  template <class C>
  void remove(Entity entity) {
    list_of<C>().push_back({entity, false, {}});
  }
  template <class C>
  void emplace(Entity entity, C component) {
    list_of<C>().push_back({entity, true, std::move(component)});
  }
  void apply(Storage& storage) {
    const auto apply_all = [&storage]<class C>(std::vector<Change<C>>& list) {
      for (Change<C>& change : list) {
        if (change.gains) {
          storage.template emplace<C>(change.entity, std::move(change.component));
        } else {
          storage.template remove<C>(change.entity);
        }
      }
      list.clear();
    };
    std::apply([&](auto&... lists) { (apply_all(lists), ...); }, lists_);
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum;
    const auto add = [&sum]<class T>(const std::vector<T>& list) {
      sum.slack_bytes += list.capacity() * sizeof(T);
      sum.allocations += list.capacity() != 0 ? 1 : 0;
    };
    std::apply([&](const auto&... lists) { (add(lists), ...); }, lists_);
    return sum;
  }

 private:
  template <class C>
  [[nodiscard]] std::vector<Change<C>>& list_of() noexcept {
    return std::get<stowage::detail::position_of<C, Cs...>()>(lists_);
  }

  std::tuple<std::vector<Change<Cs>>...> lists_;
};

}  // namespace stowage::workloads::game
