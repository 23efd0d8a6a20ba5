#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace prescope {

enum class FileKind { kRun, kQrels };

/// The layout of lines. Columns are separated by spaces or tabs when read, by one space when
/// written.
///
/// |            | run                                | qrels                     |
/// | kTrec      | topic Q0 docno rank score tag      | topic iter docno grade    |
/// | kClefIp    | topic 0 docno 1, in rank order     | topic docno grade         |
/// | kJsonLines | {"topic", "docno", "rank", "score", "tag"} | {"topic", "docno", "grade"} |
enum class FileFormat { kTrec, kClefIp, kJsonLines };

struct ConvertOptions {
  enum class Scores {
    kKeep,       ///< if there are any
    kFromOrder,  ///< replaced, so that the lines' order is the ranking
  };

  std::optional<FileKind> kind{};    ///< std::nullopt: the first line decides
  std::optional<FileFormat> from{};  ///< std::nullopt: the first line decides
  FileFormat to = FileFormat::kTrec;
  Scores scores = Scores::kKeep;
  std::string tag{};  ///< of every line of a run; empty: its own, or "run"
};

struct Converted {
  FileKind kind = FileKind::kRun;
  FileFormat from = FileFormat::kTrec;
  std::uint64_t lines = 0;
  bool scored = false;  ///< whether scores were made from the order of the lines
};

/// Reads `path`, plain or gzip, and passes the converted lines to `sink` in pieces. Blank lines and
/// lines starting with '#' are dropped. Grades may be citation categories and become integers.
///
/// If lines have no scores, the n of a topic get n, n - 1, ..., 1, so that every reader, by line,
/// rank or score, finds the same ranking; the topic's lines then come together, topics in the order
/// of their first lines. So do the lines of CLEF-IP runs, which are sorted by score and docno, both
/// descending. All other lines keep their order and are converted one at a time.
///
/// Throws Error(kIo); Error(kBadInput) that lists the first five malformed lines as `file:line:
/// found, expected` and counts the rest; Error(kUsage) if kind or format remain unknown.
Converted convert(const std::filesystem::path& path, const ConvertOptions& options,
                  const std::function<void(std::string_view text)>& sink);

}  // namespace prescope
