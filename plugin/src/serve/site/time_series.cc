#include "serve/site/time_series.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "report/text/json.h"

namespace prescope::serve {

namespace {

/// The point of a bucket that is within 1 % of both its ends, over its upper end.
constexpr double kWithinBucket = 0.99;
/// Nothing longer is counted by buckets.
constexpr double kLongestMs = 1e6;

/// Nothing where a bucket, or all of them, have become less.
std::optional<std::vector<LatencyBucket>> buckets_between(const LatencySummary& before,
                                                          const LatencySummary& after) {
  std::vector<LatencyBucket> more;
  auto old = before.buckets.begin();
  for (const LatencyBucket& bucket : after.buckets) {
    if (old != before.buckets.end() && old->at_most_ms < bucket.at_most_ms) return std::nullopt;
    std::uint64_t count = bucket.count;
    if (old != before.buckets.end() && old->at_most_ms == bucket.at_most_ms) {
      if (old->count > count) return std::nullopt;
      count -= old->count;
      ++old;
    }
    if (count > 0) more.push_back({bucket.at_most_ms, count});
  }
  if (old != before.buckets.end()) return std::nullopt;
  return more;
}

std::uint64_t counted(const std::vector<LatencyBucket>& buckets) {
  std::uint64_t sum = 0;
  for (const LatencyBucket& bucket : buckets) sum += bucket.count;
  return sum;
}

}  // namespace

std::optional<double> StretchLatency::quantile_ms(double q) const {
  if (count == 0 || counted(buckets) != count) return std::nullopt;
  auto before = static_cast<std::uint64_t>(q * static_cast<double>(count - 1));
  for (const LatencyBucket& bucket : buckets) {
    if (before < bucket.count) {
      if (!std::isfinite(bucket.at_most_ms)) return std::nullopt;
      return std::min(bucket.at_most_ms * kWithinBucket, kLongestMs);
    }
    before -= bucket.count;
  }
  return std::nullopt;
}

StretchLatency latency_between(const LatencySummary& before, const LatencySummary& after) {
  if (after.count >= before.count) {
    auto more = buckets_between(before, after);
    if (more) return {.count = after.count - before.count, .buckets = std::move(*more)};
  }
  return {.count = after.count, .buckets = after.buckets};
}

StretchLatency joined(const StretchLatency& a, const StretchLatency& b) {
  StretchLatency both{.count = a.count + b.count};
  auto in_a = a.buckets.begin();
  for (const LatencyBucket& bucket : b.buckets) {
    for (; in_a != a.buckets.end() && in_a->at_most_ms < bucket.at_most_ms; ++in_a) {
      both.buckets.push_back(*in_a);
    }
    both.buckets.push_back(bucket);
    if (in_a != a.buckets.end() && in_a->at_most_ms == bucket.at_most_ms) {
      both.buckets.back().count += in_a->count;
      ++in_a;
    }
  }
  both.buckets.insert(both.buckets.end(), in_a, a.buckets.end());
  return both;
}

namespace {

using Point = TimeSeries::Point;

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
    point.pairs[static_cast<std::size_t>(place)] = {pair.differences.begin(),
                                                    pair.differences.end()};
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

namespace {

using Point = TimeSeries::Point;

std::uint64_t ms_since_1970(UtcTime time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

/// Enough for a plot, and half the length.
void short_number(JsonWriter& json, std::optional<double> value) {
  constexpr int kDigits = 6;
  if (!value) return json.word("null");
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), *value,
                                 std::chars_format::general, kDigits);
  json.word({text.data(), static_cast<std::size_t>(end.ptr - text.data())});
}

/// The columns of some points of a series.
class Columns {
 public:
  Columns(const TimeSeries& series, std::span<const Point> points, JsonWriter& json)
      : series_(series), points_(points), json_(json) {}

  void write() {
    column("time_ms", [&](const Point& point) { json_.number(ms_since_1970(point.time)); });
    column("epoch", [&](const Point& point) { json_.number(point.epoch); });
    add_epochs();
    json_.key("arms").begin('[');
    for (std::size_t a = 0; a < series_.arms().size(); ++a) add_arm(a);
    json_.end(']');
    json_.key("pairs").begin('[');
    for (std::size_t p = 0; p < series_.pairs().size(); ++p) add_pair(p);
    json_.end(']');
  }

 private:
  template <class Write>
  void column(std::string_view name, const Write& write) {
    json_.key(name).begin('[');
    for (const Point& point : points_) {
      json_.item();
      write(point);
    }
    json_.end(']');
  }

  void add_epochs() {
    json_.key("epochs").begin('[');
    for (const TimeSeries::EpochMark& mark : series_.epochs()) {
      json_.item().begin('{');
      json_.key("number").number(mark.epoch.number);
      json_.key("reason").text(to_string(mark.epoch.reason));
      json_.key("time_ms").number(ms_since_1970(mark.seen));
      json_.end('}');
    }
    json_.end(']');
  }

  void name_of(ArmIndex arm) { json_.word(quoted_name(series_.arms()[arm.value()].text())); }

  void add_arm(std::size_t a) {
    json_.item().begin('{');
    json_.key("name");
    name_of(ArmIndex(static_cast<std::uint32_t>(a)));
    column("queries", [&](const Point& point) {
      if (a >= point.arms.size()) return json_.word("null");
      json_.number(point.arms[a].latency.count);
    });
    add_quantile("p50_ms", a, 0.50);
    add_quantile("p95_ms", a, 0.95);
    add_quantile("p99_ms", a, 0.99);
    json_.key("means").begin('{');
    for (std::size_t m = 0; m < series_.measures().size(); ++m) {
      column(series_.measures()[m].name(), [&](const Point& point) {
        short_number(json_, a < point.arms.size() ? point.arms[a].means[m] : std::nullopt);
      });
    }
    json_.end('}');
    json_.end('}');
  }

  void add_quantile(std::string_view name, std::size_t a, double q) {
    column(name, [&](const Point& point) {
      short_number(json_,
                   a < point.arms.size() ? point.arms[a].latency.quantile_ms(q) : std::nullopt);
    });
  }

  void add_pair(std::size_t p) {
    json_.item().begin('{');
    json_.key("a");
    name_of(series_.pairs()[p].a);
    json_.key("b");
    name_of(series_.pairs()[p].b);
    json_.key("differences").begin('{');
    for (std::size_t m = 0; m < series_.measures().size(); ++m) {
      json_.key(series_.measures()[m].name()).begin('{');
      add_difference(p, m);
      json_.end('}');
    }
    json_.end('}');
    json_.end('}');
  }

  /// Of each point, null where the pair was not compared.
  template <class Write>
  void difference_column(std::string_view name, std::size_t p, std::size_t m, const Write& write) {
    column(name, [&](const Point& point) {
      if (p >= point.pairs.size() || m >= point.pairs[p].size()) return json_.word("null");
      write(point.pairs[p][m]);
    });
  }

  void add_difference(std::size_t p, std::size_t m) {
    difference_column("topics", p, m, [&](const MeanDifference& each) {
      json_.number(std::uint64_t{each.topics});
    });
    difference_column("mean", p, m,
                      [&](const MeanDifference& each) { short_number(json_, each.mean); });
    difference_column("low", p, m,
                      [&](const MeanDifference& each) { short_number(json_, each.live.low); });
    difference_column("high", p, m,
                      [&](const MeanDifference& each) { short_number(json_, each.live.high); });
    difference_column("state", p, m,
                      [&](const MeanDifference& each) { json_.text(to_string(each.live.state)); });
  }

  const TimeSeries& series_;
  std::span<const Point> points_;
  JsonWriter& json_;
};

}  // namespace

std::string series_json(const TimeSeries& series) {
  return json_line([&](JsonWriter& json) { Columns(series, series.points(), json).write(); });
}

std::string newest_point_json(const TimeSeries& series) {
  if (series.newest() == nullptr) return "null";
  return json_line(
      [&](JsonWriter& json) { Columns(series, std::span(series.newest(), 1), json).write(); });
}

}  // namespace prescope::serve
