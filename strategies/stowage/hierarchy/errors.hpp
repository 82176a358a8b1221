#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>

namespace stowage {

/// Something was asked of an entity that is no node of the hierarchy: never added, removed, or an earlier life of its
/// index. Nothing was changed.
class UnknownNode : public std::logic_error {
 public:
  explicit UnknownNode(Entity entity)
      : std::logic_error("entity handle " + std::to_string(entity.word()) + " is no node of this hierarchy") {}
};

/// An entity was to be added whose index has a node: its own, or that of an earlier life which nobody removed. Nothing
/// was changed.
class NodeExists : public std::logic_error {
 public:
  explicit NodeExists(Entity entity)
      : std::logic_error("entity index " + std::to_string(entity.index()) + " has a node in this hierarchy already") {}
};

/// A node was to be attached to itself or below itself. Nothing was changed.
class CyclicAttachment : public std::logic_error {
 public:
  CyclicAttachment(Entity child, Entity parent)
      : std::logic_error("entity handle " + std::to_string(child.word()) + " cannot be attached to " +
                         std::to_string(parent.word()) + ", which is itself or below it") {}
};

/// A node was to keep its place in the world below a parent whose world transform has no inverse. Nothing was changed.
class NotInvertible : public std::domain_error {
 public:
  explicit NotInvertible(Entity parent)
      : std::domain_error("the world transform of entity handle " + std::to_string(parent.word()) +
                          " has no inverse: a child cannot keep its place in the world below it") {}
};

}  // namespace stowage
