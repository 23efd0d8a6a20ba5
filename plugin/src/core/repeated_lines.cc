#include "core/repeated_lines.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "core/measures/average_precision.h"
#include "core/measures/definitions.h"
#include "core/measures/pres.h"
#include "core/measures/recall.h"
#include "core/run_scan/run_line.h"
#include "core/text_file.h"

namespace prescope {
namespace {

struct ScoredLine {
  std::string docno;
  double score = 0.0;
};

using ScoredLines = std::map<std::uint32_t, std::vector<ScoredLine>>;  // by TopicIndex

ScoredLines lines_of(const Qrels& qrels, const std::filesystem::path& path,
                     ScorePrecision precision) {
  ScoredLines topics;
  TextFile file(path);
  std::string_view text;
  std::string problem;
  RunLine hit;
  while (file.next(text)) {
    const LineKind kind = parse_run_line(text, hit, problem);
    if (kind == LineKind::kBad) throw file.bad_line(problem);
    if (kind == LineKind::kNothing) continue;
    const std::optional<TopicIndex> topic = qrels.find(hit.topic);
    if (!topic) continue;
    const double score = parse_score(hit.score).value_or(0.0);
    topics[topic->value()].push_back(
        {std::string(hit.docno),
         precision == ScorePrecision::kFloat ? double{static_cast<float>(score)} : score});
  }
  return topics;
}

/// Ranks of all lines of relevant documents, ascending.
std::vector<Rank> relevant_lines(const Qrels& qrels, const TopicQrels& judged,
                                 std::vector<ScoredLine>& lines, const RankOptions& options) {
  if (options.order == RunOrder::kTrec) {
    std::ranges::stable_sort(lines, [](const ScoredLine& a, const ScoredLine& b) {
      return a.score != b.score ? a.score > b.score : a.docno > b.docno;
    });
  }
  std::vector<Rank> ranks;
  const std::size_t last = std::min<std::size_t>(lines.size(), options.depth);
  DocnoBuffer buffer;
  for (std::size_t i = 0; i < last; ++i) {
    const auto judgement = judged.find(qrels.docnos().key(lines[i].docno, buffer));
    if (judgement && judged.is_relevant(*judgement)) ranks.push_back(static_cast<Rank>(i + 1));
  }
  return ranks;
}

double score_lines(const Measure& measure, std::uint32_t num_rel, const std::vector<Rank>& ranks) {
  Pres pres;
  Recall recall;
  AveragePrecision precision;
  for (const Rank rank : ranks) {
    if (rank > last_rank(measure)) break;
    pres.add(rank);
    recall.add(rank);
    precision.add(rank);
  }
  if (&measure.definition() == &kPres) return pres.value(num_rel, last_rank(measure));
  if (&measure.definition() == &kRecall) return recall.value(num_rel);
  return precision.value(num_rel);
}

}  // namespace

bool counts_lines(const Measure& measure) noexcept {
  const MeasureDefinition* definition = &measure.definition();
  return definition == &kPres || definition == &kRecall || definition == &kAveragePrecision;
}

std::vector<std::optional<double>> means_of_every_line(const Qrels& qrels,
                                                       const std::filesystem::path& path,
                                                       const std::vector<Measure>& measures,
                                                       const EvaluateOptions& options,
                                                       ScorePrecision precision) {
  ScoredLines topics = lines_of(qrels, path, precision);
  std::vector<double> sums(measures.size());
  std::uint32_t counted = 0;
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    const TopicQrels& judged = qrels.topics()[t];
    const auto lines = topics.find(t);
    const bool is_missing = lines == topics.end();
    if (judged.num_rel() == 0) continue;
    if (is_missing && options.topics == EvaluateOptions::Topics::kRun) continue;
    ++counted;
    if (is_missing) continue;
    const auto ranks = relevant_lines(qrels, judged, lines->second, options.ranks);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      if (counts_lines(measures[m])) sums[m] += score_lines(measures[m], judged.num_rel(), ranks);
    }
  }
  std::vector<std::optional<double>> means(measures.size());
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (counted > 0 && counts_lines(measures[m])) means[m] = sums[m] / counted;
  }
  return means;
}

}  // namespace prescope
