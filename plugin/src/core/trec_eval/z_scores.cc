#include "core/trec_eval/z_scores.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/columns.h"
#include "core/text_file.h"

namespace prescope::trec_eval {
namespace {

constexpr std::size_t kColumns = 4;
constexpr std::string_view kExpectedMean = "expected \"topic measure mean deviation\"";

double parse_number(std::string_view text, const TextFile& file) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stop != end || !std::isfinite(value)) {
    throw file.bad_line(fmt::format("'{}' is not a number; {}", text, kExpectedMean));
  }
  return value;
}

}  // namespace

ZScores ZScores::load(const std::filesystem::path& path) {
  ZScores scores;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty()) continue;
    const Columns columns = split_columns(line, kColumns, kColumns);
    if (columns.count != kColumns) {
      throw file.bad_line(fmt::format("{} columns; {}", columns.count, kExpectedMean));
    }
    scores.spreads_[TopicId(columns.text[0])][std::string(columns.text[1])] = {
        parse_number(columns.text[2], file), parse_number(columns.text[3], file)};
  }
  if (scores.spreads_.empty()) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: no means; {} lines", path.string(), kExpectedMean));
  }
  return scores;
}

double ZScores::convert(const TopicId& topic, std::string_view measure, double value) const {
  const auto measures = spreads_.find(topic);
  if (measures == spreads_.end()) return kUnknown;
  const auto found = measures->second.find(measure);
  if (found == measures->second.end()) return kUnknown;
  const auto& [mean, deviation] = found->second;
  if (deviation != 0.0) return (value - mean) / deviation;
  return value == mean ? 0.0 : kUnknown;
}

}  // namespace prescope::trec_eval
