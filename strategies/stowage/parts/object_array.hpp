#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>

namespace stowage::parts {

/// An object on the heap for each of some entities, found by the entity's index through an array of pointers.
///
///     [ptr][nil][ptr][ptr] ...
///        |         |    +--> object
///        v         +-------> object
///      object
template <class Object>
class ObjectArray {
 public:
  /// One past the highest index that has a pointer, null or not.
  [[nodiscard]] std::size_t size() const noexcept { return pointers_.size(); }
  /// The index must be below size().
  [[nodiscard]] Object* operator[](std::size_t index) const noexcept { return pointers_[index].get(); }

  /// For a loop that keeps it in a register.
  [[nodiscard]] const std::unique_ptr<Object>* data() const noexcept { return pointers_.data(); }

  /// A pointer, null or not, for this index and all below. Throws std::bad_alloc; then nothing has changed.
  void cover(EntityIndex index) {
    if (index < pointers_.size()) return;
    if (index >= pointers_.capacity()) reserve(grown_capacity(pointers_.capacity(), index + std::size_t{1}));
    pointers_.resize(index + std::size_t{1});
  }
  void reserve(std::size_t count) {
    if (count <= pointers_.capacity()) return;
    const bool is_growth = pointers_.capacity() != 0;
    pointers_.reserve(count);
    growths_ += is_growth ? 1U : 0U;
  }

  /// The index must be covered.
  void put(EntityIndex index, std::unique_ptr<Object> object) noexcept { pointers_[index] = std::move(object); }
  void end(EntityIndex index) noexcept { pointers_[index].reset(); }
  /// The pointers stay, and are null: a loop that calls this has fixed its end.
  void clear() noexcept {
    for (std::unique_ptr<Object>& pointer : pointers_) pointer.reset();
  }

  /// An object for each of `other`, and no more: `assign(from, to)` makes one that is there equal, `make(from)` makes a
  /// new one. If one of them throws, so does this; then some are equal already.
  template <class Assign, class Make>
  void copy_from(const ObjectArray& other, Assign&& assign, Make&& make) {
    if (other.size() != 0) cover(static_cast<EntityIndex>(other.size() - 1));
    for (std::size_t index = 0; index < size(); ++index) {
      Object* const from = index < other.size() ? other[index] : nullptr;
      if (from == nullptr) {
        pointers_[index].reset();
      } else if (pointers_[index] != nullptr) {
        assign(*from, *pointers_[index]);
      } else {
        pointers_[index] = make(*from);
      }
    }
  }

  [[nodiscard]] std::size_t held_pointer_bytes() const noexcept { return pointers_.capacity() * pointer_bytes; }
  [[nodiscard]] std::size_t pointer_allocations() const noexcept { return pointers_.capacity() != 0 ? 1 : 0; }
  /// How often the pointers moved to a larger allocation.
  [[nodiscard]] std::uint64_t growths() const noexcept { return growths_; }

  static constexpr std::size_t pointer_bytes = sizeof(std::unique_ptr<Object>);

 private:
  std::vector<std::unique_ptr<Object>> pointers_;
  std::uint64_t growths_ = 0;
};

}  // namespace stowage::parts
