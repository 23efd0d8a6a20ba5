#include "bm25_query.h"

#include <cmath>
#include <cstdint>

#include <lucene++/ComplexExplanation.h>
#include <lucene++/Similarity.h>
#include <lucene++/TermScorer.h>

namespace prescope::lucenepp {
namespace {

using Lucene::String;  // for LUCENE_CLASS

/// DefaultSimilarity writes 1/sqrt(length).
double length_of(std::uint8_t norm) {
  const double root = Lucene::Similarity::decodeNorm(norm);
  return 1.0 / (root * root);
}

class Bm25Scorer : public Lucene::TermScorer {
 public:
  Bm25Scorer(const Lucene::WeightPtr& of, const Lucene::TermDocsPtr& postings,
             const Lucene::SimilarityPtr& unused, const Lucene::ByteArray& lengths,
             const std::shared_ptr<const Bm25Field>& field)
      : Lucene::TermScorer(of, postings, unused, lengths), field_(field) {}
  LUCENE_CLASS(Bm25Scorer)

  using Lucene::TermScorer::score;
  double score() override {
    return weightValue *
           (norms ? field_->saturation(freq, norms[doc]) : field_->saturation_without_length(freq));
  }

 private:
  std::shared_ptr<const Bm25Field> field_;
};

class Bm25Weight : public Lucene::Weight {
 public:
  Bm25Weight(const boost::shared_ptr<Bm25TermQuery>& query, const Lucene::SearcherPtr& searcher)
      : query_(query), similarity_(query->getSimilarity(searcher)) {
    const double documents = searcher->maxDoc();
    const double carrying = searcher->docFreq(query->getTerm());
    idf_ = std::log(1.0 + (documents - carrying + 0.5) / (carrying + 0.5));
  }
  LUCENE_CLASS(Bm25Weight)

  Lucene::QueryPtr getQuery() override { return query_; }
  double getValue() override { return idf_ * query_->getBoost(); }
  // BM25 is not normalised by the query.
  void normalize(double) override {}
  double sumOfSquaredWeights() override { return getValue() * getValue(); }

  Lucene::ScorerPtr scorer(const Lucene::IndexReaderPtr& reader, bool, bool) override {
    const Lucene::TermPtr term = query_->getTerm();
    const Lucene::TermDocsPtr postings = reader->termDocs(term);
    if (!postings) return {};
    return Lucene::newLucene<Bm25Scorer>(Lucene::WeightPtr(shared_from_this()), postings,
                                         similarity_, reader->norms(term->field()),
                                         query_->field());
  }

  Lucene::ExplanationPtr explain(const Lucene::IndexReaderPtr& reader, int32_t doc) override {
    const Lucene::ScorerPtr found = scorer(reader, true, false);
    const bool match = found && found->advance(doc) == doc;
    const auto explanation = Lucene::newLucene<Lucene::ComplexExplanation>(
        match, match ? found->score() : 0.0,
        L"BM25(" + query_->toString() + L"), product of boost, idf and saturation:");
    explanation->addDetail(Lucene::newLucene<Lucene::Explanation>(query_->getBoost(), L"boost"));
    explanation->addDetail(Lucene::newLucene<Lucene::Explanation>(idf_, L"idf"));
    return explanation;
  }

 private:
  boost::shared_ptr<Bm25TermQuery> query_;
  Lucene::SimilarityPtr similarity_;
  double idf_ = 0.0;
};

}  // namespace

std::optional<double> average_length(const std::vector<Leaf>& leaves, const std::wstring& field) {
  std::array<std::uint64_t, 256> documents{};
  for (const Leaf& leaf : leaves) {
    const Lucene::ByteArray norms = leaf.reader->norms(field);
    if (!norms) continue;
    const std::uint8_t* const end = norms.get() + leaf.reader->maxDoc();
    for (const std::uint8_t* norm = norms.get(); norm != end; ++norm) ++documents[*norm];
  }
  double tokens = 0.0;
  std::uint64_t counted = 0;
  for (std::size_t norm = 1; norm < documents.size(); ++norm) {
    const double length = length_of(static_cast<std::uint8_t>(norm));
    if (length <= 1.0) continue;
    tokens += length * static_cast<double>(documents[norm]);
    counted += documents[norm];
  }
  if (counted == 0) return std::nullopt;
  return tokens / static_cast<double>(counted);
}

Bm25Field::Bm25Field(double k1, double b, std::optional<double> average_length) : k1_(k1) {
  for (std::size_t norm = 0; norm < length_part_.size(); ++norm) {
    const double relative =
        average_length ? length_of(static_cast<std::uint8_t>(norm)) / *average_length : 1.0;
    length_part_[norm] = b == 0.0 || k1 == 0.0 ? k1 : k1 * (1.0 - b + b * relative);
  }
}

Bm25TermQuery::Bm25TermQuery(const Lucene::TermPtr& searched,
                             const std::shared_ptr<const Bm25Field>& field)
    : Lucene::TermQuery(searched), field_(field) {}

Lucene::WeightPtr Bm25TermQuery::createWeight(const Lucene::SearcherPtr& searcher) {
  return Lucene::newLucene<Bm25Weight>(shared_from_this(), searcher);
}

bool Bm25TermQuery::equals(const Lucene::LuceneObjectPtr& other) {
  const auto same = boost::dynamic_pointer_cast<Bm25TermQuery>(other);
  return same && same->field_ == field_ && Lucene::TermQuery::equals(other);
}

Lucene::LuceneObjectPtr Bm25TermQuery::clone(const Lucene::LuceneObjectPtr& other) {
  return Lucene::TermQuery::clone(
      other ? other : Lucene::LuceneObjectPtr(Lucene::newLucene<Bm25TermQuery>(term, field_)));
}

}  // namespace prescope::lucenepp
