#include "serve/site/time_series.h"

#include <cmath>

#include "report/live/live_report.h"

namespace prescope::serve {

namespace {

/// The value within 1 % of both ends of a bucket, divided by its upper end.
constexpr double kWithinBucket = 0.99;
/// The longest latency that buckets count.
constexpr double kLongestMs = 1e6;

/// Counts of queries by the end of their bucket.
using Counts = std::map<double, std::uint64_t>;

std::vector<LatencyBucket> filled_buckets(const Counts& counts) {
  std::vector<LatencyBucket> buckets;
  for (const auto& [at_most_ms, count] : counts) {
    if (count > 0) buckets.push_back({at_most_ms, count});
  }
  return buckets;
}

std::uint64_t counted(const std::vector<LatencyBucket>& buckets) {
  std::uint64_t sum = 0;
  for (const LatencyBucket& bucket : buckets) sum += bucket.count;
  return sum;
}

using Point = TimeSeries::Point;
using ArmPoint = TimeSeries::ArmPoint;

StretchLatency joined(const StretchLatency& a, const StretchLatency& b) {
  Counts counts;
  for (const StretchLatency* part : {&a, &b}) {
    for (const LatencyBucket& bucket : part->buckets) counts[bucket.at_most_ms] += bucket.count;
  }
  return {.count = a.count + b.count, .buckets = filled_buckets(counts)};
}

/// Returns `later`, with the queries of the point before it.
Point following(const Point& earlier, Point later) {
  for (std::size_t a = 0; a < earlier.arms.size(); ++a) {
    later.arms[a].latency = joined(earlier.arms[a].latency, later.arms[a].latency);
  }
  return later;
}

std::uint64_t ms_since_1970(UtcTime time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

/// Returns nothing for so few queries that none is expected behind a high quantile: p95 needs 20,
/// p99 100. With fewer, both would be the slowest query, or the one before it.
std::optional<double> shown_quantile(const StretchLatency& latency, std::uint64_t in_hundred) {
  if (in_hundred > 50 && latency.count * (100 - in_hundred) < 100) return std::nullopt;
  return latency.quantile_ms(static_cast<double>(in_hundred) / 100.0);
}

/// Writes the columns of some points of a series.
class Columns {
 public:
  Columns(const TimeSeries& series, std::span<const Point> points, JsonWriter& json)
      : series_(series), points_(points), json_(json) {}

  void write() {
    const auto itself = [](const Point& point) { return &point; };
    column("time_ms", itself, [](const Point& point) { return ms_since_1970(point.time); });
    column("epoch", itself, &Point::epoch);
    json_.key("epochs").begin('[');
    for (const TimeSeries::EpochMark& mark : series_.epochs()) {
      json_.item().value({{"number", mark.epoch.number},
                          {"reason", to_string(mark.epoch.reason)},
                          {"time_ms", ms_since_1970(mark.seen)}});
    }
    json_.end(']');
    json_.key("arms").begin('[');
    for (std::size_t a = 0; a < series_.arms().size(); ++a) add_arm(a);
    json_.end(']');
    json_.key("pairs").begin('[');
    for (std::size_t p = 0; p < series_.pairs().size(); ++p) add_pair(p);
    json_.end(']');
  }

 private:
  void put(std::uint64_t number) { json_.number(number); }
  void put(std::string_view text) { json_.text(text); }
  /// Six digits are enough for a plot, and half the length.
  void put(double value) {
    std::array<char, 32> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
    json_.word({text.data(), static_cast<std::size_t>(end.ptr - text.data())});
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    value ? put(*value) : json_.word("null");
  }

  /// Writes `value(*of(point))` for each point, or null if `of(point)` is null.
  template <class Of, class Value>
  void column(std::string_view name, const Of& of, const Value& value) {
    json_.key(name).begin('[');
    for (const Point& point : points_) {
      json_.item();
      const auto* const there = of(point);
      there != nullptr ? put(std::invoke(value, *there)) : json_.word("null");
    }
    json_.end(']');
  }

  [[nodiscard]] const std::string& name_of(ArmIndex arm) const {
    return series_.arms()[arm.value()].text();
  }

  /// Calls `add` for each measure, inside an object with its columns.
  template <class Add>
  void for_each_measure(std::string_view name, const Add& add) {
    json_.key(name).begin('{');
    for (std::size_t m = 0; m < series_.measures().size(); ++m) {
      add(m, series_.measures()[m].name());
    }
    json_.end('}');
  }

  void add_arm(std::size_t a) {
    // Null before the arm was added.
    const auto arm = [a](const Point& point) {
      return a < point.arms.size() ? &point.arms[a] : nullptr;
    };
    json_.item().begin('{');
    json_.key("name").text(series_.arms()[a].text());
    column("queries", arm, [](const ArmPoint& of) { return of.latency.count; });
    for (const auto& [name, in_hundred] :
         {std::pair{"p50_ms", 50U}, {"p95_ms", 95U}, {"p99_ms", 99U}}) {
      column(name, arm, [=](const ArmPoint& of) { return shown_quantile(of.latency, in_hundred); });
    }
    for_each_measure("means", [&](std::size_t m, const std::string& measure) {
      column(measure, arm, [m](const ArmPoint& of) { return of.means[m]; });
    });
    json_.end('}');
  }

  void add_pair(std::size_t p) {
    json_.item().begin('{');
    json_.key("a").text(name_of(series_.pairs()[p].a));
    json_.key("b").text(name_of(series_.pairs()[p].b));
    for_each_measure("differences", [&](std::size_t m, const std::string& measure) {
      json_.key(measure).begin('{');
      add_difference(p, m);
      json_.end('}');
    });
    json_.end('}');
  }

  void add_difference(std::size_t p, std::size_t m) {
    // Null if the pair was not compared.
    const auto difference = [=](const Point& point) {
      const bool is_there = p < point.pairs.size() && m < point.pairs[p].size();
      return is_there ? &point.pairs[p][m] : nullptr;
    };
    // Null without evidence.
    const auto evidence = [&](const Point& point) {
      const MeanDifference* const of = difference(point);
      return of != nullptr && of->live ? &*of->live : nullptr;
    };
    column("topics", difference,
           [](const MeanDifference& of) { return std::uint64_t{shown_topics(of)}; });
    column("mean", difference, shown_mean);
    column("low", evidence, &LiveVerdict::low);
    column("high", evidence, &LiveVerdict::high);
    column("state", evidence, [](const LiveVerdict& live) { return to_string(live.state); });
  }

  const TimeSeries& series_;
  std::span<const Point> points_;
  JsonWriter& json_;
};

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
  const StretchLatency whole{.count = after.count, .buckets = after.buckets};
  if (after.count < before.count) return whole;
  Counts more;
  for (const LatencyBucket& bucket : after.buckets) more[bucket.at_most_ms] = bucket.count;
  for (const LatencyBucket& bucket : before.buckets) {
    const auto now = more.find(bucket.at_most_ms);
    if (now == more.end() || now->second < bucket.count) return whole;
    now->second -= bucket.count;
  }
  return {.count = after.count - before.count, .buckets = filled_buckets(more)};
}

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
  // It is unknown when epochs before the first summary ended.
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
  if (points_.size() > limits_.points) thin_out();
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
}

std::string series_json(const TimeSeries& series) {
  return json_line([&](JsonWriter& json) { Columns(series, series.points(), json).write(); });
}

std::string newest_point_json(const TimeSeries& series) {
  if (series.newest() == nullptr) return "null";
  return json_line(
      [&](JsonWriter& json) { Columns(series, std::span(series.newest(), 1), json).write(); });
}

}  // namespace prescope::serve
