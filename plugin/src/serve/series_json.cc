#include <array>
#include <charconv>
#include <span>

#include "report/json_line.h"
#include "serve/time_series.h"

namespace prescope::serve {
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
    using Difference = TimeSeries::Difference;
    difference_column("topics", p, m,
                      [&](const Difference& each) { json_.number(std::uint64_t{each.topics}); });
    difference_column("mean", p, m,
                      [&](const Difference& each) { short_number(json_, each.mean); });
    difference_column("low", p, m, [&](const Difference& each) { short_number(json_, each.low); });
    difference_column("high", p, m,
                      [&](const Difference& each) { short_number(json_, each.high); });
    difference_column("state", p, m,
                      [&](const Difference& each) { json_.text(to_string(each.state)); });
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
