#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "docno_terms.h"

#include <lucene++/TermQuery.h>

namespace prescope::lucenepp {

/// Returns the mean length, in tokens, of a field over the documents in which it has more than one,
/// by their norms. Returns std::nullopt if no document has such a norm.
[[nodiscard]] std::optional<double> average_length(const std::vector<Leaf>& leaves,
                                                   const std::wstring& field);

/// BM25's view of one field of one reader.
class Bm25Field {
 public:
  /// If there is no average length (the field has no norms), length has no effect.
  Bm25Field(double k1, double b, std::optional<double> average_length);

  /// tf (k1 + 1) / (tf + k1 (1 - b + b dl / avgdl)), the length given as its norm byte.
  [[nodiscard]] double saturation(double tf, std::uint8_t norm) const noexcept {
    return tf * (k1_ + 1.0) / (tf + length_part_[norm]);
  }
  [[nodiscard]] double saturation_without_length(double tf) const noexcept {
    return tf * (k1_ + 1.0) / (tf + k1_);
  }

 private:
  double k1_;
  std::array<double, 256> length_part_{};
};

/// A term scored by BM25: boost idf saturation.
class Bm25TermQuery : public Lucene::TermQuery {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  Bm25TermQuery(const Lucene::TermPtr& searched, const std::shared_ptr<const Bm25Field>& field);
  LUCENE_CLASS(Bm25TermQuery)

  Lucene::WeightPtr createWeight(const Lucene::SearcherPtr& searcher) override;
  bool equals(const Lucene::LuceneObjectPtr& other) override;
  Lucene::LuceneObjectPtr clone(const Lucene::LuceneObjectPtr& other) override;

  [[nodiscard]] const std::shared_ptr<const Bm25Field>& field() const noexcept { return field_; }

 private:
  std::shared_ptr<const Bm25Field> field_;
};

}  // namespace prescope::lucenepp
