#pragma once

#include <cstddef>

#include <stowage/parts/sections/columns.hpp>
#include <stowage/parts/sections/location.hpp>
#include <stowage/parts/sections/memory.hpp>
#include <stowage/parts/sections/packed_rows.hpp>
#include <stowage/parts/sections/sizing.hpp>

namespace stowage::parts {

/// What sections are like. A variant derives from a form and says what differs.
struct GrowingForm {
  template <class SchemaType>
  using layout = SectionColumns<SchemaType>;  ///< where the components of a row lie
  using rows = PackedRows;                    ///< what becomes of a row that goes
  using sizing = GrowingSections;             ///< how many rows make a section
  using memory = BlockPerSection;             ///< where a section's bytes come from
  using location = WideLocation;              ///< how an entity remembers its row
};

template <std::size_t Bytes>
struct FixedForm : GrowingForm {
  using sizing = FixedSections<Bytes>;
};

/// Any of them with 4 bytes less per entity, and limits that are soon reached: see CompactLocation.
template <class Form>
struct CompactForm : Form {
  using location = CompactLocation;
};

}  // namespace stowage::parts
