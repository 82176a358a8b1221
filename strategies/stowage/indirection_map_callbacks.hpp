#pragma once

// indirection_map.callbacks: indirection_map in which pools hear of deaths by a call through a list.
//
//     callbacks  [ pool of <A, B> ][ pool of C ] ...            one for each pool; loops and lookups do not see them
//
//     find, each, create   those of indirection_map
//     destroy(e)           if e is alive: for (callback : callbacks) callback(e); then registry.destroy(e)
//                          callback of a pool: if (e has a row) the last row moves into it, as in indirection_map
//
// By: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), "Destroying Components", for components that
//      have to end with their entity. Here all are such, so that it is the whole of the rival to collecting lazily.
// Pick it to see what callbacks cost: indirection_map does the same by calls that the compiler knows and inlines.
// NotifyingRegistry has the same list for listeners outside of the storage.
// Misses per shuffled lookup: those of indirection_map.

#include <stowage/indirection_map.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>>
class IndirectionMapCallbacks
    : public parts::PoolStorage<SchemaType, Registry, parts::ArrayIndexPolicy, parts::ColumnsLayout,
                                parts::Placement<SchemaType>, IndirectionMapCallbacks<SchemaType, Registry>> {
  using Base = typename IndirectionMapCallbacks::PoolStorage;
  friend Base;
  friend typename Base::Forms;
  friend typename Base::Rows;

 public:
  using typename Base::entity_type;

  IndirectionMapCallbacks() {
    detail::for_each_index<Base::pool_count>([this](auto pool) {
      if constexpr (has_rows_of_its_own<pool>) callbacks_[registered_++] = &end_row_of<pool>;
    });
  }

  bool destroy(entity_type entity) {
    this->guard_.assert_no_loop();
    if (!this->registry_.alive(entity)) return false;
    parts::announce_end(this->registry_, entity);
    for (std::size_t i = 0; i < registered_; ++i) callbacks_[i](*this, entity);
    this->end_life(entity);
    return true;
  }

 private:
  using Places = parts::Placement<SchemaType>;
  using Callback = void (*)(IndirectionMapCallbacks& storage, entity_type dying);

  /// The pools of a group's members hear of a death from that of the group.
  template <std::size_t P>
  static constexpr bool has_rows_of_its_own =
      P < Places::group_count ||
      !Places::template is_grouped<detail::element_at<0, typename Places::template pool_components<P>>>;

  template <std::size_t P>
  static void end_row_of(IndirectionMapCallbacks& storage, entity_type dying) {
    const parts::RowNumber home =
        Base::is_homed && P == 0 ? storage.row_index().template find<0>(dying) : parts::no_row;
    storage.template erase_rows_in<P>(dying, home);
  }

  std::array<Callback, Base::pool_count> callbacks_{};  // members, so that the compiler does not know where they lead
  std::size_t registered_ = 0;
};

static_assert(assert_storage<IndirectionMapCallbacks<ProbeSchema>>());

}  // namespace stowage
