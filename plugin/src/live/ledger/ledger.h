#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "base/seen_list.h"
#include "live/ledger/arrivals.h"
#include "live/ledger/bounded_map.h"
#include "live/ledger/followed_slices.h"
#include "live/ledger/margin_statements.h"
#include "live/ledger/overlaps.h"
#include "live/ledger/scores.h"
#include "live/ledger/stages.h"
#include "prescope/experiment.h"
#include "runs/alike_topics.h"
#include "statistics/latency_blocks.h"
#include "statistics/latency_sketch.h"
#include "statistics/speed_evidence.h"

namespace prescope {

struct LedgerOptions {
  Mode mode = Mode::kObserve;
  EpochRule epochs = EpochRule::kGeneration;
  ShadowOptions::Latency shadow_latency = ShadowOptions::Latency::kBothArms;
  RankingFlags scored_flags = RankingFlags::kNone;  ///< see RecordingOptions
  std::vector<BaselineScore> baseline{};            ///< see SplitOptions
  std::size_t primary = 0;                          ///< position of the primary measure
  /// Rankings are collapsed: where a later page goes on is not known, so it is in no score.
  bool collapses = false;
  bool finds_topics = false;  ///< topics are found as they come: nobody knows how many are left
  FollowedSlices slices{};
  TestOptions test{};
  OverlapOptions overlap{};  ///< see ShadowOptions
  /// Mode::kSplit: returns the arm that the hash gives a topic to, among those that are active now.
  /// Empty if that is unknown; then the assignment is not checked.
  std::function<std::optional<ArmIndex>(TopicIndex)> assigned{};
  /// Mode::kSplit: return the relative share of an arm, and the second draw of a topic, see
  /// `second_draw`. Empty: the shares are equal.
  std::function<double(ArmIndex)> share{};
  std::function<double(TopicIndex)> second_draw{};
};

/// The state of all observations, kept up to date: per (arm, topic) scores averaged over visits,
/// per pair of arms differences and evidence, per arm counts and latency. Sums over topics are kept
/// too, as of the last call of `settle`, so that a summary costs what changed. A topic has state
/// from its first observation on, in all arms and pairs at once. Single-threaded; the owner locks.
///
/// A visit is a ranking from rank 1 on, with the later pages that have its key. If its request
/// ranks again from rank 1 on, the later ranking takes its place, see `may_replace`. Rankings of an
/// inner stage are no visits: they are compared with what was served, see StageCoverage. A search
/// that failed is a ranking without hits. A visit gives a value to each measure whose cutoff it
/// reaches, whatever other visits did, and bounds to the others: nothing more is found, or all the
/// rest comes next. In Mode::kPaired, arms are compared by the visits that all of them ranked.
///
/// A generation of 0 is unknown and matches any. A generation is late if a later one of the same
/// index (upper 32 bits) was seen. With EpochRule::kGeneration a new one begins an epoch, and late
/// observations are counted, but not scored. So are those of visits that began before the arms last
/// changed: they may have been ranked by other arms, or by fewer.
class Ledger {
 public:
  /// The first hits of a ranking, from rank 1 without gaps, to find documents that are judged
  /// later.
  struct Capture {
    std::vector<DocId> docids;  ///< at most one of the two is not empty
    std::vector<std::uint64_t> keys;
    /// Judgements with an unknown rank, because the documents were judged after the query.
    std::vector<JudgementIndex> unlocated;

    [[nodiscard]] std::uint32_t depth() const noexcept {
      return static_cast<std::uint32_t>(docids.size() + keys.size());
    }
  };

  /// The facts of one visit of an arm.
  struct VisitFacts {
    std::uint64_t number = 0;  ///< Visit::number; 0 if unknown
    std::uint32_t place = 0;   ///< among the visits of its arm and topic, from 1
    std::uint64_t generation = 0;
    std::uint64_t collection_size = 0;
    Stage stage = Stage::kUnnamed;
    JudgedRanking ranking{};  ///< in the ledger's judgements
    bool exhausted = false;   ///< the engine had no further hits
    /// Ranks down to here that a search which was cut short did not serve count as empty.
    std::uint64_t partial_depth = 0;
    bool has_several_docnos = false;  ///< see RankingFlags::kSeveralDocnos
    Answer answer = Answer::kRanking;
    bool ends_with_failure = false;  ///< the search for a further page failed
    bool is_bounded = false;         ///< the primary measure has bounds only
    /// The rank of a judged document is unknown, but is behind `judged_depth`: only measures with a
    /// cutoff up to there have a value.
    bool awaiting = false;
    std::uint32_t judged_depth = 0;  ///< of a visit that is awaiting

    /// Makes this the ranking of a visit that was served `earlier` before.
    void take_the_place_of(const VisitFacts& earlier) noexcept {
      number = earlier.number;
      place = earlier.place;
      if (earlier.answer != Answer::kRanking) return;
      if (collection_size == 0) collection_size = earlier.collection_size;
    }
    /// Returns true if a measure with this cutoff is known exactly, not only bounded from below.
    [[nodiscard]] bool reaches(std::optional<Cutoff> cutoff) const noexcept {
      if (answer == Answer::kUnseen) return false;
      if (!cutoff) return !awaiting;
      if (awaiting) return judged_depth >= cutoff->value();
      return exhausted || ends_with_failure ||
             std::max<std::uint64_t>(ranking.num_ret, partial_depth) >= cutoff->value();
    }
  };
  struct CapturedVisit : VisitFacts {
    std::unique_ptr<Capture> captured{};  ///< not null if the visit is awaiting
  };

  /// One topic of an arm.
  struct TopicState {
    std::uint32_t visits = 0;  ///< that are scored
    CapturedVisit last{};      ///< the last one
    std::optional<double> last_latency_ms{};
    bool has_unscored = false;  ///< the first visit was left out by its flags
    bool has_found = false;     ///< a judged document

    [[nodiscard]] bool seen() const noexcept { return visits > 0; }
  };

  /// One way to look at an arm: visits that users made, or visits that all arms ranked.
  struct Track {
    SeenList<TopicState> topics;      ///< by TopicIndex; empty for a removed arm
    SeenList<Score> scores;           ///< topics x measures
    std::vector<ScoreTotals> totals;  ///< by measure
    std::uint32_t topics_seen = 0, topics_awaiting = 0;
    std::uint32_t topics_valued = 0;  ///< with a value of the primary measure
    std::uint32_t topics_found = 0;   ///< in which a judged document was found
    /// Mode::kSplit: topics that the hash had given to another arm when this one first served them,
    /// and topics of this arm that another one served.
    std::uint32_t topics_misassigned = 0, topics_elsewhere = 0;
    std::uint32_t topics_unscored = 0;  ///< with a first visit that its flags left out
    /// All visits, and those that failed, had no answer that was seen, or have only bounds of the
    /// primary measure.
    std::uint64_t visits = 0, failed = 0, unseen = 0, bounded = 0;
    std::uint64_t unscored = 0;  ///< rankings from rank 1 on that their flags left out
  };

  struct ArmState {
    Track served;
    Track compared;  ///< in Mode::kPaired

    // Counts since the arm was added, across epochs:
    std::uint64_t judged_queries = 0, unjudged_queries = 0;
    std::uint64_t retried_queries = 0;  ///< of both
    std::uint64_t failed_queries = 0, timed_out_queries = 0;
    std::uint64_t unseen_visits = 0;
    std::uint64_t sorted_queries = 0, filtered_queries = 0, collapsed_queries = 0;
    std::uint64_t partial_queries = 0;
    std::uint64_t replaced_rankings = 0;  ///< see ArmSummary
    std::uint64_t duplicate_hits = 0;
    StageCoverage stages;  ///< of this epoch
    /// Searches by the time that they took, without retried and untimed ones.
    struct Latency {
      LatencySketch all;
      LatencyBlocks blocks;
    };
    Latency latency;                   ///< of searches that users waited for
    Latency shadow_latency;            ///< of searches for comparison
    LatencySketch self_time;           ///< of judged queries except retried ones
    LatencySketch unjudged_self_time;  ///< likewise

    [[nodiscard]] bool is_removed() const noexcept { return served.topics.empty(); }
  };

  /// The visit that the evidence of a family of topics is of: the first one with values of one of
  /// its topics.
  struct FirstVisit {
    TopicIndex topic{};
    ArmIndex arm{};
    /// Its place among the arm's visits, or in Mode::kPaired its number. 0: none yet.
    std::uint64_t visit = 0;
    bool gives_way = false;  ///< to the next visit that has values

    [[nodiscard]] bool is_same(const FirstVisit& other) const noexcept {
      return topic == other.topic && arm == other.arm && visit == other.visit;
    }
  };

  /// Mode::kSplit: compared topics whose first visit was left out by its flags.
  struct UnscoredTopics {
    std::uint32_t in_a = 0, in_b = 0;
  };

  /// The primary measure in one slice.
  struct SliceState {
    PairTotals totals;
    BoundedEvidence evidence;     ///< of families whose first visit is of a topic of the slice
    std::uint32_t differing = 0;  ///< families that differ wherever in their bounds they lie
    UnscoredTopics unscored;
  };

  /// The evidence of a pair as a planned look saw it, by measure.
  using Look = std::vector<BoundedEvidence>;

  /// An arm compared with arm 0. Differences are NaN for topics without one.
  struct PairState {
    SeenList<double> differences;           ///< topics x measures: of the means
    SeenList<FirstVisit> first_visits;      ///< by family; empty in Mode::kObserve
    SeenList<Bounds> firsts;                ///< families x measures: of the first visits
    std::vector<PairTotals> totals;         ///< by measure
    std::vector<WorstTopics> worst;         ///< by measure; not in Mode::kSplit
    std::vector<BoundedEvidence> evidence;  ///< by measure, over `firsts`
    std::vector<SliceState> slices;         ///< in the order of LedgerOptions::slices
    std::vector<MarginBets> margins;        ///< in the order of `Ledger::margins`
    std::vector<Look> looks;                ///< all that are planned; `looks_over` were taken
    std::size_t looks_over = 0;
    Arrivals arrivals;  ///< of families, with their first value of the primary measure
    UnscoredTopics unscored;
    bool has_ratio_alarm = false;  ///< Mode::kSplit: see SampleRatio::alarm
    PairedLatency latency;         ///< of compared visits
    SpeedEvidence speed_evidence;  ///< likewise, those without two latencies too
    // See LatencyRatio:
    std::uint64_t failed_a = 0, failed_b = 0, untimed_a = 0, untimed_b = 0;
    std::uint64_t repeated_a = 0, repeated_b = 0;
    AlikeTopics alike;                   ///< without a family map, not in kSplit
    SeenList<std::uint64_t> signatures;  ///< by topic: of those in `alike`
  };

  /// The place of an observation in its visit; see Observation.
  struct Placement {
    std::uint64_t visit = 0;
    std::uint32_t covered = 0;
    bool is_exhausted = false;
  };

  /// `judged`, its qrels and `scorer` must outlive the ledger. Throws as Measure::parse for a
  /// baseline's measure, and as `loss_margins`.
  Ledger(const JudgedDocnos& judged, const Scorer& scorer, std::size_t num_arms,
         LedgerOptions options = {});
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Records an observation. O(judged hits x measures). The observation that begins an epoch costs
  /// O(arms x topics seen x measures). Throws std::bad_alloc only. The observation is then in no
  /// score, unless memory ran out for its stage or for a comparison's latency; its own latency may
  /// be counted.
  Placement record(const Observation& observation);

  /// Takes a ranking of an unjudged visit that is compared, see `Overlaps::take`, and returns the
  /// visits that are done, which are in the results already. Late ones are only counted.
  std::vector<VisitOverlap> record_unjudged(const Observation& observation,
                                            const Overlaps::IsActive& is_active);
  /// Adds a visit that an earlier process compared.
  void add(const VisitOverlap& visit) { overlaps_.add(visit); }
  /// The overlap of rankings in visits without judgements, in this epoch.
  [[nodiscard]] const Overlaps& overlaps() const noexcept { return overlaps_; }

  /// Brings the totals and `PairState::differences` up to date. O(topics that changed since the
  /// last call x arms x measures).
  void settle() noexcept;

  /// Drops all state of an epoch.
  void begin_epoch(EpochReason reason);
  /// Visits up to this number began before the arms changed and are late.
  void leave_out_visits_up_to(std::uint64_t number) noexcept { newest_left_out_ = number; }
  // Each begins an epoch (EpochReason::kArms):
  void add_arm();
  /// Removes all data of an arm except its index. Its later observations are late. Not for arm 0.
  void remove_arm(ArmIndex arm);
  /// Activates a removed arm again, as a new one.
  void restore_arm(ArmIndex arm);

  /// Begins an epoch with changed judgements of the same topics. `changed` has the topics whose
  /// judgements may have changed, ascending, each once; the others keep all their data. For those
  /// that have changed the last visit is scored again and is the first of the epoch, and open
  /// visits are forgotten. `now` must outlive the ledger and have a version above all earlier ones.
  /// O(judgements of `changed` x arms + open visits), and what `on_epoch_end` costs.
  Rejudged rejudge(const JudgedDocnos& now, std::span<const TopicIndex> changed);
  /// Finds newly judged documents in the captured docids of the table's generation. Does nothing
  /// for a table of other judgements.
  Rejudged locate(ArmIndex arm, const ResolvedQrels& table);

  /// Called before the state of an epoch is dropped, settled. Must not throw.
  std::function<void(const Ledger&)> on_epoch_end;

  [[nodiscard]] std::size_t num_arms() const noexcept { return arms_.size(); }
  [[nodiscard]] const Scorer& scorer() const noexcept { return *scorer_; }
  [[nodiscard]] const LedgerOptions& options() const noexcept { return options_; }
  /// The judgements to which hits and scores refer.
  [[nodiscard]] const JudgedDocnos& judged() const noexcept { return *versions_.back(); }
  [[nodiscard]] const Qrels& qrels() const noexcept { return judged().qrels(); }

  [[nodiscard]] const ArmState& arm(ArmIndex i) const noexcept { return arms_[i.value()]; }
  /// The visits by which arms are compared.
  [[nodiscard]] const Track& track(ArmIndex i) const noexcept {
    return options_.mode == Mode::kPaired ? arm(i).compared : arm(i).served;
  }
  /// `arm` must not be removed.
  [[nodiscard]] const Score& score(ArmIndex arm, TopicIndex topic,
                                   std::size_t measure) const noexcept {
    return track(arm).scores.row(topic.value())[measure];
  }
  /// `b` from 1 on.
  [[nodiscard]] const PairState& pair(ArmIndex b) const noexcept { return pairs_[b.value()]; }
  /// Returns the values of `b` and arm 0 in a topic, and their difference cleaned of binary noise;
  /// std::nullopt if one is missing. In Mode::kSplit the difference is (y - c) for a topic of b and
  /// -(y - c) for one of arm 0, with c the expected score, and half the difference of a topic that
  /// both have served.
  [[nodiscard]] std::optional<PairTotals::Topic> difference(ArmIndex b, TopicIndex topic,
                                                            std::size_t measure) const noexcept;
  /// Calls `use(topic)`, ascending, for each topic that was observed in this epoch. O(topics).
  template <class Use>
  void for_each_topic(Use use) const {
    seen_topics_.for_each([&](std::size_t t) { use(TopicIndex(static_cast<std::uint32_t>(t))); });
  }
  /// Mode::kSplit: see SplitExpectation.
  [[nodiscard]] std::optional<double> expected(TopicIndex topic,
                                               std::size_t measure) const noexcept {
    return expectation_ ? expectation_->of(topic, measure) : std::nullopt;
  }
  /// Returns the evidence of `b` and arm 0. In Mode::kSplit it has a topic, which may have any
  /// value, for each one that flags have left out of one arm beyond the other arm's number.
  [[nodiscard]] BoundedEvidence evidence(ArmIndex b, std::size_t measure) const noexcept;
  /// Returns the evidence of `b` and arm 0 in a slice, of the primary measure, with such topics
  /// too.
  [[nodiscard]] BoundedEvidence evidence_in(std::size_t slice, ArmIndex b) const noexcept;
  /// Returns the statements about losses that LedgerOptions::test asks for.
  [[nodiscard]] std::span<const LossMargin> margins() const noexcept { return margins_; }
  /// Returns what bets have made of one of `margins`.
  [[nodiscard]] MarginBets margin_bets(std::size_t margin, ArmIndex b) const noexcept;
  /// Returns the looks that were taken. A look is over when the next topic comes. Until then more
  /// may become known of its topics, and their bounds become narrower.
  [[nodiscard]] std::vector<Look> looks(ArmIndex b) const;
  /// Returns whether a topic of arm `own` is one of those by which it is compared with `other`.
  [[nodiscard]] bool is_compared(TopicIndex topic, ArmIndex own, ArmIndex other) const;
  /// Returns the share of `b` in the topics that it and arm 0 are given.
  [[nodiscard]] double share_of(ArmIndex b) const;
  /// The difference of the arms is this many times the mean value of the topics.
  [[nodiscard]] double scale() const noexcept { return expectation_ ? 2.0 : 1.0; }
  /// Returns the parameters of statements about differences of scores.
  [[nodiscard]] LiveStatement statement(double alpha) const noexcept {
    return score_statement(
        options_.mode, options_.baseline.empty() ? BaselineScores::kNone : BaselineScores::kKnown,
        alpha);
  }

  /// The topics that a mean over all topics covers: every topic of the judgements, or, if topics
  /// are found as they come, every topic that was ever observed.
  struct TopicCounts {
    std::uint32_t topics = 0, with_relevant = 0, families = 0;
    std::uint64_t judgements = 0;
  };
  [[nodiscard]] TopicCounts topic_counts() const noexcept;

  [[nodiscard]] const Epoch& epoch() const noexcept { return epoch_; }
  /// Returns the number of families of topics that were observed in this epoch.
  [[nodiscard]] std::uint32_t families_seen() const noexcept { return seen_families_.next(); }
  /// Returns the latest time of an observation.
  [[nodiscard]] UtcTime latest() const noexcept { return latest_; }
  /// Returns the ledger's own counters: `pages_without_key`, `page_gaps`, `late_observations`,
  /// `clock_steps` and `shadow_later_pages`. All others are 0.
  [[nodiscard]] const Health& counts() const noexcept { return counts_; }

  /// The number of visits with a key whose later pages are waited for, and of visits whose request
  /// may search again or is being compared. The oldest are forgotten first. Age is counted in
  /// visits, so that a summary rebuilt from a store forgets the same ones.
  static constexpr std::size_t kOpenVisits = std::size_t{1} << 16U;
  static constexpr std::size_t kOpenRequests = std::size_t{1} << 14U;

 private:
  /// The values of one visit, by measure.
  struct Values {
    std::vector<std::optional<double>> scores;
    std::vector<bool> is_shallow;  // there is no score, because the cutoff is not reached
    std::vector<std::optional<Bounds>> bounds;  // of the score, if it is known or is_shallow
  };

  /// A visit whose later pages may come.
  struct OpenVisit {
    ArmIndex arm{};
    TopicIndex topic{};
    VisitFacts facts{};
    bool has_several = false;  // rankings from rank 1 on
  };
  /// A visit that arms rank for comparison.
  struct Comparison {
    struct Ranked {
      ArmIndex arm{};
      CapturedVisit facts{};
      bool is_scored = false, has_failed = false;
      bool is_of_user = false;   // it was served, or failed to be
      bool is_left_out = false;  // by its flags
      bool is_repeated = false;  // see RankingFlags::kRepeated
      std::optional<double> latency_ms{};

      [[nodiscard]] bool is_timed() const noexcept { return is_scored && latency_ms.has_value(); }
    };
    TopicIndex topic{};
    std::uint64_t number = 0;    // of the visit; 0 until `expected` is known
    std::uint32_t expected = 0;  // arms; 0 until a search for comparison says so
    bool is_counted = false;     // some arm has ranked it for comparison, or failed
    bool is_complete = false;
    bool is_awaited = false;  // see RankingFlags::kAwaited
    std::vector<Ranked> ranked{};
  };

  // ledger.cc
  [[nodiscard]] Track new_track() const;
  [[nodiscard]] ArmState new_arm() const;
  [[nodiscard]] PairState new_pair() const;
  void make_room(TopicIndex topic);
  void count_observed(TopicIndex topic, FamilyIndex family);
  static void add_latency(ArmState& arm, const Observation& observation);
  void count(ArmState& arm, const Observation& observation) noexcept;
  void add_topic_latency(const Observation& observation) noexcept;
  void add_stage(const Observation& observation, std::uint64_t visit);
  [[nodiscard]] bool is_of_earlier_state(std::uint64_t generation);
  [[nodiscard]] bool is_late(const Observation& observation);
  void next_epoch(EpochReason reason);
  void unsettle(TopicIndex topic) noexcept;
  void count(TopicIndex topic, Sign sign) noexcept;
  void count_alike(ArmIndex b, TopicIndex topic, Sign sign) noexcept;
  /// Calls `use(b)` for each pair that the arm is in.
  template <class Use>
  void for_each_pair(ArmIndex arm, Use use) noexcept {
    if (arm.value() > 0) return use(arm);
    for (std::uint32_t b = 1; b < arms_.size(); ++b) {
      if (!arms_[b].is_removed()) use(ArmIndex(b));
    }
  }
  [[nodiscard]] bool is_compared_by(TopicIndex topic, ArmIndex served, ArmIndex b) const;
  void check_coin(ArmIndex arm) noexcept;
  void check_assignment(ArmIndex arm, TopicIndex topic);
  void count_unscored(Track& track, const Observation& observation) noexcept;

  // ledger_evidence.cc
  struct Unscored;
  [[nodiscard]] Unscored unscored(std::size_t measure, const UnscoredTopics& of) const noexcept;
  void renew_margins(PairState& pair, std::size_t measure, const Bounds& value,
                     double times) noexcept;
  [[nodiscard]] bool is_look_due(const PairState& pair) const noexcept;
  void end_look(ArmIndex b) noexcept;
  void renew_slices(PairState& pair, TopicIndex topic, const Bounds& value, Sign sign) noexcept;
  template <class DifferenceOf>
  void renew_first(ArmIndex b, const FirstVisit& visit, const DifferenceOf& difference_of) noexcept;
  void renew_first_served(ArmIndex arm, TopicIndex topic, std::uint32_t place,
                          const Values& now) noexcept;
  using ValuesOf = std::function<const Values*(ArmIndex)>;
  void renew_first_compared(const FirstVisit& visit, const ValuesOf& values_of) noexcept;

  // ledger_visits.cc
  [[nodiscard]] bool answers_ranker(const Observation& observation) noexcept;
  [[nodiscard]] bool translate(const Observation& observation, CapturedVisit& facts) const;
  [[nodiscard]] Values no_values() const;
  void score(TopicIndex topic, const VisitFacts& facts, Values& values) noexcept;
  [[nodiscard]] BoundedMap<OpenVisit>& open_visits(const Observation& observation) noexcept {
    return observation.visit_key != 0 ? keyed_ : unkeyed_;
  }
  [[nodiscard]] bool is_unanswered(const Observation& observation) noexcept;
  Placement take(const Observation& observation);
  Placement begin(const Observation& observation, CapturedVisit facts);
  Placement go_on(OpenVisit& visit, const Observation& observation, CapturedVisit page);
  template <class Change>
  void revise(const OpenVisit& visit, Change change);
  void replace(OpenVisit& visit, CapturedVisit now);
  void count_replaced(OpenVisit& visit) noexcept;
  void extend(OpenVisit& visit, const VisitFacts& page, const Observation& observation);
  void end_visit(OpenVisit& visit);
  void reserve(const TopicQrels& judged);
  void reserve(TopicIndex topic);
  const JudgedRanking& completed(TopicIndex topic, const JudgedRanking& ranking) noexcept;
  void bound(TopicIndex topic, const VisitFacts& facts, Values& values) noexcept;
  [[nodiscard]] bool is_bounded(const Values& values) const noexcept;
  static void count_answer(Track& track, Answer answer, Sign sign) noexcept;
  static void count_found(Track& track, TopicIndex topic) noexcept;
  void count_value(Track& track, TopicIndex topic, Sign sign) const noexcept;
  void expect(TopicIndex topic) noexcept;
  void begin_visit(Track& track, TopicIndex topic, CapturedVisit facts, const Values& now) noexcept;
  void revise_visit(Track& track, TopicIndex topic, std::uint32_t place, const Values& before,
                    const Values& now) noexcept;

  // ledger_comparisons.cc
  void compare(const Observation& observation, bool answers);
  [[nodiscard]] bool is_compared(const Observation& observation) noexcept;
  void take_in(Comparison& visit, const Observation& observation, bool answers);
  [[nodiscard]] Comparison::Ranked ranked_by(const Observation& observation, bool answers);
  [[nodiscard]] static bool share_a_state(const Comparison::Ranked& a,
                                          const Comparison::Ranked& b) noexcept;
  [[nodiscard]] static bool share_a_state(const Comparison& visit) noexcept;
  static void abandon(Comparison& visit) noexcept;
  void complete(Comparison& visit);
  [[nodiscard]] bool is_evidence(const Comparison& visit) const noexcept;
  [[nodiscard]] static bool gives_way(const Comparison& visit) noexcept;
  void renew_first_compared(const Comparison& visit);
  void score_compared(Comparison& visit);
  void add_latency(const Comparison& visit);
  static void add_latency(PairState& pair, const Comparison::Ranked& a,
                          const Comparison::Ranked& b);
  [[nodiscard]] std::vector<Values> last_compared(TopicIndex topic);

  // ledger_judgements.cc
  struct Rejudging;
  static void judge_anew(CapturedVisit& visit, Rank first_rank, const TopicQrels& before,
                         const TopicQrels& now);
  void add_rejudging(const TopicQrels& now, TopicIndex topic, std::vector<Rejudging>& changes);
  void restart(Track& track, TopicIndex topic, const Values& now) noexcept;
  void restart(TopicIndex topic);
  void locate_served(ArmIndex arm, TopicIndex topic, const ResolvedQrels& table);
  void locate_compared(ArmIndex arm, TopicIndex topic, const ResolvedQrels& table);

  LedgerOptions options_;
  std::vector<std::uint32_t> topics_at_looks_;
  std::vector<LossMargin> margins_;
  std::vector<const JudgedDocnos*> versions_;  // the last is current
  const Scorer* scorer_;
  std::size_t num_measures_;
  SeenOrder seen_topics_, seen_families_;  // in this epoch; each has a row in every list
  std::vector<ArmState> arms_;
  std::vector<PairState> pairs_;  // by arm; arm 0 has an empty one
  std::optional<SplitExpectation> expectation_;
  Overlaps overlaps_;
  Epoch epoch_;
  UtcTime latest_{};                                         // of an observation
  std::unordered_map<std::uint64_t, std::uint64_t> newest_;  // generation by index
  // By key, or else number, with arm and topic:
  BoundedMap<OpenVisit> keyed_{kOpenVisits}, unkeyed_{kOpenRequests};
  BoundedMap<Comparison> comparisons_{kOpenRequests};  // by visit
  std::vector<TopicIndex> unsettled_;                  // topics that are in no total until `settle`
  std::vector<bool> is_unsettled_;                     // by topic, up to the last that was seen
  // Kept over epochs, if topics are found as they come; by topic, and by family:
  std::vector<bool> was_observed_, was_family_observed_;
  TopicCounts observed_;
  std::uint64_t newest_left_out_ = 0;
  Health counts_;

  // Buffers of the visit that is being scored:
  RankBuffer ranks_;
  JudgedRanking completed_;
  std::vector<bool> is_found_;  // by judgement
  std::vector<std::optional<double>> completed_scores_;
  Values before_, now_;
  std::vector<Values> compared_;
};

}  // namespace prescope
