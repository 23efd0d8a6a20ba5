#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/engine.h"

// After ours, as all engines' headers.
#include <xapian.h>

namespace prescope::xapian {

/// One of Xapian's weighting schemes with its parameters; those of other schemes are ignored.
/// Defaults and meanings are Xapian's.
struct WeightOptions {
  enum class Scheme {
    kBm25,
    kBm25Plus,
    kPl2,
    kPl2Plus,
    kLm,
    kTfIdf,
    kDph,
    kDlh,
    kBb2,
    kInl2,
    kIfb2,
    kIneb2,
    kCoord,  ///< the number of the query's terms that match
    kBool,   ///< no score: by docid
  };

  Scheme scheme = Scheme::kBm25;
  double k1 = 1.0, k2 = 0.0, k3 = 1.0;  ///< bm25, bm25plus: >= 0
  double b = 0.5;                       ///< bm25, bm25plus: [0, 1]
  double min_normlen = 0.5;             ///< bm25, bm25plus: >= 0
  std::optional<double> delta{};        ///< bm25plus (1), pl2plus (0.8): > 0
  double c = 1.0;                       ///< pl2, pl2plus, bb2, inl2, ifb2, ineb2: > 0
  std::string normalizations = "ntn";   ///< tfidf: one letter each of nbslL, ntpfs, n
  Xapian::Weight::type_smoothing smoothing = Xapian::Weight::TWO_STAGE_SMOOTHING;  ///< lm
  std::optional<double> smoothing1{}, smoothing2{};                                ///< lm: >= 0
  double log = 0.0;  ///< lm: >= 0; 0 is the longest document
};

/// A ranking configuration: how a text becomes a query, and how the query is weighed.
struct RankerOptions {
  struct Field {
    std::string prefix;   ///< of its terms, as indexed
    double weight = 1.0;  ///< > 0
  };

  WeightOptions weight;
  std::vector<Field> fields;        ///< searched together
  std::string stemmer = "english";  ///< a language of Xapian::Stem, or "none"
};

/// Returns the options of an arm's settings, with the fields of `prescope index` if it names none.
/// Throws Error(kUsage) with every unknown, repeated or unreadable setting at once.
[[nodiscard]] RankerOptions parse_ranker(const ArmConfig& arm);
/// One line for each setting that `parse_ranker` knows.
[[nodiscard]] std::span<const std::string_view> ranker_settings() noexcept;

/// Makes queries and weights, for any database. Thread-safe: each call makes new objects, which are
/// the calling thread's.
class Ranker {
 public:
  /// Throws Error(kUsage) without fields, for a number out of range or an unknown stemmer.
  explicit Ranker(RankerOptions options);

  /// Returns an OR, over the fields, of each distinct term of `text`, weighed by how often the text
  /// repeats it (its wqf) and by the field's weight. Terms are made as `prescope index` makes them:
  /// by a TermGenerator, all stemmed, without English stop words. If there are more than 1000
  /// clauses, those that `database` has no term for are left out: the time that Xapian 1.4 spends
  /// on them grows with the square of their number (measured: 23 s for 20,000). Throws
  /// Error(kBadInput) for invalid UTF-8; exceptions of Xapian pass through.
  [[nodiscard]] Xapian::Query query(std::string_view text, const Xapian::Database& database) const;
  /// For Enquire::set_weighting_scheme, which copies it.
  [[nodiscard]] std::unique_ptr<Xapian::Weight> weight() const;

 private:
  RankerOptions options_;
};

}  // namespace prescope::xapian
