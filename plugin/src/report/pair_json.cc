#include "report/summary_json.h"

namespace prescope {

Json live_json(const LiveVerdict& live) {
  return {{"state", to_string(live.state)},
          {"alpha", live.alpha},
          {"low", live.low},
          {"high", live.high},
          {"log_e", live.log_e},
          {"log_e_better", live.log_e_better},
          {"log_e_worse", live.log_e_worse},
          {"detectable", or_null(live.detectable)}};
}

namespace {

Json worst_json(const std::vector<TopicDifference>& worst) {
  Json topics = Json::array();
  for (const TopicDifference& topic : worst) {
    topics.push_back({{"topic", topic.topic.text()},
                      {"a", topic.a},
                      {"b", topic.b},
                      {"difference", topic.difference}});
  }
  return topics;
}

Json difference_json(const MeasureDifference& difference) {
  return {{"topics", difference.topics},
          {"mean", or_null(difference.mean)},
          {"ci_low", or_null(difference.ci_low)},
          {"ci_high", or_null(difference.ci_high)},
          {"p_value", or_null(difference.p_value)},
          {"wins", difference.wins},
          {"ties", difference.ties},
          {"losses", difference.losses},
          {"verdict", to_string(difference.verdict)},
          {"live", live_json(difference.live)},
          {"worst", worst_json(difference.worst)}};
}

Json move_json(const TopicMove& move) {
  Json citations = Json::array();
  for (const CitationMove& citation : move.citations) {
    citations.push_back({{"docno", citation.docno.text()},
                         {"grade", citation.grade},
                         {"rank_a", or_null(citation.rank_a)},
                         {"rank_b", or_null(citation.rank_b)},
                         {"share", citation.share}});
  }
  return {{"topic", move.topic.text()},
          {"measure", move.measure.name()},
          {"a", move.a},
          {"b", move.b},
          {"difference", move.difference},
          {"num_rel", move.num_rel},
          {"citations", std::move(citations)}};
}

Json latency_ratio_json(const LatencyRatio& ratio) {
  return {{"topics", ratio.topics},          {"mean", or_null(ratio.mean)},
          {"ci_low", or_null(ratio.ci_low)}, {"ci_high", or_null(ratio.ci_high)},
          {"low", or_null(ratio.low)},       {"high", or_null(ratio.high)}};
}

Json sample_ratio_json(const std::optional<SampleRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"topics_a", ratio->topics_a},
          {"topics_b", ratio->topics_b},
          {"log_e", ratio->log_e},
          {"alarm", ratio->alarm}};
}

}  // namespace

Json pair_json(const Summary& summary, const ArmPair& pair) {
  Json differences = Json::object();
  for (const MeasureDifference& difference : pair.differences) {
    differences[difference.measure.name()] = difference_json(difference);
  }
  Json moves = Json::array();
  for (const TopicMove& move : pair.moves) moves.push_back(move_json(move));
  return {{"a", summary.arms[pair.a.value()].id.text()},
          {"b", summary.arms[pair.b.value()].id.text()},
          {"differences", std::move(differences)},
          {"latency_ratio", latency_ratio_json(pair.latency)},
          {"sample_ratio", sample_ratio_json(pair.sample_ratio)},
          {"moves", std::move(moves)}};
}

}  // namespace prescope
