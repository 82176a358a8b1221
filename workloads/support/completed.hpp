#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/memory.hpp>

// What the set-up of a case asks of a storage, for one that does not have it. None of it is inside a clock: a workload
// that measures such a thing says that it `needs` it, and has no cell of this storage.

namespace stowage::workloads {

/// Entities of a bulk come one by one.
template <class Storage>
class WithBulkCreation : public Storage {
 public:
  using Storage::create;
  using typename Storage::entity_type;

  template <class... Cs>
    requires(sizeof...(Cs) > 0)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = Storage::create(columns[i]...);
  }
};

/// Room is taken when it is needed.
template <class Storage>
class WithReservation : public Storage {
 public:
  void reserve(std::size_t) {}
  template <class... Cs>
    requires(sizeof...(Cs) > 0)
  void reserve(std::size_t) {}
};

/// Never called: a storage without an account has no memory figures.
template <class Storage>
class WithoutAccount : public Storage {
 public:
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return {}; }
};

template <class Storage, Capability capability, template <class> class With>
using CompletedBy = typename std::conditional_t<offers<Storage, capability>, std::type_identity<Storage>,
                                                std::type_identity<With<Storage>>>::type;

/// A storage in which every case can be set up, of one that may lack parts of the contract.
template <template <class> class Strategy>
struct Completed {
  template <class SchemaType>
  using storage =
      CompletedBy<CompletedBy<CompletedBy<Strategy<SchemaType>, Capability::bulk_creation, WithBulkCreation>,
                              Capability::reservation, WithReservation>,
                  Capability::memory_accounting, WithoutAccount>;
};

}  // namespace stowage::workloads
