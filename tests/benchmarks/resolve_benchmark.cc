// Time to resolve the judged documents of an index, from scratch and after a night's changes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "benchmarks/bars.h"
#include "benchmarks/large_index.h"
#include "prescope/experiment.h"
#include "prescope/lucenepp/observed_index.h"

namespace prescope::benchmarks {
namespace {

Experiment& experiment() {
  static Experiment experiment(citations(), {.arms = {"a"}});
  return experiment;
}

/// The stored docno of every live document, looked up.
std::vector<Resolution> by_brute_force(const Lucene::IndexReaderPtr& reader) {
  const JudgedDocnos& judged = experiment().judged();
  std::vector<std::string> keys;
  for (std::uint32_t i = 0; i < judged.num_keys(); ++i) keys.push_back(judged.key(i));
  std::vector<Resolution> found;
  for (int32_t docid = 0; docid < reader->maxDoc(); ++docid) {
    if (reader->isDeleted(docid)) continue;
    const auto docno = Lucene::StringUtils::toUTF8(reader->document(docid)->get(L"docno"));
    const std::string key = judged.docnos().key(Docno{docno});
    const auto at = std::ranges::lower_bound(keys, key);
    if (at == keys.end() || *at != key) continue;
    found.push_back(
        {static_cast<std::uint32_t>(at - keys.begin()), DocId{static_cast<std::uint32_t>(docid)}});
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_complete(const lucenepp::ObservedIndex& index) {
  const auto resolved = index.resolved();
  std::vector<Resolution> found(resolved->resolutions().begin(), resolved->resolutions().end());
  std::sort(found.begin(), found.end());
  return found == by_brute_force(index.reader());
}

void resolve_13000(benchmark::State& state) {
  const Lucene::IndexReaderPtr reader = LargeIndex::instance().reader();
  const lucenepp::ObservedIndex checked(reader, experiment());
  if (!is_complete(checked) || checked.resolved()->resolutions().size() != 13'000) {
    return state.SkipWithError("wrong answers");
  }
  for (auto _ : state) {
    const lucenepp::ObservedIndex index(reader, experiment());
    benchmark::DoNotOptimize(index.resolved());
  }
}

void reopen_after_nightly_change(benchmark::State& state) {
  LargeIndex& large = LargeIndex::instance();
  lucenepp::ObservedIndex index(large.reader(), experiment());
  for (auto _ : state) {
    state.PauseTiming();
    large.change_overnight();
    state.ResumeTiming();
    index.reopen();
  }
  if (!is_complete(index)) state.SkipWithError("wrong answers");
}

BENCHMARK(resolve_13000)
    ->Iterations(3)
    ->Repetitions(7)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(reopen_after_nightly_change)
    ->Iterations(1)
    ->Repetitions(7)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prescope::benchmarks
