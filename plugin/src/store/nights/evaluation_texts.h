#pragma once

#include "nightly/record/evaluation_record.h"

namespace prescope {

/// Lists and objects of an evaluation as the store keeps them: JSON, described in docs/formats.md.
/// Names that are not UTF-8 are left out: no stored ranking has one.
[[nodiscard]] std::string missing_text(const std::vector<Docno>& missing);  ///< `["EP1"]`
[[nodiscard]] std::string conditions_text(const std::vector<Condition>& conditions);
[[nodiscard]] std::string samples_text(const std::vector<DocumentSample>& samples);
[[nodiscard]] std::string passport_text(const IndexPassport& passport);

/// Reads what the functions above write; returns false for any other text.
[[nodiscard]] bool read_text(std::string_view text, std::vector<Docno>& missing);
[[nodiscard]] bool read_text(std::string_view text, std::vector<Condition>& conditions);
[[nodiscard]] bool read_text(std::string_view text, std::vector<DocumentSample>& samples);
[[nodiscard]] bool read_text(std::string_view text, IndexPassport& passport);

}  // namespace prescope
