#include "support/simulated_nights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "statistics/paired_tests.h"
#include "support/evaluation_records.h"

namespace prescope::testing {
namespace {

constexpr std::uint64_t kSeed = 20100719;
constexpr double kGone = 9.0;  // log10 of a rank beyond any cutoff

constexpr std::array kModels = {
    NightModel{.name = "D dense", .share_moved = 1.0, .sd_of_moves = 0.45, .margin = 0.02},
    NightModel{.name = "Z config tweak", .share_moved = 0.43, .sd_of_moves = 0.19},
    NightModel{.name = "S index refresh", .share_moved = 0.055, .sd_of_moves = 0.47},
    NightModel{.name = "K skewed", .share_moved = 0.38, .sd_of_moves = 0.0, .share_beheaded = 0.04},
    NightModel{
        .name = "C catastrophes", .share_moved = 0.48, .sd_of_moves = 0.0, .share_emptied = 0.008},
    NightModel{.name = "N documents added", .share_moved = 0.6, .sd_of_moves = 0.01},
};

/// One topic before anything is added to the moves of tonight.
struct DrawnTopic {
  std::vector<double> baseline{}, tonight{};  ///< log10 of ranks
  bool is_moved = false;
};

DrawnTopic draw_topic(const NightModel& model, std::mt19937_64& random) {
  std::geometric_distribution<std::uint32_t> more_citations(0.263);
  std::normal_distribution<double> of_topics(1.9, 0.7), of_citations(0.0, 0.9);
  std::normal_distribution<double> of_moves(0.0, std::max(model.sd_of_moves, 1e-12));
  std::uniform_real_distribution<double> chance(0.0, 1.0);
  DrawnTopic topic{.is_moved = chance(random) < model.share_moved};
  const double of_topic = of_topics(random);
  const std::uint32_t citations = 3 + more_citations(random);
  for (std::uint32_t i = 0; i < citations; ++i) {
    const double log_rank = of_topic + of_citations(random);
    const double moved_before = of_moves(random), moved_now = of_moves(random);
    topic.baseline.push_back(log_rank + (topic.is_moved ? moved_before : 0.0));
    topic.tonight.push_back(log_rank + (topic.is_moved ? moved_now : 0.0));
  }
  const double what_is_lost = chance(random);
  if (what_is_lost < model.share_emptied) {
    std::ranges::fill(topic.tonight, kGone);
  } else if (what_is_lost < model.share_emptied + model.share_beheaded) {
    *std::ranges::min_element(topic.tonight) = kGone;
  }
  return topic;
}

/// Two documents do not share a rank.
std::vector<Rank> ranks_of(const std::vector<double>& log_ranks, double moved_by) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < log_ranks.size(); ++i) {
    order.emplace_back(log_ranks[i] + (log_ranks[i] < kGone ? moved_by : 0.0), i);
  }
  std::ranges::sort(order);
  std::vector<Rank> ranks(log_ranks.size());
  Rank last = 0;
  for (const auto& [log_rank, i] : order) {
    const double rank = std::ceil(std::pow(10.0, std::clamp(log_rank, 0.0, 8.0)));
    last = std::max(static_cast<Rank>(rank), last + 1);
    ranks[i] = last <= 1000 ? last : 0;
  }
  return ranks;
}

}  // namespace

std::span<const NightModel> night_models() { return kModels; }

SimulatedNights::SimulatedNights(const NightModel& model, double mean, std::size_t population) {
  std::mt19937_64 random(kSeed);
  std::vector<DrawnTopic> drawn(population);
  for (DrawnTopic& topic : drawn) topic = draw_topic(model, random);
  pairs_.resize(population);
  static const Measure kPres100 = Measure::parse("PRES@100");
  const auto set_tonight = [&](double moved_by) {
    for (std::size_t i = 0; i < population; ++i) {
      pairs_[i].tonight =
          topic_found_at("T", ranks_of(drawn[i].tonight, drawn[i].is_moved ? moved_by : 0.0));
      pairs_[i].difference =
          clean_difference(*EvaluationRecord::score(pairs_[i].tonight, kPres100),
                           *EvaluationRecord::score(pairs_[i].baseline, kPres100));
    }
  };
  for (std::size_t i = 0; i < population; ++i) {
    pairs_[i].baseline = topic_found_at("T", ranks_of(drawn[i].baseline, 0.0));
  }
  double low = -2.0, high = 2.0;  // farther back is worse
  for (int step = 0; step < 17; ++step) {
    const double middle = (low + high) / 2.0;
    set_tonight(middle);
    (this->mean() > mean ? low : high) = middle;
  }
}

SimulatedNights::Night SimulatedNights::draw(std::uint64_t seed, std::size_t topics) const {
  std::mt19937_64 random(kSeed + 1 + seed);
  std::uniform_int_distribution<std::size_t> any(0, pairs_.size() - 1);
  std::vector<EvaluationRecord::Topic> before, now;
  for (std::size_t i = 0; i < topics; ++i) {
    const Pair& pair = pairs_[any(random)];
    before.push_back(pair.baseline);
    now.push_back(pair.tonight);
    before.back().id = now.back().id = TopicId(fmt::format("T{}", 10'000 + i));
  }
  return {.baseline = baseline_of(evaluation_record(std::move(before))),
          .tonight = evaluation_record(std::move(now))};
}

double SimulatedNights::mean() const {
  double sum = 0.0;
  for (const Pair& pair : pairs_) sum += pair.difference;
  return sum / static_cast<double>(pairs_.size());
}

double SimulatedNights::sd() const {
  const double middle = mean();
  double squares = 0.0;
  for (const Pair& pair : pairs_) squares += std::pow(pair.difference - middle, 2.0);
  return std::sqrt(squares / static_cast<double>(pairs_.size()));
}

GateRules only_falls(double margin) {
  return {.decisions = {{Measure::parse("PRES@100"), margin}},
          .catastrophe = {.must_find = false, .emptied = false, .hard_loss_share = 1.0}};
}

Outcomes count_outcomes(const SimulatedNights& simulated, const GateRules& rules, int nights) {
  constexpr int Outcomes::*kCounts[] = {&Outcomes::pass, &Outcomes::regression,
                                        &Outcomes::inconclusive, &Outcomes::bad_input};
  Outcomes outcomes;
  for (int night = 0; night < nights; ++night) {
    const auto [baseline, tonight] = simulated.draw(static_cast<std::uint64_t>(night), 400);
    const GateOutcome outcome = gate(baseline, tonight, rules).outcome;
    ++(outcomes.*kCounts[static_cast<std::size_t>(outcome)]);
  }
  return outcomes;
}

namespace {

/// The first 200 topics, the next 150, and so on.
TopicSlices ten_slices() {
  TopicSlices slices;
  TopicSlices::Dimension& dimension = slices.dimensions.emplace_back();
  dimension.name = "d";
  std::uint32_t next = 0;
  for (const std::uint32_t size : kSliceSizes) {
    TopicSlices::Slice& slice = dimension.slices.emplace_back();
    slice.name = fmt::format("{} from {}", size, next);
    for (std::uint32_t i = 0; i < size; ++i) slice.topics.emplace_back(next++);
  }
  return slices;
}

GateVerdict gated_by_slices(const SimulatedNights::Night& night, double margin) {
  GateRules rules = only_falls(margin);
  rules.catastrophe.fall_share = 1.0;
  rules.slices.by = {"d"};
  return gate(night.baseline, night.tonight, rules, {.slices = ten_slices()});
}

constexpr std::size_t kSlicedTopics = 1000;

}  // namespace

SliceNights count_slice_nights(const SimulatedNights& simulated, double margin, int nights) {
  SliceNights counts;
  for (int number = 0; number < nights; ++number) {
    const auto night = simulated.draw(static_cast<std::uint64_t>(number), kSlicedTopics);
    const GateVerdict verdict = gated_by_slices(night, margin);
    const auto has = [&](GateVerdict::Status status) {
      return std::ranges::count(verdict.slices, status, &GateVerdict::SliceResult::status) > 0;
    };
    const bool fails = has(GateVerdict::Status::kFail);
    counts.failed += fails ? 1 : 0;
    counts.reported += fails || has(GateVerdict::Status::kWarning) ? 1 : 0;
    counts.regressions += verdict.outcome == GateOutcome::kRegression ? 1 : 0;
    counts.speaking += static_cast<int>(
        std::ranges::count(verdict.slices, true, &GateVerdict::SliceResult::may_speak));
  }
  return counts;
}

int count_slice_found(const SimulatedNights& alike, const SimulatedNights& worse, std::size_t slice,
                      double margin, int nights) {
  std::size_t first = 0;
  for (std::size_t s = 0; s < slice; ++s) first += kSliceSizes.at(s);
  int found = 0;
  for (int number = 0; number < nights; ++number) {
    const auto seed = static_cast<std::uint64_t>(number);
    SimulatedNights::Night night = alike.draw(seed, kSlicedTopics);
    const auto lost = worse.draw(seed + 1'000'000, kSlicedTopics);
    for (std::size_t t = first; t < first + kSliceSizes.at(slice); ++t) {
      night.baseline.evaluation.topics[t] = lost.baseline.evaluation.topics[t];
      night.tonight.topics[t] = lost.tonight.topics[t];
    }
    const auto status = gated_by_slices(night, margin).slices.at(slice).status;
    found += status == GateVerdict::Status::kFail ? 1 : 0;
  }
  return found;
}

namespace {

using Night = SimulatedNights::Night;
using Status = GateVerdict::Status;

/// Of the topics with a citation in the first 80 ranks, the first `count` lose their best one, or
/// all.
void lose(Night& night, std::size_t count, bool all) {
  for (EvaluationRecord::Topic& topic : night.tonight.topics) {
    if (count == 0) return;
    if (topic.found.empty() || topic.found.front().rank > 80) continue;
    topic.found.erase(topic.found.begin(), all ? topic.found.end() : topic.found.begin() + 1);
    --count;
  }
}

/// The first citation up to rank 100 that the baseline found is pinned, and lost.
void lose_pinned(Night& night) {
  const auto& topics = night.baseline.evaluation.topics;
  const auto pinned = std::ranges::find_if(topics, [](const auto& topic) {
    return !topic.found.empty() && topic.found.front().rank <= 100;
  });
  const Docno docno = pinned->found.front().docno;
  night.baseline.must_find = {{pinned->id, docno}};
  std::erase_if(night.tonight.topics[static_cast<std::size_t>(pinned - topics.begin())].found,
                [&](const auto& found) { return found.docno == docno; });
}

/// Every 50th citation found is not the index's any more.
void lose_kind_codes(Night& night) {
  std::uint64_t seen = 0;
  for (EvaluationRecord::Topic& topic : night.tonight.topics) {
    std::erase_if(topic.found, [&](const auto&) { return ++seen % 50 == 0; });
  }
  const std::uint64_t judged = night.tonight.qrels.relevant, matched = judged * 49 / 50;
  night.tonight.index.judged_found = matched;
  night.tonight.docno_hint = {
      .policy = DocnoPolicy::kPatent, .judged = judged, .matched = matched, .would_match = judged};
}

void change_texts(Night& night) {
  for (std::size_t i = 0; i < night.tonight.topics.size(); ++i) {
    night.baseline.evaluation.topics[i].text = 1;
    night.tonight.topics[i].text = i < 40 ? 2 : 1;
  }
}

void return_fewer_hits(Night& night) {
  for (EvaluationRecord::Topic& topic : night.tonight.topics) {
    topic.num_ret = 40;
    std::erase_if(topic.found, [](const auto& found) { return found.rank > 40; });
  }
}

constexpr std::array kFaults = {
    Fault{"one topic of 400 finds nothing any more", "catastrophe.emptied", Status::kFail,
          [](Night& night) { lose(night, 1, true); }},
    Fault{"5 of 400 topics lose their best citation", "catastrophe.hard_loss", Status::kFail,
          [](Night& night) { lose(night, 5, false); }},
    Fault{"one pinned citation is lost", "catastrophe.must_find", Status::kFail, lose_pinned},
    Fault{"one id in 50 lost its kind code", "input.judged_found", Status::kBadInput,
          lose_kind_codes},
    Fault{"all scores of a run are equal", "input.scores", Status::kBadInput,
          [](Night& night) { night.tonight.lines = {.topics = 400, .tied = 400, .reversed = 0}; }},
    Fault{"the signs of a run's scores are reversed", "input.scores", Status::kBadInput,
          [](Night& night) { night.tonight.lines = {.topics = 400, .tied = 0, .reversed = 400}; }},
    Fault{"40 topics have other texts", "input.texts", Status::kBadInput, change_texts},
    Fault{"judgements were added", "input.qrels", Status::kBadInput,
          [](Night& night) { night.tonight.qrels.hash = "another"; }},
    Fault{"a topic was not served", "input.topics", Status::kBadInput,
          [](Night& night) {
            night.tonight.topics[7].found.clear();
            night.tonight.topics[7].served = false;
          }},
    Fault{"the index was built half", "input.documents", Status::kBadInput,
          [](Night& night) { night.tonight.index.documents = 5'000; }},
    Fault{"one hit in 100 repeats a document", "input.duplicates", Status::kBadInput,
          [](Night& night) {
            for (EvaluationRecord::Topic& topic : night.tonight.topics) topic.duplicates = 10;
          }},
    Fault{"another k1", "input.arm", Status::kWarning,
          [](Night& night) { night.tonight.config += "k1 = 0.5\n"; }},
    Fault{"40 hits instead of 1,000", "input.hits", Status::kWarning, return_fewer_hits},
};

/// Evaluations that differ in nothing.
Night same_night() {
  const EvaluationRecord record = evaluation_record(steady_topics(20));
  return {.baseline = baseline_of(record), .tonight = record};
}

}  // namespace

std::span<const Fault> faults() { return kFaults; }

int count_named(const SimulatedNights& quiet, const Fault& fault, int nights) {
  int named = 0;
  for (int number = 0; number < nights; ++number) {
    Night night = quiet.draw(static_cast<std::uint64_t>(number), 400);
    fault.make(night);
    if (rule_of(gate(night.baseline, night.tonight, {}), fault.rule).status == fault.status) {
      ++named;
    }
  }
  return named;
}

LatencyPairs simulated_pairs(const LatencyModel& model, std::uint64_t seed) {
  constexpr double kSdOfMachine = 0.5, kSdOfSearch = 0.2;
  std::mt19937_64 random(kSeed + seed);
  std::normal_distribution<double> normal;
  double machine = kSdOfMachine * normal(random);
  const auto search = [&] {
    machine = model.autocorrelation * machine +
              std::sqrt(1.0 - model.autocorrelation * model.autocorrelation) * kSdOfMachine *
                  normal(random);
    return machine + kSdOfSearch * normal(random);
  };
  LatencyPairs pairs;
  for (int i = 0; i < 400; ++i) {
    const double first = search(), second = search();
    const bool is_tonight_first = random() % 2 == 0;
    pairs.log_ratios.push_back(std::log(model.ratio) +
                               (is_tonight_first ? first - second : second - first));
  }
  return pairs;
}

std::vector<double> simulated_quantiles(const LatencyModel& model, int nights, std::uint64_t seed) {
  std::mt19937_64 random(kSeed + seed);
  std::normal_distribution<double> of_nights(0.0, model.sd_of_nights);
  std::vector<double> quantiles;
  for (int i = 0; i < nights; ++i) quantiles.push_back(100.0 * std::exp(of_nights(random)));
  quantiles.push_back(100.0 * model.ratio * std::exp(of_nights(random)));
  return quantiles;
}

int count_slow(const LatencyModel& model, int past, int nights) {
  int slow = 0;
  auto [baseline, tonight] = same_night();
  for (int number = 0; number < nights; ++number) {
    const auto seed = static_cast<std::uint64_t>(number);
    std::vector<double> quantiles = simulated_quantiles(model, past, seed);
    set_latencies(tonight, 1, quantiles.back(), 0.0);
    quantiles.pop_back();
    GateEvidence evidence{.past_p95_ms = quantiles};
    if (past == 0) evidence.run_pairs = [&] { return simulated_pairs(model, seed); };
    if (gate(baseline, tonight, {}, evidence).outcome == GateOutcome::kRegression) ++slow;
  }
  return slow;
}

double most_by_chance(double p, int n) { return n * p + 4.0 * std::sqrt(n * p * (1.0 - p)); }

}  // namespace prescope::testing
