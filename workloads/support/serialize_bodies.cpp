// What save() and load() do whatever the storage is: once, and not in the cells of every strategy.
#define STOWAGE_SERIALIZE_BODIES
#include <stowage/serialize/serialize.hpp>
