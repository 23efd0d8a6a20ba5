// The toy engine under the conformance suite: a Subject drives the engine and its adapter as a host
// would, and the suite does the rest.
#include <algorithm>

#include "conformance/suite.h"
#include "own_engine.h"

namespace prescope::conformance {
namespace {

using own_engine::Query;

class OwnSearcher : public SubjectSearcher {
 public:
  OwnSearcher(own_engine::ObservedSearcher searcher, const bool& broken)
      : searcher_(std::move(searcher)), broken_(broken) {}

  std::vector<ServedHit> search(const Request& request) override {
    return named(searcher_.search(query_of(request)));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return named(index().search(query_of(request)));
  }

 private:
  [[nodiscard]] const own_engine::Index& index() const { return *searcher_.target().index; }
  [[nodiscard]] Query query_of(const Request& request) const {
    const bool by_score = request.order == Request::Order::kScore;
    return {.words = {request.word},
            .depth = broken_ ? 0 : request.depth,  // which the engine refuses
            .first_rank = request.first_rank,
            .order = by_score ? Query::Order::kScore : Query::Order::kDocno};
  }
  [[nodiscard]] std::vector<ServedHit> named(const std::vector<own_engine::Hit>& hits) const {
    std::vector<ServedHit> served;
    for (const own_engine::Hit& hit : hits)
      served.push_back({index().document(hit.docid).docno, hit.score});
    return served;
  }

  own_engine::ObservedSearcher searcher_;
  const bool& broken_;
};

/// The engine calls nothing that a test could slow down, its index never changes, and the adapter
/// reads docids from memory only: the functions for such disturbances stay as they are.
class OwnSubject : public Subject {
 public:
  void add(const std::vector<Doc>& docs) override {
    for (const Doc& doc : docs) documents_.push_back({doc.docno, doc.text});
    commit();
  }
  void remove(const std::string& docno) override {
    std::erase_if(documents_, [&](const auto& document) { return document.docno == docno; });
    commit();
  }
  void compact() override {
    std::reverse(documents_.begin(), documents_.end());  // every docid becomes another one
    commit();
  }
  void break_engine() override { broken_ = true; }
  void break_docnos() override {
    for (auto& document : documents_) document.docno.clear();
    commit();
  }

  void watch(Experiment& experiment) override {
    opened_ = committed_;
    observed_ = std::make_unique<own_engine::ObservedIndex>(opened_, experiment);
  }
  bool reopen() override {
    opened_ = committed_;
    return observed_->reopen(opened_);
  }
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const override {
    return observed_->searcher("a").target().resolved;
  }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    return std::make_unique<OwnSearcher>(observed_->searcher(arm), broken_);
  }

 private:
  void commit() { committed_ = std::make_shared<const own_engine::Index>(documents_); }

  std::vector<own_engine::Document> documents_;
  std::shared_ptr<const own_engine::Index> committed_, opened_;
  std::unique_ptr<own_engine::ObservedIndex> observed_;
  bool broken_ = false;
};

std::unique_ptr<Subject> own_subject() { return std::make_unique<OwnSubject>(); }

INSTANTIATE_TEST_SUITE_P(OwnEngine, Conformance, testing::Values(NamedSubject{"Own", own_subject}),
                         name_of);

}  // namespace
}  // namespace prescope::conformance
