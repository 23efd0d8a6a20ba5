#include "serve/time_series.h"

#include <algorithm>
#include <utility>

namespace prescope::serve {
namespace {

using Point = TimeSeries::Point;

std::vector<TimeSeries::Difference> differences_of(const ArmPair& pair) {
  std::vector<TimeSeries::Difference> differences;
  for (const MeasureDifference& each : pair.differences) {
    differences.push_back({.topics = each.topics,
                           .mean = each.mean,
                           .low = each.live.low,
                           .high = each.live.high,
                           .state = each.live.state});
  }
  return differences;
}

/// `later`, with the queries of the point before it.
Point following(const Point& earlier, Point later) {
  for (std::size_t a = 0; a < earlier.arms.size(); ++a) {
    later.arms[a].latency = joined(earlier.arms[a].latency, later.arms[a].latency);
  }
  return later;
}

std::size_t buckets_of(const Point& point) {
  std::size_t buckets = 0;
  for (const TimeSeries::ArmPoint& arm : point.arms) buckets += arm.latency.buckets.size();
  return buckets;
}

}  // namespace

void TimeSeries::add(UtcTime time, const Summary& summary) {
  add_names(summary);
  add_epochs(time, summary);
  newest_ = point_of(time, summary);
  for (std::size_t a = 0; a < summary.arms.size(); ++a) latency_[a] = summary.arms[a].latency;
  keep(*newest_);
}

void TimeSeries::add_names(const Summary& summary) {
  measures_ = summary.measures;
  for (std::size_t a = arms_.size(); a < summary.arms.size(); ++a) {
    arms_.push_back(summary.arms[a].id);
  }
  latency_.resize(arms_.size());
  for (const ArmPair& pair : summary.pairs) {
    const Pair names{pair.a, pair.b};
    if (std::ranges::find(pairs_, names) == pairs_.end()) pairs_.push_back(names);
  }
}

void TimeSeries::add_epochs(UtcTime time, const Summary& summary) {
  const auto add = [&](const Epoch& epoch) {
    if (!epochs_.empty() && epochs_.back().epoch.number >= epoch.number) return;
    epochs_.push_back({epoch, time});
  };
  // Of those that ended before the first summary nobody knows when.
  if (!epochs_.empty()) {
    for (const PastEpoch& past : summary.past_epochs) add(past.epoch);
  }
  add(summary.epoch);
  if (epochs_.size() > limits_.epochs) {
    epochs_.erase(epochs_.begin(), epochs_.end() - static_cast<std::ptrdiff_t>(limits_.epochs));
  }
}

Point TimeSeries::point_of(UtcTime time, const Summary& summary) const {
  Point point{.time = time, .epoch = summary.epoch.number};
  for (std::size_t a = 0; a < summary.arms.size(); ++a) {
    ArmPoint arm{.latency = latency_between(latency_[a], summary.arms[a].latency)};
    for (const MeasureMean& mean : summary.arms[a].means) arm.means.push_back(mean.mean);
    point.arms.push_back(std::move(arm));
  }
  point.pairs.resize(pairs_.size());
  for (const ArmPair& pair : summary.pairs) {
    const auto place = std::ranges::find(pairs_, Pair{pair.a, pair.b}) - pairs_.begin();
    point.pairs[static_cast<std::size_t>(place)] = differences_of(pair);
  }
  return point;
}

void TimeSeries::keep(const Point& point) {
  if (!points_.empty() && in_last_ < stride_) {
    points_.back() = following(points_.back(), point);
    ++in_last_;
  } else {
    points_.push_back(point);
    in_last_ = 1;
  }
  buckets_ += buckets_of(point);
  if (buckets_ > limits_.buckets) buckets_ = num_buckets();
  while (points_.size() > limits_.points || (buckets_ > limits_.buckets && points_.size() > 1)) {
    thin_out();
  }
}

void TimeSeries::thin_out() {
  std::vector<Point> kept;
  kept.reserve(limits_.points);
  for (std::size_t i = 0; i + 1 < points_.size(); i += 2) {
    kept.push_back(following(points_[i], std::move(points_[i + 1])));
  }
  const bool is_last_alone = points_.size() % 2 == 1;
  if (is_last_alone) kept.push_back(std::move(points_.back()));
  in_last_ += is_last_alone ? 0 : stride_;
  stride_ *= 2;
  points_ = std::move(kept);
  buckets_ = num_buckets();
}

std::size_t TimeSeries::num_buckets() const {
  std::size_t buckets = 0;
  for (const Point& point : points_) buckets += buckets_of(point);
  return buckets;
}

}  // namespace prescope::serve
