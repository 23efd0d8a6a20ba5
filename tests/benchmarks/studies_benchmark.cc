// The studies of many runs: all pairs tested, and the order of runs under sampled judgements, on
// 48 runs of 400 topics, as the papers had. Answers are compared with the plain paths first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "benchmarks/bars.h"
#include "runs/comparison.h"
#include "studies/agreement.h"
#include "studies/robustness.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kRuns = 48, kTopics = 400;

/// Topics with 3 or more relevant documents, 6 in the mean.
Qrels made_up_qrels() {
  std::mt19937 random(400);
  std::geometric_distribution<int> more(0.25);
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    const int judged = 3 + more(random);
    for (int d = 0; d < judged; ++d) {
      lines.push_back({TopicId(fmt::format("EP{:07}A1", t)), Docno(fmt::format("D{:03}", d)), 1});
    }
  }
  return Qrels::from_lines(lines);
}

/// Finds relevant documents at log-normal ranks, the better the lower `number` is.
RunFacts made_up_run(const Qrels& qrels, std::uint32_t number) {
  std::mt19937 random(number);
  std::normal_distribution<double> log_rank(4.0 + 0.03 * number, 1.9);
  RunFacts run;
  run.tag = fmt::format("run{}", number);
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    std::vector<Retrieved> found;
    for (std::uint32_t j = 0; j < qrels.topics()[t].num_rel(); ++j) {
      const auto rank = static_cast<Rank>(std::exp(std::clamp(log_rank(random), 0.0, 8.0)));
      const bool taken = std::ranges::count(found, rank, &Retrieved::trec_rank) > 0;
      if (rank > 1000 || rank == 0 || taken) continue;
      found.push_back({JudgementIndex(j), rank, rank, rank, rank});
    }
    std::ranges::sort(found, {}, &Retrieved::trec_rank);
    run.topics.push_back({.topic = TopicIndex(t),
                          .num_ret = 1000,
                          .first_retrieved = static_cast<std::uint32_t>(run.retrieved.size()),
                          .num_retrieved = static_cast<std::uint32_t>(found.size())});
    run.retrieved.insert(run.retrieved.end(), found.begin(), found.end());
  }
  return run;
}

struct PaperSized {
  PaperSized() : qrels(made_up_qrels()) {
    facts.reserve(kRuns);
    for (std::uint32_t i = 0; i < kRuns; ++i) facts.push_back(made_up_run(qrels, i));
    for (const RunFacts& run : facts) evaluations.push_back(evaluate(qrels, run, paper));
    for (const Evaluation& each : evaluations) runs.push_back(&each);
    ranked = ranked_runs(qrels, facts);
  }
  static const PaperSized& instance() {
    static const PaperSized data;
    return data;
  }

  Scorer paper{parse_measures("AP@1000,R@1000,PRES@1000")};
  Scorer both{parse_measures("AP@100,R@100,PRES@100,AP@1000,R@1000,PRES@1000")};
  Qrels qrels;
  std::vector<RunFacts> facts;
  std::vector<Evaluation> evaluations;
  std::vector<const Evaluation*> runs;
  RankedRuns ranked;
};

/// Each pair as `prescope compare` does it.
bool agrees_with_comparing(const PaperSized& data, const AgreementOptions& options) {
  const Agreement fast = agreement(data.runs, options);
  CompareOptions plain;
  plain.test = options.test;
  plain.correction = Correction::kNone;
  for (std::size_t p = 0; p < fast.pairs.size(); ++p) {
    const auto [a, b] = fast.pairs[p];
    const std::vector<const Evaluation*> pair = {data.runs[a], data.runs[b]};
    const Comparison compared = compare_runs(data.qrels, pair, plain);
    for (std::size_t m = 0; m < fast.measures.size(); ++m) {
      const MeasureComparison& expected = compared.runs.front().measures[m];
      if (fast.at(p, m).verdict != expected.verdict) return false;
      if (fast.at(p, m).p_value != expected.p_value) return false;
    }
  }
  return true;
}

/// The means by each measure's own formula.
std::vector<double> plain_means(const PaperSized& data, const SampleDraw& draw,
                                const Measure& measure) {
  std::vector<double> means;
  for (const RunFacts& run : data.facts) {
    double sum = 0.0;
    for (const RunFacts::Topic& topic : run.topics) {
      const TopicQrels& judged = data.qrels.topic(topic.topic);
      const auto kept = sample_relevant(draw, judged.id().text(), judged.num_rel());
      std::vector<Rank> ranks;
      for (const Retrieved& found : run.of(topic)) {
        if (std::ranges::binary_search(kept, found.judgement.value())) {
          ranks.push_back(found.trec_rank);
        }
      }
      sum += measure.score({.num_rel = static_cast<std::uint32_t>(kept.size()), .relevant = ranks})
                 .value();
    }
    means.push_back(sum / kTopics);
  }
  return means;
}

double plain_tau(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.0, untied_x = 0.0, untied_y = 0.0;
  const auto sign = [](double v) { return std::abs(v) < 1e-12 ? 0 : v > 0 ? 1 : -1; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int of_x = sign(x[i] - x[j]), of_y = sign(y[i] - y[j]);
      sum += of_x * of_y;
      untied_x += of_x * of_x;
      untied_y += of_y * of_y;
    }
  }
  return sum / std::sqrt(untied_x * untied_y);
}

bool agrees_with_formulas(const PaperSized& data, const RobustnessOptions& options) {
  const Robustness fast = robustness(data.ranked, data.both, options);
  for (std::size_t f = 0; f < options.fractions.size(); ++f) {
    for (std::size_t m = 0; m < fast.measures.size(); ++m) {
      const auto full = plain_means(data, {.fraction = 1.0}, fast.measures[m]);
      for (std::uint32_t s = 1; s <= options.samples; ++s) {
        const SampleDraw draw{.seed = options.seed, .fraction = options.fractions[f], .sample = s};
        const double expected = plain_tau(full, plain_means(data, draw, fast.measures[m]));
        if (std::abs(fast.at(f, m).taus[s - 1].value() - expected) > 1e-12) return false;
      }
    }
  }
  return true;
}

void test_all_pairs(benchmark::State& state, PairedTest test) {
  const PaperSized& data = PaperSized::instance();
  const AgreementOptions options{.test = test};
  if (!agrees_with_comparing(data, options)) {
    state.SkipWithError("another answer than comparing pair by pair gives");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(agreement(data.runs, options));
}

void agreement_wilcoxon(benchmark::State& state) { test_all_pairs(state, PairedTest::kWilcoxon); }
void agreement_t(benchmark::State& state) { test_all_pairs(state, PairedTest::kT); }
void agreement_sign_flip(benchmark::State& state) { test_all_pairs(state, PairedTest::kSignFlip); }

void robustness_12_samples(benchmark::State& state) {
  const PaperSized& data = PaperSized::instance();
  const RobustnessOptions options;
  if (!agrees_with_formulas(data, options)) {
    state.SkipWithError("another answer than the formulas give");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(robustness(data.ranked, data.both, options));
  }
}

void as_study(benchmark::internal::Benchmark* one) {
  one->Iterations(1)->Repetitions(5)->ReportAggregatesOnly()->Unit(benchmark::kMillisecond);
}
BENCHMARK(agreement_wilcoxon)->Apply(as_study);
BENCHMARK(agreement_t)->Apply(as_study);
BENCHMARK(agreement_sign_flip)->Apply(as_study);
BENCHMARK(robustness_12_samples)->Apply(as_study);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  const auto bar = [](const char* what, const char* benchmark, double most) {
    return Bar{
        .what = what, .benchmark = benchmark, .unit = Bar::Unit::kMilliseconds, .most = most};
  };
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {bar("1,128 pairs by 3 measures, Wilcoxon", "agreement_wilcoxon", 2000.0),
       bar("the same by t", "agreement_t", 2000.0),
       bar("the same by sign-flip", "agreement_sign_flip", 2000.0),
       bar("48 runs, 12 samples, 2 cutoffs, 3 measures", "robustness_12_samples", 5000.0)});
}
