#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/type_list.hpp>

#include "harness/verify/component_numbers.hpp"
#include "harness/verify/loop_audit.hpp"
#include "harness/verify/model.hpp"

namespace stowage::harness::verify {

/// Gives one storage and one model the same work and compares what can be seen of both.
template <class Storage>
class ModelRun {
  using Handle = typename Storage::entity_type;
  using SchemaType = typename Storage::schema_type;
  using Aligned = std::conditional_t<SchemaType::template contains<verify::Aligned>, verify::Aligned, Unaligned>;
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;

 public:
  void apply(const Operation& operation) {
    switch (operation.kind) {
      case Kind::create_empty:
        return adopt<>(storage_.create(), operation.value);
      case Kind::create_group:
        return create<Plain, Counted, Aligned>(operation.value);
      case Kind::create_partial:
        return create<Counted, Large>(operation.value);
      case Kind::create_bulk:
        return create_bulk(operation);
      case Kind::destroy:
        return destroy(operation.pick);
      case Kind::destroy_stale:
        return destroy_stale(operation.pick);
      case Kind::emplace:
        return emplace(operation);
      case Kind::remove:
        return remove(operation);
      case Kind::look_up:
        return look_up(operation.pick);
      case Kind::clear:
        return clear();
      case Kind::audit:
        return audit();
      case Kind::collect:
        return collect(operation.pick);
      case Kind::count_of_kinds:
        return;
    }
  }

  /// Everything that can be seen: every handle ever given, every count, every iteration.
  void audit() {
    expect(storage_.size() == model_.living().size(), "size() differs from the number of living entities");
    expect(storage_.template count<Plain>() == model_.count(id<Plain>), "count<Plain>() is wrong");
    expect(storage_.template count<Counted>() == model_.count(id<Counted>), "count<Counted>() is wrong");
    expect(storage_.template count<Aligned>() == model_.count(id<Aligned>), "count<Aligned>() is wrong");
    expect(storage_.template count<Tag>() == model_.count(id<Tag>), "count<Tag>() is wrong");
    expect(storage_.template count<Large>() == model_.count(id<Large>), "count<Large>() is wrong");
    audit_balance();
    for (std::size_t ordinal = 0; ordinal < model_.created(); ++ordinal) compare(ordinal);
    audit_each<Plain>(storage_, model_, ordinals_);
    audit_each<Counted, Aligned>(storage_, model_, ordinals_);
    audit_each<Plain, Counted, Aligned>(storage_, model_, ordinals_);
    audit_each<Large, Counted>(storage_, model_, ordinals_);
    audit_each<Tag, Large>(storage_, model_, ordinals_);
    if constexpr (offers<Storage, Capability::block_iteration>) audit_blocks(storage_);
  }

  [[nodiscard]] const Storage& storage() const noexcept { return storage_; }

 private:
  // ---- work

  template <class... Cs>
  void create(std::uint32_t value) {
    adopt<Cs...>(storage_.create(made_of<Cs>(value)...), value);
  }

  /// Notes an entity that was just created with components made of `value`.
  template <class... Cs>
  void adopt(Handle handle, [[maybe_unused]] std::uint32_t value) {
    const std::size_t ordinal = model_.create();
    ((model_[ordinal].components[id<Cs>] = number_of(made_of<Cs>(value))), ...);
    handles_.push_back(handle);
    ordinals_[handle.word()] = ordinal;
  }

  void create_bulk(const Operation& operation) {
    const std::size_t count = operation.pick % 65;
    std::vector<Handle> handles(count);
    std::vector<Plain> plains;
    std::vector<Large> larges;
    const std::vector<Tag> tags(count);
    for (std::size_t i = 0; i < count; ++i) {
      plains.push_back(made_of<Plain>(operation.value + static_cast<std::uint32_t>(i)));
      larges.push_back(made_of<Large>(operation.value + static_cast<std::uint32_t>(i)));
    }
    if constexpr (offers<Storage, Capability::bulk_creation>) {
      storage_.create(std::span(handles), std::span<const Plain>(plains), std::span<const Large>(larges),
                      std::span<const Tag>(tags));
    } else {
      for (std::size_t i = 0; i < count; ++i) handles[i] = storage_.create(plains[i], larges[i], Tag{});
    }
    for (std::size_t i = 0; i < count; ++i) {
      adopt<Plain, Large, Tag>(handles[i], operation.value + static_cast<std::uint32_t>(i));
    }
  }

  void destroy(std::uint32_t pick) {
    if (model_.living().empty()) return;
    const std::size_t ordinal = living(pick);
    expect(storage_.destroy(handles_[ordinal]), "destroy() of a living entity said no");
    model_.destroy(ordinal);
    compare(ordinal);
  }

  void destroy_stale(std::uint32_t pick) {
    if (handles_.empty()) return;
    const std::size_t ordinal = pick % handles_.size();
    if (model_[ordinal].alive) return;
    expect(!storage_.destroy(handles_[ordinal]), "destroy() accepted a stale handle");
    if constexpr (offers<Storage, Capability::structural_change>) {
      expect(!storage_.template remove<Plain>(handles_[ordinal]), "remove() accepted a stale handle");
      try {
        storage_.template emplace<Plain>(handles_[ordinal], made_of<Plain>(1));
      } catch (const DeadEntity&) {
        return;
      }
      throw Mismatch("emplace() accepted a stale handle");
    }
  }

  template <class Function>
  static void with_component(std::uint32_t number, Function&& function) {
    switch (number % model_components) {
      case id<Plain>:
        return function(TypeList<Plain>{});
      case id<Counted>:
        return function(TypeList<Counted>{});
      case id<Aligned>:
        return function(TypeList<Aligned>{});
      case id<Tag>:
        return function(TypeList<Tag>{});
      default:
        return function(TypeList<Large>{});
    }
  }

  void emplace(const Operation& operation) {
    if (model_.living().empty()) return;
    if constexpr (offers<Storage, Capability::structural_change>) emplace_at(living(operation.pick), operation);
  }
  void emplace_at(std::size_t ordinal, const Operation& operation) {
    with_component(operation.pick, [&]<class C>(TypeList<C>) {
      const auto& added = storage_.template emplace<C>(handles_[ordinal], made_of<C>(operation.value));
      const std::uint32_t number = number_of(made_of<C>(operation.value));
      expect(number_of(added) == number, "emplace() returned another component");
      model_[ordinal].components[id<C>] = number;
    });
    compare(ordinal);
  }

  void remove(const Operation& operation) {
    if (model_.living().empty()) return;
    if constexpr (offers<Storage, Capability::structural_change>) remove_at(living(operation.pick), operation);
  }
  void remove_at(std::size_t ordinal, const Operation& operation) {
    with_component(operation.pick, [&]<class C>(TypeList<C>) {
      std::optional<std::uint32_t>& component = model_[ordinal].components[id<C>];
      expect(storage_.template remove<C>(handles_[ordinal]) == component.has_value(),
             "remove() disagrees on whether there was a component");
      component.reset();
    });
    compare(ordinal);
  }

  void look_up(std::uint32_t pick) {
    if (!handles_.empty()) compare(pick % handles_.size());
  }

  void clear() {
    storage_.clear();
    model_.clear();
    audit();
  }

  /// Some of what the dead have left, and sometimes all.
  void collect(std::uint32_t pick) {
    if constexpr (requires { storage_.collect(); }) {
      storage_.collect();
      if (pick % 8 != 0) return;
      storage_.collect_all();
      expect(Counted::living == static_cast<std::ptrdiff_t>(model_.count(id<Counted>)),
             "constructors and destructors are not balanced");
    }
  }

  // ---- comparison

  /// As many components as the living have; or more, until those that the dead have left are collected.
  void audit_balance() {
    const auto wanted = static_cast<std::ptrdiff_t>(model_.count(id<Counted>));
    if constexpr (Storage::semantics.immediate_destruction.kept) {
      expect(Counted::living == wanted, "constructors and destructors are not balanced");
    } else {
      expect(Counted::living >= wanted, "components of the living are destroyed");
    }
  }

  [[nodiscard]] std::size_t living(std::uint32_t pick) const {
    return model_.living()[pick / model_components % model_.living().size()];
  }

  /// One entity, alive or not, through every form of look-up.
  void compare(std::size_t ordinal) {
    const Handle handle = handles_[ordinal];
    const ModelEntity& entity = model_[ordinal];
    expect(storage_.alive(handle) == entity.alive, "alive() is wrong");
    const Storage& fixed = storage_;
    const auto same = [&]<class C>(TypeList<C>, const auto& found) {
      const auto& wanted = entity.components[id<C>];
      expect((found != nullptr) == wanted.has_value(), "a component is found or absent where the other was expected");
      expect(found == nullptr || number_of(*found) == *wanted, "a component has another value");
      expect(fixed.template contains<C>(handle) == wanted.has_value(), "contains() is wrong");
    };
    const auto [plain, counted, aligned] = fixed.template find<Plain, Counted, Aligned>(handle);
    const auto [large, tag] = storage_.template find<Large, Tag>(handle);
    same(TypeList<Plain>{}, plain);
    same(TypeList<Counted>{}, counted);
    same(TypeList<Aligned>{}, aligned);
    same(TypeList<Large>{}, large);
    same(TypeList<Tag>{}, tag);
    same(TypeList<Counted>{}, storage_.template find<Counted>(handle));
  }

  Storage storage_;
  Model model_;
  std::vector<Handle> handles_;  // by ordinal
  OrdinalsOf<Handle> ordinals_;
};

/// Runs the operations on a fresh storage and audits it at the end; throws Mismatch.
template <class Storage>
void run_against_model(const std::vector<Operation>& operations) {
  {
    ModelRun<Storage> run;
    std::size_t done = 0;
    try {
      for (; done < operations.size(); ++done) run.apply(operations[done]);
      run.audit();
    } catch (const Mismatch& mismatch) {
      throw Mismatch(describe(mismatch, operations, done));
    }
  }
  expect(Counted::living == 0, "components outlive their storage");
}

/// What is wrong with the strategy, if anything, after random operations from `seed`.
template <template <class> class Strategy>
[[nodiscard]] std::optional<std::string> check_model(std::uint64_t seed, std::size_t operations) {
  try {
    using Probe = Strategy<ProbeSchema>;
    using AlignedOrNot = std::conditional_t<offers<Probe, Capability::over_alignment>, Aligned, Unaligned>;
    run_against_model<Strategy<ModelSchemaWith<AlignedOrNot>>>(random_operations(seed, operations));
  } catch (const std::exception& failure) {
    Counted::living = 0;
    return failure.what();
  }
  return std::nullopt;
}

}  // namespace stowage::harness::verify
