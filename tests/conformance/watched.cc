#include "conformance/watched.h"

#include <ostream>

namespace prescope {

void PrintTo(const JudgedHit& hit, std::ostream* out) {
  *out << "{rank " << hit.rank << ", judgement " << hit.judgement.value() << "}";
}

}  // namespace prescope

namespace prescope::conformance {
namespace {

bool is_ranking(const Observation& observation) {
  return !has(observation.flags, RankingFlags::kFailed) &&
         !has(observation.flags, RankingFlags::kTimedOut);
}

Qrels qrels_of(const Watched::Citations& citations, const QrelsOptions& options) {
  std::vector<Qrels::Line> lines;
  for (const auto& [topic, docno] : citations) lines.push_back({TopicId{topic}, Docno{docno}, 1});
  return Qrels::from_lines(lines, options);
}

}  // namespace

std::vector<Rank> Seen::ranks() const {
  std::vector<Rank> ranks;
  for (const JudgedHit& hit : hits) ranks.push_back(hit.rank);
  return ranks;
}

Watched::Watched(const Citations& citations, const QrelsOptions& options)
    : experiment_(
          qrels_of(citations, options),
          {.arms = {"a", "b"},
           .cutoffs = {2, 10},
           .on_observation = [this](const Observation& observation) {
             const std::lock_guard lock(mutex_);
             if (!is_ranking(observation)) return failures_.push_back(observation);
             seen_.push_back({observation, {observation.hits.begin(), observation.hits.end()}});
           }}) {}

std::vector<Seen> Watched::seen() {
  experiment_.flush();
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::vector<Observation> Watched::failures() {
  experiment_.flush();
  const std::lock_guard lock(mutex_);
  return failures_;
}

std::vector<Rank> Watched::only_ranks() {
  const std::vector<Seen> all = seen();
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? std::vector<Rank>() : all.front().ranks();
}

}  // namespace prescope::conformance
