#include "support/simulated_traffic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/split_mix.h"

namespace prescope {
namespace {

constexpr std::uint32_t kRelevant = 5;
constexpr std::uint32_t kMostTopics = 400;
constexpr std::uint32_t kPage = 50, kDepth = 100;

class Random {
 public:
  explicit Random(std::uint64_t seed) : mix_(seed) {}
  double uniform() { return static_cast<double>(mix_.next() >> 11U) * 0x1p-53; }
  bool happens(double share) { return uniform() < share; }
  /// Returns a nearly normal value with variance 1.
  double normal() { return (uniform() + uniform() + uniform() + uniform() - 2.0) * std::sqrt(3.0); }

 private:
  SplitMix mix_;
};

/// Judgements of so many topics, and the scorer that all experiments share.
struct Judged {
  explicit Judged(std::uint32_t topics) : qrels(qrels_of(topics)) {}

  static Qrels qrels_of(std::uint32_t topics) {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < topics; ++t) {
      for (std::uint32_t j = 0; j < kRelevant; ++j) {
        lines.push_back({TopicId("t" + std::to_string(1000 + t)), Docno("d" + std::to_string(j))});
      }
    }
    return Qrels::from_lines(lines);
  }

  Qrels qrels;
  JudgedDocnos judged{qrels};
  Scorer scorer{parse_measures("PRES@50")};
};

const Judged& judged_topics(std::uint32_t topics) {
  static std::array<std::unique_ptr<Judged>, kMostTopics + 1> all;
  if (!all[topics]) all[topics] = std::make_unique<Judged>(topics);
  return *all[topics];
}

/// One experiment.
class Simulation {
 public:
  Simulation(const NullTraffic& traffic, std::uint64_t seed)
      : traffic_(traffic),
        random_(seed),
        judged_(judged_topics(traffic.topics)),
        ledger_(judged_.judged, judged_.scorer, 2, options()) {
    for (Topic& topic : topics_) {
      const double of_topic = 3.0 + random_.normal();
      for (Document& document : topic.documents) {
        document.log_rank = of_topic + 1.5 * random_.normal();
        document.lost_from = random_.uniform();
      }
      for (double& effect : topic.effects) effect = traffic_.topic_effect * random_.normal();
      topic.effects[1] -= traffic_.advantage;
      topic.arm = random_.happens(0.5) ? 1 : 0;
      weights_.push_back(
          (weights_.empty() ? 0.0 : weights_.back()) +
          (traffic.has_zipf_topics ? 1.0 / (1.0 + static_cast<double>(weights_.size())) : 1.0));
    }
  }

  NullOutcome run() {
    NullOutcome outcome;
    std::uint64_t looked_at = 0;
    for (std::uint32_t visit = 0; visit < traffic_.visits; ++visit) {
      this->visit(visit + 1, static_cast<double>(visit) / traffic_.visits);
      if (evidence().topics() == looked_at) continue;
      looked_at = evidence().topics();
      const LiveState state = live_verdict(evidence(), statement_).state;
      outcome.has_verdict =
          outcome.has_verdict || state == LiveState::kLeading || state == LiveState::kConfirmed;
    }
    outcome.topics = static_cast<std::uint32_t>(looked_at);
    ledger_.settle();
    const Ledger::ArmState& arm = ledger_.arm(ArmIndex(0));
    if (traffic_.mode == Mode::kPaired) {
      outcome.served_less_compared = arm.served.totals[0].means(0).mean.value_or(0.0) -
                                     arm.compared.totals[0].means(0).mean.value_or(0.0);
    }
    return outcome;
  }

 private:
  struct Document {
    double log_rank = 0.0;
    double lost_from = 0.0;  ///< the index has lost it when this share is lost
  };
  struct Topic {
    std::array<Document, kRelevant> documents{};
    std::array<double, 2> effects{};
    std::uint32_t arm = 0;  ///< Mode::kSplit
  };
  struct Page {
    Rank first_rank = 1;
    std::uint32_t requested = kDepth, served = kDepth;
  };

  LedgerOptions options() {
    topics_.resize(traffic_.topics);
    LedgerOptions options{.mode = traffic_.mode,
                          .epochs = EpochRule::kConfiguration,
                          .shadow_latency = traffic_.shadow_latency};
    for (std::uint32_t t = 0; traffic_.has_baseline && t < traffic_.topics; ++t) {
      options.baseline.push_back(
          {judged_.qrels.topics()[t].id(), "PRES@50", 0.2 + 0.2 * random_.uniform()});
    }
    return options;
  }

  const BoundedEvidence& evidence() const { return ledger_.pair(ArmIndex(1)).evidence[0]; }

  std::uint32_t draw_topic() {
    const double at = random_.uniform() * weights_.back();
    return static_cast<std::uint32_t>(std::ranges::upper_bound(weights_, at) - weights_.begin());
  }

  void visit(std::uint64_t number, double time) {
    const std::uint32_t topic = draw_topic();
    const std::uint32_t arm = traffic_.mode == Mode::kSplit ? topics_[topic].arm : 0;
    const bool is_paged = traffic_.second_pages > 0.0;
    Page page = is_paged ? Page{.requested = kPage, .served = kPage} : draw_depth();
    Observation observation{.topic = TopicIndex(topic),
                            .arm = ArmIndex(arm),
                            .visit = number,
                            .visit_key = is_paged ? number : 0,
                            .generation = 1 + static_cast<std::uint64_t>(100.0 * time)};
    const std::vector<JudgedHit> ranking = rank(topic, arm, time);
    record(observation, page, ranking);
    if (traffic_.mode == Mode::kPaired) search_for_comparison(observation, page, time);
    if (!is_paged || !random_.happens(traffic_.second_pages)) return;
    page.first_rank = kPage + 1;
    record(observation, page, ranking);
  }

  /// A short answer has no hits behind it.
  Page draw_depth() {
    if (!traffic_.has_mixed_depths) return {};
    const auto depth = static_cast<std::uint32_t>(20 + 180 * random_.uniform());
    return {.requested = depth, .served = random_.happens(0.1) ? depth / 4 : depth};
  }

  /// Each search of the pool runs or does not, whatever its arm.
  void search_for_comparison(Observation observation, const Page& page, double time) {
    const double share =
        traffic_.first_shadows + time * (traffic_.last_shadows - traffic_.first_shadows);
    observation.compared_arms = 2;
    const bool both = traffic_.shadow_latency == ShadowOptions::Latency::kBothArms;
    for (const std::uint32_t arm : {0U, 1U}) {
      if ((arm == 0 && !both) || !random_.happens(share)) continue;
      observation.arm = ArmIndex(arm);
      record(observation, page, rank(observation.topic.value(), arm, time));
    }
  }

  std::vector<JudgedHit> rank(std::uint32_t t, std::uint32_t arm, double time) {
    const Topic& topic = topics_[t];
    std::vector<JudgedHit> hits;
    for (std::uint32_t j = 0; j < kRelevant; ++j) {
      const Document& document = topic.documents[j];
      if (document.lost_from < traffic_.lost * time) continue;
      const double log_rank = document.log_rank + topic.effects[arm] + traffic_.drift * time +
                              traffic_.visit_noise * random_.normal();
      hits.push_back(
          {static_cast<Rank>(std::exp(std::clamp(log_rank, 0.0, 12.0))), JudgementIndex(j)});
    }
    std::ranges::sort(hits, {}, &JudgedHit::rank);
    for (std::size_t i = 1; i < hits.size(); ++i) {
      hits[i].rank = std::max(hits[i].rank, hits[i - 1].rank + 1);
    }
    return hits;
  }

  void record(Observation observation, const Page& page, std::vector<JudgedHit> hits) {
    std::erase_if(hits, [&](const JudgedHit& hit) {
      return hit.rank < page.first_rank || hit.rank >= page.first_rank + page.served;
    });
    observation.first_rank = page.first_rank;
    observation.depth = page.requested;
    observation.num_ret = page.served;
    observation.hits = hits;
    ledger_.record(observation);
  }

  NullTraffic traffic_;
  Random random_;
  const Judged& judged_;
  std::vector<Topic> topics_;
  std::vector<double> weights_;  // summed up
  Ledger ledger_;
  LiveStatement statement_ = score_statement(
      traffic_.mode, traffic_.has_baseline ? BaselineScores::kKnown : BaselineScores::kNone, 0.05);
};

}  // namespace

std::span<const NullTraffic> null_traffic() {
  using Latency = ShadowOptions::Latency;
  static const NullTraffic kAll[] = {
      {.name = "shadows 95 to 20 %, index loses 40 %",
       .first_shadows = 0.95,
       .last_shadows = 0.2,
       .lost = 0.4},
      {.name = "the same, served ranking compared",
       .shadow_latency = Latency::kNotCompared,
       .first_shadows = 0.95,
       .last_shadows = 0.2,
       .lost = 0.4},
      {.name = "mixed depths", .has_mixed_depths = true},
      {.name = "pages", .second_pages = 0.4},
      {.name = "Zipf revisits with noise",
       .visits = 1000,
       .first_shadows = 0.8,
       .last_shadows = 0.8,
       .visit_noise = 1.0,
       .topic_effect = 0.1,
       .has_zipf_topics = true},
      {.name = "drift", .drift = 2.0},
      {.name = "split", .mode = Mode::kSplit, .has_zipf_topics = true},
      {.name = "split, baseline, pages, loss",
       .mode = Mode::kSplit,
       .has_baseline = true,
       .lost = 0.4,
       .second_pages = 0.4}};
  return kAll;
}

NullOutcome simulate(const NullTraffic& traffic, std::uint64_t seed) {
  return Simulation(traffic, seed).run();
}

NullOutcomes simulate_all(const NullTraffic& traffic, std::uint32_t experiments) {
  NullOutcomes all;
  for (std::uint64_t seed = 1; seed <= experiments; ++seed) {
    const NullOutcome outcome = simulate(traffic, seed);
    all.verdicts += outcome.has_verdict ? 1 : 0;
    all.topics += outcome.topics;
    all.served_less_compared += outcome.served_less_compared;
  }
  all.topics /= experiments;
  all.served_less_compared /= experiments;
  return all;
}

}  // namespace prescope
