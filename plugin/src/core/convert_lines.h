#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/convert.h"
#include "core/text_file.h"
#include "prescope/types.h"

namespace prescope {

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

}  // namespace prescope
