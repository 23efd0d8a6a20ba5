// Cost of observing a query.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

#include "benchmarks/bars.h"
#include "benchmarks/large_index.h"
#include "measures/scorer.h"
#include "prescope/experiment.h"
#include "prescope/lucenepp/observed_index.h"

#include <lucene++/ScoreDoc.h>

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kDepth = 1000;
constexpr std::uint32_t kJudged = 27;
// So many that the clock does not matter, so few that the queue holds them.
constexpr int kBatch = 500;

using Clock = std::chrono::steady_clock;

/// Times batches of `work`, and calls `after` behind each, which is not timed.
template <class Work, class After>
void time_batches(benchmark::State& state, Work work, After after) {
  for (auto _ : state) {
    const double began = cpu_seconds();
    for (int i = 0; i < kBatch; ++i) work();
    state.SetIterationTime((cpu_seconds() - began) / kBatch);
    after();
  }
}

/// A ranking of 1000 hits as Lucene++ serves it, of which 12 are judged, and 15 judged documents
/// that it does not serve.
class Setting {
 public:
  static Setting& instance() {
    static Setting setting;
    return setting;
  }

  void observe(const TopicId& of) {
    QueryScope scope(*experiment, of);
    searcher->observe(*served, {.requested_depth = kDepth});
  }

  Lucene::TopDocsPtr served;
  std::vector<Rank> expected;  // by the stored docno of every hit
  std::optional<Experiment> experiment;
  std::optional<lucenepp::ObservedIndex> index;
  lucenepp::ObservedSearcherPtr searcher;
  const TopicId topic{"T"};
  std::mutex mutex;  // guards the listener's data
  std::vector<Rank> last_seen;
  std::vector<std::chrono::nanoseconds> own_times;  // of unjudged queries

 private:
  Setting() {
    const Lucene::IndexReaderPtr reader = LargeIndex::instance().reader();
    served =
        Lucene::newLucene<Lucene::IndexSearcher>(reader)->search(LargeIndex::query(77), kDepth);
    std::vector<Qrels::Line> lines;
    for (Rank rank = 1; rank <= kDepth; ++rank) {
      const int32_t docid = served->scoreDocs[static_cast<int32_t>(rank - 1)]->doc;
      if (rank % 80 != 7 || lines.size() == 12) continue;
      const auto docno = reader->document(docid)->get(L"docno");
      lines.push_back({topic, Docno{Lucene::StringUtils::toUTF8(docno)}, 1});
      expected.push_back(rank);
    }
    for (int i = 1; lines.size() < kJudged; ++i) {
      lines.push_back({topic, Docno{"US" + std::to_string(i)}, 1});
    }
    experiment.emplace(Qrels::from_lines(lines, {.docno = DocnoPolicy::kPatent}),
                       ExperimentOptions{.arms = {"a"},
                                         .cutoffs = {100, 1000},
                                         .on_observation = [this](const Observation& observation) {
                                           const std::lock_guard lock(mutex);
                                           note(observation);
                                         }});
    index.emplace(reader, *experiment);
    searcher = index->searcher("a");
  }

  void note(const Observation& observation) {
    if (observation.topic == kUnjudgedTopic) own_times.push_back(observation.self_time);
    last_seen.clear();
    for (const JudgedHit& hit : observation.hits) last_seen.push_back(hit.rank);
  }
};

/// The definition of each measure, against the scores that are timed.
bool answers_are_right(Setting& setting, const Scorer& scorer, const JudgedRanks& ranks) {
  setting.observe(setting.topic);
  setting.experiment->flush();
  const std::lock_guard lock(setting.mutex);
  std::vector<std::optional<double>> scores(scorer.measures().size());
  scorer.score(ranks, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != scorer.measures()[i].score(ranks)) return false;
  }
  return setting.expected.size() == 12 && setting.last_seen == setting.expected;
}

void copy_ids(benchmark::State& state) {
  const Lucene::TopDocsPtr served = Setting::instance().served;
  std::vector<std::uint32_t> ids(kDepth);
  const auto copy = [&] {
    const auto& hits = served->scoreDocs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<std::uint32_t>(hits[static_cast<int32_t>(i)]->doc);
    }
    benchmark::DoNotOptimize(ids.data());
    benchmark::ClobberMemory();
  };
  time_batches(state, copy, [] {});
}

template <class Work>
void time_observing(benchmark::State& state, Work work) {
  Experiment& experiment = *Setting::instance().experiment;
  time_batches(state, work, [&] { experiment.flush(); });
  if (experiment.summary()->health.dropped_queue_full != 0) {
    state.SkipWithError("observations were dropped");
  }
}

/// All work of the query thread: copy, match, record.
void observe(benchmark::State& state) {
  Setting& setting = Setting::instance();
  time_observing(state, [&] { setting.observe(setting.topic); });
}

/// The same, and the recorder's scores: PRES, R and AP at two cutoffs.
void whole_hook(benchmark::State& state) {
  Setting& setting = Setting::instance();
  const Scorer scorer(default_measures(std::vector{Cutoff{100}, Cutoff{1000}}));
  const JudgedRanks ranks{.num_rel = kJudged, .relevant = setting.expected, .num_ret = kDepth};
  if (!answers_are_right(setting, scorer, ranks)) return state.SkipWithError("wrong answers");
  std::vector<std::optional<double>> scores(scorer.measures().size());
  time_observing(state, [&] {
    setting.observe(setting.topic);
    scorer.score(ranks, scores);
    benchmark::DoNotOptimize(scores.data());
  });
}

/// A query of a topic without judgements.
void observe_unjudged(benchmark::State& state) {
  Setting& setting = Setting::instance();
  const TopicId unjudged{"of no interest"};
  time_observing(state, [&] { setting.observe(unjudged); });
}

/// The plugin's own time for an unjudged query, as a summary shows it: from receiving the ranking
/// to queueing the observation.
void own_time_unjudged(benchmark::State& state) {
  Setting& setting = Setting::instance();
  const TopicId unjudged{"of no interest"};
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) setting.observe(unjudged);
    setting.experiment->flush();
    const std::lock_guard lock(setting.mutex);
    if (setting.own_times.size() < kBatch) return state.SkipWithError("nothing was recorded");
    const auto middle = setting.own_times.end() - kBatch / 2;
    std::nth_element(setting.own_times.end() - kBatch, middle, setting.own_times.end());
    state.SetIterationTime(std::chrono::duration<double>(*middle).count());
    setting.own_times.clear();
  }
}

/// Times what a host adds to a search of its own, scope and observation together, right after the
/// search has gone through the caches. Each repetition is the median of 100, of judged topics in
/// turn or of an unjudged one.
void behind_a_fresh_search(benchmark::State& state, bool is_judged) {
  Experiment experiment(citations(), ExperimentOptions{.arms = {"a"}, .cutoffs = {100, 1000}});
  const lucenepp::ObservedIndex index(LargeIndex::instance().reader(), experiment);
  const lucenepp::ObservedSearcherPtr observed = index.searcher("a");
  const auto plain = Lucene::newLucene<Lucene::IndexSearcher>(LargeIndex::instance().reader());
  std::vector<double> seconds(100);
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < seconds.size(); ++i) {
      const Lucene::TopDocsPtr served = plain->search(LargeIndex::query(i * 1999), kDepth);
      const TopicId topic(is_judged ? "T" + std::to_string(i * 4) : "of no interest");
      const auto began = Clock::now();
      {
        const QueryScope scope(experiment, topic);
        observed->observe(*served, {.requested_depth = kDepth});
      }
      seconds[i] = std::chrono::duration<double>(Clock::now() - began).count();
    }
    std::nth_element(seconds.begin(), seconds.begin() + 50, seconds.end());
    state.SetIterationTime(seconds[50]);
  }
}

/// The queries that users wait for: each repetition is the median of 100.
void query_40_terms(benchmark::State& state) {
  const auto searcher = Lucene::newLucene<Lucene::IndexSearcher>(LargeIndex::instance().reader());
  std::vector<double> seconds(100);
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < seconds.size(); ++i) {
      const auto began = Clock::now();
      searcher->search(LargeIndex::query(i * 1999), kDepth);
      seconds[i] = std::chrono::duration<double>(Clock::now() - began).count();
    }
    std::nth_element(seconds.begin(), seconds.begin() + 50, seconds.end());
    state.SetIterationTime(seconds[50]);
  }
}

void as_hook(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(100)->Repetitions(21)->ReportAggregatesOnly();
  one->Unit(benchmark::kMicrosecond);
}
BENCHMARK(copy_ids)->Apply(as_hook);
BENCHMARK(observe)->Apply(as_hook);
BENCHMARK(whole_hook)->Apply(as_hook);
BENCHMARK(observe_unjudged)->Apply(as_hook);
BENCHMARK(own_time_unjudged)->Apply(as_hook);
void with_searches(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(1)->Repetitions(5)->ReportAggregatesOnly();
}
BENCHMARK_CAPTURE(behind_a_fresh_search, judged, true)
    ->Apply(with_searches)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(behind_a_fresh_search, unjudged, false)
    ->Apply(with_searches)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(query_40_terms)->Apply(with_searches)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prescope::benchmarks
