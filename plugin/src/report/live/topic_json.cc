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

void add_scores(JsonWriter& json, std::span<const Measure> measures,
                const std::vector<std::optional<double>>& scores) {
  json.begin('{');
  for (std::size_t m = 0; m < measures.size(); ++m) {
    json.key(measures[m].name()).number(m < scores.size() ? scores[m] : std::nullopt);
  }
  json.end('}');
}

void add_arm(JsonWriter& json, const TopicNames& names, std::size_t a, const TopicRow::Arm& arm) {
  json.item().begin('{');
  json.key("name").word(quoted_name(names.arms[a].text()));
  truth(json.key("seen"), arm.seen);
  json.key("visits").number(arm.visits);
  json.key("num_ret").number(std::uint64_t{arm.num_ret});
  truth(json.key("exhausted"), arm.exhausted);
  truth(json.key("awaiting"), arm.awaiting);
  json.key("latency_ms").number(arm.latency_ms);
  add_scores(json.key("scores"), names.measures, arm.scores);
  add_scores(json.key("means"), names.measures, arm.means);
  json.key("relevant_ranks").begin('[');
  for (const Rank rank : arm.relevant_ranks) json.item().number(std::uint64_t{rank});
  json.end(']');
  json.end('}');
}

void add_citation(JsonWriter& json, const TopicDetail::Citation& citation) {
  json.item().begin('{');
  json.key("docno").word(quoted_name(citation.docno.text()));
  json.key("grade").word(std::to_string(citation.grade));
  truth(json.key("relevant"), citation.relevant);
  json.key("arms").begin('[');
  for (const TopicDetail::Citation::Place& place : citation.arms) {
    json.item().begin('{');
    whole_number(json.key("rank"), place.rank);
    json.key("in_index");
    place.in_index ? truth(json, *place.in_index) : json.word("null");
    json.end('}');
  }
  json.end(']');
  json.end('}');
}

void add_difference(JsonWriter& json, const TopicNames& names,
                    const TopicDetail::Difference& difference) {
  json.item().begin('{');
  json.key("a").word(quoted_name(names.arms[difference.a.value()].text()));
  json.key("b").word(quoted_name(names.arms[difference.b.value()].text()));
  json.key("measure").text(difference.measure.name());
  json.key("difference").number(std::optional(difference.difference));
  json.key("shares").begin('[');
  for (const double share : difference.shares) json.item().number(std::optional(share));
  json.end(']');
  json.end('}');
}

/// Which the differences are of.
const Measure* first_pres(std::span<const Measure> measures) {
  const auto found = std::ranges::find_if(
      measures, [](const Measure& each) { return each.definition().name == kPres.name; });
  return found == measures.end() ? nullptr : &*found;
}

void add_measure(JsonWriter& json, const Measure* pres) {
  const auto cutoff = pres == nullptr ? std::nullopt : pres->cutoff();
  whole_number(json.key("cutoff"),
               cutoff ? std::optional(cutoff->value()) : std::optional<std::uint32_t>());
  json.key("measure");
  pres == nullptr ? json.word("null") : json.text(pres->name());
}

}  // namespace

std::string topic_json(const TopicDetail& topic, const TopicNames& names) {
  return json_line([&](JsonWriter& json) {
    json.key("topic").word(quoted_name(topic.row.id.text()));
    json.key("num_rel").number(std::uint64_t{topic.row.num_rel});
    add_measure(json, first_pres(names.measures));
    json.key("arms").begin('[');
    for (std::size_t a = 0; a < topic.row.arms.size(); ++a) {
      add_arm(json, names, a, topic.row.arms[a]);
    }
    json.end(']');
    json.key("citations").begin('[');
    for (const TopicDetail::Citation& citation : topic.citations) add_citation(json, citation);
    json.end(']');
    json.key("pairs").begin('[');
    for (const auto& difference : topic.differences) add_difference(json, names, difference);
    json.end(']');
  });
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

using Value = std::optional<double> SweepPoint::*;

void add_curve(JsonWriter& json, const std::vector<SweepPoint>& points, const Rankings& rankings,
               Value value) {
  const std::uint32_t last = rankings.depth.value_or(std::numeric_limits<std::uint32_t>::max());
  json.begin('[');
  for (const SweepPoint& point : points) {
    json.item().number(point.cutoff.value() <= last ? point.*value : std::nullopt);
  }
  json.end(']');
}

void add_arm(JsonWriter& json, const ArmSummary& arm, const Rankings& rankings,
             std::span<const Cutoff> cutoffs) {
  const std::vector<SweepPoint> points = cutoff_sweep(rankings.topics, cutoffs);
  json.item().begin('{');
  json.key("name").word(quoted_name(arm.id.text()));
  json.key("topics").number(std::uint64_t{rankings.topics.size()});
  whole_number(json.key("depth"), rankings.depth);
  add_curve(json.key("PRES"), points, rankings, &SweepPoint::pres);
  add_curve(json.key("R"), points, rankings, &SweepPoint::recall);
  add_curve(json.key("AP"), points, rankings, &SweepPoint::average_precision);
  json.end('}');
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
  return json_line([&](JsonWriter& json) {
    json.key("cutoffs").begin('[');
    for (const Cutoff cutoff : cutoffs) json.item().number(std::uint64_t{cutoff.value()});
    json.end(']');
    json.key("arms").begin('[');
    for (std::size_t a = 0; a < arms.size(); ++a) {
      add_arm(json, every_topic.arms[a], arms[a], cutoffs);
    }
    json.end(']');
  });
}

}  // namespace prescope
