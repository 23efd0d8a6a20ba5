#include "report/sweep_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/cutoff_sweep.h"
#include "report/json_line.h"

namespace prescope {
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
