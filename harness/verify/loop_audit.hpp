#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <stowage/contract/schema.hpp>

#include "harness/verify/component_numbers.hpp"
#include "harness/verify/model.hpp"

namespace stowage::harness::verify {

/// Whom handles belong to, the newest owner of each, by their words.
template <class Handle>
using OrdinalsOf = std::unordered_map<typename Handle::word_type, std::size_t>;

/// `each<Cs...>` visits exactly the entities that have all of Cs, each once, with its own components.
template <class... Cs, class Storage>
void audit_each(Storage& storage, const Model& model, const OrdinalsOf<typename Storage::entity_type>& ordinals) {
  using SchemaType = typename Storage::schema_type;
  std::vector<bool> visited(model.created(), false);
  std::size_t visits = 0;
  storage.template each<const Cs...>([&](typename Storage::entity_type handle, const Cs&... components) {
    const auto known = ordinals.find(handle.word());
    expect(known != ordinals.end() && model[known->second].alive, "each() shows an entity that is not alive");
    const ModelEntity& entity = model[known->second];
    expect(((entity.components[stowage::detail::component_id<Cs, SchemaType>] == number_of(components)) && ...),
           "each() shows another entity's component");
    expect(!visited[known->second], "each() shows an entity twice");
    visited[known->second] = true;
    ++visits;
  });
  std::size_t holders = 0;
  for (const std::size_t ordinal : model.living()) {
    const ModelEntity& entity = model[ordinal];
    holders += (entity.components[stowage::detail::component_id<Cs, SchemaType>].has_value() && ...) ? 1 : 0;
  }
  expect(visits == holders, "each() leaves an entity out");
}

/// `each_block` shows the same rows as `each`: as many, with the same values.
template <class Storage>
void audit_blocks(Storage& storage) {
  std::uint64_t rows = 0;
  std::uint64_t sum = 0;
  storage.template each_block<const Plain, const Large>([&](const auto& plains, const auto& larges) {
    expect(plains.size() == larges.size() && plains.size() != 0, "spans of a block differ in length, or are empty");
    for (std::size_t i = 0; i < plains.size(); ++i)
      sum += number_of(plains[i]) * std::uint64_t{31} + number_of(larges[i]);
    rows += plains.size();
  });
  storage.template each<const Plain, const Large>([&](const Plain& plain, const Large& large) {
    sum -= number_of(plain) * std::uint64_t{31} + number_of(large);
    --rows;
  });
  expect(rows == 0 && sum == 0, "each_block() shows other rows than each()");
}

}  // namespace stowage::harness::verify
