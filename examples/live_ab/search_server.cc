#include "search_server.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "patent_index.h"
#include "prescope/lucenepp/observed_index.h"
#include "prescope/lucenepp/ranker.h"

namespace live_ab {
namespace {

using prescope::ArmIndex;
using prescope::lucenepp::ObservedIndex;
using prescope::lucenepp::ObservedSearcherPtr;
using prescope::lucenepp::Ranker;
using prescope::lucenepp::RankerOptions;

constexpr std::chrono::milliseconds kBetweenCommits{100};
constexpr std::chrono::milliseconds kBetweenReopens{250};

RankerOptions ranker_options(std::string_view arm, Bm25 bm25) {
  RankerOptions options;
  const bool is_first = arm == kArms[0];
  options.model = is_first ? RankerOptions::Model::kTfIdf : RankerOptions::Model::kBm25;
  options.fields = {{kTitleField, 2.0}};
  if (is_first || bm25 == Bm25::kTitlesAndTexts) options.fields.push_back({kTextField, 1.0});
  return options;
}

/// Runs `step` every so often until it is stopped.
class Worker {
 public:
  template <class Step>
  Worker(std::chrono::milliseconds pause, Step step)
      : thread_([this, pause, step = std::move(step)](const std::stop_token& stop) {
          try {
            while (!stop.stop_requested()) {
              step();
              std::this_thread::sleep_for(pause);
            }
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}

  void finish() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr failure_;
  std::jthread thread_;  // last, because it uses the members above
};

}  // namespace

struct Snapshot::Arms {
  struct Arm {
    ObservedSearcherPtr observed;
    Lucene::IndexSearcherPtr plain;
    Ranker ranker;
  };
  std::vector<Arm> arms;  // by ArmIndex

  Arms(const ObservedIndex& index, Bm25 bm25) {
    for (const char* name : kArms) {
      ObservedSearcherPtr observed = index.searcher(name);
      const Lucene::IndexReaderPtr reader = observed->getIndexReader();
      arms.push_back({std::move(observed), Lucene::newLucene<Lucene::IndexSearcher>(reader),
                      Ranker(reader, ranker_options(name, bm25))});
    }
  }
};

Snapshot::Snapshot(std::unique_ptr<const Arms> arms) : arms_(std::move(arms)) {}

Snapshot::~Snapshot() = default;

std::uint32_t Snapshot::search(ArmIndex arm, std::string_view text) const {
  const Arms::Arm& one = arms_->arms[arm.value()];
  return static_cast<std::uint32_t>(
      one.observed->search(one.ranker.query(text), int32_t{kDepth})->scoreDocs.size());
}

std::uint32_t Snapshot::search_plain(ArmIndex arm, std::string_view text) const {
  const Arms::Arm& one = arms_->arms[arm.value()];
  return static_cast<std::uint32_t>(
      one.plain->search(one.ranker.query(text), int32_t{kDepth})->scoreDocs.size());
}

std::uint32_t Snapshot::search_and_show(
    ArmIndex arm, std::string_view text,
    const std::function<void(const std::function<void()>&)>& timed) const {
  const Arms::Arm& one = arms_->arms[arm.value()];
  const Lucene::TopDocsPtr served = one.plain->search(one.ranker.query(text), int32_t{kDepth});
  timed([&] { one.observed->observe(*served, {.requested_depth = kDepth}); });
  return static_cast<std::uint32_t>(served->scoreDocs.size());
}

std::vector<std::string> Snapshot::docnos(ArmIndex arm, std::string_view text) const {
  const Arms::Arm& one = arms_->arms[arm.value()];
  std::vector<std::string> docnos;
  const Lucene::TopDocsPtr served = one.plain->search(one.ranker.query(text), int32_t{kDepth});
  for (const Lucene::ScoreDocPtr& hit : served->scoreDocs) {
    docnos.push_back(Lucene::StringUtils::toUTF8(one.plain->doc(hit->doc)->get(kDocnoField)));
  }
  return docnos;
}

std::uint64_t Snapshot::generation() const noexcept {
  const auto& resolved = arms_->arms.front().observed->resolved();
  return resolved == nullptr ? 0 : resolved->generation();
}

struct SearchServer::Index {
  Index(const Corpus& corpus, std::uint64_t seed, prescope::Experiment& experiment, Bm25 searches)
      : bm25(searches),
        patents(corpus.patents, seed),
        observed(patents.open(), experiment, {.docno_field = kDocnoField}),
        latest(make_snapshot()) {
    latest->search_plain(ArmIndex{0}, corpus.judged.front().text);
  }

  [[nodiscard]] std::shared_ptr<const Snapshot> make_snapshot() const {
    return std::make_shared<const Snapshot>(std::make_unique<const Snapshot::Arms>(observed, bm25));
  }
  void reopen() {
    if (!observed.reopen()) return;
    auto next = make_snapshot();
    ++generations;
    const std::lock_guard lock(mutex);
    latest = std::move(next);
  }

  const Bm25 bm25;
  PatentIndex patents;
  ObservedIndex observed;
  mutable std::mutex mutex;  // of the pointer
  std::shared_ptr<const Snapshot> latest;
  std::atomic<std::uint32_t> generations{1};
  std::unique_ptr<Worker> writer, refresher;  // last, because they use the members above
};

SearchServer::SearchServer(const Corpus& corpus, std::uint64_t seed,
                           prescope::Experiment& experiment, Bm25 bm25)
    : index_(std::make_unique<Index>(corpus, seed, experiment, bm25)) {}

SearchServer::~SearchServer() = default;

std::shared_ptr<const Snapshot> SearchServer::snapshot() const {
  const std::lock_guard lock(index_->mutex);
  return index_->latest;
}

void SearchServer::start_changing() {
  index_->writer = std::make_unique<Worker>(kBetweenCommits, [this] { index_->patents.change(); });
  index_->refresher = std::make_unique<Worker>(kBetweenReopens, [this] { index_->reopen(); });
}

void SearchServer::stop() {
  for (Worker* worker : {index_->writer.get(), index_->refresher.get()}) {
    if (worker != nullptr) worker->finish();
  }
}

std::uint32_t SearchServer::generations() const noexcept { return index_->generations; }

}  // namespace live_ab
