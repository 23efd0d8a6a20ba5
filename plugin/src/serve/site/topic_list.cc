#include "serve/site/topic_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "report/text/json.h"
#include "statistics/paired_tests.h"

namespace prescope::serve {

namespace {

using Values = std::vector<std::optional<double>>;

/// What is kept at most of each kind, so that asking for everything fills no memory.
constexpr std::size_t kMostKept = 32;
constexpr std::size_t kNoArm = std::numeric_limits<std::size_t>::max();

std::optional<double> mean_of(const TopicRow& row, std::size_t arm, std::size_t measure) {
  const std::vector<std::optional<double>>& means = row.arms[arm].means;
  return measure < means.size() ? means[measure] : std::nullopt;
}

/// `difference` is not 0.
std::size_t bin_of(double difference) {
  constexpr double kHalf = TopicTally::kBins / 2.0;
  // Differences are clean to 1e-12: a border is one in spite of its binary digits.
  const double steps = std::ceil(std::abs(difference) * kHalf - 1e-9);
  const auto from_middle = static_cast<std::size_t>(std::clamp(steps, 1.0, kHalf)) - 1;
  return difference > 0.0 ? TopicTally::kBins / 2 + from_middle
                          : TopicTally::kBins / 2 - 1 - from_middle;
}

void count(double difference, TopicTally& tally) {
  if (difference == 0.0) {
    ++tally.ties;
    return;
  }
  ++(difference > 0.0 ? tally.wins : tally.losses);
  ++tally.strip[bin_of(difference)];
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char x, char y) { return lower(x) == lower(y); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::optional<double> latency_of(const TopicRow& row, std::optional<std::size_t> arm) {
  return arm ? row.arms[*arm].latency_ms : std::nullopt;
}

double visits_of(const TopicRow& row, const TopicQuery& query) {
  const std::uint64_t of_b = query.b ? row.arms[*query.b].visits : 0;
  return static_cast<double>(row.arms[query.a].visits + of_b);
}

/// What topics are sorted by, but their names.
std::optional<double> value_of(const TopicRow& row, std::optional<double> difference,
                               const TopicQuery& query) {
  switch (query.sort) {
    case TopicSort::kTopic:
      return std::nullopt;
    case TopicSort::kNumRel:
      return row.num_rel;
    case TopicSort::kDifference:
      return difference;
    case TopicSort::kAbsDifference:
      return difference ? std::optional(std::abs(*difference)) : std::nullopt;
    case TopicSort::kVisits:
      return visits_of(row, query);
    case TopicSort::kScoreA:
      return mean_of(row, query.a, query.measure);
    case TopicSort::kScoreB:
      return query.b ? mean_of(row, *query.b, query.measure) : std::nullopt;
    case TopicSort::kLatencyA:
      return latency_of(row, query.a);
    case TopicSort::kLatencyB:
      return latency_of(row, query.b);
  }
  return std::nullopt;
}

}  // namespace

TopicList::TopicList(std::shared_ptr<const Summary> every_topic)
    : summary_(std::move(every_topic)) {}

TopicList::ComparisonKey TopicList::key_of(const TopicQuery& query) {
  return {query.measure, query.a, query.b.value_or(kNoArm)};
}

const TopicList::Comparison& TopicList::comparison(const TopicQuery& query) {
  const ComparisonKey key = key_of(query);
  if (const auto found = comparisons_.find(key); found != comparisons_.end()) return found->second;
  if (comparisons_.size() >= kMostKept) comparisons_.clear();
  Comparison& made = comparisons_[key];
  made.differences.resize(summary_->rows.size());
  if (!query.b || summary_->mode == Mode::kSplit) return made;
  for (std::size_t r = 0; r < summary_->rows.size(); ++r) {
    const TopicRow& row = summary_->rows[r];
    const std::optional<double> a = mean_of(row, query.a, query.measure);
    const std::optional<double> b = mean_of(row, *query.b, query.measure);
    if (!a || !b) continue;
    made.differences[r] = clean_difference(*b, *a);
    count(*made.differences[r], made.tally);
  }
  return made;
}

const TopicTally& TopicList::tally(const TopicQuery& query) { return comparison(query).tally; }

std::optional<double> TopicList::difference(const TopicQuery& query, std::size_t row) {
  return comparison(query).differences[row];
}

Values TopicList::values(const TopicQuery& query) {
  const std::vector<std::optional<double>>& differences = comparison(query).differences;
  Values values;
  values.reserve(summary_->rows.size());
  for (std::size_t r = 0; r < summary_->rows.size(); ++r) {
    values.push_back(value_of(summary_->rows[r], differences[r], query));
  }
  return values;
}

TopicList::Rows TopicList::sorted_by(const Values& values, SortOrder order) const {
  // Sorted by value and position at once: a look-up for each comparison costs as much again.
  struct Place {
    double value;
    std::uint32_t row;
  };
  const double sign = order == SortOrder::kDescending ? -1.0 : 1.0;
  std::vector<Place> places;
  places.reserve(values.size());
  for (std::uint32_t r = 0; r < values.size(); ++r) {
    places.push_back({values[r] ? sign * *values[r] : std::numeric_limits<double>::infinity(), r});
  }
  std::ranges::sort(places, [](const Place& x, const Place& y) {
    return x.value != y.value ? x.value < y.value : x.row < y.row;
  });
  Rows rows;
  rows.reserve(places.size());
  for (const Place& place : places) rows.push_back(place.row);
  return rows;
}

const TopicList::Rows& TopicList::sorted(const TopicQuery& query) {
  const OrderKey key{key_of(query), query.sort, query.order};
  if (const auto found = orders_.find(key); found != orders_.end()) return found->second;
  if (orders_.size() >= kMostKept) orders_.clear();
  Rows rows;
  if (query.sort == TopicSort::kTopic) {
    for (std::uint32_t r = 0; r < summary_->rows.size(); ++r) rows.push_back(r);
    if (query.order == SortOrder::kDescending) std::ranges::reverse(rows);
  } else {
    rows = sorted_by(values(query), query.order);
  }
  return orders_[key] = std::move(rows);
}

TopicList::Page TopicList::page(const TopicQuery& query) {
  const Rows& rows = sorted(query);
  const std::size_t first = query.page * query.size;
  Page page;
  for (const std::uint32_t row : rows) {
    if (!contains(summary_->rows[row].id.text(), query.search)) continue;
    const std::size_t place = page.matching++;
    if (place >= first && page.rows.size() < query.size) page.rows.push_back(row);
  }
  return page;
}

namespace {

/// Of the ranking served last, up to the measure's cutoff.
std::uint64_t found_in(const TopicRow::Arm& arm, const Measure& measure) {
  const auto cutoff = measure.cutoff();
  if (!cutoff) return arm.relevant_ranks.size();
  const auto end = std::ranges::upper_bound(arm.relevant_ranks, cutoff->value());
  return static_cast<std::uint64_t>(end - arm.relevant_ranks.begin());
}

class Writer {
 public:
  Writer(TopicList& list, const TopicQuery& query, JsonWriter& json)
      : list_(list), summary_(list.summary()), query_(query), json_(json) {
    for (const ArmSummary& arm : summary_.arms) names_.push_back(quoted_name(arm.id.text()));
  }

  void write() {
    const TopicList::Page page = list_.page(query_);
    add_query(page.matching);
    add_tally();
    json_.key("topics").begin('[');
    for (const std::uint32_t row : page.rows) add_topic(row);
    json_.end(']');
  }

 private:
  void add_query(std::size_t matching) {
    json_.key("measure").text(summary_.measures[query_.measure].name());
    json_.key("a").word(names_[query_.a]);
    json_.key("b").word(query_.b ? std::string_view(names_[*query_.b]) : "null");
    json_.key("total").number(std::uint64_t{summary_.rows.size()});
    json_.key("matching").number(std::uint64_t{matching});
    json_.key("page").number(std::uint64_t{query_.page});
    json_.key("size").number(std::uint64_t{query_.size});
    json_.key("sort").text(kTopicSorts[static_cast<std::size_t>(query_.sort)]);
    json_.key("order").text(kSortOrders[static_cast<std::size_t>(query_.order)]);
  }

  void add_tally() {
    const TopicTally& tally = list_.tally(query_);
    json_.key("wins").number(std::uint64_t{tally.wins});
    json_.key("ties").number(std::uint64_t{tally.ties});
    json_.key("losses").number(std::uint64_t{tally.losses});
    json_.key("strip").begin('[');
    constexpr int kBins = TopicTally::kBins;
    // In twentieths, so that every border is the double nearest to its decimals.
    for (int bin = 0; bin < kBins; ++bin) {
      json_.item().begin('{');
      json_.key("low").number(std::optional((bin - kBins / 2) / 20.0));
      json_.key("high").number(std::optional((bin + 1 - kBins / 2) / 20.0));
      json_.key("topics").number(std::uint64_t{tally.strip[static_cast<std::size_t>(bin)]});
      json_.end('}');
    }
    json_.end(']');
  }

  void add_topic(std::uint32_t position) {
    const TopicRow& row = summary_.rows[position];
    json_.item().begin('{');
    json_.key("topic").word(quoted_name(row.id.text()));
    json_.key("num_rel").number(std::uint64_t{row.num_rel});
    json_.key("difference").number(list_.difference(query_, position));
    json_.key("arms").begin('[');
    for (std::size_t a = 0; a < row.arms.size(); ++a) add_arm(a, row.arms[a]);
    json_.end(']');
    json_.end('}');
  }

  [[nodiscard]] std::optional<double> of_measure(
      const std::vector<std::optional<double>>& values) const {
    return query_.measure < values.size() ? values[query_.measure] : std::nullopt;
  }

  void add_arm(std::size_t a, const TopicRow::Arm& arm) {
    json_.item().begin('{');
    json_.key("name").word(names_[a]);
    truth(json_.key("seen"), arm.seen);
    json_.key("visits").number(arm.visits);
    json_.key("mean").number(of_measure(arm.means));
    json_.key("last").number(of_measure(arm.scores));
    json_.key("found").number(found_in(arm, summary_.measures[query_.measure]));
    json_.key("num_ret").number(std::uint64_t{arm.num_ret});
    json_.key("latency_ms").number(arm.latency_ms);
    json_.end('}');
  }

  TopicList& list_;
  const Summary& summary_;
  const TopicQuery& query_;
  JsonWriter& json_;
  std::vector<std::string> names_;  // quoted, by arm
};

}  // namespace

std::string topic_list_json(TopicList& list, const TopicQuery& query) {
  return json_line([&](JsonWriter& json) { Writer(list, query, json).write(); });
}

}  // namespace prescope::serve
