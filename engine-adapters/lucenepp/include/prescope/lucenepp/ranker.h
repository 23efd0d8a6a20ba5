#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/engine.h"

// After ours: Lucene++ defines macros and unprefixed include guards.
#include <lucene++/Lucene.h>

#include <lucene++/BooleanQuery.h>

namespace prescope::lucenepp {

/// A ranking configuration: how a text becomes a query.
struct RankerOptions {
  enum class Model {
    kTfIdf,  ///< the vector space of Lucene's DefaultSimilarity
    kBm25,   ///< Robertson et al., TREC-3; Lucene++ has none of its own
  };
  enum class Coord { kOff, kOn };
  struct Field {
    std::wstring name;
    double boost = 1.0;  ///< > 0
  };

  Model model = Model::kBm25;
  double k1 = 1.2;            ///< BM25's term saturation, >= 0
  double b = 0.75;            ///< BM25's length normalisation, [0, 1]
  Coord coord = Coord::kOn;   ///< tf-idf's reward for matching many of the query's terms
  std::vector<Field> fields;  ///< searched together; fields that the index lacks are left out
  /// Null is `patent_analyzer()`. Must be the one that the fields were indexed with.
  Lucene::AnalyzerPtr analyzer;
};

/// Returns the options of an arm's settings, with the fields of `prescope index` if it names none.
/// Throws Error(kUsage) with every unknown, repeated or unreadable setting at once.
[[nodiscard]] RankerOptions parse_ranker(const ArmConfig& arm);
/// One line for each setting that `parse_ranker` knows.
[[nodiscard]] std::span<const std::string_view> ranker_settings() noexcept;

/// Makes queries for one reader. Thread-safe. BM25's average lengths are read from the norms once,
/// here: about 1 ms for each million documents and field.
///
/// BM25 sums, over fields and distinct terms, qtf boost idf (k1 + 1) tf / (tf + k1 (1 - b + b
/// dl/avgdl)) with idf = ln(1 + (N - df + 0.5) / (df + 0.5)). dl is the length as the field's
/// one-byte norm keeps it; avgdl is its mean over the documents whose field holds more than one
/// token (in Lucene 3 one token and none have the same norm). The boost of an enclosing query has
/// no effect on BM25 clauses.
class Ranker {
 public:
  /// Throws Error(kUsage) without fields or for a number out of range; exceptions of Lucene++ for
  /// the reader pass through.
  Ranker(const Lucene::IndexReaderPtr& reader, RankerOptions options);

  /// Returns an OR of each distinct term of `text` in each field, weighed by how often the text
  /// repeats it. Throws Error(kBadInput) for invalid UTF-8, and Lucene++'s TooManyClausesException
  /// if there are more clauses than BooleanQuery::getMaxClauseCount(), which the host sets.
  [[nodiscard]] Lucene::BooleanQueryPtr query(std::string_view text) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace prescope::lucenepp
