#include "report/live/topic_json.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "measures/definitions.h"
#include "report/text/json.h"

namespace prescope {

namespace {

Json scores_json(std::span<const Measure> measures,
                 const std::vector<std::optional<double>>& scores) {
  Json json = Json::object();
  for (std::size_t m = 0; m < measures.size(); ++m) {
    json[measures[m].name()] = m < scores.size() ? scores[m] : Json(nullptr);
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
          {"latency_ms", arm.latency_ms},
          {"scores", scores_json(names.measures, arm.scores)},
          {"means", scores_json(names.measures, arm.means)},
          {"relevant_ranks", arm.relevant_ranks}};
}

Json citation_json(const TopicDetail::Citation& citation) {
  Json arms = Json::array();
  for (const TopicDetail::Citation::Place& place : citation.arms) {
    arms.push_back({{"rank", place.rank}, {"in_index", place.in_index}});
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

}  // namespace prescope
