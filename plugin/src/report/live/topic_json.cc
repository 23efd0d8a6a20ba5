#include "report/live/live_report.h"

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
    json[measures[m].name()] = m < scores.size() ? scores[m] : std::nullopt;
  }
  return json;
}

Json arm_json(const TopicNames& names, std::size_t a, const TopicRow::Arm& arm) {
  return {{"name", names.arms[a]},
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

Json topic_citation_json(const TopicDetail::Citation& citation) {
  const auto place_json = [](const TopicDetail::Citation::Place& place) -> Json {
    return {{"rank", place.rank}, {"in_index", place.in_index}};
  };
  return {{"docno", citation.docno},
          {"grade", citation.grade},
          {"relevant", citation.relevant},
          {"arms", array_of(citation.arms, place_json)}};
}

Json difference_json(const TopicNames& names, const TopicDetail::Difference& difference) {
  return {{"a", names.arms[difference.a.value()]},
          {"b", names.arms[difference.b.value()]},
          {"measure", difference.measure},
          {"difference", difference.difference},
          {"shares", difference.shares}};
}

const Measure* first_pres(std::span<const Measure> measures) {
  const auto found = std::ranges::find_if(
      measures, [](const Measure& each) { return each.definition().name == kPres.name; });
  return found == measures.end() ? nullptr : &*found;
}

}  // namespace

std::string topic_json(const TopicDetail& topic, const TopicNames& names) {
  const Measure* const pres = first_pres(names.measures);
  const auto cutoff = pres == nullptr ? std::nullopt : pres->cutoff();
  Json arms = Json::array();
  for (std::size_t a = 0; a < topic.row.arms.size(); ++a) {
    arms.push_back(arm_json(names, a, topic.row.arms[a]));
  }
  return json_line({{"topic", topic.row.id},
                    {"num_rel", topic.row.num_rel},
                    {"cutoff", cutoff ? Json(cutoff->value()) : Json()},
                    {"measure", pres == nullptr ? Json() : Json(*pres)},
                    {"arms", std::move(arms)},
                    {"citations", array_of(topic.citations, topic_citation_json)},
                    {"pairs", array_of(topic.differences, [&](const auto& difference) {
                       return difference_json(names, difference);
                     })}});
}

}  // namespace prescope
