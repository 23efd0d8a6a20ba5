#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
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

/// Documents and docnos are numbered. Document n has the docno "dn", and every third one "en" too,
/// whose number is 100 + n. Engines that answer docnos serve each docno as a document of its own.
[[nodiscard]] std::string plain_docno(int docno);

/// An observation with all served documents, in the judgements `version`.
struct PlainQuery {
  std::uint32_t arm = 0;
  std::optional<std::uint32_t> topic{};  ///< std::nullopt: unjudged
  std::uint64_t visit = 0, key = 0;
  std::uint32_t compared_arms = 0;
  std::uint64_t generation = 0, collection_size = 0;
  std::uint32_t version = 0;
  Rank first_rank = 1;
  std::uint32_t requested = 0;
  std::vector<int> documents{};  ///< from first_rank on
  bool by_docids = true;         ///< else they are docnos
  std::uint32_t capture_depth = 0;
  std::chrono::nanoseconds latency{}, self_time{};
  RankingFlags flags = RankingFlags::kNone;
  Stage stage = Stage::kUnnamed;

  /// The documents that are captured, the first ones.
  [[nodiscard]] std::vector<int> captured() const;
};

/// Returns each judged docno that the query has, at its first rank. Of two docnos of a document the
/// first judged one counts.
[[nodiscard]] std::map<int, Rank> plain_hits(const PlainQuery& query, const Qrels& qrels);

/// Documents that the indexes have are numbered below this.
inline constexpr int kCarriedDocuments = 27;

/// Returns true if the index carries a document with two docnos that the topic judges.
[[nodiscard]] bool plain_has_several_docnos(const PlainQuery& query, const Qrels& qrels);

/// Reference for Ledger, computed the plain way: it keeps every visit with all that was served, and
/// computes each number from the visits when asked. Only what is fixed when it happens is kept as a
/// number: evidence, expected scores, the largest changes.
class PlainLedger {
 public:
  using Baseline = std::map<std::pair<std::uint32_t, std::size_t>, double>;  // (topic, measure)
  struct Options {
    Mode mode = Mode::kObserve;
    EpochRule epochs = EpochRule::kGeneration;
    ShadowOptions::Latency shadow_latency = ShadowOptions::Latency::kBothArms;
    RankingFlags scored_flags = RankingFlags::kNone;
    Baseline baseline{};
    std::size_t primary = 0;
    /// The arm that the hash gives a topic to; empty if it is not checked.
    std::function<std::uint32_t(std::uint32_t topic)> assigned{};
    /// Whether a topic of one arm is among those by which it is compared with another; empty: it
    /// is.
    std::function<bool(std::uint32_t topic, std::uint32_t own, std::uint32_t other)> is_compared{};
  };
  PlainLedger(const Qrels& qrels, std::vector<Measure> measures, std::uint32_t arms,
              Options options);

  /// What a user got. What is not a ranking has no hits: after a failure nothing follows, and
  /// behind an answer that was not seen everything may.
  enum class Answer { kRanking, kFailure, kUnseen };
  /// A value lies between these, ends included.
  struct Bounds {
    double low = 0.0, high = 0.0;
  };
  struct Visit {
    std::uint64_t number = 0, key = 0;
    Answer answer = Answer::kRanking;
    std::uint64_t order = 0;      ///< of users' visits, in the order in which they began
    bool is_open = true;          ///< later pages may come
    bool is_named = false;        ///< as what the user was served
    bool has_several = false;     ///< rankings from rank 1 on, of which one counts
    bool began_awaiting = false;  ///< then no page is joined, also once it is located
    std::uint64_t generation = 0, collection_size = 0;
    std::map<int, Rank> found{};  ///< of judged docnos
    std::uint32_t covered = 0;
    bool exhausted = false;
    bool ends_with_failure = false;   ///< the search for its next page has failed
    std::uint32_t asked_in_vain = 0;  ///< the last rank that a partial answer should have had
    bool by_docids = false;
    bool has_several_docnos = false;  ///< see RankingFlags::kSeveralDocnos
    std::vector<int> captured{};      ///< documents from rank 1 on
    std::set<int> known{};            ///< judged docnos that were looked for
    std::uint32_t known_to = 0;       ///< if not all are known, they are down to this rank
    std::vector<std::optional<double>> values{};  ///< by measure
    std::vector<bool> is_shallow{};
    /// Of values that are known, and of those that are not because the cutoff is not reached.
    std::vector<std::optional<Bounds>> bounds{};
  };
  /// The place of a query in its visit.
  struct Placement {
    std::uint64_t visit = 0;
    std::uint32_t covered = 0;
    bool exhausted = false;
  };
  Placement record(const PlainQuery& query);
  void add_arm();
  void remove_arm(std::uint32_t arm);
  void restore_arm(std::uint32_t arm);
  void begin_epoch();
  /// A visit that began before the arms changed, up to this number, is in no score from now on.
  void leave_out_visits_up_to(std::uint64_t number) { newest_left_out_ = number; }
  void rejudge(const Qrels& now);
  /// `carried`: documents that the index of this generation has.
  void locate(std::uint32_t arm, std::uint64_t generation, const std::set<int>& carried);

  static constexpr std::chrono::nanoseconds kNever = std::chrono::nanoseconds::max();
  struct Arm {
    bool removed = false;
    std::uint64_t judged = 0, unjudged = 0, retried = 0, failed = 0, timed_out = 0, unseen = 0;
    std::uint64_t sorted = 0, filtered = 0, collapsed = 0, partial = 0, replaced = 0;
    /// Failed queries have no latency.
    std::vector<std::chrono::nanoseconds> latency{}, shadow_latency{}, self_time{}, unjudged_self{};
  };
  enum class Track { kServed, kCompared };
  struct Mean {
    std::vector<double> values{};  ///< of visits, in their order
    std::uint32_t shallow = 0;     ///< visits
    bool has_last = false;         ///< the last visit has the last value
    bool knows_last = true;        ///< the latest visit that ever had a value has not lost it
    double largest_change = 0.0;   ///< ever

    /// How far the last value is from the mean of the others, without binary noise: exactly 0 if
    /// they are equal, and if the last value is not known. Nothing for fewer than two values.
    [[nodiscard]] std::optional<double> last_change() const;
  };

  [[nodiscard]] const std::vector<Arm>& arms() const { return arms_; }
  [[nodiscard]] std::vector<const Visit*> visits(Track track, std::uint32_t arm,
                                                 std::uint32_t topic) const;
  /// Latencies of the topic that were timed, in milliseconds.
  [[nodiscard]] std::vector<double> latencies(Track track, std::uint32_t arm,
                                              std::uint32_t topic) const;
  [[nodiscard]] bool is_awaiting(const Visit& visit, std::uint32_t topic) const;
  [[nodiscard]] Mean mean(Track track, std::uint32_t arm, std::uint32_t topic,
                          std::size_t measure) const;
  struct Difference {
    double a = 0.0, b = 0.0, difference = 0.0;  ///< 0 for a value that does not exist
  };
  [[nodiscard]] std::optional<Difference> difference(std::uint32_t b, std::uint32_t topic,
                                                     std::size_t measure) const;
  [[nodiscard]] std::optional<double> expected(std::uint32_t topic, std::size_t measure) const;
  /// Bounds of the topics' first differences; in Mode::kSplit also one for each topic that an arm
  /// has left out beyond the other arm's number. `topics`: no other topics than these.
  [[nodiscard]] std::vector<Bounds> evidence(
      std::uint32_t b, std::size_t measure,
      const std::optional<std::set<std::uint32_t>>& topics = {}) const;
  /// Visits since the arms changed, and those among them that failed, were not seen, or have only
  /// bounds of the primary measure. Rankings from rank 1 on that are left out by their flags.
  struct Counts {
    std::uint64_t visits = 0, failed = 0, unseen = 0, bounded = 0, unscored = 0;
  };
  [[nodiscard]] Counts counts(Track track, std::uint32_t arm) const;
  /// Topics that the hash had given to another arm.
  [[nodiscard]] std::uint32_t topics_misassigned(std::uint32_t arm) const;
  /// ln(B / A) of compared visits.
  [[nodiscard]] std::vector<double> log_ratios(std::uint32_t b) const;
  /// Compared visits that were to be timed: without two latencies, and in pairs of unlike state.
  struct Untimed {
    std::uint64_t failed_a = 0, failed_b = 0, untimed_a = 0, untimed_b = 0;
    std::uint64_t repeated_a = 0, repeated_b = 0;
  };
  [[nodiscard]] Untimed untimed(std::uint32_t b) const;
  /// The least and the most that ln(B / A) of each of these visits may be, up to a factor of 2.
  [[nodiscard]] std::vector<std::pair<double, double>> latency_bounds(std::uint32_t b) const;
  struct Stages {
    std::uint64_t topics = 0, relevant = 0, found = 0, kept = 0, served = 0;  ///< see StageSummary
  };
  [[nodiscard]] Stages stages(std::uint32_t arm, Stage stage) const;
  /// Visits of this epoch that were compared, and visits that were not ranked by all arms.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::uint64_t incomplete() const { return begun_ - compared_; }
  /// The visits by which arms are compared.
  [[nodiscard]] Track track() const {
    return options_.mode == Mode::kPaired ? Track::kCompared : Track::kServed;
  }
  [[nodiscard]] const Qrels& qrels() const { return *versions_.back(); }
  [[nodiscard]] const std::vector<Measure>& measures() const { return measures_; }
  [[nodiscard]] std::size_t primary() const { return options_.primary; }

  std::uint64_t epoch = 1, observations = 0, index_changes = 0;
  std::uint64_t page_gaps = 0, pages_without_key = 0, late = 0, clock_steps = 0;

 private:
  struct Ranked {
    std::uint32_t arm = 0;
    bool is_scored = true;
    bool is_of_user = false, is_left_out = false;
    bool has_failed = false, is_repeated = false;
    Visit visit{};
    std::optional<double> latency_ms{};
  };
  /// A visit that arms rank for comparison.
  struct Comparison {
    std::uint64_t number = 0;
    std::uint32_t topic = 0, expected = 0;
    bool is_counted = false, is_complete = false, is_scored = false;
    bool is_awaited = false, is_given_up = false;
    std::vector<Ranked> ranked{};
  };
  struct StageRanking {
    std::uint64_t visit = 0;
    Stage stage = Stage::kUnnamed;
    bool is_from_rank_1 = false;
    std::set<int> relevant{};
  };
  using TopicOfArm = std::pair<std::uint32_t, std::uint32_t>;  // (arm, topic)

  [[nodiscard]] std::set<int> judged(std::uint32_t version, std::uint32_t topic) const;
  [[nodiscard]] std::set<int> judged_now(std::uint32_t topic) const;
  [[nodiscard]] bool reaches(const Visit& visit, std::uint32_t topic, std::size_t measure) const;
  [[nodiscard]] std::optional<double> value(const Visit& visit, std::uint32_t topic,
                                            std::size_t measure) const;
  [[nodiscard]] Bounds bounds(const Visit& visit, std::uint32_t topic, std::size_t measure) const;
  void score(Visit& visit, std::uint32_t topic) const;
  void score(Comparison& comparison) const;
  [[nodiscard]] bool is_late(std::uint64_t generation);
  [[nodiscard]] bool answers(const PlainQuery& query);
  void count(const PlainQuery& query);
  [[nodiscard]] Visit visit_of(const PlainQuery& query) const;
  [[nodiscard]] Visit* open_visit(const PlainQuery& query);
  Placement take(const PlainQuery& query);
  Placement take_nothing(const PlainQuery& query, Visit& open);
  static bool takes_the_place(const PlainQuery& now, const Visit& before);
  void add_stage(const PlainQuery& query, std::uint64_t visit);
  static Visit in_place_of(const Visit& before, Visit now);
  Placement join(Visit& visit, const Visit& page, const PlainQuery& query);
  [[nodiscard]] bool is_compared(const PlainQuery& query);
  void compare(const PlainQuery& query, bool answers);
  void take_in(Comparison& comparison, const PlainQuery& query, bool answers);
  [[nodiscard]] static bool are_of_two_states(const Comparison& comparison);
  [[nodiscard]] static bool gives_way(const Comparison& comparison);
  [[nodiscard]] std::optional<Bounds> bounds_in(const Comparison& comparison, std::uint32_t arm,
                                                std::size_t measure) const;
  [[nodiscard]] std::optional<Bounds> difference_in(std::uint64_t comparison, std::uint32_t b,
                                                    std::size_t measure) const;
  Ranked ranked_by(const PlainQuery& query, bool answers);
  void complete(Comparison& comparison);
  void add_latency(const Comparison& comparison);
  void add_latency(const Ranked& a, const Ranked& b);
  void expect(std::uint32_t arm, std::uint32_t topic);
  void changed(std::uint32_t arm, std::uint32_t topic, std::uint64_t visit);
  [[nodiscard]] std::optional<Bounds> first_difference(std::uint32_t b, std::uint32_t topic,
                                                       std::size_t measure) const;
  [[nodiscard]] bool is_taken(std::uint32_t b, std::uint32_t topic) const;
  void consider(std::uint32_t arm, std::uint32_t topic, std::uint64_t visit);
  void consider(std::uint32_t topic, std::uint64_t comparison);
  void rejudge_served(std::uint32_t topic, const std::set<int>& was, const std::set<int>& is);
  void rejudge_compared(std::uint32_t topic, const std::set<int>& was, const std::set<int>& is);
  [[nodiscard]] std::uint32_t assigned(std::uint32_t arm, std::uint32_t topic) const;
  [[nodiscard]] bool is_compared(std::uint32_t topic, std::uint32_t own, std::uint32_t b) const;
  void add_to(Counts& counts, const Visit& visit) const;
  void remember_latest(std::uint32_t arm, std::uint32_t topic);
  void remember_changes(Track track, std::uint32_t topic);
  /// Returns true if docnos have become unknown.
  static bool withdraw(Visit& visit, const std::function<bool(int)>& is_withdrawn);
  void restart(Visit& visit, std::uint32_t topic, const std::set<int>& was,
               const std::set<int>& is) const;
  [[nodiscard]] bool can_locate(const Visit& visit, std::uint32_t topic,
                                std::uint64_t generation) const;
  void locate(Visit& visit, std::uint32_t topic, const std::set<int>& carried) const;

  std::vector<const Qrels*> versions_;
  std::vector<Measure> measures_;
  Options options_;
  std::vector<Arm> arms_;
  std::map<TopicOfArm, std::vector<Visit>> served_;
  std::vector<Comparison> comparisons_;  // of this epoch, without forgotten ones
  std::map<std::pair<Track, TopicOfArm>, std::vector<double>> latencies_;
  std::map<TopicOfArm, std::vector<StageRanking>> stage_rankings_;
  std::set<std::uint32_t> staged_arms_;  // with a ranking of an inner stage in this epoch
  /// The order of the latest visit that ever had a value, by (arm, topic), then measure.
  std::map<TopicOfArm, std::vector<std::uint64_t>> latest_valued_;
  std::uint64_t compared_ = 0, begun_ = 0, newest_left_out_ = 0, begun_visits_ = 0;
  std::map<std::pair<Track, std::uint32_t>, Counts> forgotten_;  // by arm: visits not kept
  std::map<std::uint32_t, std::uint32_t> misassigned_;           // by arm
  std::map<std::uint64_t, std::uint64_t> newest_;                // generation by index
  std::map<std::uint32_t, std::vector<double>> expected_;        // by topic, then measure
  std::vector<std::map<std::uint32_t, double>> first_values_;    // by measure, then topic
  /// The visit that is a topic's evidence, by (arm, topic): its arm and order, or the number of a
  /// visit that was compared.
  std::map<TopicOfArm, std::pair<std::uint32_t, std::uint64_t>> firsts_;
  std::set<TopicOfArm> left_out_;    // by the flags of the first visit
  std::set<TopicOfArm> giving_way_;  // topics of `firsts_` that a later visit replaces
  std::map<std::uint32_t, std::vector<double>> log_ratios_;  // by arm
  std::map<std::uint32_t, Untimed> untimed_;                 // likewise
  std::map<std::uint32_t, std::vector<std::pair<double, double>>> latency_bounds_;
  std::map<std::array<std::size_t, 4>, double> largest_change_;  // by track, arm, topic, measure
};

}  // namespace prescope
