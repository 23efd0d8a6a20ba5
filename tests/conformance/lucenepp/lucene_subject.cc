#include "conformance/lucenepp/lucene_subject.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "conformance/lucenepp/lucene_index.h"
#include "prescope/lucenepp/observed_index.h"
#include "prescope/lucenepp/observed_shards.h"

#include <lucene++/SortField.h>
#include <lucene++/TopFieldCollector.h>

namespace prescope::conformance {
namespace {

using lucenepp::ObservedIndex;
using lucenepp::ObservedShards;
using lucenepp::ShardSearch;

Lucene::SortPtr by_docno() {
  return Lucene::newLucene<Lucene::Sort>(
      Lucene::newLucene<Lucene::SortField>(L"docno", Lucene::SortField::STRING));
}

/// The collector of a host that serves pages: it holds the page and everything before it.
Lucene::TopDocsCollectorPtr page_collector(const Request& request, std::int32_t documents) {
  const auto wanted = std::uint64_t{request.first_rank} - 1 + request.depth;
  const auto room = static_cast<std::int32_t>(
      std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(std::max(documents, 1))));
  if (request.order == Request::Order::kScore) {
    return Lucene::TopScoreDocCollector::create(room, false);
  }
  return Lucene::TopFieldCollector::create(by_docno(), room, false, false, false, false);
}

/// `Observed`: ObservedSearcher or ObservedMultiSearcher.
template <class Observed>
class LuceneSubjectSearcher : public SubjectSearcher {
 public:
  LuceneSubjectSearcher(boost::shared_ptr<Observed> observed, Lucene::SearcherPtr plain)
      : observed_(std::move(observed)), plain_(std::move(plain)) {}

  std::vector<ServedHit> search(const Request& request) override {
    if (request.first_rank == 1) return hits(*answer(observed_, request));
    const auto started = std::chrono::steady_clock::now();
    const Lucene::TopDocsPtr served = answer(observed_->inside(), request);
    const bool by_score = request.order == Request::Order::kScore;
    observed_->observe(*served, {.requested_depth = request.depth,
                                 .first_rank = request.first_rank,
                                 .search_started = started,
                                 .flags = by_score ? RankingFlags::kNone : RankingFlags::kSorted});
    return hits(*served);
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return hits(*answer(plain_, request));
  }

 private:
  static Lucene::TopDocsPtr answer(const Lucene::SearcherPtr& searcher, const Request& request) {
    const Lucene::QueryPtr query = term_query(Lucene::StringUtils::toUnicode(request.word));
    const auto depth = static_cast<std::int32_t>(request.depth);
    if (request.first_rank > 1) {
      const auto collector = page_collector(request, searcher->maxDoc());
      searcher->search(query, collector);
      return collector->topDocs(static_cast<std::int32_t>(request.first_rank - 1), depth);
    }
    if (request.order == Request::Order::kScore) return searcher->search(query, depth);
    return searcher->search(query, Lucene::FilterPtr(), depth, by_docno());
  }

  [[nodiscard]] std::vector<ServedHit> hits(const Lucene::TopDocs& served) const {
    std::vector<ServedHit> hits;
    for (const Lucene::ScoreDocPtr& hit : served.scoreDocs) {
      const std::wstring docno = plain_->doc(hit->doc)->get(L"docno");
      // A sorted search computes no scores.
      hits.push_back(
          {Lucene::StringUtils::toUTF8(docno), std::isnan(hit->score) ? 0.0 : hit->score});
    }
    return hits;
  }

  boost::shared_ptr<Observed> observed_;
  Lucene::SearcherPtr plain_;
};

/// Scores as Lucene++ does by default, and takes its time for each query's weight.
class SlowSimilarity : public Lucene::DefaultSimilarity {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  explicit SlowSimilarity(const std::chrono::milliseconds& delay) : delay_(delay) {}
  LUCENE_CLASS(SlowSimilarity)
  double queryNorm(double sum) override {
    std::this_thread::sleep_for(delay_);
    return Lucene::DefaultSimilarity::queryNorm(sum);
  }

 private:
  const std::chrono::milliseconds& delay_;
};

/// Documents in one or more indexes, dealt out in turn. No hit can be slow to read or unreadable,
/// because the adapter reads docids only, from memory.
class LuceneSubject : public Subject {
 public:
  explicit LuceneSubject(std::size_t shards) : shards_(shards), docs_(shards) {
    for (LuceneIndex& shard : shards_) shard.add({});
  }

  void add(const std::vector<Doc>& docs) override {
    std::vector<std::vector<Doc>> dealt(shards_.size());
    for (const Doc& doc : docs) dealt[next_shard_++ % shards_.size()].push_back(doc);
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      if (dealt[i].empty()) continue;
      shards_[i].add(dealt[i]);
      docs_[i].insert(docs_[i].end(), dealt[i].begin(), dealt[i].end());
    }
  }
  void remove(const std::string& docno) override {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      if (std::erase_if(docs_[i], [&](const Doc& doc) { return doc.docno == docno; }) > 0) {
        shards_[i].remove(docno);
      }
    }
  }
  void compact() override {
    for (LuceneIndex& shard : shards_) shard.optimize();
  }
  void break_docnos() override {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      shards_[i].rewrite_without_docno_terms(docs_[i]);
    }
  }
  bool slow_engine(std::chrono::milliseconds delay) override {
    delay_ = delay;
    return true;
  }

 protected:
  [[nodiscard]] const std::vector<LuceneIndex>& shards() const noexcept { return shards_; }
  /// Makes the SubjectSearcher of an observed searcher and of a plain one.
  template <class Observed>
  [[nodiscard]] std::unique_ptr<SubjectSearcher> both(const boost::shared_ptr<Observed>& observed,
                                                      const Lucene::SearcherPtr& plain) const {
    const auto similarity = Lucene::newLucene<SlowSimilarity>(delay_);
    observed->setSimilarity(similarity);
    plain->setSimilarity(similarity);
    return std::make_unique<LuceneSubjectSearcher<Observed>>(observed, plain);
  }

 private:
  std::vector<LuceneIndex> shards_;
  std::chrono::milliseconds delay_{0};  // of a search
  std::vector<std::vector<Doc>> docs_;  // the documents of each shard
  std::size_t next_shard_ = 0;
};

class LuceneSingle : public LuceneSubject {
 public:
  LuceneSingle() : LuceneSubject(1) {}

  void watch(Experiment& experiment) override {
    observed_ = std::make_unique<ObservedIndex>(shards().front().open(), experiment);
  }
  bool reopen() override { return observed_->reopen(); }
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const override {
    return observed_->resolved();
  }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    const lucenepp::ObservedSearcherPtr observed = observed_->searcher(arm);
    return both(observed, Lucene::newLucene<Lucene::IndexSearcher>(observed->getIndexReader()));
  }
  void break_engine() override { observed_->reader()->close(); }

 private:
  std::unique_ptr<ObservedIndex> observed_;
};

class LuceneShards : public LuceneSubject {
 public:
  explicit LuceneShards(ShardSearch how) : LuceneSubject(2), how_(how) {}

  void watch(Experiment& experiment) override {
    ObservedShards::Readers readers;
    for (const LuceneIndex& shard : shards()) readers.push_back(shard.open());
    observed_ = std::make_unique<ObservedShards>(readers, experiment);
  }
  bool reopen() override { return observed_->reopen(); }
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const override {
    return observed_->resolved();
  }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    const lucenepp::ObservedMultiSearcherPtr observed = observed_->searcher(arm, how_);
    return both(observed, observed->inside());
  }
  void break_engine() override {
    for (const Lucene::IndexReaderPtr& reader : observed_->readers()) reader->close();
  }

 private:
  ShardSearch how_;
  std::unique_ptr<ObservedShards> observed_;
};

}  // namespace

std::unique_ptr<Subject> lucene_single() { return std::make_unique<LuceneSingle>(); }
std::unique_ptr<Subject> lucene_multi() {
  return std::make_unique<LuceneShards>(ShardSearch::kInTurn);
}
std::unique_ptr<Subject> lucene_parallel() {
  return std::make_unique<LuceneShards>(ShardSearch::kParallel);
}

}  // namespace prescope::conformance
