#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// By the names that requests have, in the order of the enumerators.
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
  std::string search{};  ///< part of the topic's id, ASCII letters of either case
  std::size_t page = 0, size = 50;
};

/// Who is better in how many topics, by their means over visits.
struct TopicTally {
  static constexpr std::size_t kBins = 40;

  std::uint32_t wins = 0, ties = 0, losses = 0;  ///< of b
  /// Differences by steps of 0.05 from -1 to 1, a border belonging to the bin that is nearer to 0;
  /// ties are in none.
  std::array<std::uint32_t, kBins> strip{};
};

/// Topics of one summary, sorted, searched, in pages. Keeps what it has sorted and compared: O(n
/// log n) the first time, O(n) with a search, else O(page). Not thread-safe.
class TopicList {
 public:
  /// SummaryDetail::kEveryTopic.
  explicit TopicList(std::shared_ptr<const Summary> every_topic);

  struct Page {
    std::size_t matching = 0;           ///< topics of the search, on all pages
    std::vector<std::uint32_t> rows{};  ///< positions in Summary::rows
  };
  /// Topics without a value come last, whatever the order; of equal values the smaller id first.
  [[nodiscard]] Page page(const TopicQuery& query);
  [[nodiscard]] const TopicTally& tally(const TopicQuery& query);
  /// b's mean less a's, as `MeasureDifference` has it; nothing where one of them is missing, and in
  /// Mode::kSplit.
  [[nodiscard]] std::optional<double> difference(const TopicQuery& query, std::size_t row);

  [[nodiscard]] const Summary& summary() const noexcept { return *summary_; }

 private:
  struct Comparison {
    std::vector<std::optional<double>> differences{};  // by row; all nothing without a second arm
    TopicTally tally{};
  };
  using ComparisonKey = std::array<std::size_t, 3>;
  struct OrderKey {
    ComparisonKey comparison{};
    TopicSort sort{};
    SortOrder order{};
    friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
  };
  using Rows = std::vector<std::uint32_t>;

  [[nodiscard]] static ComparisonKey key_of(const TopicQuery& query);
  const Comparison& comparison(const TopicQuery& query);
  const Rows& sorted(const TopicQuery& query);
  [[nodiscard]] std::vector<std::optional<double>> values(const TopicQuery& query);
  [[nodiscard]] Rows sorted_by(const std::vector<std::optional<double>>& values,
                               SortOrder order) const;

  std::shared_ptr<const Summary> summary_;
  std::map<ComparisonKey, Comparison> comparisons_;
  std::map<OrderKey, Rows> orders_;
};

/// One object in one line: `docs/http-json.md`, section "Topics".
[[nodiscard]] std::string topic_list_json(TopicList& list, const TopicQuery& query);

}  // namespace prescope::serve
