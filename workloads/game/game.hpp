#pragma once

// The workload that a profile describes: frames of its game, or saving it, after the world has aged.

#include <array>
#include <tuple>
#include <type_traits>

#include <stowage/serialize/serialize.hpp>

#include "workloads/game/game_case.hpp"
#include "workloads/support/memory_file.hpp"

namespace stowage::workloads::game {

inline constexpr WorkloadCard game_card{
    .name = "game",
    .setup =
        "the entities of a profile with its components, in the order in which they were created; then "
        "destruction and changes until half of the entities that may be destroyed were replaced, of each kind in turn, "
        "and half of the owners of what changes have lost it once",
    .measured =
        "work:frame a frame: systems, lookups, components that are added and removed, hierarchy, entities that are "
        "destroyed and created; work:save saving everything once",
    .item = "frame, or save",
    .checksum =
        "hash(place, all that the components say) of every entity, and of all that was read; of a save also how "
        "many entities and components are loaded from it, and what these say",
    .favours = "whatever the profile does most",
    .disadvantages = "whatever it does not",
    .floor = "none: there is no hand-written version of this game",
};

/// Whether save() can write it, as far as a type tells: it may have pointers.
template <class C>
inline constexpr bool is_savable = std::is_trivially_copyable_v<C> || serialize::HasCodec<C>;

/// Of what is loaded from a file that any storage of the game has saved: how many entities and components, and what
/// these say. Defined in read_back.hpp, which one file of a program instantiates.
template <class Game>
[[nodiscard]] std::uint64_t digest_of_save(std::span<const std::byte> file);

/// The component of a game, tags aside, that most entities have.
template <class Game, class... Cs>
[[nodiscard]] consteval std::size_t commonest_of(TypeList<Cs...>) {
  constexpr std::array tags{is_tag<Cs>...};
  std::size_t commonest = 0;
  for (std::size_t i = 1; i < tags.size(); ++i) {
    const bool is_more = Game::owners[i].share > Game::owners[commonest].share;
    if (tags[commonest] || (is_more && !tags[i])) commonest = i;
  }
  return commonest;
}

/// The same of the entities that lack `other`; `other` itself if none lacks it.
template <class Game, class... Cs>
[[nodiscard]] consteval std::size_t commonest_without(std::size_t other, TypeList<Cs...>) {
  constexpr std::array tags{is_tag<Cs>...};
  std::size_t commonest = other;
  double most = 0;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i]) continue;
    double share = 0;
    for (const Kind& kind : Game::kinds) {
      share += kind.components.has(i) && !kind.components.has(other) ? kind.share : 0;
    }
    // components of one lot have the same owners, so that none that lacks the other has a rarer one
    const bool is_of_other_lot = Game::owners[i].lot != Game::owners[other].lot;
    if (Game::kinds.empty() && is_of_other_lot) share = Game::owners[i].share * (1 - Game::owners[other].share);
    if (share > most) std::tie(commonest, most) = std::pair(i, share);
  }
  return commonest;
}

/// The same of what is in a storage. Each component is read by itself and beside the commonest one, so that it is seen
/// if it is another entity's. Some entities lack that, so it is read beside the commonest of these, too.
template <class Game, class Storage>
[[nodiscard]] std::uint64_t digest_of_components(Storage& storage) {
  return [&storage]<class... Cs>(TypeList<Cs...> all) {
    constexpr std::size_t first = commonest_of<Game>(all);
    constexpr std::size_t second = commonest_without<Game>(first, all);
    std::uint64_t digest = storage.size();
    stowage::detail::for_each_type(TypeList<Cs...>{}, [&]<class C>(TypeList<C>) {
      std::uint64_t sum = 0;  // in no order: a file has its entities in that of the storage
      storage.template each<const C>([&sum](const C& component) { sum += mixed(1, hash_all(component)); });
      const auto read_beside = [&]<std::size_t number>(std::integral_constant<std::size_t, number>) {
        using Other = typename std::tuple_element_t<number, std::tuple<std::type_identity<Cs>...>>::type;
        if constexpr (!std::is_same_v<C, Other>) {
          storage.template each<const C, const Other>(
              [&sum](const C& component, const Other& other) { sum += mixed(hash_all(other), hash_all(component)); });
        }
      };
      read_beside(std::integral_constant<std::size_t, first>{});
      if constexpr (second != first) read_beside(std::integral_constant<std::size_t, second>{});
      digest = mixed(digest + sum, storage.template count<C>());
    });
    return digest;
  }(typename Game::Components{});
}

/// Of a file that a `Storage` has saved: a yardstick has files of its own.
template <class Game, class Storage>
[[nodiscard]] std::uint64_t digest_of_save_by(std::span<const std::byte> file) {
  if constexpr (requires { Storage::writes_files; }) {
    Storage loaded;
    load(loaded, file);
    return digest_of_components<Game>(loaded);
  } else {
    return digest_of_save<Game>(file);
  }
}

template <class Game, class Storage>
class SaveCase {
 public:
  SaveCase(const Parameters& parameters, const Scale& scale) : game_(parameters, scale) { run(); }

  void run() {
    save(game_.storage(), file_);
    keep(file_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return 1; }
  /// Of the game, and of what the file has.
  [[nodiscard]] std::uint64_t checksum() {
    return mixed(game_.checksum(), digest_of_save_by<Game, Storage>(file_.bytes()));
  }
  [[nodiscard]] MemoryBreakdown memory() const { return game_.memory(); }
  void clear() { game_.clear(); }

 private:
  GameCase<Game, Storage> game_;
  MemoryFile file_;
};

/// "50" -> 0.5
[[nodiscard]] inline double share_of(const std::string& percent) { return std::stod(percent) / 100; }

/// What a storage must not lack for work that saves, that reads it as a constant or from several threads, and that has
/// filters.
template <bool saves, bool is_shared, bool has_filters>
[[nodiscard]] consteval auto needs_of() {
  std::array<Capability, 1 + (saves ? 1 : 0) + (is_shared ? 1 : 0) + (has_filters ? 1 : 0)> all{
      Capability::structural_change};
  std::size_t end = 1;
  if constexpr (saves) all[end++] = Capability::table_exchange;
  if constexpr (is_shared) all[end++] = Capability::const_iteration;
  if constexpr (has_filters) all[end++] = Capability::filters;
  return all;
}

/// The workload of a profile; see description.hpp.
template <class Game>
struct GameWorkload {
  static constexpr const WorkloadCard& card = game_card;
  using References = TypeList<>;

  template <class... Cs>
  [[nodiscard]] static consteval bool are_savable(TypeList<Cs...>) {
    return stowage::detail::all_of<is_savable<Cs>...>();
  }
  static constexpr bool saves = Game::saves && are_savable(typename Game::Components{});
  /// What is special about an entity is added to it, whether or not there are structural changes.
  template <class... Systems>
  [[nodiscard]] static consteval bool have_filters(TypeList<Systems...>) {
    return stowage::detail::any_of<access_has_filters<Systems>...>();
  }
  static constexpr bool filters = have_filters(typename Game::Systems{});
  static constexpr bool is_shared = saves || has_threads<Game>;
  static constexpr auto needs = needs_of<saves, is_shared, filters>();

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"rates", {"100"}, {"100"}},
            {"shares", {"100"}, {"100"}},
            {"work",
             saves ? std::vector<std::string_view>{"frame", "save"} : std::vector<std::string_view>{"frame"},
             {"frame"}}};
  }
  [[nodiscard]] static Floor floor(const Parameters&, Lines) { return {}; }
  [[nodiscard]] static bool framed(const Parameters& parameters) { return parameters.get("work") == "frame"; }

  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<typename Game::Storage>;
    const Scale scale{.rates = share_of(parameters.get("rates")), .shares = share_of(parameters.get("shares"))};
    if constexpr (saves) {
      if (parameters.get("work") == "save") return make_case<SaveCase<Game, Storage>>(parameters, scale);
    }
    return make_case<GameCase<Game, Storage>>(parameters, scale);
  }
};

}  // namespace stowage::workloads::game
