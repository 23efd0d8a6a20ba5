#include "report/live/topic_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "measures/cutoff_sweep.h"
#include "measures/definitions.h"
#include "report/text/json.h"

namespace prescope {

namespace {

Json scores_json(std::span<const Measure> measures,
                 const std::vector<std::optional<double>>& scores) {
  Json json = Json::object();
  for (std::size_t m = 0; m < measures.size(); ++m) {
    json[measures[m].name()] = m < scores.size() ? or_null(scores[m]) : Json(nullptr);
  }
  return json;
}

Json arm_json(const TopicNames& names, std::size_t a, const TopicRow::Arm& arm) {
  return {{"name", names.arms[a].text()},
          {"seen", arm.seen},
          {"visits", arm.visits},
          {"num_ret", arm.num_ret},
          {"exhausted", arm.exhausted},
          {"awaiting", arm.awaiting},
          {"latency_ms", or_null(arm.latency_ms)},
          {"scores", scores_json(names.measures, arm.scores)},
          {"means", scores_json(names.measures, arm.means)},
          {"relevant_ranks", arm.relevant_ranks}};
}

Json citation_json(const TopicDetail::Citation& citation) {
  Json arms = Json::array();
  for (const TopicDetail::Citation::Place& place : citation.arms) {
    arms.push_back({{"rank", or_null(place.rank)}, {"in_index", or_null(place.in_index)}});
  }
  return {{"docno", citation.docno.text()},
          {"grade", citation.grade},
          {"relevant", citation.relevant},
          {"arms", std::move(arms)}};
}

Json difference_json(const TopicNames& names, const TopicDetail::Difference& difference) {
  return {{"a", names.arms[difference.a.value()].text()},
          {"b", names.arms[difference.b.value()].text()},
          {"measure", difference.measure.name()},
          {"difference", difference.difference},
          {"shares", difference.shares}};
}

/// Which the differences are of.
const Measure* first_pres(std::span<const Measure> measures) {
  const auto found = std::ranges::find_if(
      measures, [](const Measure& each) { return each.definition().name == kPres.name; });
  return found == measures.end() ? nullptr : &*found;
}

}  // namespace

std::string topic_json(const TopicDetail& topic, const TopicNames& names) {
  const Measure* const pres = first_pres(names.measures);
  const auto cutoff = pres == nullptr ? std::nullopt : pres->cutoff();
  Json arms = Json::array(), citations = Json::array(), pairs = Json::array();
  for (std::size_t a = 0; a < topic.row.arms.size(); ++a) {
    arms.push_back(arm_json(names, a, topic.row.arms[a]));
  }
  for (const auto& citation : topic.citations) citations.push_back(citation_json(citation));
  for (const auto& difference : topic.differences) {
    pairs.push_back(difference_json(names, difference));
  }
  return json_line({{"topic", topic.row.id.text()},
                    {"num_rel", topic.row.num_rel},
                    {"cutoff", cutoff ? Json(cutoff->value()) : Json(nullptr)},
                    {"measure", pres == nullptr ? Json(nullptr) : Json(pres->name())},
                    {"arms", std::move(arms)},
                    {"citations", std::move(citations)},
                    {"pairs", std::move(pairs)}});
}

namespace {

/// What an arm served last, of topics whose every rank is known.
struct Rankings {
  std::vector<SweepTopic> topics{};
  std::optional<std::uint32_t> depth{};  ///< of the shallowest that was cut off
  std::uint32_t longest = 0;

  /// Up to where every ranking is known, the end of all of them where none was cut off.
  [[nodiscard]] std::uint32_t known() const { return depth.value_or(longest); }
};

Rankings rankings_of(const Summary& summary, std::size_t arm) {
  Rankings rankings;
  for (const TopicRow& row : summary.rows) {
    const TopicRow::Arm& served = row.arms[arm];
    if (!served.seen || served.awaiting || row.num_rel == 0) continue;
    rankings.topics.push_back({.num_rel = row.num_rel, .relevant_ranks = served.relevant_ranks});
    rankings.longest = std::max(rankings.longest, served.num_ret);
    if (served.exhausted) continue;
    rankings.depth = std::min(rankings.depth.value_or(served.num_ret), served.num_ret);
  }
  return rankings;
}

using MeanAtCutoff = Mean SweepPoint::*;

Json curve_json(const std::vector<SweepPoint>& points, const Rankings& rankings,
                MeanAtCutoff mean) {
  const std::uint32_t last = rankings.depth.value_or(std::numeric_limits<std::uint32_t>::max());
  Json curve = Json::array();
  for (const SweepPoint& point : points) {
    curve.push_back(point.cutoff.value() <= last ? or_null((point.*mean).value) : Json(nullptr));
  }
  return curve;
}

Json arm_json(const ArmSummary& arm, const Rankings& rankings, std::span<const Cutoff> cutoffs) {
  const std::vector<SweepPoint> points = cutoff_sweep(rankings.topics, cutoffs);
  return {{"name", arm.id.text()},
          {"topics", rankings.topics.size()},
          {"depth", or_null(rankings.depth)},
          {"PRES", curve_json(points, rankings, &SweepPoint::pres)},
          {"R", curve_json(points, rankings, &SweepPoint::recall)},
          {"AP", curve_json(points, rankings, &SweepPoint::average_precision)}};
}

}  // namespace

std::string sweep_json(const Summary& every_topic, std::size_t count) {
  std::vector<Rankings> arms;
  std::uint32_t deepest = 0;
  for (std::size_t a = 0; a < every_topic.arms.size(); ++a) {
    arms.push_back(rankings_of(every_topic, a));
    deepest = std::max(deepest, arms.back().known());
  }
  const std::vector<Cutoff> cutoffs = cutoffs_up_to(deepest, count);
  Json numbers = Json::array(), documents = Json::array();
  for (const Cutoff cutoff : cutoffs) numbers.push_back(cutoff.value());
  for (std::size_t a = 0; a < arms.size(); ++a) {
    documents.push_back(arm_json(every_topic.arms[a], arms[a], cutoffs));
  }
  return json_line({{"cutoffs", std::move(numbers)}, {"arms", std::move(documents)}});
}

}  // namespace prescope
