#pragma once

// Workload: what it costs to tell listeners of every entity that is created, changed and destroyed.

#include "workloads/churn.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard observed_card{
    .name = "observed",
    .setup =
        "as in churn payload:16; `listeners` listeners, each a function pointer with an object, in a flat list beside "
        "the storage",
    .measured =
        "8 frames: in each, 1 % of the entities are destroyed, drawn at random, as many are created, and the last "
        "component (8 bytes) of another 1 % is overwritten by handle. Every listener is told the kind of each of these "
        "events, the handle and that component; before a destruction it is looked up if there are listeners. "
        "how:called: the program calls all listeners beside each operation. how:collected: it keeps a list of the "
        "events, which each listener walks by one call at the end of the frame; no list without listeners. how:none: "
        "the program has no code for listeners. A storage takes no part in that: how:called with listeners:0, beside "
        "how:none, is what the possibility costs",
    .item = "event (a creation, a change or a destruction)",
    .checksum = "what each listener has summed up, in the order of the events, and as in churn",
    .favours = "as churn; listeners cost the same whatever the storage is",
    .disadvantages = "storages with slow lookups: each destruction needs one if there are listeners",
    .floor =
        "per three events 8/64 line of the lists of places and two lines at random places, by a loop that writes "
        "components over old ones, with the same listeners",
    .sizes = {16 * 1024, 256 * 1024},
};

/// How the program tells its listeners.
enum class Observing : std::uint8_t { none, called, collected };
enum class Event : std::uint8_t { created, changed, destroyed };

using ObservedComponents = ChurnComponents<16>;
/// What listeners are told of, beside the handle.
using Watched = ObservedComponents::Third;

/// The listeners of a program, in a flat list.
template <class Handle, Observing How>
class Listeners {
  struct Told {
    Handle entity;
    Watched value;
    Event event;
  };
  /// Sums up what it hears, in its order. Two functions, as different listeners have different ones.
  struct Listener {
    std::uint64_t sum = 0;
    Handle last{};

    template <std::uint64_t Factor>
    void note(Event event, Handle entity, const Watched& value) noexcept {
      sum = Factor * sum + value.words[0] + static_cast<std::uint64_t>(event);
      last = entity;
    }
    template <std::uint64_t Factor>
    static void hear(void* listener, Event event, Handle entity, const Watched& value) noexcept {
      static_cast<Listener*>(listener)->template note<Factor>(event, entity, value);
    }
    template <std::uint64_t Factor>
    static void hear_all(void* listener, const Told* told, std::size_t count) noexcept {
      for (const Told* const end = told + count; told != end; ++told) {
        static_cast<Listener*>(listener)->template note<Factor>(told->event, told->entity, told->value);
      }
    }
  };
  struct Entry {
    void* listener;
    void (*hear)(void* listener, Event event, Handle entity, const Watched& value) noexcept;
    void (*hear_all)(void* listener, const Told* told, std::size_t count) noexcept;
  };

 public:
  explicit Listeners(const Parameters& parameters) : listeners_(std::stoul(parameters.get("listeners"))) {
    for (Listener& listener : listeners_) {
      if (entries_.size() % 2 == 0) {
        entries_.push_back({&listener, &Listener::template hear<3>, &Listener::template hear_all<3>});
      } else {
        entries_.push_back({&listener, &Listener::template hear<5>, &Listener::template hear_all<5>});
      }
    }
  }

  [[nodiscard]] bool any() const noexcept { return How != Observing::none && !entries_.empty(); }
  void tell([[maybe_unused]] Event event, [[maybe_unused]] Handle entity, [[maybe_unused]] const Watched& value) {
    if constexpr (How == Observing::called) {
      for (const Entry& entry : entries_) entry.hear(entry.listener, event, entity, value);
    } else if constexpr (How == Observing::collected) {
      if (any()) told_.push_back({entity, value, event});
    }
  }
  void end_frame() {
    if constexpr (How == Observing::collected) {
      for (const Entry& entry : entries_) entry.hear_all(entry.listener, told_.data(), told_.size());
      told_.clear();
    }
  }
  [[nodiscard]] std::uint64_t checksum() const noexcept {
    Checksum sum;
    for (std::size_t i = 0; i < listeners_.size(); ++i) sum.add(i, listeners_[i].sum);
    return sum.value();
  }

 private:
  Array<Listener> listeners_;
  Array<Entry> entries_;
  Array<Told> told_;
};

/// The cell of `churn` with whose entities this begins.
[[nodiscard]] inline Parameters churned_at_one_percent(const Parameters& parameters) {
  return {.entities = parameters.entities, .values = {{"rate", "1"}, {"payload", "16"}}, .seed = parameters.seed};
}
/// Which entities are changed: another 1 % in each frame.
[[nodiscard]] inline ChurnPlan observed_changes(const Parameters& parameters) {
  return {parameters.entities, per_mille_of("1"), parameters.seed + 1};
}

template <class Storage, Observing How>
class ObservedCase : public ChurnCase<Storage, 16> {
  using Base = ChurnCase<Storage, 16>;
  using Handle = typename Storage::entity_type;

 public:
  explicit ObservedCase(const Parameters& parameters)
      : Base(churned_at_one_percent(parameters)), changes_(observed_changes(parameters)), listeners_(parameters) {}

  void run() {
    for (std::size_t frame = 0; frame < this->frames_in_a_pass_; ++frame) step(frame);
    keep(this->storage_);
  }
  void step(std::size_t /*frame*/) {
    const std::span<const std::uint32_t> places = this->plan_.frame(this->frame_);
    for (const std::uint32_t place : places) {
      const Handle entity = this->living_[place];
      if (listeners_.any()) tell_of_end(entity);
      this->storage_.destroy(entity);
    }
    for (const std::uint32_t place : places) {
      this->values_.with_next([&](const auto&... components) {
        const Handle entity = this->living_[place] = this->storage_.create(components...);
        listeners_.tell(Event::created, entity, std::get<const Watched&>(std::tie(components...)));
      });
    }
    for (const std::uint32_t place : changes_.frame(this->frame_)) {
      this->values_.with_next(
          [&](const auto&, const auto&, const Watched& value) { change(this->living_[place], value); });
    }
    listeners_.end_frame();
    collect(this->storage_);
    ++this->frame_;
  }

  [[nodiscard]] std::uint64_t items() const { return 3 * Base::items(); }
  [[nodiscard]] std::uint64_t checksum() { return Base::checksum() + listeners_.checksum(); }

 private:
  void tell_of_end(Handle entity) {
    const auto found = this->storage_.template find<const Watched>(entity);
    if (found == nullptr) return;
    const Watched value = *found;
    listeners_.tell(Event::destroyed, entity, value);
  }
  void change(Handle entity, const Watched& value) {
    const auto found = this->storage_.template find<Watched>(entity);
    if (found == nullptr) return;
    *found = value;
    listeners_.tell(Event::changed, entity, value);
  }

  ChurnPlan changes_;
  Listeners<Handle, How> listeners_;
};

/// The floor: entities are their places, as in churn.
template <Observing How>
class ObservedRows : public ChurnRows<16> {
 public:
  explicit ObservedRows(const Parameters& parameters)
      : ChurnRows<16>(churned_at_one_percent(parameters)),
        changes_(observed_changes(parameters)),
        listeners_(parameters) {}

  void run() {
    for (std::size_t frame = 0; frame < frames_in_a_pass_; ++frame) step(frame);
    keep(rows_);
  }
  void step(std::size_t /*frame*/) {
    const std::span<const std::uint32_t> places = plan_.frame(frame_);
    if (listeners_.any()) {
      for (const std::uint32_t place : places) tell(Event::destroyed, place);
    }
    for (const std::uint32_t place : places) {
      write_next(rows_[place]);
      tell(Event::created, place);
    }
    for (const std::uint32_t place : changes_.frame(frame_)) {
      values_.with_next([&](const auto&, const auto&, const Watched& value) { rows_[place].third = value; });
      tell(Event::changed, place);
    }
    listeners_.end_frame();
    ++frame_;
  }

  [[nodiscard]] std::uint64_t items() const { return 3 * ChurnRows<16>::items(); }
  [[nodiscard]] std::uint64_t checksum() const { return ChurnRows<16>::checksum() + listeners_.checksum(); }

 private:
  void tell(Event event, std::uint32_t place) { listeners_.tell(event, Entity(place, 0), rows_[place].third); }

  ChurnPlan changes_;
  Listeners<Entity, How> listeners_;
};

/// Without code for listeners there are none.
[[nodiscard]] inline bool can_be_observed(const Parameters& parameters) {
  return parameters.get("how") != "none" || parameters.get("listeners") == "0";
}
/// Calls `make` with how listeners are told, as a constant.
template <class Make>
[[nodiscard]] std::unique_ptr<Measurement> with_observing(const Parameters& parameters, Make&& make) {
  const std::string& how = parameters.get("how");
  if (how == "none") return make(std::integral_constant<Observing, Observing::none>{});
  if (how == "called") return make(std::integral_constant<Observing, Observing::called>{});
  return make(std::integral_constant<Observing, Observing::collected>{});
}
template <class Storage>
[[nodiscard]] std::unique_ptr<Measurement> observe(const Parameters& parameters) {
  return with_observing(parameters, [&]<Observing How>(std::integral_constant<Observing, How>) {
    return make_case<ObservedCase<Storage, How>>(parameters);
  });
}

struct ObservedReference {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return can_be_observed(parameters); }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_observing(parameters, [&]<Observing How>(std::integral_constant<Observing, How>) {
      return make_case<ObservedRows<How>>(parameters);
    });
  }
};
template <class Name, template <class...> class Store>
struct ObservedFloor : Name {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return can_be_observed(parameters); }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return observe<ObservedComponents::In<Store>>(parameters);
  }
};

struct Observed {
  static constexpr const WorkloadCard& card = observed_card;
  using References = TypeList<ObservedReference, ObservedFloor<StoreName, PackedReusing>,
                              ObservedFloor<SectionsName, TwoSectionsReusing>, ObservedFloor<DirectName, DirectReusing>,
                              ObservedFloor<InterleavedName, InterleavedReusing>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"none", "called", "collected"}, {"none", "called"}},
            {"listeners", {"0", "1", "4", "16"}, {"0", "4"}}};
  }
  /// A destruction and a creation have one place of 4 bytes and its 16 bytes of components, a change has one and 8
  /// bytes. Places are next to each other, and nothing tells anything about where they lead.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr std::size_t listed = 2 * sizeof(std::uint32_t);
    constexpr std::size_t bytes_per_event = (listed + 16 + sizeof(Watched)) / 3;
    const double of_three = lines.in_sequence(listed) + lines.touched({{0, 16}}, 16) + lines.touched({{8, 16}}, 16);
    return {.lines_per_item = of_three / 3, .bytes_per_item = bytes_per_event};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return can_be_observed(parameters);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return observe<Strategy<ObservedComponents::Grouped>>(parameters);
  }
};

}  // namespace stowage::workloads
