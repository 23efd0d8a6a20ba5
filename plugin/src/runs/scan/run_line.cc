#include "runs/scan/run_line.h"

#include <fmt/format.h>
#include <charconv>
#include <cmath>

#include "base/text_file.h"
#include "base/unicode.h"

namespace prescope {

namespace {

constexpr std::size_t kColumns = 6, kRankingColumns = 4;
constexpr std::size_t kLongestDocno = std::size_t{1} << 20U;
/// Of what is quoted in a message; the rest of a line may be a megabyte.
constexpr std::size_t kQuoted = 40;

/// Printable ASCII of the text's beginning.
std::string quoted(std::string_view text) {
  return text.size() <= kQuoted ? std::string(text) : fmt::format("{}...", text.substr(0, kQuoted));
}

std::string expected_instead_of(std::string_view line, std::size_t columns) {
  std::string text(kExpectedRunLine);
  if (line.starts_with('{')) {
    text += "; `prescope convert` makes a run of JSON lines";
  } else if (columns == kRankingColumns) {
    text += "; `prescope convert --kind run` makes a run of a ranking without scores";
  }
  return text;
}

}  // namespace

std::optional<double> parse_score(std::string_view text) noexcept {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double score = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, score);
  if (stopped != end || text.empty()) return std::nullopt;
  if (failed == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.substr(exponent).size() > 1 &&
                      text[exponent + 1] == '-';
    return tiny ? std::optional(0.0) : std::nullopt;
  }
  if (failed != std::errc() || !std::isfinite(score)) return std::nullopt;
  return score;
}

LineKind parse_run_line(std::string_view line, RunLine& hit, std::string& problem) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) {
    problem = "a NUL byte; expected text in UTF-8 (is this a binary file?)";
    return LineKind::kBad;
  }
  if (!is_utf8(line)) {
    problem = "invalid UTF-8; convert the file to UTF-8";
    return LineKind::kBad;
  }
  if (trimmed(line).empty() || line.starts_with('#')) return LineKind::kNothing;
  const Columns columns = split_columns(line, kColumns, kColumns);
  if (columns.count < kColumns) {
    problem = fmt::format("{} column{}; {}", columns.count, columns.count == 1 ? "" : "s",
                          expected_instead_of(line, columns.count));
    return LineKind::kBad;
  }
  hit = {.topic = columns.text[0],
         .docno = columns.text[2],
         .score = columns.text[4],
         .tag = columns.text[5]};
  if (hit.docno.size() > kLongestDocno) {
    problem =
        fmt::format("a docno of {} bytes; expected at most {}", hit.docno.size(), kLongestDocno);
    return LineKind::kBad;
  }
  if (!parse_score(hit.score)) {
    problem = fmt::format("score '{}' is not a finite number; {}", quoted(hit.score),
                          expected_instead_of(line, columns.count));
    return LineKind::kBad;
  }
  return LineKind::kHit;
}

}  // namespace prescope
