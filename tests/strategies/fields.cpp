// Which types the layouts can take apart into scalars, and that all others stay whole without an error. Compiled only.
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include <stowage/parts/layout/scalars.hpp>

namespace stowage::parts {
namespace {

template <class T>
constexpr std::size_t fields = std::tuple_size_v<decltype(fields_of(std::declval<T&>()))>;
template <class T>
constexpr std::size_t scalars = detail::scalar_count<T>();
template <class T>
constexpr bool is_whole = scalars<T> == 0;

template <class T>
struct Before {
  T first;
  int second;
};
template <class T>
struct Between {
  float first;
  T second;
  float third;
};

// ---- taken apart

struct Triple {
  float x, y, z;
};
static_assert(fields<Triple> == 3 && fields<const Triple> == 3 && scalars<Triple> == 3);
struct Pose {
  float position[3];
  float rotation[4];
};
static_assert(fields<Pose> == 2 && scalars<Pose> == 7);
struct Table {
  float cells[4][4];
};
static_assert(fields<Table> == 1 && scalars<Table> == 16);
struct ArrayOfOne {
  float one[1];
  int more;
};
static_assert(fields<ArrayOfOne> == 2 && scalars<ArrayOfOne> == 2);
struct Nested {
  Triple triple;
  struct {
    short both[2];
  } named;
  std::array<std::array<int, 2>, 2> table;
};
static_assert(fields<Nested> == 0, "a type without a name may be an anonymous member");
struct Initialised final {
  float x = 1;
  std::array<double, 2> y{};
  auto operator<=>(const Initialised&) const = default;
};
static_assert(scalars<Initialised> == 3);
struct Convertible {
  float x;
  operator float() const;
  operator int() const;
};
static_assert(scalars<Before<Convertible>> == 2);
struct Large {
  std::array<float, 100000> heights;
};
static_assert(scalars<Large> == 100000);
struct Sixteen {
  float a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
static_assert(scalars<Sixteen> == 16);

// ---- fields, but no scalars

enum class Kind : std::uint8_t { one };
struct Mixed {
  Kind kind;
  float* pointer;
  int Triple::* member;
  bool is_on;
};
static_assert(fields<Mixed> == 4 && is_whole<Mixed>);
struct Empty {};
struct HasEmpty {
  [[no_unique_address]] Empty empty;
  float x;
};
static_assert(is_whole<HasEmpty>);
static_assert(is_whole<Between<std::array<int, 0>>>);
struct Volatile {
  volatile int x;
};
static_assert(is_whole<Volatile>);

// ---- whole

struct Derived : Triple {
  float w;
};
struct DerivedOfEmpty : Empty {
  float w;
};
struct OnlyBase : Triple {};
static_assert(is_whole<Derived> && is_whole<DerivedOfEmpty> && is_whole<OnlyBase>);
class Private {
 public:
  [[nodiscard]] float x() const { return x_; }

 private:
  float x_ = 0;
};
struct Virtual {
  virtual ~Virtual();
  float x;
};
static_assert(is_whole<Private> && is_whole<Virtual>);
union Union {
  int a;
  float b;
};
struct HasAnonymousUnion {
  int first;
  union {
    int a;
    float b;
  };
};
static_assert(is_whole<Union> && is_whole<Before<Union>> && is_whole<HasAnonymousUnion>);
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
struct HasAnonymousStruct {
  struct {
    float x, y;
  };
  float z;
};
struct StartsWithNothing {
  char nothing[0];
  int x;
};
struct HasNothing {
  int x;
  char nothing[0][2];
  float y;
};
struct EndsWithNothing {
  float x;
  Triple nothing[0];
};
#pragma GCC diagnostic pop
static_assert(is_whole<HasAnonymousStruct>);
static_assert(is_whole<StartsWithNothing> && is_whole<HasNothing> && is_whole<EndsWithNothing>);
#endif
struct Bits {
  unsigned a : 3;
  unsigned b : 5;
};
struct BitsAndMore {
  unsigned a : 30;
  float b;
};
static_assert(is_whole<Bits> && is_whole<BitsAndMore>);
inline int place = 0;
struct Reference {
  float x;
  int& y = place;
  float z;
};
struct OnlyReference {
  const int& x;
  float y;
};
struct Constant {
  const float x;
  float y;
};
static_assert(is_whole<Reference> && is_whole<OnlyReference> && is_whole<Constant>);
struct Explicit {
  explicit Explicit(float value = 0) : x(value) {}
  float x;
};
struct Greedy {
  Greedy() = default;
  template <class T>
  Greedy(T);
  float x;
};
static_assert(is_whole<Between<Explicit>> && is_whole<Between<Greedy>>);
struct Uncopyable {
  float x;
  Uncopyable(const Uncopyable&) = delete;
};
struct Owner {
  std::string text;
};
static_assert(is_whole<Uncopyable> && is_whole<Owner>);
struct Seventeen {
  float a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
struct Hundred {
  Sixteen a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
struct LargeArray {
  float heights[100000];
};
static_assert(is_whole<Seventeen> && is_whole<Hundred> && is_whole<LargeArray>);

}  // namespace
}  // namespace stowage::parts
