#pragma once

#include "base/text_file.h"
#include "prescope/qrels.h"

namespace prescope {

/// Returns the keys of the policy. Throws Error(kUsage) if a family map is needed and not named,
/// and as FamilyMap::load.
[[nodiscard]] DocnoNormalizer make_normalizer(const QrelsOptions& options);

/// "lines of the family map that give no family: 12, the first is '-1'"; empty if there are none.
[[nodiscard]] std::string without_family_words(const Qrels& qrels);
/// Returns whether a family's name stands for no family, see FamilyMap::add.
[[nodiscard]] bool means_no_family(std::string_view family) noexcept;

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

/// What a column of a table, or a field of a JSON object, says by its title.
enum class ColumnMeaning : std::uint8_t { kNone, kTopic, kDocno, kGrade, kScore, kRank, kTag };
/// Case and characters that are no letters do not matter: "query-id", "queryId" and "QUERY_ID".
[[nodiscard]] ColumnMeaning meaning_of_column(std::string_view title);
/// Returns the separator of a table's columns: the first of tab, comma and semicolon that `header`
/// has, or else a space.
[[nodiscard]] char table_separator(std::string_view header) noexcept;
/// Returns the cells of a line, without the quotation marks of CSV.
[[nodiscard]] std::vector<std::string> split_table_line(std::string_view line, char separator);

/// Formats of other programs, which `prescope convert` reads.
enum class ForeignFormat : std::uint8_t { kNone, kTable, kJson, kLetor };
/// Tells the format by the first line of a file.
[[nodiscard]] ForeignFormat foreign_format_of(std::string_view line);
/// Says what a file with this first line is, and who reads it, for the end of a message; empty if
/// it is not known. `kind` is "run" or "qrels".
[[nodiscard]] std::string foreign_format_words(std::string_view line, std::string_view kind);

/// Splits "X=3", as --category takes it, into the letter and the text of its grade. Throws
/// Error(kUsage) if there is no `=`.
[[nodiscard]] std::pair<std::string, std::string> split_category(std::string_view text);
/// Sets the grade that the text says. Throws Error(kUsage) if it is no integer, the letter none, or
/// if the letter was given another grade.
void set_category(CitationCategories& categories, std::string_view letter, std::string_view grade);
/// Says which categories have another grade than by default, "A=0,X=5"; empty if none has.
[[nodiscard]] std::string changed_categories(const CitationCategories& categories);
/// Returns ", categories A=0,X=5" for a line about judgements; empty if no category was changed.
/// Returns words for results: ", rankings collapsed" and ", rule examiner", if they apply.
[[nodiscard]] std::string rule_words(const Qrels& qrels);
[[nodiscard]] std::string category_words(const CitationCategories& categories);

/// Reads an integer, perhaps written `1.0`, or citation categories. Throws Error(kBadInput).
[[nodiscard]] ParsedGrade parse_grade(std::string_view text, const CitationCategories& categories,
                                      const TextFile& file);

}  // namespace prescope
