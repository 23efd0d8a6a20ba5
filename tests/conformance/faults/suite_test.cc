// The conformance suite for an adapter in memory that has the fault which the environment names:
// faults_test.cc expects the suite to find each of them. Without that variable the adapter is
// correct, and the suite must pass.
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "conformance/faults/faulty_adapter.h"
#include "conformance/suite.h"

namespace prescope::conformance {
namespace {

Fault fault_of_environment() {
  const char* wanted = std::getenv("PRESCOPE_ADAPTER_FAULT");
  if (wanted == nullptr) return Fault::kNone;
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if (kFaultNames[i] == wanted) return static_cast<Fault>(i);
  }
  throw std::invalid_argument(std::string("a fault that there is not: ") + wanted);
}

class MemorySearcher : public SubjectSearcher {
 public:
  MemorySearcher(const MemoryEngine& engine, FaultySearcher searcher)
      : engine_(engine), searcher_(std::move(searcher)) {}

  std::vector<ServedHit> search(const Request& request) override {
    return named(searcher_.search(request));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return named(engine_.search(*searcher_.view()->index, request));
  }

 private:
  [[nodiscard]] std::vector<ServedHit> named(const std::vector<MemoryHit>& hits) const {
    std::vector<ServedHit> served;
    for (const MemoryHit& hit : hits) {
      served.push_back({searcher_.view()->index->docs[hit.docid].docno, hit.score});
    }
    return served;
  }

  const MemoryEngine& engine_;
  FaultySearcher searcher_;
};

class MemorySubject : public Subject {
 public:
  explicit MemorySubject(HitKind kind, bool answers_all = false) : kind_(kind) {
    engine_.answers_all = answers_all;
  }

  [[nodiscard]] Traits traits() const override {
    return {.docids = kind_ == HitKind::kDocids, .empty_rankings = !engine_.answers_all};
  }

  void add(const std::vector<Doc>& docs) override {
    MemoryIndex next = *engine_.newest;
    next.docs.insert(next.docs.end(), docs.begin(), docs.end());
    commit(std::move(next));
  }
  void remove(const std::string& docno) override {
    MemoryIndex next = *engine_.newest;
    next.removed += static_cast<std::uint32_t>(
        std::erase_if(next.docs, [&](const Doc& doc) { return doc.docno == docno; }));
    commit(std::move(next));
  }
  void compact() override {
    MemoryIndex next = *engine_.newest;
    std::reverse(next.docs.begin(), next.docs.end());
    next.removed = 0;
    commit(std::move(next));
  }
  void break_docnos() override {
    MemoryIndex next = *engine_.newest;
    for (Doc& doc : next.docs) doc.docno.clear();
    commit(std::move(next));
  }
  void break_engine() override { engine_.fails = true; }

  void watch(Experiment& experiment) override {
    index_ = std::make_unique<FaultyIndex>(engine_, experiment, kind_, fault_of_environment());
  }
  bool reopen() override { return index_->reopen(); }
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const override {
    return index_->resolved();
  }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    FaultySearcher searcher = index_->searcher(arm);
    const std::lock_guard lock(mutex_);
    views_.push_back(searcher.view());
    return std::make_unique<MemorySearcher>(engine_, std::move(searcher));
  }

  bool change_under_searchers() override {
    for (const auto& view : views_) view->index = engine_.newest;
    return true;
  }
  bool slow_engine(std::chrono::milliseconds delay) override {
    engine_.delay = delay;
    return true;
  }
  bool slow_reading(std::chrono::milliseconds delay) override {
    engine_.reading_delay = delay;
    return true;
  }
  bool break_reading() override { return engine_.has_unreadable_hit = true; }

 private:
  void commit(MemoryIndex next) {
    engine_.newest = std::make_shared<const MemoryIndex>(std::move(next));
  }

  MemoryEngine engine_;
  HitKind kind_;
  std::unique_ptr<FaultyIndex> index_;
  std::mutex mutex_;  // over views_
  std::vector<std::shared_ptr<MemoryView>> views_;
};

NamedSubject memory_subject(const char* name, HitKind kind, bool answers_all = false) {
  return {name, [=] { return std::make_unique<MemorySubject>(kind, answers_all); }};
}

INSTANTIATE_TEST_SUITE_P(Memory, Conformance,
                         testing::Values(memory_subject("Docids", HitKind::kDocids),
                                         memory_subject("Docnos", HitKind::kDocnos),
                                         memory_subject("AnswersAll", HitKind::kDocids, true)),
                         name_of);

}  // namespace
}  // namespace prescope::conformance
