#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prescope/experiment_options.h"
#include "prescope/measure.h"
#include "prescope/qrels.h"
#include "prescope/ranking.h"

namespace prescope {

/// A query with all served documents. Documents are numbered; see `plain_docno`.
struct PlainQuery {
  std::uint32_t arm = 0;
  std::optional<std::uint32_t> topic{};  ///< std::nullopt: unjudged
  std::uint64_t generation = 0, collection_size = 0;
  std::uint32_t version = 0;  ///< of the judgements that it was matched with
  Rank first_rank = 1;
  std::uint32_t requested = 0;
  std::vector<int> documents{};  ///< from first_rank on
  std::chrono::nanoseconds latency{}, self_time{};
  RankingFlags flags = RankingFlags::kNone;
  enum class Captured { kNothing, kDocids, kKeys } captured = Captured::kNothing;
  std::uint32_t capture_depth = 0;
};

[[nodiscard]] std::string plain_docno(int document);

/// Reference for Ledger, computed the plain way: it keeps every visit with all that was served, and
/// computes each number from the visits when asked.
class PlainLedger {
 public:
  using Baseline = std::map<std::pair<std::uint32_t, std::size_t>, double>;  // (topic, measure)
  struct Options {
    Mode mode = Mode::kObserve;
    EpochRule epochs = EpochRule::kGeneration;
    ShadowOptions::Latency shadow_latency = ShadowOptions::Latency::kBothArms;
    Baseline baseline{};
  };
  PlainLedger(const Qrels& qrels, std::vector<Measure> measures, std::uint32_t arms,
              Options options);

  void record(const PlainQuery& query);
  void add_arm();
  void remove_arm(std::uint32_t arm);
  void restore_arm(std::uint32_t arm);
  void begin_epoch();
  void rejudge(const Qrels& now);
  /// `carried`: documents that the index of this generation has.
  void locate(std::uint32_t arm, std::uint64_t generation, const std::set<int>& carried);

  struct Visit {
    std::map<int, Rank> ranks{};  ///< of every document, judged or not
    std::uint32_t covered = 0;
    bool exhausted = false;
    std::uint64_t generation = 0, collection_size = 0;
    PlainQuery::Captured kind = PlainQuery::Captured::kNothing;
    std::vector<int> captured{};
    std::set<int> known{};       ///< judged documents that were looked for
    std::uint32_t known_to = 0;  ///< if not all documents are known, they are down to this rank
    std::vector<std::optional<double>> values{};
    bool of_another_server = false;
  };
  struct Topic {
    std::uint64_t visits = 0;
    std::vector<Visit> counted{};
    std::vector<double> log_ms{};
    std::optional<double> last_ms{};
  };
  static constexpr std::chrono::nanoseconds kNever = std::chrono::nanoseconds::max();
  struct Arm {
    bool removed = false;
    std::uint64_t generation = 0;
    std::map<std::uint32_t, Topic> topics{};
    std::uint64_t judged = 0, unjudged = 0, retried = 0, failed = 0, timed_out = 0;
    /// Failed queries have no latency.
    std::vector<std::chrono::nanoseconds> latency{}, shadow_latency{}, self_time{}, unjudged_self{};
  };

  [[nodiscard]] const std::vector<Arm>& arms() const { return arms_; }
  [[nodiscard]] const Topic* topic(std::uint32_t arm, std::uint32_t topic) const;
  /// Values of the topic's visits, in their order.
  [[nodiscard]] std::vector<double> values(std::uint32_t arm, std::uint32_t topic,
                                           std::size_t measure) const;
  [[nodiscard]] std::optional<double> mean(std::uint32_t arm, std::uint32_t topic,
                                           std::size_t measure) const;
  [[nodiscard]] std::optional<double> expected(std::uint32_t topic, std::size_t measure) const;
  [[nodiscard]] std::optional<double> difference(std::uint32_t b, std::uint32_t topic,
                                                 std::size_t measure) const;
  [[nodiscard]] std::optional<double> log_ratio(std::uint32_t b, std::uint32_t topic) const;
  [[nodiscard]] bool is_awaiting(std::uint32_t arm, std::uint32_t topic) const;
  /// Returns true if depth is the only reason why there is no value.
  [[nodiscard]] bool is_too_shallow(std::uint32_t arm, std::uint32_t topic,
                                    std::size_t measure) const;

  std::uint64_t epoch = 1;
  std::uint64_t page_gaps = 0, late = 0, clock_steps = 0;

 private:
  [[nodiscard]] std::set<int> judged_now(std::uint32_t topic) const;
  [[nodiscard]] static std::set<int> judged(const Qrels& qrels, std::uint32_t topic);
  [[nodiscard]] bool is_awaiting(const Visit& visit, std::uint32_t topic) const;
  [[nodiscard]] bool reaches(const Visit& visit, std::uint32_t topic, std::size_t measure) const;
  [[nodiscard]] std::optional<double> value(const Visit& visit, std::uint32_t topic,
                                            std::size_t measure) const;
  [[nodiscard]] bool is_late(Arm& arm, std::uint64_t generation);
  bool take(const PlainQuery& query);
  bool take_page(Topic& topic, const PlainQuery& query);
  void score_last(std::uint32_t arm, std::uint32_t topic);
  [[nodiscard]] Visit visit_of(const PlainQuery& query) const;
  [[nodiscard]] bool counts(const Topic& topic, const Visit& visit, std::uint32_t index) const;
  void look_through_capture(Visit& visit, const std::set<int>& now) const;

  std::vector<const Qrels*> versions_;
  std::vector<Measure> measures_;
  Options options_;
  std::vector<Arm> arms_;
  std::map<std::uint64_t, std::uint64_t> moves_;
  std::map<std::uint32_t, std::vector<double>> expected_;      // by topic
  std::vector<std::map<std::uint32_t, double>> first_values_;  // by measure, then topic
  std::vector<std::vector<double>> seen_;                      // by measure
};

}  // namespace prescope
