// Dense retrieval under the conformance suite, and against its own exact search.
#include <random>

#include "conformance/suite.h"
#include "vector_index.h"

namespace prescope::conformance {
namespace {

class DenseSearcher : public SubjectSearcher {
 public:
  DenseSearcher(dense::ObservedSearcher searcher, const bool& broken)
      : searcher_(std::move(searcher)), broken_(broken) {}

  std::vector<ServedHit> search(const Request& request) override {
    return named(searcher_.search(query_of(request)));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return named(searcher_.index().search(query_of(request)));
  }

 private:
  [[nodiscard]] dense::Query query_of(const Request& request) const {
    return {.text = request.word,
            .depth = broken_ ? 0 : request.depth,  // which the engine refuses
            .first_rank = request.first_rank};
  }
  [[nodiscard]] std::vector<ServedHit> named(const std::vector<dense::Hit>& hits) const {
    std::vector<ServedHit> served;
    for (const dense::Hit& hit : hits) {
      served.push_back({searcher_.index().document(hit.docid).docno, hit.similarity});
    }
    return served;
  }

  dense::ObservedSearcher searcher_;
  const bool& broken_;
};

class DenseSubject : public Subject {
 public:
  [[nodiscard]] Traits traits() const override {
    // Every document is similar in some degree. A docno is a text in memory.
    return {.docids = false, .sorts = false, .empty_rankings = false, .docnos_can_fail = false};
  }
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

  void watch(Experiment& experiment) override {
    observed_ = std::make_unique<dense::ObservedIndex>(committed_, experiment);
  }
  bool reopen() override { return observed_->reopen(committed_); }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    return std::make_unique<DenseSearcher>(observed_->searcher(arm), broken_);
  }

 private:
  void commit() { committed_ = std::make_shared<const dense::Index>(documents_); }

  std::vector<dense::Document> documents_;
  std::shared_ptr<const dense::Index> committed_ = std::make_shared<const dense::Index>(documents_);
  std::unique_ptr<dense::ObservedIndex> observed_;
  bool broken_ = false;
};

std::unique_ptr<Subject> dense_subject() { return std::make_unique<DenseSubject>(); }

INSTANTIATE_TEST_SUITE_P(DenseHnsw, Conformance,
                         testing::Values(NamedSubject{"Hnsw", dense_subject}), name_of);

// What the graph misses is a matter of the index, which a comparison of both on a sample of queries
// shows.
TEST(DenseHnsw, FindsNearlyWhatExactSearchFinds) {
  std::mt19937 random(20261130);
  const auto text = [&](int words) {
    std::string made;
    for (int w = 0; w < words; ++w) made += "w" + std::to_string(random() % 400) + ' ';
    return made;
  };
  std::vector<dense::Document> documents;
  for (int d = 0; d < 3000; ++d) documents.push_back({"EP" + std::to_string(d), text(60)});
  const dense::Index index(std::move(documents));
  int found = 0, wanted = 0;
  for (int q = 0; q < 50; ++q) {
    dense::Query query{.text = text(20), .depth = 20};
    const auto by_graph = index.search(query);
    query.how = dense::Query::How::kExact;
    const auto exact = index.search(query);
    wanted += static_cast<int>(exact.size());
    // Documents that are as similar may stand for each other.
    for (const dense::Hit& hit : by_graph) {
      found += hit.similarity >= exact.back().similarity ? 1 : 0;
    }
  }
  EXPECT_EQ(wanted, 1000);
  EXPECT_GT(found, 950);
}

}  // namespace
}  // namespace prescope::conformance
