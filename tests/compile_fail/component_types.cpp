// Component types that the contract does not allow, one each. The first error has to say what is asked of them.
#include <string>

#include <stowage/contract/schema.hpp>

namespace {

struct Position {
  float x, y;
};

struct ThrowsWhenMoved {
  ThrowsWhenMoved() = default;
  ThrowsWhenMoved(ThrowsWhenMoved&&) noexcept(false) {}
};

struct ThrowsWhenDestroyed {
  ThrowsWhenDestroyed() = default;
  ThrowsWhenDestroyed(ThrowsWhenDestroyed&&) noexcept {}
  ~ThrowsWhenDestroyed() noexcept(false) {}
};

#if defined(CASE_moves)
using Schema = stowage::Schema<Position, ThrowsWhenMoved>;
#elif defined(CASE_destroys)
using Schema = stowage::Schema<stowage::Group<Position, ThrowsWhenDestroyed>>;
#elif defined(CASE_twice)
using Schema = stowage::Schema<stowage::Group<Position, std::string>, Position>;
#elif defined(CASE_reference)
using Schema = stowage::Schema<Position&>;
#elif defined(CASE_constant)
using Schema = stowage::Schema<const Position>;
#else
using Schema = stowage::Schema<stowage::Group<Position>, std::string>;
#endif

static_assert(Schema::component_count != 0);

}  // namespace
