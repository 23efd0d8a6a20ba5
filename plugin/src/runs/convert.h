#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "prescope/qrels.h"

namespace prescope {

enum class FileKind { kRun, kQrels };

/// The layout of lines. Columns are separated by spaces or tabs when read, by one space when
/// written.
///
/// |            | run                                | qrels                     |
/// | kTrec      | topic Q0 docno rank score tag      | topic iter docno grade    |
/// | kClefIp    | topic 0 docno 1, in rank order     | topic docno grade         |
/// | kJsonLines | {"topic", "docno", "rank", "score", "tag"} | {"topic", "docno", "grade"} |
///
/// The others are read only: tables with a header, one JSON document, LETOR's lines, MS MARCO's.
enum class FileFormat { kTrec, kClefIp, kJsonLines, kTable, kJson, kLetor, kMsMarco };

struct ConvertOptions {
  std::optional<FileKind> kind{};    ///< std::nullopt: the first line decides
  std::optional<FileFormat> from{};  ///< std::nullopt: the first line decides
  FileFormat to = FileFormat::kTrec;
  CitationCategories categories{};  ///< grades of judgements that are letters
  bool rescore = false;  ///< replaces scores, so that the order of the lines is the ranking
  std::string tag{};     ///< of every line of a run; empty: its own, or "run"
};

/// Reads `path`, plain or gzip, and passes the converted lines to `sink` in pieces. Blank lines and
/// lines starting with '#' are dropped. Grades may be citation categories and become integers.
///
/// If lines have no scores, the n of a topic get n, n - 1, ..., 1, so that every reader, by line,
/// rank or score, finds the same ranking; the topic's lines then come together, topics in the order
/// of their first lines. So do the lines of CLEF-IP runs, which are sorted by score and docno, both
/// descending. All other lines keep their order and are converted one at a time.
///
/// Returns whether scores were made from the order of the lines.
///
/// Throws Error(kIo); Error(kBadInput) that lists the first five malformed lines as `file:line:
/// found, expected` and counts the rest; Error(kUsage) if kind or format remain unknown.
bool convert(const std::filesystem::path& path, const ConvertOptions& options,
             const std::function<void(std::string_view text)>& sink);

}  // namespace prescope
