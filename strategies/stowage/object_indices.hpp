#pragma once

// object_indices: every entity is an object on the heap that holds the numbers of its rows; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     objects    [ptr][ptr][nil][ptr] ...                       8 bytes per index
//                   |    +--> object { gen, row AB, row A, row B, row C }  on the heap
//                   +-------> object { gen, row AB, row A, row B, row C }
//                                             \_______
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
//     find<A, B>(e)    object = objects[e.index]
//                      if (!object || object->generation != e.generation) return null
//                      row = object->rows[pool of <A, B>]
//                      return row != no_row ? { &A[row], &B[row] } : null
//     each<A, B>(fn)   for (row = 0; row < size; ++row) fn(A[row], B[row])                   // reads no object
//     create(a, b)     e = registry.create(); objects[e.index] = new Object(e.generation, no rows)
//                      A[size] = a; B[size] = b; owner[size] = e.index
//                      objects[e.index]->rows[pool] = size++
//     destroy(e)       in each pool: row = object->rows[pool]; object->rows[pool] = no_row; last = --size
//                      if (row != last) A[row] = A[last]; B[row] = B[last]; owner[row] = owner[last]
//                                       objects[owner[row]]->rows[pool] = row
//                      delete objects[e.index]; registry.destroy(e)
//
// This is for a group <A, B>. If A and B are in several pools, find reads a number of the object for each, and each
// walks the rows of the rarer one and looks the other up in the object of its owner. The code: ObjectIndex below is the
// objects, PoolStorage (parts/pool_storage.hpp) the operations.
//
// By: the second step of Cerulean Skies (2019), away from naive_objects: components lie in flat arrays, and the heap
//      objects that entities still are hold indices into them. Its prediction: about 1 miss per entity remains, that of
//      the object.
// Pick it when entities have to be objects, because other code keeps pointers to them, and components need not be. Row
// numbers in an array of records (offset_table) spare the pointer, and the allocation for each entity.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (pointer) + 1 (object) + k (columns),
// where generation and number lie in one line of the object, which begins at a multiple of 16. They do for the numbers
// of the first three pools; groups come first. A loop over a list of pointers, as Cerulean Skies has it, would spare
// the line of the array of pointers.

#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/object_array.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// Row numbers in an object per entity, which exists as long as the entity: the storage admits and dismisses it.
template <class EntityType, std::size_t Pools>
class ObjectIndex {
  struct Object {
    explicit Object(EntityType owner) noexcept : generation(owner.generation()) { rows.fill(no_row); }

    typename EntityType::generation_type generation;
    std::array<RowNumber, Pools> rows;
  };
  /// The heap gives places at multiples of 16.
  static constexpr std::size_t heap_step = 16;

 public:
  using room = DefaultRoom;

  /// See contract/lines.hpp.
  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    constexpr double pointer = 1;
    constexpr std::size_t place = offsetof(Object, rows) + P * sizeof(RowNumber);
    return pointer + lines_touched({{0, sizeof(Object::generation)}, {place, place + sizeof(RowNumber)}}, heap_step);
  }

  /// A new entity, without rows. Amortised O(1). Throws std::bad_alloc; then nothing has changed.
  void admit(EntityType entity) {
    objects_.cover(entity.index());
    objects_.put(entity.index(), std::make_unique<Object>(entity));
    ++living_;
  }
  void admit(const NewEntities<EntityType>& entities) {
    std::size_t admitted = 0;
    OnFailure undo([&] {
      while (admitted != 0) dismiss(entities.handles[--admitted]);
    });
    if (entities.size() != 0) objects_.cover(static_cast<EntityIndex>(entities.index_end() - 1));
    for (; admitted < entities.size(); ++admitted) admit(entities.handles[admitted]);
    undo.release();
  }
  /// The entity is at its end and has no rows any more.
  void dismiss(EntityType entity) noexcept {
    objects_.end(entity.index());
    --living_;
  }

  /// The row of this very entity, no_row when it has none in the pool or the handle is stale.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    if (entity.index() >= objects_.size()) return no_row;
    const Object* const object = objects_[entity.index()];
    return object != nullptr && object->generation == entity.generation() ? object->rows[P] : no_row;
  }

  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) noexcept {
    objects_[entity.index()]->rows[P] = row;
  }
  /// The same for many: the i-th has row `first_row` + i.
  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) noexcept {
    for (const EntityType entity : entities.handles) insert<P>(entity, first_row++);
  }

  /// Takes the index of a living entity to its row, no_row when it has none.
  template <std::size_t P>
  [[nodiscard]] auto reader() const noexcept {
    return [objects = objects_.data()](EntityIndex index) { return objects[index]->rows[P]; };
  }

  /// The row of the living entity at `index` moved.
  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    objects_[index]->rows[P] = row;
  }
  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    objects_[entity.index()]->rows[P] = no_row;
  }

  /// Room for the pointers; the objects come from the heap one by one whatever is reserved.
  template <std::size_t P>
  void reserve(std::size_t count) {
    objects_.reserve(count);
  }
  void clear() noexcept {
    objects_.clear();
    living_ = 0;
  }

  void copy_from(const ObjectIndex& other) {
    objects_.copy_from(
        other.objects_, [](const Object& from, Object& to) { to = from; },
        [](const Object& from) { return std::make_unique<Object>(from); });
    living_ = other.living_;
  }

  /// Pointers to objects, generations, and numbers that say a row, are index; the rest of the objects and of the array
  /// of pointers is slack.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    std::size_t used = living_ * (objects_.pointer_bytes + sizeof(Object::generation));
    for (const std::size_t count : rows) used += count * sizeof(RowNumber);
    return {.payload_bytes = 0,
            .index_bytes = used,
            .slack_bytes = living_ * sizeof(Object) + objects_.held_pointer_bytes() - used,
            .allocations = living_ + objects_.pointer_allocations()};
  }
  [[nodiscard]] StorageEvents events() const noexcept { return {.growths = objects_.growths()}; }

 private:
  ObjectArray<Object> objects_;
  std::size_t living_ = 0;
};

struct ObjectIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = ObjectIndex<EntityType, Pools>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class ObjectIndices : public parts::PoolStorage<SchemaType, Registry, parts::ObjectIndexPolicy, parts::ColumnsLayout> {
};

static_assert(assert_storage<ObjectIndices<ProbeSchema>>());

}  // namespace stowage
