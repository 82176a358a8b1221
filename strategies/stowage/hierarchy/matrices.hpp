#pragma once

// Where the transforms of a form's rows are: in arrays of the form, or where a storage has them as components.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/counted_heap.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::hierarchy {

using Row = parts::RowNumber;

/// The form has them, in the order of its rows.
///
///     locals     [  I  ] [64 ] [64 ] [64 ] ...               row -> transform within the parent, on a line of its own
///     worlds     [  I  ] [64 ] [64 ] [64 ] ...               row -> transform within the world, on a line of its own
class OwnMatrices {
 public:
  static constexpr bool are_placed = false;
  [[nodiscard]] static constexpr bool follow_rows() noexcept { return true; }
  /// What add() gets for a node.
  using Given = Matrix;
  /// What moves with a row.
  struct Held {
    Matrix local, world;
  };
  struct Cursor {
    Matrix* world;
    const Matrix* local;
  };

  template <class Fn>
  void for_each_column(Fn&& fn) {
    fn(locals_);
    fn(worlds_);
  }
  [[nodiscard]] Cursor cursor() noexcept { return {worlds_.data(), locals_.data()}; }
  [[nodiscard]] static Held held_of(Entity /*owner*/, const Matrix& local) noexcept { return {local, local}; }
  [[nodiscard]] Held held(Row row) const noexcept { return {locals_[row], worlds_[row]}; }
  void hold(Row row, const Held& held) noexcept {
    locals_[row] = held.local;
    worlds_[row] = held.world;
  }
  void hold_identity(Row row) noexcept { locals_[row] = worlds_[row] = identity(); }
  void hold_nothing(Row /*row*/) noexcept {}
  void make_spare(Entity /*owner*/, const Matrix& /*local*/) noexcept {}
  void end_spare(Entity /*owner*/) noexcept {}
  void note_order() noexcept {}
  void clear() noexcept {}
  [[nodiscard]] MemoryBreakdown memory(std::size_t nodes) const noexcept {
    MemoryBreakdown sum = memory_of(0, locals_, worlds_);
    sum.payload_bytes = nodes * 2 * sizeof(Matrix);
    sum.slack_bytes -= sum.payload_bytes;
    return sum;
  }

  [[nodiscard]] Matrix& local_at(Row row, Entity /*owner*/) noexcept { return locals_[row]; }
  [[nodiscard]] const Matrix& local_at(Row row, Entity /*owner*/) const noexcept { return locals_[row]; }
  [[nodiscard]] const Matrix& world_at(Row row, Entity /*owner*/) const noexcept { return worlds_[row]; }
  [[nodiscard]] bool knows_world(Row /*row*/, Entity /*owner*/) const noexcept { return true; }

 private:
  parts::GrowingArray<Matrix> locals_;
  parts::GrowingArray<Matrix> worlds_;
};

/// The transforms that a storage has of an entity; null if it has none.
struct Transforms {
  Matrix* local = nullptr;
  Matrix* world = nullptr;
};

/// Where a form that has no transforms finds them.
class TransformSource {
 public:
  TransformSource() = default;
  TransformSource(const TransformSource&) = delete;
  TransformSource& operator=(const TransformSource&) = delete;

  [[nodiscard]] virtual Transforms find(Entity entity) const noexcept = 0;
  /// Whether find() gives what it gave when places were found last.
  [[nodiscard]] virtual bool places_hold() const noexcept = 0;
  /// Whether transforms can be put in the order of the nodes.
  [[nodiscard]] virtual bool follows_nodes() const noexcept = 0;

 protected:
  ~TransformSource() = default;
};

/// A storage has them, and the form knows where. A local that an entity lacks is the identity, and stays it; a world
/// that it lacks is a spare, which the form has.
///
///     places_    [ & I , & I ] [ &local, &world ] [ &local, &spare ] ...       row -> 16 bytes
///     runs_      [rows 1 to 900: &local, &world, 64 bytes a step] ...           32 bytes for many rows
///
/// An update goes by places_, or by runs_ if it computes all worlds and runs are long. Everything else asks the source,
/// unless that says that places hold. Whatever a form does with rows moves places, never matrices.
class PlacedMatrices {
 public:
  static constexpr bool are_placed = true;
  using Given = Transforms;
  struct Held {
    Matrix* local;
    Matrix* world;
  };
  struct Worlds {
    const Held* places;
    [[nodiscard]] Matrix& operator[](Row row) const noexcept { return *places[row].world; }
  };
  struct Locals {
    const Held* places;
    [[nodiscard]] const Matrix& operator[](Row row) const noexcept { return *places[row].local; }
  };
  struct Cursor {
    Worlds world;
    Locals local;
  };

  PlacedMatrices() : spares_(CountingAllocator(heap_)) {}

  /// Must be called before anything else. The source must outlive the form.
  void find_in(const TransformSource& source) noexcept { source_ = &source; }
  /// If not, rows should be in the order of their transforms.
  [[nodiscard]] bool follow_rows() const noexcept { return source_->follows_nodes(); }

  template <class Fn>
  void for_each_column(Fn&& fn) {
    fn(places_);
  }
  [[nodiscard]] Cursor cursor() const noexcept { return {{places_.data()}, {places_.data()}}; }
  [[nodiscard]] Held held_of(Entity owner, const Transforms& given) noexcept {
    return {given.local != nullptr ? given.local : &identity_,
            given.world != nullptr ? given.world : &spares_.find(owner.index())->second};
  }
  [[nodiscard]] Held held(Row row) const noexcept { return places_[row]; }
  void hold(Row row, const Held& held) noexcept {
    places_[row] = held;
    runs_are_known_ = false;
  }
  void hold_identity(Row row) noexcept { hold(row, {&identity_, &identity_}); }
  void hold_nothing(Row row) noexcept { hold_identity(row); }
  /// Throws std::bad_alloc; then nothing has changed.
  void make_spare(Entity owner, const Transforms& given) {
    if (given.world == nullptr) spares_.try_emplace(owner.index(), identity());
  }
  void end_spare(Entity owner) noexcept { spares_.erase(owner.index()); }
  void note_order() noexcept {
    order_is_new_ = true;
    runs_are_known_ = false;
  }
  void clear() noexcept {
    spares_.clear();
    runs_are_known_ = false;
  }
  [[nodiscard]] MemoryBreakdown memory(std::size_t nodes) const noexcept {
    MemoryBreakdown sum = memory_of(nodes * sizeof(Held) + runs_.size() * sizeof(Run), places_, runs_);
    sum.index_bytes += heap_.bytes;
    sum.allocations += heap_.blocks;
    return sum;
  }

  /// What is written to the local that an entity lacks is lost.
  [[nodiscard]] Matrix& local_at(Row row, Entity owner) noexcept {
    Matrix* const local = place_of_local(row, owner);
    if (local == nullptr) return lost_ = identity();
    return *local;
  }
  [[nodiscard]] const Matrix& local_at(Row row, Entity owner) const noexcept {
    const Matrix* const local = place_of_local(row, owner);
    return local != nullptr ? *local : identity_;
  }
  [[nodiscard]] const Matrix& world_at(Row row, Entity owner) const noexcept {
    const Matrix* const world = place_of_world(row, owner);
    return world != nullptr ? *world : identity_;
  }
  /// False if the entity has gained or lost a transform since places were found.
  [[nodiscard]] bool knows_world(Row row, Entity owner) const noexcept {
    return source_->places_hold() || has_the_same(row, owner, source_->find(owner));
  }

  /// Where the transforms of a row are now. Returns whether the entity has gained or lost one. Throws std::bad_alloc.
  bool place(Row row, Entity owner, const Transforms& found) {
    if (found.local == nullptr || found.world == nullptr || places_[row].local == &identity_ || !spares_.empty())
        [[unlikely]] {
      return place_with_spare(row, owner, found);
    }
    hold(row, {found.local, found.world});
    return false;
  }
  /// Finds the runs if rows have changed since. O(rows), less if runs are short; then there are none. Throws
  /// std::bad_alloc; then they are not known.
  void find_runs() {
    if (runs_are_known_) return;
    runs_.clear();
    const auto rows = static_cast<Row>(places_.size());
    for (Row row = 1; row < rows;) {
      const Held& start = places_[row];
      if (start.world == &identity_) {  // a hole
        ++row;
        continue;
      }
      if (runs_.size() > rows / 16) {
        runs_.clear();
        break;
      }
      const Row first = row++;
      const std::ptrdiff_t step = row < rows ? bytes_between(start.world, places_[row].world) : 0;
      while (row < rows && bytes_between(places_[row - 1].world, places_[row].world) == step &&
             bytes_between(places_[row - 1].local, places_[row].local) == step) {
        ++row;
      }
      runs_.append({first, row, start, step});
    }
    runs_are_known_ = true;
  }
  /// False if the runs are too short to go by.
  [[nodiscard]] bool has_runs() const noexcept { return runs_.size() != 0; }
  /// Computes the worlds of all rows, of which parents come first. After find_runs().
  STOWAGE_NOINLINE void compose_runs(const Row* parents) noexcept {
    const Held* const places = places_.data();
    std::size_t known = 0;
    AboveMatrix above(identity_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run run = runs_[i];
      const auto [first, end] = std::pair<std::size_t, std::size_t>(run.first, run.end);
      Matrix* const row_0 = behind(run.start.world, -run.step * run.first);
      Matrix* world = run.start.world;
      const std::ptrdiff_t to_local = bytes_between(world, run.start.local);
      for (std::size_t row = first; row != end; ++row) {
        if (parents[row] != known) [[likely]] {
          known = parents[row];
          above = AboveMatrix(known >= first ? *behind(row_0, run.step * static_cast<std::ptrdiff_t>(known))
                                             : *places[known].world);
        }
        above.compose(*behind(world, to_local), *world);
        world = behind(world, run.step);
      }
    }
  }
  /// Whether all rows were put in order since it was asked last.
  [[nodiscard]] bool take_order_is_new() noexcept { return std::exchange(order_is_new_, false); }

 private:
  using CountingAllocator = parts::CountingAllocator<std::pair<const EntityIndex, Matrix>>;
  /// Rows whose transforms lie behind each other at equal steps.
  struct Run {
    Row first;
    Row end;
    Held start;
    std::ptrdiff_t step;  ///< bytes
  };

  [[nodiscard]] static std::ptrdiff_t bytes_between(const Matrix* from, const Matrix* to) noexcept {
    return reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from);
  }
  [[nodiscard]] static Matrix* behind(Matrix* matrix, std::ptrdiff_t bytes) noexcept {
    return reinterpret_cast<Matrix*>(reinterpret_cast<std::intptr_t>(matrix) + bytes);
  }
  [[nodiscard]] Matrix* place_of_local(Row row, Entity owner) const noexcept {
    if (!source_->places_hold()) return source_->find(owner).local;
    return places_[row].local != &identity_ ? places_[row].local : nullptr;
  }
  [[nodiscard]] const Matrix* place_of_world(Row row, Entity owner) const noexcept {
    if (source_->places_hold()) return places_[row].world;
    if (const Matrix* const world = source_->find(owner).world) return world;
    const auto spare = spares_.find(owner.index());
    return spare != spares_.end() ? &spare->second : nullptr;
  }
  /// Whether the entity has the transforms that it had when places were found.
  [[nodiscard]] bool has_the_same(Row row, Entity owner, const Transforms& found) const noexcept {
    return (found.local != nullptr) == (places_[row].local != &identity_) &&
           (found.world != nullptr) == !spares_.contains(owner.index());
  }
  STOWAGE_COLD bool place_with_spare(Row row, Entity owner, const Transforms& found) {
    const bool has_changed = !has_the_same(row, owner, found);
    make_spare(owner, found);
    hold(row, held_of(owner, found));
    if (found.world != nullptr) end_spare(owner);
    return has_changed;
  }

  const TransformSource* source_ = nullptr;
  parts::GrowingArray<Held> places_;
  parts::GrowingArray<Run> runs_;
  parts::HeapCount heap_;
  std::map<EntityIndex, Matrix, std::less<>, CountingAllocator> spares_;  ///< whose nodes never move
  Matrix identity_ = identity();  ///< of the origin, holes, and entities without a local; updates write it as it is
  Matrix lost_;
  bool order_is_new_ = false;
  bool runs_are_known_ = false;
};

}  // namespace stowage::hierarchy
