#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

// The JSON files of users. reports/stowage_report/data/files.schema.json, as it was when this program was built, says
// what each kind of them must look like and which limits hold; data/document.py reads by it, too.

namespace stowage::harness {

/// The JSON that `text` is, with or without a byte order mark. Throws UserError with one line, `WHERE ...; REMEDY`, for
/// what is no JSON or more than the limits allow.
[[nodiscard]] nlohmann::json parse_document(std::string_view text, std::string_view where, std::string_view remedy);

/// Throws UserError with one line, `WHERE is damaged: PLACE must be ...; REMEDY`, for the first part of `document` that
/// is not as the schema has it for `kind`: "results", "game", "calibration".
void check_document(const nlohmann::json& document, std::string_view kind, std::string_view where,
                    std::string_view remedy);

/// Both of the above.
[[nodiscard]] nlohmann::json read_document(std::string_view text, std::string_view kind, std::string_view where,
                                           std::string_view remedy);

/// Whether `text` is of that format: one of `formats` in the schema.
[[nodiscard]] bool has_format(std::string_view text, std::string_view format);

/// Puts a space for each control character into the texts of a document of ours: what is written can be read again,
/// whatever a message or a command line had in it.
void clear_controls(nlohmann::ordered_json& document);

}  // namespace stowage::harness
