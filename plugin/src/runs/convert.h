#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/text_file.h"
#include "prescope/types.h"

namespace prescope {

/// All of `text` as one number, or nothing.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// An integer, or the grade of a citation category. Throws Error(kBadInput) that names the line.
[[nodiscard]] Grade parse_grade(std::string_view text, const TextFile& file);

/// `text`, which the columns of a line can carry. Throws Error(kBadInput) that names line and
/// field.
[[nodiscard]] std::string parse_name(std::string_view field, std::string_view text,
                                     const TextFile& file);

enum class FileKind { kRun, kQrels };

/// How lines are written. Columns are parted by spaces or tabs when read, by one space when
/// written.
///
/// |            | run                                | qrels                     |
/// | kTrec      | topic Q0 docno rank score tag      | topic iter docno grade    |
/// | kClefIp    | topic 0 docno 1, in rank order     | topic docno grade         |
/// | kJsonLines | {"topic", "docno", "rank", "score", "tag"} | {"topic", "docno", "grade"} |
enum class FileFormat { kTrec, kClefIp, kJsonLines };

struct ConvertOptions {
  enum class Scores {
    kKeep,       ///< where there are any
    kFromOrder,  ///< those of the input are replaced, so that the lines' order is the ranking
  };

  std::optional<FileKind> kind{};    ///< nothing: told by the first line
  std::optional<FileFormat> from{};  ///< nothing: told by the first line
  FileFormat to = FileFormat::kTrec;
  Scores scores = Scores::kKeep;
  std::string tag{};  ///< of every line of a run; empty: its own, or "run"
};

/// A line of a run or of judgements, whatever its format.
struct FileLine {
  std::string topic, docno;
  std::optional<Grade> grade;         ///< of judgements
  std::optional<std::uint64_t> rank;  ///< of a run, as written
  std::optional<double> score;
  std::string tag;
};

struct LineLayout {
  FileKind kind = FileKind::kRun;
  FileFormat format = FileFormat::kTrec;
};

/// What the line looks like, as far as `kind` and `from` do not say. Throws Error(kBadInput) for no
/// layout at all, Error(kUsage) where it could have several.
[[nodiscard]] LineLayout layout_of(std::string_view line, const ConvertOptions& options,
                                   const TextFile& file);

/// Throws Error(kBadInput) that names the line.
[[nodiscard]] FileLine parse_line(std::string_view line, LineLayout layout, const TextFile& file);

/// Appends the line in `layout`, with its end. A run's line has rank and score.
void append_line(std::string& out, const FileLine& line, LineLayout layout);

/// What an object's fields tell. Throws Error(kBadInput) where they do not.
[[nodiscard]] FileKind kind_of_json(std::string_view line, const TextFile& file);

/// Throws Error(kBadInput) that names the line.
[[nodiscard]] FileLine parse_json_line(std::string_view line, FileKind kind, const TextFile& file);

/// Appends the line as a JSON object, with its end.
void append_json_line(std::string& out, const FileLine& line, FileKind kind);

struct Converted {
  FileKind kind = FileKind::kRun;
  FileFormat from = FileFormat::kTrec;
  std::uint64_t lines = 0;
  bool scored = false;  ///< whether scores were made from the order of the lines
};

/// Reads `path`, plain or gzip, and hands what it becomes on in pieces, line by line; blank lines
/// and lines starting with '#' are dropped. Grades may be citation categories and become integers.
///
/// Where lines have no scores, the n of a topic get n, n - 1, ..., 1, so that every reader, by
/// line, rank or score, finds the same ranking; the topic's lines then come together, topics in the
/// order of their first lines. So they do for CLEF-IP runs, which are put in the order of score and
/// docno, both descending. Everything else keeps its line, and needs memory for one.
///
/// Throws Error(kIo); Error(kBadInput) that lists the first five malformed lines as
/// `file:line: found, expected` and counts the rest; Error(kUsage) where the first line does not
/// tell kind or format.
Converted convert(const std::filesystem::path& path, const ConvertOptions& options,
                  const std::function<void(std::string_view text)>& sink);

}  // namespace prescope
