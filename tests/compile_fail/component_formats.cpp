// Components that cannot be written as they are. The first error has to say what they need.
#include <string>
#include <tuple>
#include <vector>

#include <stowage/serialize.hpp>

namespace {

struct Name {
  std::string text;
};
struct Crowd {
  std::vector<stowage::Entity>* members;
};

}  // namespace

#if !defined(CASE_codec)
template <>
struct stowage::ComponentFormat<Name> {
  static void encode(const Name& name, ByteWriter& to) { to.write(std::string_view(name.text)); }
#if !defined(CASE_half)
  static Name decode(ByteReader& from, std::uint32_t) { return {from.read_string()}; }
#endif
};
#endif

template <>
struct stowage::ComponentFormat<Crowd> {
#if defined(CASE_pointer)
  static constexpr auto references = std::tuple{&Crowd::members};
#endif
};

namespace {

[[maybe_unused]] const auto operations = stowage::serialize::operations_of(stowage::TypeList<Name, Crowd>{});

}  // namespace
