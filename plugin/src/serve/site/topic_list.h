#pragma once

#include "prescope/summary.h"

namespace prescope::serve {

enum class TopicSort {
  kTopic,
  kNumRel,
  kDifference,
  kAbsDifference,
  kVisits,  ///< of both arms together
  kScoreA,
  kScoreB,
  kLatencyA,
  kLatencyB,
};
enum class SortOrder { kAscending, kDescending };

/// The names that requests use, in the order of the enumerators.
inline constexpr std::array<std::string_view, 9> kTopicSorts = {
    "topic",   "num_rel", "difference", "abs_difference", "visits",
    "score_a", "score_b", "latency_a",  "latency_b"};
inline constexpr std::array<std::string_view, 2> kSortOrders = {"asc", "desc"};

struct TopicQuery {
  std::size_t measure = 0;  ///< position in Summary::measures
  std::size_t a = 0;        ///< in Summary::arms
  std::optional<std::size_t> b{};
  TopicSort sort = TopicSort::kAbsDifference;
  SortOrder order = SortOrder::kDescending;
  std::string search{};  ///< part of the topic's id; ASCII case is ignored
  std::size_t page = 0, size = 50;
};

/// The topics of a summary that a query asks for.
struct TopicList {
  static constexpr std::size_t kBins = 40;

  std::size_t matching = 0;           ///< topics of the search, on all pages
  std::vector<std::uint32_t> rows{};  ///< of the page: positions in Summary::rows

  /// By row of the summary: b's mean less a's, as in `MeasureDifference`; std::nullopt if one of
  /// them is missing, and in Mode::kSplit.
  std::vector<std::optional<double>> differences{};
  std::uint32_t wins = 0, ties = 0, losses = 0;  ///< of b, over all topics
  /// Differences in steps of 0.05 from -1 to 1; an edge belongs to the bin nearer to 0, ties to
  /// none.
  std::array<std::uint32_t, kBins> strip{};
};

/// Topics without a value come last, whatever the order; of equal values the smaller id first.
/// `every_topic`: SummaryDetail::kEveryTopic. O(n log n).
[[nodiscard]] TopicList list_topics(const Summary& every_topic, const TopicQuery& query);

/// One object in one line: `docs/http-json.md`, section "Topics".
[[nodiscard]] std::string topic_list_json(const Summary& every_topic, const TopicQuery& query);

}  // namespace prescope::serve
