#pragma once

// naive_objects: every entity is an object on the heap, every component another.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     objects    [ptr][ptr][nil][ptr] ...                       8 bytes per index
//                   |
//                   +--> object { vtable, entity, ptr A, ptr B }  on the heap
//                                                   |      +--> B  on the heap
//                                                   +---------> A  on the heap
//
//     .inline_fields    object { vtable, entity, A, is there an A, B, is there a B }    on the heap
//
// By: the starting point of Cerulean Skies (2019): "It's pointer chasing all the way down." Its loop calls a virtual
//      `process(entity)` of the system for each entity, and so does each(). .inline_fields is what engines of that
//      style more often have: fields in the object, and a loop that calls a virtual `update` of each object.
// Pick it when components must never move, entities are few, or other code keeps pointers to components.
// Groups mean nothing here.
// Misses per shuffled lookup of k components, all out of cache, on a heap of 16-byte steps like glibc's:
//   allocated in unrelated orders: 1 (pointer) + object + k (components). A lookup reads 8 + 8 c bytes of an object
//      of c component types, from its handle to its last pointer: 1.25 lines for two, as 1 of 4 straddles a line.
//   allocated together: 1 (pointer) + the lines of object and components, which are neighbours. In all 2.5 for one
//      component of a point mass, 3.5 for all four.
//   .inline_fields: 1 (pointer) + the lines of the handle and the fields. In all 2.5 for one component of a point
//      mass, 3 for all four.
// A loop over a list of handles adds 1/8 line for the handle: 4.375 for `join` by find of two components in unrelated
// orders. Cerulean Skies' "about 3" counts the 3 heap blocks alone: its list has pointers, and nothing straddles lines.

#include <cstring>
#include <optional>

#include <stowage/parts/object_array.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage {

namespace parts {

/// An object has each component in a heap block of its own.
struct HeapComponents {
  template <class C>
  using Place = std::unique_ptr<C>;
  static constexpr bool are_fields = false;

  template <class C, class... Arguments>
  [[nodiscard]] static Place<C> make(Arguments&&... arguments) {
    if constexpr (std::is_constructible_v<C, Arguments...>) {
      return std::make_unique<C>(std::forward<Arguments>(arguments)...);
    } else {
      return std::unique_ptr<C>(new C{std::forward<Arguments>(arguments)...});
    }
  }
  template <class C>
  [[nodiscard]] static C* address(Place<C>& place) noexcept {
    return place.get();
  }
};

/// An object has its components as fields.
struct FieldComponents {
  template <class C>
  using Place = std::optional<C>;
  static constexpr bool are_fields = true;

  template <class C, class... Arguments>
  [[nodiscard]] static Place<C> make(Arguments&&... arguments) {
    if constexpr (std::is_constructible_v<C, Arguments...>) {
      return Place<C>(std::in_place, std::forward<Arguments>(arguments)...);
    } else {
      return Place<C>(stowage::detail::make<C>(std::forward<Arguments>(arguments)...));
    }
  }
  template <class C>
  [[nodiscard]] static C* address(Place<C>& place) noexcept {
    return place ? std::addressof(*place) : nullptr;
  }
};

/// The root of the class hierarchy that an engine of this style has, the same for all kinds of entities.
template <class EntityType>
class ObjectBase {
 public:
  explicit ObjectBase(EntityType owner) noexcept : entity(owner) {}
  ObjectBase(const ObjectBase&) = delete;
  ObjectBase& operator=(const ObjectBase&) = delete;
  virtual ~ObjectBase() = default;

  /// The engine calls this once a frame for each object. Here the caller does the work, so the object only returns
  /// itself.
  [[nodiscard]] virtual void* update() noexcept = 0;

  EntityType entity;
};

/// A component of an object. A base and not an element of a tuple, so that components lie in the order of the schema.
template <class Where, class C>
struct ObjectComponent {
  typename Where::template Place<C> place;
};

template <class EntityType, class Where, class List>
class ObjectWith;
template <class EntityType, class Where, class... Cs>
class ObjectWith<EntityType, Where, TypeList<Cs...>> final : public ObjectBase<EntityType>,
                                                             private ObjectComponent<Where, Cs>... {
 public:
  using ObjectBase<EntityType>::ObjectBase;
  [[nodiscard]] STOWAGE_NOIPA void* update() noexcept override { return this; }

  /// Null if it has none.
  template <class C>
  [[nodiscard]] C* component() noexcept {
    return Where::template address<C>(place_of<C>());
  }
  template <class C>
  void take(typename Where::template Place<C>&& component) noexcept {
    if constexpr (Where::are_fields) {
      place_of<C>().emplace(std::move(*component));
    } else {
      place_of<C>() = std::move(component);
    }
  }
  template <class C>
  void end() noexcept {
    place_of<C>().reset();
  }
  template <class C>
  [[nodiscard]] auto& place_of() noexcept {
    return static_cast<ObjectComponent<Where, C>&>(*this).place;
  }
};

/// What Cerulean Skies' loop calls for each entity.
template <class Object>
class ObjectSystem {
 public:
  ObjectSystem() = default;
  ObjectSystem(const ObjectSystem&) = delete;
  ObjectSystem& operator=(const ObjectSystem&) = delete;
  virtual void process(Object& object) = 0;

 protected:
  ~ObjectSystem() = default;
};

/// Processes the objects of a range. This is a function of its own, and STOWAGE_NOIPA like the one it calls: a compiler
/// that sees only one system would replace the virtual call by its body. The loop goes by index, because in a loop over
/// all objects the system may create some, and then the array may grow.
template <class Object>
STOWAGE_NOIPA void process_objects(const ObjectArray<Object>& objects, RowRange range, ObjectSystem<Object>& system) {
  for (std::size_t index = range.first; index < range.end; ++index) {
    Object* const object = objects[index];
    if (object != nullptr) system.process(*object);
  }
}

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Where = parts::HeapComponents>
class NaiveObjects : public parts::StorageForms<NaiveObjects<SchemaType, Registry, Where>, SchemaType, Registry> {
  using Forms = parts::StorageForms<NaiveObjects, SchemaType, Registry>;
  friend Forms;

 public:
  using typename Forms::entity_type;
  using block_entities = BlockEntities<Registry>;

  static constexpr SemanticsCard semantics{
      .creation_order = not_promised("objects are visited by index, and the index freed last is given out first"),
  };

  static constexpr parts::AllowedInLoops in_loops{true, true, true};

  bool destroy(entity_type entity) {
    guard_.assert_no_part();
    if (object_of(entity) == nullptr) return false;
    parts::announce_end(registry_, entity);
    end_life(entity);
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_part();
    Object* const object = object_of(entity);
    if (object == nullptr) STOWAGE_THROW(DeadEntity(entity.word()));
    if constexpr (Where::are_fields && !detail::knows_no_place<C> && std::is_constructible_v<C, Arguments...>) {
      if (object->template component<C>() == nullptr) {
        object->template place_of<C>().emplace(std::forward<Arguments>(arguments)...);
        if constexpr (tracks_moves<C>) moves_.note();
        ++counts_[detail::component_id<C, SchemaType>];
        return *object->template component<C>();
      }
    }
    // made first: the arguments may refer to the old one, and a constructor may throw
    auto component = Where::template make<C>(std::forward<Arguments>(arguments)...);
    if constexpr (tracks_moves<C>) moves_.note();
    if (object->template component<C>() == nullptr) ++counts_[detail::component_id<C, SchemaType>];
    object->template take<C>(std::move(component));
    return *object->template component<C>();
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_part();
    Object* const object = object_of(entity);
    if (object == nullptr || object->template component<C>() == nullptr) return false;
    if constexpr (tracks_moves<C>) moves_.note();
    uncount<C>(true);
    object->template end<C>();
    return true;
  }

  /// Tables of one component each.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const parts::IterationGuard::Scope<parts::NoChange> looping(guard_);
    using Rows = parts::ScatteredRows<1, parts::rows_to_gather(SchemaType::component_count)>;
    std::array<Rows, SchemaType::component_count> tables;
    const auto show = [&]<class C>(TypeList<C>) {
      constexpr std::size_t id = detail::component_id<C, SchemaType>;
      const TableColumn column = tables[id].template column<C>(0, id);
      tables[id].show({&column, 1}, fn);
    };
    for (std::size_t index = 0; index < objects_.size(); ++index) {
      detail::for_each_component<SchemaType>([&]<class C>(TypeList<C> component) {
        const C* const found = find_in<const C>(objects_[index]);
        if (found == nullptr) return;
        Rows& rows = tables[detail::component_id<C, SchemaType>];
        rows.place(0, found);
        rows.add(static_cast<EntityIndex>(index));
        if (rows.is_full()) show(component);
      });
    }
    detail::for_each_component<SchemaType>(show);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    return counts_[detail::component_id<C, SchemaType>];
  }

  /// See contract/lines.hpp; for entities whose components were made in orders of their own, like the object.
  template <class... Qs>
    requires(!Where::are_fields)
  [[nodiscard]] static constexpr double scattered_lookup_lines() noexcept {
    return pointer_lines + lines_touched({read_of_object(0)}, heap_step) + sizeof...(Qs);
  }
  /// The same for entities that came whole from one create(), with the components of the schema and no others.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    std::array<Touched, 2 * sizeof...(Qs) + 1> touched{};
    std::size_t pieces = 0;
    std::size_t place = Where::are_fields ? sizeof(ObjectBase) : 0;
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      constexpr bool is_asked_for = detail::is_one_of<C, std::remove_const_t<Qs>...>;
      if constexpr (Where::are_fields) place = (place + alignof(Place<C>) - 1) / alignof(Place<C>) * alignof(Place<C>);
      if (is_asked_for) touched[pieces++] = {place, place + word_bytes};
      if (is_asked_for && Where::are_fields) touched[pieces++] = {place + sizeof(C), place + sizeof(C) + 1};
      place += Where::are_fields ? sizeof(Place<C>) : heap_bytes(sizeof(C));
    });
    touched[pieces] = Where::are_fields ? handle_of_object : read_of_object(place);
    return pointer_lines + lines_touched(touched, Where::are_fields ? heap_bytes(sizeof(Object)) : heap_step);
  }

  /// Components are payload. The rest of each living object, and the pointer to it, are index. Fields that hold no
  /// component are slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    std::size_t object_bytes = this->size() * sizeof(Object);
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      bytes.payload_bytes += count<C>() * sizeof(C);
      if constexpr (Where::are_fields) {
        bytes.slack_bytes += (this->size() - count<C>()) * sizeof(C);
        object_bytes -= this->size() * sizeof(C);
      } else {
        bytes.allocations += count<C>();
      }
    });
    const std::size_t pointers = this->size() * parts::ObjectArray<Object>::pointer_bytes;
    bytes.index_bytes += object_bytes + pointers;
    bytes.slack_bytes += objects_.held_pointer_bytes() - pointers;
    bytes.allocations += this->size() + objects_.pointer_allocations();
    return bytes;
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept {
    return registry_.events() + StorageEvents{.growths = objects_.growths()};
  }

  /// See contract/moves.hpp. Components stay where they are until they are replaced, removed or destroyed.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    return moves_.value();
  }

 private:
  using ObjectBase = parts::ObjectBase<entity_type>;
  using Object = parts::ObjectWith<entity_type, Where, typename SchemaType::components>;
  template <class C>
  using Place = typename Where::template Place<C>;

  // How glibc's heap places blocks: each has an 8-byte header, begins at a multiple of 16, and lies at least 32 bytes
  // behind the one before.
  static constexpr std::size_t heap_step = 16;
  [[nodiscard]] static constexpr std::size_t heap_bytes(std::size_t wanted) noexcept {
    return std::max<std::size_t>(32, (wanted + 8 + heap_step - 1) / heap_step * heap_step);
  }
  /// One line of the array of pointers.
  static constexpr double pointer_lines = 1;
  static constexpr Touched handle_of_object{sizeof(void*), sizeof(ObjectBase)};
  /// From the handle, which lies behind the virtual table's pointer, to the last pointer to a component.
  [[nodiscard]] static constexpr Touched read_of_object(std::size_t place) noexcept {
    return {place + sizeof(void*), place + sizeof(Object)};
  }

  /// Room for the pointers; the objects come from the heap one by one whatever is reserved.
  template <class Components>
  void reserve_for(std::size_t count, Components) {
    registry_.reserve(count);
    objects_.reserve(count);
  }

  void end_rows() noexcept {
    moves_.note();
    objects_.clear();
    counts_.fill(0);
  }

  /// Objects and components that both have are assigned to, so a copy of much the same world takes hardly any memory.
  void copy_rows(const NaiveObjects& other) {
    moves_.note();
    objects_.copy_from(other.objects_, &assign_object, [](Object& from) {
      auto object = std::make_unique<Object>(from.entity);
      assign_object(from, *object);
      return object;
    });
    counts_ = other.counts_;
  }

  template <class... Cs>
  entity_type create_one(Cs&&... components) {
    return create_object<std::remove_cvref_t<Cs>...>(
        Where::template make<std::remove_cvref_t<Cs>>(std::forward<Cs>(components))...);
  }

  /// Takes the components as they are; everything that may throw comes before the object exists.
  template <class... Cs>
  entity_type create_object([[maybe_unused]] Place<Cs>&&... components) {
    const entity_type entity = registry_.create();
    parts::OnFailure undo([&] { registry_.destroy(entity); });
    objects_.cover(entity.index());
    auto object = std::make_unique<Object>(entity);
    undo.release();
    (object->template take<Cs>(std::move(components)), ...);
    (++counts_[detail::component_id<Cs, SchemaType>], ...);
    objects_.put(entity.index(), std::move(object));
    return entity;
  }

  /// Without a lookup for each component.
  void take_row(entity_type entity, const ComponentColumns<SchemaType>& columns, std::size_t row) {
    Object& object = *objects_[entity.index()];
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) {
        object.template take<C>(Where::template make<C>());
      } else {
        columns.template take<C>(
            row, 1,
            [&](auto components) {
              object.template take<C>(Where::template make<C>(detail::copy_of(components.front())));
            },
            [&](std::size_t, C&& component) {
              object.template take<C>(Where::template make<C>(std::move(component)));
            });
      }
      ++counts_[detail::component_id<C, SchemaType>];
    });
  }

  void end_life(entity_type entity) noexcept {
    moves_.note();
    Object* const object = objects_[entity.index()];
    detail::for_each_component<SchemaType>(
        [&]<class C>(TypeList<C>) { uncount<C>(object->template component<C>() != nullptr); });
    objects_.end(entity.index());
    registry_.destroy(entity);
  }

  static void assign_object(Object& from, Object& to) {
    to.entity = from.entity;
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      const C* const theirs = from.template component<C>();
      C* const mine = to.template component<C>();
      if (theirs == nullptr) {
        to.template end<C>();
      } else if (mine == nullptr) {
        to.template take<C>(Where::template make<C>(detail::copy_of(*theirs)));
      } else if constexpr (!is_tag<C>) {
        std::memcpy(static_cast<void*>(mine), theirs, sizeof(C));
      }
    });
  }

  /// Null if the handle is stale. The object holds its own handle to compare with, so the registry is not read.
  [[nodiscard]] Object* object_of(entity_type entity) const noexcept {
    if (entity.index() >= objects_.size()) return nullptr;
    Object* const object = objects_[entity.index()];
    return object != nullptr && object->entity == entity ? object : nullptr;
  }

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(entity_type entity) const noexcept {
    Object* const object = object_of(entity);
    return {find_in<Qs>(object)...};
  }

  template <class Q>
  [[nodiscard]] static Q* find_in(Object* object) noexcept {
    return object != nullptr ? object->template component<std::remove_const_t<Q>>() : nullptr;
  }

  // ---- iteration: see StorageForms

  /// Visits every object and checks its components: no index lists the entities that have a component.
  template <class... Qs, class Slice, class Fn>
  void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    const parts::RowRange range = slice.take(objects_.size());
    if constexpr (Where::are_fields) {
      // by index, because fn may create objects and grow the array; ends where the array ended before the loop
      for (std::size_t index = range.first; index < range.end; ++index) {
        ObjectBase* const object = objects_[index];
        if (object != nullptr) visit<Qs...>(*static_cast<Object*>(object->update()), fn);
      }
    } else {
      struct System final : parts::ObjectSystem<Object> {
        explicit System(Fn& function) noexcept : fn(function) {}
        STOWAGE_NOIPA void process(Object& object) override { visit<Qs...>(object, fn); }
        Fn& fn;
      } system(fn);
      parts::process_objects<Object>(objects_, range, system);
    }
  }

  template <class... Qs, class Fn>
  static void visit(Object& object, Fn& fn) {
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      const std::tuple<detail::asked_of<Qs>*...> found{find_in<detail::asked_of<Qs>>(&object)...};
      if (!(parts::admits<Qs>(std::get<Is>(found)) && ...)) return;
      const entity_type entity = object.entity;
      parts::call_with_found<Qs...>(fn, [&] { return entity; }, std::get<Is>(found)...);
    }(std::index_sequence_for<Qs...>{});
  }

  template <class C>
  void uncount(bool had_component) noexcept {
    if (had_component) --counts_[detail::component_id<C, SchemaType>];
  }

  Registry registry_;
  parts::ObjectArray<Object> objects_;
  std::array<std::size_t, SchemaType::component_count> counts_{};
  STOWAGE_NO_UNIQUE_ADDRESS parts::MoveCounter<counts_moves<SchemaType>> moves_;
  parts::IterationGuard guard_;
};

template <class SchemaType, class Registry = EntityRegistry<>>
using NaiveObjectsInlineFields = NaiveObjects<SchemaType, Registry, parts::FieldComponents>;

static_assert(assert_storage<NaiveObjects<ProbeSchema>>());
static_assert(assert_storage<NaiveObjectsInlineFields<ProbeSchema>>());

}  // namespace stowage
