#include "support/plain_run_facts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "prescope/error.h"

namespace prescope {
namespace {

struct Line {
  std::string docno;
  double score = 0.0;
};

std::vector<std::string> columns_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> columns;
  for (std::string word; words >> word;) columns.push_back(word);
  return columns;
}

ScoreOrder order_of_scores(const std::vector<Line>& lines) {
  std::size_t rises = 0, falls = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].score > lines[i - 1].score) ++rises;
    if (lines[i].score < lines[i - 1].score) ++falls;
  }
  if (lines.size() < 2 || falls > 0) return ScoreOrder::kOther;
  return rises > 0 ? ScoreOrder::kRising : ScoreOrder::kTied;
}

/// Positions of the lines in trec order.
std::vector<std::uint32_t> in_trec_order(const std::vector<Line>& lines) {
  std::vector<std::uint32_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lines[a].score != lines[b].score ? lines[a].score > lines[b].score
                                            : lines[a].docno > lines[b].docno;
  });
  return order;
}

void add_topic(RunFacts& facts, const Qrels& qrels, TopicIndex index,
               const std::vector<Line>& lines) {
  const TopicQrels& judged = qrels.topic(index);
  const std::vector<std::uint32_t> order = in_trec_order(lines);
  RunFacts::Topic topic{.topic = index,
                        .num_ret = static_cast<std::uint32_t>(lines.size()),
                        .orders_differ = !std::ranges::is_sorted(order),
                        .scores = order_of_scores(lines),
                        .first_retrieved = static_cast<std::uint32_t>(facts.retrieved.size())};
  std::unordered_map<std::string, std::size_t> place;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const Line& line = lines[order[i]];
    const std::string key = qrels.docnos().key(Docno(line.docno));
    const auto [at, is_new] = place.try_emplace(key, SIZE_MAX);
    if (!is_new) {
      if (topic.duplicates++ == 0) facts.repeats.push_back({index, Docno(line.docno), i + 1});
      if (at->second == SIZE_MAX) continue;
      Retrieved& earlier = facts.retrieved[at->second];
      earlier.file_rank = std::min(earlier.file_rank, order[i] + 1);
      continue;
    }
    const auto judgement = judged.find(key);
    if (!judgement) continue;
    const auto same = [&](std::uint32_t j) { return lines[order[j]].score == line.score; };
    std::uint32_t first = i, last = i;
    while (first > 0 && same(first - 1)) --first;
    while (last + 1 < order.size() && same(last + 1)) ++last;
    at->second = facts.retrieved.size();
    facts.retrieved.push_back({.judgement = *judgement,
                               .trec_rank = i + 1,
                               .file_rank = order[i] + 1,
                               .first_tied = first + 1,
                               .last_tied = last + 1});
  }
  topic.num_retrieved = static_cast<std::uint32_t>(facts.retrieved.size()) - topic.first_retrieved;
  facts.topics.push_back(topic);
}

}  // namespace

RunFacts plain_run_facts(const Qrels& qrels, std::string_view text, ScorePrecision precision) {
  constexpr std::size_t kColumns = 6, kExamples = 5;
  RunFacts facts;
  std::map<std::string, std::vector<Line>> topics;
  std::istringstream file{std::string(text)};
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::vector<std::string> columns = columns_of(line);
    if (columns.empty() || line.starts_with('#')) continue;
    std::size_t read = 0;
    const double score = columns.size() < kColumns ? 0.0 : std::stod(columns[4], &read);
    if (columns.size() < kColumns || read != columns[4].size()) {
      throw Error(ErrorCode::kBadInput, line);
    }
    facts.tag = columns[5];
    if (facts.lines == 0) facts.tags.first = facts.tag;
    if (facts.tag != facts.tags.first && facts.tags.other_lines++ == 0) {
      facts.tags.other = facts.tag;
      facts.tags.first_other = number;
    }
    ++facts.lines;
    topics[columns[0]].push_back({columns[2], precision == ScorePrecision::kFloat
                                                  ? double{static_cast<float>(score)}
                                                  : score});
  }
  if (topics.empty()) throw Error(ErrorCode::kBadInput, "no rankings");
  for (const auto& [id, lines] : topics) {
    if (const auto index = qrels.find(id)) {
      add_topic(facts, qrels, *index, lines);
    } else if (facts.unjudged_topics++ < kExamples) {
      facts.unjudged.emplace_back(id);
    }
  }
  return facts;
}

}  // namespace prescope
