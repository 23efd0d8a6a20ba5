#include "serve/site/topic_list.h"

#include <boost/algorithm/string/predicate.hpp>
#include <cmath>
#include <locale>
#include <numeric>

#include "report/text/json.h"
#include "statistics/paired_tests.h"

namespace prescope::serve {

namespace {

using Values = std::vector<std::optional<double>>;

std::optional<double> of_measure(const Values& values, std::size_t measure) {
  return measure < values.size() ? values[measure] : std::nullopt;
}

/// `difference` is not 0.
std::size_t bin_of(double difference) {
  constexpr double kHalf = TopicList::kBins / 2.0;
  // Differences are clean to 1e-12, so an edge is one in spite of its binary digits.
  const double steps = std::ceil(std::abs(difference) * kHalf - 1e-9);
  const auto from_middle = static_cast<std::size_t>(std::clamp(steps, 1.0, kHalf)) - 1;
  return difference > 0.0 ? TopicList::kBins / 2 + from_middle
                          : TopicList::kBins / 2 - 1 - from_middle;
}

void compare(const Summary& summary, const TopicQuery& query, TopicList& list) {
  list.differences.resize(summary.rows.size());
  if (!query.b || summary.mode == Mode::kSplit) return;
  for (std::size_t r = 0; r < summary.rows.size(); ++r) {
    const TopicRow& row = summary.rows[r];
    const auto a = of_measure(row.arms[query.a].means, query.measure);
    const auto b = of_measure(row.arms[*query.b].means, query.measure);
    if (!a || !b) continue;
    const double difference = clean_difference(*b, *a);
    list.differences[r] = difference;
    ++(difference > 0.0 ? list.wins : difference < 0.0 ? list.losses : list.ties);
    if (difference != 0.0) ++list.strip[bin_of(difference)];
  }
}

/// Returns the value that topics are sorted by; std::nullopt if it is missing.
std::optional<double> value_of(const TopicRow& row, std::optional<double> difference,
                               const TopicQuery& query) {
  static const TopicRow::Arm kNone;
  const TopicRow::Arm& a = row.arms[query.a];
  const TopicRow::Arm& b = query.b ? row.arms[*query.b] : kNone;
  const std::optional<double> values[] = {
      std::nullopt,  // topics are not sorted by a value
      row.num_rel,
      difference,
      difference ? std::optional(std::abs(*difference)) : std::nullopt,
      static_cast<double>(a.visits + b.visits),
      of_measure(a.means, query.measure),
      of_measure(b.means, query.measure),
      a.latency_ms,
      b.latency_ms};
  return values[static_cast<std::size_t>(query.sort)];
}

std::vector<std::uint32_t> sorted_rows(const Summary& summary, const TopicQuery& query,
                                       const Values& differences) {
  const bool descends = query.order == SortOrder::kDescending;
  std::vector<std::uint32_t> rows(summary.rows.size());
  std::iota(rows.begin(), rows.end(), 0U);
  if (query.sort == TopicSort::kTopic) {
    if (descends) std::ranges::reverse(rows);
    return rows;
  }
  Values values;
  values.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    values.push_back(value_of(summary.rows[row], differences[row], query));
  }
  std::ranges::stable_sort(rows, [&](std::uint32_t x, std::uint32_t y) {
    if (!values[x] || !values[y]) return values[x].has_value() && !values[y];
    return descends ? *values[x] > *values[y] : *values[x] < *values[y];
  });
  return rows;
}

/// Counts the relevant documents of the last ranking, up to the measure's cutoff.
std::size_t found_in(const TopicRow::Arm& arm, const Measure& measure) {
  const auto cutoff = measure.cutoff();
  if (!cutoff) return arm.relevant_ranks.size();
  const auto end = std::ranges::upper_bound(arm.relevant_ranks, cutoff->value());
  return static_cast<std::size_t>(end - arm.relevant_ranks.begin());
}

Json strip_json(const TopicList& list) {
  constexpr int kBins = TopicList::kBins;
  Json strip = Json::array();
  // Computed in twentieths, so that every edge is the double nearest to its decimals.
  for (int bin = 0; bin < kBins; ++bin) {
    strip.push_back({{"low", (bin - kBins / 2) / 20.0},
                     {"high", (bin + 1 - kBins / 2) / 20.0},
                     {"topics", list.strip[static_cast<std::size_t>(bin)]}});
  }
  return strip;
}

Json arms_json(const Summary& summary, const TopicQuery& query, const TopicRow& row) {
  Json arms = Json::array();
  for (std::size_t a = 0; a < row.arms.size(); ++a) {
    const TopicRow::Arm& arm = row.arms[a];
    arms.push_back({{"name", summary.arms[a].id.text()},
                    {"seen", arm.seen},
                    {"visits", arm.visits},
                    {"mean", of_measure(arm.means, query.measure)},
                    {"last", of_measure(arm.scores, query.measure)},
                    {"found", found_in(arm, summary.measures[query.measure])},
                    {"num_ret", arm.num_ret},
                    {"latency_ms", arm.latency_ms}});
  }
  return arms;
}

}  // namespace

TopicList list_topics(const Summary& every_topic, const TopicQuery& query) {
  TopicList list;
  compare(every_topic, query, list);
  const std::size_t first = query.page * query.size;
  for (const std::uint32_t row : sorted_rows(every_topic, query, list.differences)) {
    const std::string& id = every_topic.rows[row].id.text();
    if (!boost::algorithm::icontains(id, query.search, std::locale::classic())) continue;
    const std::size_t place = list.matching++;
    if (place >= first && list.rows.size() < query.size) list.rows.push_back(row);
  }
  return list;
}

std::string topic_list_json(const Summary& every_topic, const TopicQuery& query) {
  const TopicList list = list_topics(every_topic, query);
  Json topics = Json::array();
  for (const std::uint32_t position : list.rows) {
    const TopicRow& row = every_topic.rows[position];
    topics.push_back({{"topic", row.id.text()},
                      {"num_rel", row.num_rel},
                      {"difference", list.differences[position]},
                      {"arms", arms_json(every_topic, query, row)}});
  }
  return json_line(Json{{"measure", every_topic.measures[query.measure].name()},
                        {"a", every_topic.arms[query.a].id.text()},
                        {"b", query.b ? Json(every_topic.arms[*query.b].id.text()) : Json(nullptr)},
                        {"total", every_topic.rows.size()},
                        {"matching", list.matching},
                        {"page", query.page},
                        {"size", query.size},
                        {"sort", kTopicSorts[static_cast<std::size_t>(query.sort)]},
                        {"order", kSortOrders[static_cast<std::size_t>(query.order)]},
                        {"wins", list.wins},
                        {"ties", list.ties},
                        {"losses", list.losses},
                        {"strip", strip_json(list)},
                        {"topics", std::move(topics)}});
}

}  // namespace prescope::serve
