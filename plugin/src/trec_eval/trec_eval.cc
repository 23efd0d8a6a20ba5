#include "trec_eval/trec_eval.h"

#include <fmt/format.h>
#include <set>
#include <utility>

#include "base/text_file.h"
#include "prescope/error.h"
#include "trec_eval/report.h"

namespace prescope::trec_eval {

void refuse_repeated_judgement(const std::filesystem::path& qrels) {
  constexpr std::size_t kClefIp = 3, kWithExtra = 5;
  std::set<std::pair<std::string, std::string>> judged;
  TextFile file(qrels);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const Columns columns = split_columns(line, kClefIp, kWithExtra);
    const std::string_view topic = columns.text[0];
    const std::string_view docno = columns.text[columns.count == kClefIp ? 1 : 2];
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

namespace {

void refuse_repeats(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  for (const RunFacts::Repeat& repeat : facts.repeats) {
    if (repeat.rank > options.ranks.depth) continue;
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: docno '{}' stands twice in topic '{}', again at rank {}; keep one "
                            "of the two lines, or use 'prescope evaluate', which counts the better",
                            facts.path, repeat.docno.text(), qrels.topic(repeat.topic).id().text(),
                            repeat.rank));
  }
}

void refuse_no_topics(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  if (!facts.topics.empty() || options.complete) return;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format(
          "{}: none of its {} topics is judged{}; the qrels judge {} topics, such as '{}'",
          facts.path, facts.unjudged_topics,
          facts.unjudged.empty() ? "" : fmt::format(", such as '{}'", facts.unjudged[0].text()),
          qrels.topics().size(), qrels.topics().front().id().text()));
}

}  // namespace

void write(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink) {
  Report report(qrels, facts, options, sink);
  refuse_repeats(qrels, facts, options);
  refuse_no_topics(qrels, facts, options);
  TopicRanks topic_ranks(qrels, options.ranks);
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const TopicIndex topic(i);
    const bool retrieved = facts.find(topic) != nullptr;
    if (!retrieved && !options.complete) continue;
    JudgedRanks ranks = topic_ranks.of(facts, topic);
    // What trec_eval puts in the place of a missing topic: one document that nobody judged.
    if (!retrieved && !options.ranks.judged_only) ranks.num_ret = 1;
    ranks.collection_size = options.collection_size;
    report.add(topic, ranks, retrieved ? Report::Topic::kRetrieved : Report::Topic::kMissing);
  }
  report.finish();
}

}  // namespace prescope::trec_eval
