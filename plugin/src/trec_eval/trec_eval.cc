#include "trec_eval/trec_eval.h"

#include <set>

#include "base/errors.h"
#include "judgements/judgement_line.h"

namespace prescope::trec_eval {

void refuse_repeated_judgement(const std::filesystem::path& qrels) {
  std::set<std::pair<std::string, std::string>> judged;
  JudgementLines lines;
  TextFile file(qrels, TextFile::Bytes::kAnyButNul);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const auto [topic, docno, grade] = lines.parse(line, file);
    if (judged.emplace(topic, docno).second) continue;
    throw file.bad_line(
        fmt::format("docno '{}' is judged twice in topic '{}'; remove one of the two lines, or use "
                    "'prescope evaluate', which counts it once",
                    docno, topic));
  }
}

namespace {

constexpr std::size_t kColumns = 4;
constexpr std::string_view kExpectedMean = "expected \"topic measure mean deviation\"";

double parse_number(std::string_view text, const TextFile& file) {
  if (const auto value = finite_number(text)) return *value;
  throw file.bad_line(fmt::format("'{}' is not a number; {}", text, kExpectedMean));
}

}  // namespace

ZScores ZScores::load(const std::filesystem::path& path) {
  ZScores scores;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty()) continue;
    const Columns columns = split_at_blanks(line);
    if (columns.count != kColumns) {
      throw file.bad_line(fmt::format("{} columns; {}", columns.count, kExpectedMean));
    }
    scores.spreads_[{TopicId(columns.text[0]), std::string(columns.text[1])}] = {
        parse_number(columns.text[2], file), parse_number(columns.text[3], file)};
  }
  if (scores.spreads_.empty()) {
    throw bad_input_error("{}: no means; {} lines", path.string(), kExpectedMean);
  }
  return scores;
}

double ZScores::convert(const TopicId& topic, std::string_view measure, double value) const {
  const auto found = spreads_.find({topic, std::string(measure)});
  if (found == spreads_.end()) return kUnknown;
  const auto& [mean, deviation] = found->second;
  if (deviation != 0.0) return (value - mean) / deviation;
  return value == mean ? 0.0 : kUnknown;
}

}  // namespace prescope::trec_eval
