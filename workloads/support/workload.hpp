#pragma once

// All that the header of a workload needs as a rule: what a case is made of and measured by, and the hand-written
// stores of its contract floors.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/floors/array.hpp"
#include "workloads/floors/direct_store.hpp"
#include "workloads/floors/packed_store.hpp"
#include "workloads/floors/pool_store.hpp"
#include "workloads/floors/section_store.hpp"
#include "workloads/support/array.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/case.hpp"
#include "workloads/support/checksum.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/contract_floor.hpp"
#include "workloads/support/floor.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"
#include "workloads/support/random.hpp"
