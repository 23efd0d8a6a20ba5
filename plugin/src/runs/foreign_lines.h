#pragma once

#include "judgements/judgement_line.h"
#include "runs/convert.h"

namespace prescope {

/// A line of a run or of judgements in any format.
struct FileLine {
  std::string topic{}, docno{};
  std::optional<Grade> grade{};         ///< of judgements
  std::optional<std::uint64_t> rank{};  ///< of a run, as written
  std::optional<double> score{};
  std::string tag{};
};

/// Returns `text`, which the columns of a line can carry. `field` names it in the Error(kBadInput).
[[nodiscard]] std::string parse_name(std::string_view field, std::string_view text,
                                     const TextFile& file);

/// Lines below a header, as BEIR, Quepid, PatentsView and spreadsheets write them.
class TableLines {
 public:
  explicit TableLines(std::string_view header);

  /// Returns what the columns are, if the header tells it.
  [[nodiscard]] std::optional<FileKind> kind() const noexcept;
  /// A line that is not the header. Throws Error(kBadInput).
  [[nodiscard]] FileLine parse(std::string_view line, FileKind kind,
                               const CitationCategories& categories, const TextFile& file) const;

 private:
  [[nodiscard]] bool has(ColumnMeaning meaning) const noexcept;

  std::vector<ColumnMeaning> columns_;
  char separator_;
};

/// Reads "grade qid:TOPIC 1:0.5 2:0.1 # DOCNO". Throws Error(kBadInput).
[[nodiscard]] FileLine parse_letor_line(std::string_view line, const CitationCategories& categories,
                                        const TextFile& file);

/// Reads MS MARCO's "topic docno rank", perhaps with a score behind. Throws Error(kBadInput).
[[nodiscard]] FileLine parse_msmarco_line(std::string_view line, const TextFile& file);

/// Reads one JSON object of topics, each with an object of docnos and their grades or scores, as
/// ranx and pytrec_eval write it, or an array of objects of one line each. `kind`: as given, or
/// told by numbers with a fraction. Throws Error(kBadInput), and Error(kUsage) if the kind is
/// unknown.
struct JsonDocument {
  FileKind kind = FileKind::kRun;
  std::vector<FileLine> lines{};
};
[[nodiscard]] JsonDocument parse_json_document(const std::string& text,
                                               std::optional<FileKind> kind,
                                               const CitationCategories& categories,
                                               const TextFile& file);

/// Reads one object, whose fields may have the names that headers of tables have. Throws
/// Error(kBadInput); Error(kUsage) if neither `kind` nor a field says what it is.
[[nodiscard]] FileKind kind_of_json_line(std::string_view line, const TextFile& file);
[[nodiscard]] FileLine parse_json_line(std::string_view line, FileKind kind,
                                       const CitationCategories& categories, const TextFile& file);

}  // namespace prescope
