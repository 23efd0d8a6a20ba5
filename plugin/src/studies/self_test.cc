#include "studies/self_test.h"

#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include "base/errors.h"
#include "base/utc_time.h"
#include "facts/observation_rules.h"

namespace prescope {

namespace {

using ClaimKind = SelfTestClaims::Kind;
using EffectState = LatencyEffect::State;

constexpr ArmIndex kArmA{0}, kArmB{1};
constexpr std::size_t kMostExamples = 5;

/// A search that is compared with the other arm's.
struct ComparedSearchFacts {
  ArmIndex arm{};
  RankingFlags flags = RankingFlags::kNone;
  bool has_failed = false, is_shaped = false;
  std::optional<double> log_ns{};  ///< the logarithm of the latency, if it is the arm's own
  std::uint64_t generation = 0;
  std::uint32_t depth = 0, num_ret = 0;
  std::vector<JudgedHit> hits{};
  std::vector<std::uint64_t> captured{};  ///< docids or hashes of keys
  std::vector<std::optional<double>> scores{};
};

/// A visit whose two rankings are not both there yet.
struct PendingVisit {
  TopicId topic{};
  std::optional<ArmIndex> server{};  ///< the arm that served the user
  std::optional<double> served_log_ns{};
  std::uint32_t expected = 0;  ///< arms, once a search for comparison says so
  std::vector<ComparedSearchFacts> searches{};
};

std::optional<double> log_latency(const Observation& one) {
  if (!is_timed(one) || one.latency.count() <= 0) return std::nullopt;
  return std::log(static_cast<double>(one.latency.count()));
}

ComparedSearchFacts facts_of(const StoredObservation& stored, ObservationScores& scores) {
  const Observation& one = stored.observation;
  ComparedSearchFacts facts{.arm = one.arm,
                            .flags = one.flags,
                            .has_failed = !has_ranking(one),
                            .generation = one.generation,
                            .depth = one.depth,
                            .num_ret = one.num_ret,
                            .hits = {one.hits.begin(), one.hits.end()},
                            .captured = {one.captured_keys.begin(), one.captured_keys.end()}};
  facts.is_shaped = shaped_by(one, stored.scored_flags) != RankingFlags::kNone;
  facts.log_ns = log_latency(one);
  for (const DocId docid : one.captured_docids) facts.captured.push_back(docid.value());
  const auto values = scores.of(one, *stored.topic, stored.scored_flags);
  facts.scores.assign(values.begin(), values.end());
  return facts;
}

/// Returns false if both arms searched one index in different states.
bool share_a_state(const ComparedSearchFacts& a, const ComparedSearchFacts& b) noexcept {
  const bool is_one_index = a.generation >> 32U == b.generation >> 32U;
  return !is_one_index || a.generation == b.generation || a.generation == 0 || b.generation == 0;
}

bool are_same(const ComparedSearchFacts& a, const ComparedSearchFacts& b) {
  return a.num_ret == b.num_ret && a.hits == b.hits && a.captured == b.captured;
}

/// Returns the two-sided p-value of `part` of `of` throws of a fair coin.
double fair_coin_p(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 1.0 : std::min(1.0, 2.0 * fair_coin_tail(std::max(part, of - part), of));
}

/// The sums that a session's observations leave, in the order in which they were recorded.
class SelfTestSums {
 public:
  SelfTestSums(SelfTest& test, std::span<const Measure> measures, std::size_t primary)
      : test_(test), scores_({measures.begin(), measures.end()}), primary_(primary) {}

  void add(const RebuiltSession& so_far, const StoredObservation& stored) {
    const Observation& one = stored.observation;
    if (test_.began == UtcTime()) test_.began = one.time;
    test_.ended = one.time;
    if (stored.topic != nullptr && one.arm.value() < test_.arms.size()) add_judged(so_far, stored);
    look_if_due(so_far, one.time);
  }

  void finish(const RebuiltSession& session) {
    for (const auto& [number, visit] : open_) count_incomplete(visit);
    look(test_.summary, test_.ended);
    test_.topics = static_cast<std::uint32_t>(first_visits_.size());
    const double tolerance = test_.options.tolerance;
    test_.own_cache = latency_effect(own_cache_, tolerance);
    test_.order = latency_effect(order_, tolerance);
    test_.arms_ratio = latency_effect(arms_, tolerance);
    test_.repeat = latency_effect(repeat_, tolerance);
    test_.revisit = latency_effect(revisits(), tolerance);
    const std::uint64_t failed_a = test_.arms[0].failed;
    test_.failures_p = fair_coin_p(failed_a, failed_a + test_.arms[1].failed);
    test_.coin_p = fair_coin_p(test_.first_a, test_.ordered);
    test_.scores_by_order = judged_order();
    resample(session);
  }

 private:
  void add_judged(const RebuiltSession& so_far, const StoredObservation& stored) {
    const Observation& one = stored.observation;
    SelfTestArm& arm = test_.arms[one.arm.value()];
    if (is_inner(one.stage)) return;
    if (is_comparison(one)) {
      if (answer_of(one) == Answer::kUnseen) return announce(stored);
      ++arm.compared;
      arm.failed += has_ranking(one) ? 0U : 1U;
      arm.timed_out += has(one.flags, RankingFlags::kTimedOut) ? 1U : 0U;
      arm.empty += has_ranking(one) && one.num_ret == 0 && one.first_rank == 1 ? 1U : 0U;
    } else if (one.first_rank == 1) {
      // A request that ranks again is one visit.
      test_.visits += one.visit == 0 || visits_.insert(one.visit).second ? 1U : 0U;
      ++arm.served;
      arm.served_failed += answer_of(one) == Answer::kFailure ? 1U : 0U;
      add_revisit(stored);
    }
    if (one.first_rank != 1) return;
    add_first_score(so_far, stored);
    add_to_visit(stored);
  }

  void announce(const StoredObservation& stored) {
    const Observation& one = stored.observation;
    test_.is_reported = test_.is_reported || has(one.flags, RankingFlags::kAwaited);
    if (one.visit != 0) open(stored).expected = one.compared_arms;
  }

  /// The visits that a comparison is waited for are as many as the ledger waits for.
  PendingVisit& open(const StoredObservation& stored) {
    const auto [place, is_new] = open_.try_emplace(stored.observation.visit);
    if (is_new) place->second.topic = stored.topic->id();
    if (open_.size() > Ledger::kOpenRequests && place != open_.begin()) {
      count_incomplete(open_.begin()->second);
      open_.erase(open_.begin());
    }
    return place->second;
  }

  void add_to_visit(const StoredObservation& stored) {
    const Observation& one = stored.observation;
    if (test_.mode != Mode::kPaired || one.visit == 0) return;
    PendingVisit& visit = open(stored);
    const bool is_user = !is_comparison(one);
    if (is_user) {
      visit.server = one.arm;
      visit.served_log_ns = log_latency(one);
    } else {
      visit.expected = one.compared_arms;
    }
    const bool is_part = !is_user || test_.shadow_latency == ShadowOptions::Latency::kNotCompared;
    const auto ranked = std::ranges::find(visit.searches, one.arm, &ComparedSearchFacts::arm);
    if (is_part && ranked == visit.searches.end()) {
      visit.searches.push_back(facts_of(stored, scores_));
    }
    if (visit.searches.size() < test_.arms.size()) return;
    compare(visit);
    open_.erase(one.visit);
  }

  void count_incomplete(const PendingVisit& visit) {
    if (visit.expected > 0) ++test_.rankings.incomplete;
  }

  void compare(const PendingVisit& visit) {
    const ComparedSearchFacts &first = visit.searches[0], &second = visit.searches[1];
    RankingAgreement& rankings = test_.rankings;
    if (first.has_failed || second.has_failed) {
      ++rankings.failed;
    } else if (!share_a_state(first, second)) {
      ++rankings.other_state;
    } else if (first.is_shaped || second.is_shaped) {
      ++rankings.shaped;
    } else if (first.depth != second.depth) {
      ++rankings.other_depth;
    } else {
      compare_rankings(visit.topic, first, second);
    }
    if (test_.shadow_latency != ShadowOptions::Latency::kNotCompared) add_order(visit);
    if (visit.served_log_ns && !first.has_failed) add_repeat(visit);
  }

  void compare_rankings(const TopicId& topic, const ComparedSearchFacts& first,
                        const ComparedSearchFacts& second) {
    RankingAgreement& rankings = test_.rankings;
    ++rankings.visits;
    rankings.captured =
        std::max(rankings.captured, static_cast<std::uint32_t>(first.captured.size()));
    bool is_rescored = false;
    for (std::size_t m = 0; m < first.scores.size(); ++m) {
      if (!first.scores[m] || !second.scores[m]) continue;
      const double difference = clean_difference(*second.scores[m], *first.scores[m]);
      if (m == primary_) by_order_[topic].add(difference);
      if (difference == 0.0) continue;
      is_rescored = true;
      if (rankings.largest && std::abs(difference) <= rankings.largest->difference) continue;
      rankings.largest = {scores_.measures()[m], topic, std::abs(difference)};
    }
    rankings.rescored += is_rescored ? 1U : 0U;
    if (are_same(first, second)) return;
    ++rankings.differing;
    const bool is_known = std::ranges::count(rankings.examples, topic) > 0;
    if (!is_known && rankings.examples.size() < kMostExamples) rankings.examples.push_back(topic);
  }

  void add_order(const PendingVisit& visit) {
    const ComparedSearchFacts &first = visit.searches[0], &second = visit.searches[1];
    ++test_.ordered;
    const bool is_a_first = first.arm == kArmA;
    test_.first_a += is_a_first ? 1U : 0U;
    if (!first.log_ns || !second.log_ns) return;
    const double later = *second.log_ns - *first.log_ns;
    order_.push_back(later);
    arms_.push_back(is_a_first ? later : -later);
    if (visit.server) own_cache_.push_back(*visit.server == second.arm ? later : -later);
  }

  /// Not if the arm's first search was a warm-up that nobody timed.
  void add_repeat(const PendingVisit& visit) {
    const bool is_not_compared = test_.shadow_latency == ShadowOptions::Latency::kNotCompared;
    if (test_.shadow_latency == ShadowOptions::Latency::kBothArmsTwice) return;
    const ComparedSearchFacts& first = visit.searches[is_not_compared ? 1 : 0];
    if (first.log_ns) repeat_.push_back(*first.log_ns - *visit.served_log_ns);
  }

  /// The latencies of a topic's visits.
  struct TopicVisits {
    std::optional<double> first{};
    TopicSums later{};
  };

  void add_revisit(const StoredObservation& stored) {
    TopicVisits& visits = first_visits_[stored.topic->id().text()];
    const std::optional<double> log_ns = log_latency(stored.observation);
    if (!log_ns) return;
    visits.first ? visits.later.add(*log_ns) : static_cast<void>(visits.first = log_ns);
  }

  /// By topics, in the order of their names: what is alike about neighbours in time is not in it.
  [[nodiscard]] std::vector<double> revisits() const {
    std::vector<double> ratios;
    for (const auto& [topic, visits] : first_visits_) {
      if (visits.later.n() > 0) ratios.push_back(visits.later.mean() - *visits.first);
    }
    return ratios;
  }

  void add_first_score(const RebuiltSession& so_far, const StoredObservation& stored) {
    const std::string& id = stored.topic->id().text();
    if (scored_topics_.contains(id)) return;
    const auto values = scores_.of(stored.observation, *stored.topic, stored.scored_flags);
    if (!values[primary_]) return;
    const Qrels& qrels = so_far.ledger().qrels();
    const std::optional<TopicIndex> topic = qrels.find(id);
    if (!topic) return;
    scored_topics_.insert(id);
    first_scores_.push_back({id, qrels.family(*topic), *values[primary_]});
  }

  [[nodiscard]] JudgedDifference judged_order() const {
    std::vector<double> means;
    for (const auto& [topic, sums] : by_order_) means.push_back(clean_difference(sums.mean(), 0.0));
    JudgedDifference judged = tested_difference(means, PairedTest::kT);
    JudgedDifference* const all[] = {&judged};
    correct_and_judge(all, Correction::kNone, kScoresByOrderAlpha);
    return judged;
  }

  /// A summary is published every second, and shows the evidence of each topic.
  void look_if_due(const RebuiltSession& so_far, UtcTime time) {
    const Ledger& ledger = so_far.ledger();
    if (ledger.num_arms() < test_.arms.size() || ledger.arm(kArmB).is_removed()) return;
    const std::uint64_t topics = ledger.pair(kArmB).evidence[primary_].topics();
    if (topics == looked_at_topics_ && time < next_look_) return;
    looked_at_topics_ = topics;
    next_look_ = time + std::chrono::seconds(1);
    look(so_far.summary(SummaryDetail::kVerdicts), time);
  }

  void look(const Summary& summary, UtcTime time) {
    if (summary.pairs.empty()) return;
    ++test_.claims.looks;
    const ArmPair& pair = summary.pairs.front();
    const auto is_verdict = [](const MeasureDifference& difference) {
      return difference.live && (difference.live->state == LiveState::kLeading ||
                                 difference.live->state == LiveState::kConfirmed);
    };
    say(ClaimKind::kScore, is_verdict(pair.differences[summary.primary]), time);
    say(ClaimKind::kPlanned,
        pair.planned && (pair.planned->state == PlannedState::kBetter ||
                         pair.planned->state == PlannedState::kWorse),
        time);
    say(ClaimKind::kSlice, std::ranges::any_of(pair.slices, is_verdict, &SliceSummary::difference),
        time);
    say(ClaimKind::kGuardrail,
        std::ranges::any_of(pair.guardrails,
                            [](const GuardrailSummary& guardrail) {
                              return guardrail.state == GuardrailState::kBroken;
                            }),
        time);
    say(ClaimKind::kFaster, pair.latency.differs, time);
    if (pair.equivalence && pair.equivalence->is_shown) test_.claims.was_equivalent = true;
  }

  void say(ClaimKind kind, bool is_said, UtcTime time) {
    SelfTestClaims::Claim& claim = test_.claims.claims[static_cast<std::size_t>(kind)];
    claim.stands = is_said;
    if (!is_said) return;
    ++claim.looks;
    if (!claim.first) claim.first = time;
  }

  void resample(const RebuiltSession& session) {
    const Ledger& ledger = session.ledger();
    const LiveVerdict verdict =
        test_.pair().differences[primary_].live.value_or(LiveVerdict{.alpha = 0.05});
    if (test_.mode == Mode::kPaired) {
      test_.signs = resampled_signs(first_differences(ledger), ledger.statement(verdict.alpha),
                                    test_.options);
    }
    test_.salts = resampled_salts(first_scores_, verdict.alpha, test_.options);
  }

  /// Returns the values that the evidence is made of, in the order of the visits.
  [[nodiscard]] std::vector<Bounds> first_differences(const Ledger& ledger) const {
    const Ledger::PairState& pair = ledger.pair(kArmB);
    std::vector<std::pair<std::uint64_t, Bounds>> firsts;
    for (std::size_t family = 0; family < ledger.qrels().num_families(); ++family) {
      const Bounds& value = pair.firsts.row(family)[primary_];
      if (value.has_value()) firsts.emplace_back(pair.first_visits[family].visit, value);
    }
    std::ranges::stable_sort(firsts, {}, &std::pair<std::uint64_t, Bounds>::first);
    std::vector<Bounds> values;
    for (const auto& [visit, value] : firsts) values.push_back(value);
    return values;
  }

  SelfTest& test_;
  ObservationScores scores_;
  const std::size_t primary_;
  std::map<std::uint64_t, PendingVisit> open_;  // by visit
  std::unordered_set<std::uint64_t> visits_;    // that were served
  std::map<std::string, TopicVisits> first_visits_;
  std::map<TopicId, TopicSums> by_order_;
  std::set<std::string> scored_topics_;
  std::vector<FirstScore> first_scores_;
  std::vector<double> own_cache_, order_, arms_, repeat_;  // ln of ratios
  std::uint64_t looked_at_topics_ = 0;
  UtcTime next_look_{};
};

/// Returns the session's arms as they were at its beginning.
std::vector<SelfTestArm> arms_of_session(const Database& database, std::int64_t session) {
  Statement rows(database,
                 "SELECT a.name, a.config, sa.engine, sa.engine_version, sa.place,"
                 " ifnull(sa.index_label, '') FROM session_arms sa"
                 " JOIN arms a ON a.number = sa.arm WHERE sa.number IN"
                 " (SELECT max(number) FROM session_arms WHERE session = ?1 GROUP BY position)"
                 " ORDER BY sa.position");
  std::vector<SelfTestArm> arms;
  for (rows.bind(session); rows.next();) {
    SelfTestArm& arm = arms.emplace_back();
    rows.read(arm.name, arm.config, arm.engine, arm.engine_version, arm.index, arm.index_label);
  }
  return arms;
}

/// Returns what the descriptions of two arms do not share, in words.
std::string description_difference(const SelfTestArm& a, const SelfTestArm& b) {
  constexpr std::pair<std::string SelfTestArm::*, std::string_view> kParts[] = {
      {&SelfTestArm::config, "configuration"},
      {&SelfTestArm::engine, "engine"},
      {&SelfTestArm::engine_version, "version of the engine"},
      {&SelfTestArm::index, "index"},
      {&SelfTestArm::index_label, "state of the index"}};
  std::string words;
  for (const auto& [part, name] : kParts) {
    if (a.*part == b.*part) continue;
    words += fmt::format("{}{}", words.empty() ? "" : ", ", name);
    if (part == &SelfTestArm::config) continue;
    words += fmt::format(" ('{}' and '{}')", a.*part, b.*part);
  }
  return words;
}

std::int64_t session_to_test(const ObservationReader& reader, const std::filesystem::path& store,
                             std::optional<std::int64_t> session) {
  if (session) {
    reader.require_known({.session = session});
    return *session;
  }
  const std::optional<std::int64_t> newest = reader.newest_session();
  if (!newest) throw usage_error("{}: no experiment was observed yet", store.string());
  return *newest;
}

void describe_arms(const ObservationReader& reader, SelfTest& test) {
  const std::vector<SelfTestArm> arms = arms_of_session(reader.database(), test.session);
  if (arms.size() != test.arms.size()) {
    throw usage_error(
        "session {} has {} {}; expected two arms with the same configuration, such as 'bm25' and "
        "'bm25 again'",
        test.session, arms.size(), arms.size() == 1 ? "arm" : "arms");
  }
  std::ranges::copy(arms, test.arms.begin());
  const auto& [a, b] = test.arms;
  test.is_described = !a.config.empty() || !b.config.empty();
  test.difference = description_difference(a, b);
  if (test.difference.empty() || test.options.arms == SelfTestOptions::Arms::kAnyArms) return;
  throw usage_error(
      "session {}: '{}' and '{}' are not the same arm: they differ in {}; test an arm against "
      "itself, or add --any-arms if the difference has no effect",
      test.session, a.name, b.name, test.difference);
}

SelfTestAnswer answer_of(EffectState state) noexcept {
  return state == EffectState::kAlike     ? SelfTestAnswer::kNothing
         : state == EffectState::kDiffers ? SelfTestAnswer::kFound
                                          : SelfTestAnswer::kTooFew;
}

SelfTestAnswer answer_about_rankings(const SelfTest& test) {
  if (test.failures_p < kFailuresAlpha || test.rankings.differing > 0) {
    return SelfTestAnswer::kFound;
  }
  if (test.mode != Mode::kPaired) return SelfTestAnswer::kNotAsked;
  return test.rankings.visits < kFewestSelfTestPairs ? SelfTestAnswer::kTooFew
                                                     : SelfTestAnswer::kNothing;
}

SelfTestAnswer answer_about_verdicts(const SelfTest& test) {
  const bool is_vetoed = std::ranges::any_of(
      test.pair().checks, [](const Check& check) { return check.state == CheckState::kVeto; });
  if (is_vetoed || test.claims.any() || test.signs.exceeds_alpha() || test.salts.exceeds_alpha()) {
    return SelfTestAnswer::kFound;
  }
  const ResampledVerdicts& of_mode = test.mode == Mode::kPaired ? test.signs : test.salts;
  return of_mode.resamples == 0 ? SelfTestAnswer::kTooFew : SelfTestAnswer::kNothing;
}

SelfTestAnswer answer_about_order(const SelfTest& test) {
  if (test.scores_by_order.verdict == Verdict::kBetter ||
      test.scores_by_order.verdict == Verdict::kWorse) {
    return SelfTestAnswer::kFound;
  }
  return answer_of(test.order.state);
}

void answer_questions(SelfTest& test) {
  const bool is_timed =
      test.mode == Mode::kPaired && test.shadow_latency != ShadowOptions::Latency::kNotCompared;
  const auto of_latency = [&](SelfTestAnswer answer) {
    return is_timed || answer == SelfTestAnswer::kFound ? answer : SelfTestAnswer::kNotAsked;
  };
  test.answers = {
      answer_about_rankings(test), answer_about_verdicts(test),
      of_latency(answer_of(test.own_cache.state)), of_latency(answer_about_order(test)),
      of_latency(test.claims.of(ClaimKind::kFaster).looks > 0 ? SelfTestAnswer::kFound
                                                              : answer_of(test.arms_ratio.state))};
}

}  // namespace

void check(const SelfTestOptions& options) {
  if (!(options.tolerance > 0.0 && options.tolerance <= 1.0)) {
    throw usage_error("the tolerance is {}; expected a number above 0 and at most 1",
                      options.tolerance);
  }
  if (options.resamples == 0) throw usage_error("the number of resamples is 0; expected 1 or more");
}

std::string_view to_string(SelfTestQuestion question) noexcept {
  constexpr std::array<std::string_view, 5> kWords{"rankings", "verdicts", "caches", "order",
                                                   "latency"};
  return kWords[static_cast<std::size_t>(question)];
}

std::string_view to_string(SelfTestAnswer answer) noexcept {
  constexpr std::array<std::string_view, 4> kWords{"nothing", "found", "too few", "not asked"};
  return kWords[static_cast<std::size_t>(answer)];
}

SelfTest self_test(const std::filesystem::path& store, std::optional<std::int64_t> session,
                   const SelfTestOptions& options) {
  check(options);
  SelfTest test{.store = store, .options = options};
  std::vector<Measure> measures;
  std::size_t primary = 0;
  {
    const ObservationReader reader(store);
    test.session = session_to_test(reader, store, session);
    describe_arms(reader, test);
    const SessionSetUp set_up = session_set_up(read_session_words(reader.database(), test.session));
    test.mode = set_up.options.mode;
    test.shadow_latency = set_up.options.shadow_latency;
    primary = set_up.options.primary;
    measures = reader.measures_of(test.session);
  }
  if (test.mode == Mode::kObserve) {
    throw usage_error(
        "session {} is of mode observe, in which arms are not compared; test one of mode paired or "
        "split",
        test.session);
  }
  SelfTestSums sums(test, measures, primary);
  const RebuiltSession rebuilt(
      store, test.session,
      [&](const RebuiltSession& so_far, const StoredObservation& one) { sums.add(so_far, one); });
  test.summary = rebuilt.summary(SummaryDetail::kVerdicts);
  if (test.summary.pairs.empty()) {
    throw usage_error("session {}: '{}' was removed, so there is nothing to compare", test.session,
                      test.arms[1].name);
  }
  sums.finish(rebuilt);
  answer_questions(test);
  return test;
}

int exit_code(const SelfTest& test) noexcept {
  if (test.has(SelfTestAnswer::kFound)) return 1;
  return test.has(SelfTestAnswer::kTooFew) ? 3 : 0;
}

}  // namespace prescope
