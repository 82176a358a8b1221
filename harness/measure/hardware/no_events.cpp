#include "harness/measure/hardware/event_source.hpp"

namespace stowage::harness {

std::unique_ptr<EventSource> system_events() { return nullptr; }

}  // namespace stowage::harness
