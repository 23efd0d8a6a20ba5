#pragma once

#include "base/text_file.h"
#include "prescope/qrels.h"

namespace prescope {

/// Returns the keys of the policy. Throws Error(kUsage) if a family map is needed and not named,
/// and as FamilyMap::load.
[[nodiscard]] DocnoNormalizer make_normalizer(const QrelsOptions& options);

/// Ends the message about a malformed line.
inline constexpr std::string_view kExpectedJudgement = "expected \"topic iter docno grade\"";

/// A grade as it was read.
struct ParsedGrade {
  Grade value = 0;
  bool is_category = false;
  bool has_unknown = false;  ///< see CitationCategories::Graded
  std::string_view text{};
};

/// A line of judgements: views into its text.
struct JudgementLine {
  std::string_view topic, docno;
  ParsedGrade grade{};
};

/// Reads `topic iter docno grade`, perhaps with one more column, or CLEF-IP's `topic docno grade`.
/// Any white space separates columns. Grades are as for parse_grade.
class JudgementLines {
 public:
  explicit JudgementLines(CitationCategories categories = {})
      : categories_(std::move(categories)) {}

  /// `line` is the last of `file`; the first fixes the number of columns. Throws Error(kBadInput).
  [[nodiscard]] JudgementLine parse(std::string_view line, const TextFile& file);

 private:
  CitationCategories categories_;
  std::size_t columns_ = 0;  // of the first line; 0 before it
};

/// Reads an integer, perhaps written `1.0`, or citation categories. Throws Error(kBadInput).
[[nodiscard]] ParsedGrade parse_grade(std::string_view text, const CitationCategories& categories,
                                      const TextFile& file);

}  // namespace prescope
