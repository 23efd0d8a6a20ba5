// Cost of observing a query of Xapian: one database, two, and one behind a server.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "benchmarks/bars.h"
#include "conformance/xapian/database_folder.h"
#include "conformance/xapian/database_server.h"
#include "measures/scorer.h"
#include "prescope/ranking_observer.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kDepth = 1000;
constexpr std::uint32_t kJudged = 27;
// So many that the clock does not matter, so few that the queue holds them.
constexpr int kBatch = 500;
const TopicId kTopic{"T"};

std::string docno(std::uint32_t document) {
  std::string docno = "EP";
  docno += std::to_string(1'000'000 + document);
  return docno += "A1";
}

/// An experiment of one topic, and the ranks that it saw last.
class Watch {
 public:
  Watch(const std::vector<Qrels::Line>& lines, DocnoPolicy policy)
      : experiment_(Qrels::from_lines(lines, {.docno = policy}),
                    {.arms = {"a"},
                     .cutoffs = {100, 1000},
                     .on_observation = [this](const Observation& observation) {
                       const std::lock_guard lock(mutex_);
                       last_seen_.clear();
                       for (const JudgedHit& hit : observation.hits) {
                         last_seen_.push_back(hit.rank);
                       }
                     }}) {}

  [[nodiscard]] Experiment& experiment() noexcept { return experiment_; }
  [[nodiscard]] std::vector<Rank> last_seen() {
    experiment_.flush();
    const std::lock_guard lock(mutex_);
    return last_seen_;
  }

 private:
  std::mutex mutex_;
  std::vector<Rank> last_seen_;
  Experiment experiment_;  // last, because its recorder writes to the members above
};

/// Ranks 7, 87, 167 ... 887 of 1000 hits are judged, and 15 documents that are not served.
std::vector<Rank> judged_ranks() {
  std::vector<Rank> ranks;
  for (Rank rank = 7; ranks.size() < 12; rank += 80) ranks.push_back(rank);
  return ranks;
}

std::vector<Qrels::Line> citations(std::span<const std::string> served) {
  std::vector<Qrels::Line> lines;
  for (const Rank rank : judged_ranks()) lines.push_back({kTopic, Docno{served[rank - 1]}, 1});
  for (std::uint32_t i = 1; lines.size() < kJudged; ++i) {
    lines.push_back({kTopic, Docno{"US" + std::to_string(i)}, 1});
  }
  return lines;
}

enum class Where { kLocal, kTwoShards, kRemote };

/// A ranking of 1000 hits as Xapian serves it, of 5000 documents that match.
class Setting {
 public:
  static Setting& of(Where where) {
    static Setting local(Where::kLocal);
    static Setting shards(Where::kTwoShards);
    static Setting remote(Where::kRemote);
    return where == Where::kLocal ? local : where == Where::kTwoShards ? shards : remote;
  }

  void observe() {
    QueryScope scope(watch_->experiment(), kTopic);
    enquire_->observe(served_, {.requested_depth = kDepth, .flags = RankingFlags::kNone});
  }
  [[nodiscard]] const Xapian::MSet& served() const noexcept { return served_; }
  [[nodiscard]] Watch& watch() noexcept { return *watch_; }

 private:
  explicit Setting(Where where) : folder_(where == Where::kTwoShards ? 2 : 1) {
    std::vector<conformance::Doc> docs;
    for (std::uint32_t i = 0; i < 5 * kDepth; ++i)
      docs.push_back({docno(i * 7919 % 5000), "valve"});
    folder_.add(docs);
    if (where == Where::kRemote) server_.emplace(folder_.shard(0));
    const auto open = [this] { return server_ ? std::vector{server_->open()} : folder_.open(); };
    search(open());
    std::vector<std::string> docnos;
    for (auto hit = served_.begin(); hit != served_.end(); ++hit) {
      docnos.push_back(hit.get_document().get_data());
    }
    watch_.emplace(citations(docnos), DocnoPolicy::kPatent);
    const xapian::ObservedIndex index(open, watch_->experiment());
    enquire_.emplace(index.open().enquire("a"));
  }

  void search(const std::vector<Xapian::Database>& shards) {
    Xapian::Database all;
    for (const Xapian::Database& shard : shards) all.add_database(shard);
    Xapian::Enquire enquire(all);
    enquire.set_query(Xapian::Query("valve"));
    served_ = enquire.get_mset(0, kDepth);
  }

  conformance::DatabaseFolder folder_;
  std::optional<conformance::DatabaseServer> server_;
  Xapian::MSet served_;
  std::optional<Watch> watch_;
  std::optional<xapian::ObservedEnquire> enquire_;
};

/// Times batches of `work`.
template <class Work>
void time_batches(benchmark::State& state, Watch& watch, Work work) {
  for (auto _ : state) {
    const double began = cpu_seconds();
    for (int i = 0; i < kBatch; ++i) work();
    state.SetIterationTime((cpu_seconds() - began) / kBatch);
    watch.experiment().flush();
  }
  if (watch.experiment().summary()->health.dropped_queue_full != 0) {
    state.SkipWithError("observations were dropped");
  }
}

void copy_ids(benchmark::State& state, Where where) {
  Setting& setting = Setting::of(where);
  std::vector<std::uint32_t> ids(kDepth);
  time_batches(state, setting.watch(), [&] {
    std::size_t next = 0;
    const auto end = setting.served().end();
    for (auto hit = setting.served().begin(); hit != end; ++hit) ids[next++] = *hit;
    benchmark::DoNotOptimize(ids.data());
    benchmark::ClobberMemory();
  });
}

/// The definition of each measure, against the scores that are timed.
bool answers_are_right(Setting& setting, const Scorer& scorer, const JudgedRanks& ranks) {
  setting.observe();
  std::vector<std::optional<double>> scores(scorer.measures().size());
  scorer.score(ranks, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != scorer.measures()[i].score(ranks)) return false;
  }
  return setting.served().size() == kDepth && setting.watch().last_seen() == judged_ranks();
}

/// Copy, match, record, and the recorder's scores: PRES, R and AP at two cutoffs.
void whole_hook(benchmark::State& state, Where where) {
  Setting& setting = Setting::of(where);
  const Scorer scorer(default_measures(std::vector{Cutoff{100}, Cutoff{1000}}));
  const std::vector<Rank> relevant = judged_ranks();
  const JudgedRanks ranks{.num_rel = kJudged, .relevant = relevant, .num_ret = kDepth};
  if (!answers_are_right(setting, scorer, ranks)) return state.SkipWithError("wrong answers");
  std::vector<std::optional<double>> scores(scorer.measures().size());
  time_batches(state, setting.watch(), [&] {
    setting.observe();
    scorer.score(ranks, scores);
    benchmark::DoNotOptimize(scores.data());
  });
}

/// 1000 hits of an engine that answers names.
void docnos(benchmark::State& state, DocnoPolicy policy) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < kDepth; ++i) names.push_back(docno(i * 7919 % 5000));
  const std::vector<std::string_view> served(names.begin(), names.end());
  Watch watch(citations(names), policy);
  const auto observe = [&] {
    QueryScope scope(watch.experiment(), kTopic);
    RankingObserver observer(watch.experiment(),
                             {.kind = HitKind::kDocnos, .requested_depth = kDepth});
    observer.add(std::span<const std::string_view>(served));
  };
  observe();
  if (watch.last_seen() != judged_ranks()) return state.SkipWithError("wrong answers");
  time_batches(state, watch, observe);
}

void as_hook(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(20)->Repetitions(15)->ReportAggregatesOnly();
  one->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(copy_ids, local, Where::kLocal)->Apply(as_hook);
BENCHMARK_CAPTURE(whole_hook, local, Where::kLocal)->Apply(as_hook);
BENCHMARK_CAPTURE(copy_ids, two_shards, Where::kTwoShards)->Apply(as_hook);
BENCHMARK_CAPTURE(whole_hook, two_shards, Where::kTwoShards)->Apply(as_hook);
BENCHMARK_CAPTURE(copy_ids, remote, Where::kRemote)->Apply(as_hook);
BENCHMARK_CAPTURE(whole_hook, remote, Where::kRemote)->Apply(as_hook);
BENCHMARK_CAPTURE(docnos, raw, DocnoPolicy::kRaw)->Apply(as_hook);
BENCHMARK_CAPTURE(docnos, patent, DocnoPolicy::kPatent)->Apply(as_hook);

std::vector<Bar> bars() {
  std::vector<Bar> bars;
  for (const char* where : {"local", "two_shards", "remote"}) {
    const std::string name = where;
    const std::string hook = std::string("whole_hook/") += name;
    bars.push_back(
        {.what = std::string("hook on a 1000-hit MSet, ") += name, .benchmark = hook, .most = 4.0});
    bars.push_back({.what = std::string("hook / copying the ids, ") += name,
                    .benchmark = hook,
                    .per = std::string("copy_ids/") += name,
                    .unit = Bar::Unit::kTimes,
                    .most = 3.0});
  }
  bars.push_back({.what = "1000 docnos, raw", .benchmark = "docnos/raw", .most = 30.0});
  bars.push_back({.what = "1000 docnos, patent", .benchmark = "docnos/patent", .most = 30.0});
  return bars;
}

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  return prescope::benchmarks::run_with_bars(argc, argv, prescope::benchmarks::bars());
}
