#pragma once

#include <optional>
#include <span>
#include <vector>

#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

struct GradedRank {
  Rank rank = 0;
  Grade grade = 0;
  friend bool operator==(const GradedRank&, const GradedRank&) = default;
};

/// The mean of a measure over topics.
struct Mean {
  std::optional<double> mean{};  ///< no value without topics
  std::uint32_t topics = 0;      ///< how many have a value
  friend bool operator==(const Mean&, const Mean&) = default;
};

/// The input of every measure: the ranks at which one topic's judged documents were served. Ranks
/// begin at 1 and ascend strictly.
struct JudgedRanks {
  std::uint32_t num_rel = 0;             ///< n: all relevant documents, served or not
  std::span<const Rank> relevant{};      ///< ranks of the relevant ones served
  std::uint32_t num_ret = 0;             ///< documents served
  std::uint64_t collection_size = 0;     ///< documents in the index; 0 if unknown
  std::span<const GradedRank> judged{};  ///< judged documents served, relevant or not
  /// Grades of all judged documents, served or not, descending. If they are unknown, this is empty
  /// and measures that read grades have no value.
  std::span<const Grade> grades{};
  Grade min_grade = 1;  ///< documents are relevant from this grade on
};

class Measure;

/// The number that follows a family's name: the beta of "Fap4@100", the persistence of "RBP0.8".
/// "Fap(beta=4)@100" and "RBP(p=0.8)", with its name or that name's first letter, are the same.
struct MeasureParameter {
  std::string_view word;     ///< its name
  std::string_view range;    ///< "(0, 1000]"
  std::string_view example;  ///< "0.5"
  bool (*allows)(double value) = nullptr;
};

/// A measure family: its words and its formula.
struct MeasureDefinition {
  enum class CutoffRule { kNone, kOptional, kRequired };
  enum class Mean { kArithmetic, kGeometric };

  std::string_view name;     ///< as written before '@': "PRES"
  std::string_view meaning;  ///< one sentence
  std::string_view formula;
  std::string_view source;  ///< publication and equation
  std::string_view range;
  std::string_view example;  ///< worked by hand
  CutoffRule cutoff = CutoffRule::kRequired;
  std::optional<MeasureParameter> parameter{};  ///< if a number follows the name
  Mean mean = Mean::kArithmetic;                ///< over topics
  /// False if it reads grades as they are, whatever grade makes a document relevant.
  bool depends_on_min_grade = true;
  /// Called if there are relevant documents. Returns nothing if the measure is undefined (unknown
  /// grades or collection size).
  std::optional<double> (*score)(const Measure& measure, const JudgedRanks& ranks) = nullptr;
};

/// Returns all measure families, in the order in which they are listed to users.
[[nodiscard]] std::span<const MeasureDefinition* const> measure_table() noexcept;

/// A measure with its parameters, as a value: `PRES@100`, `R@1000`, `AP`, `nDCG@10`, `Fap4@100`,
/// `RBP0.8`, `Rprec`, and for documents of grade 2 or more `AP(rel=2)@100`. Equal exactly when
/// printed alike.
class Measure {
 public:
  /// Reads the canonical spelling, in any case, and the names of trec_eval, ir_measures and common
  /// use: `map_cut_100`, `P.5`, `MRR@10`, `nDCG(dcg='exp-log2')@10`. Throws Error(kUsage) for an
  /// unknown name (with the nearest one), a missing or superfluous cutoff, a cutoff not in
  /// [1, 2^31), and a parameter that is missing, unknown or out of its range.
  [[nodiscard]] static Measure parse(std::string_view text);

  /// Returns the canonical spelling; `parse(name()) == *this`.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const MeasureDefinition& definition() const noexcept { return *definition_; }
  [[nodiscard]] std::optional<Cutoff> cutoff() const noexcept { return cutoff_; }
  /// Returns 1 if the definition has none.
  [[nodiscard]] double parameter() const noexcept { return parameter_; }
  /// Returns the grade from which documents are relevant to this measure; nothing if it is that of
  /// the judgements.
  [[nodiscard]] std::optional<Grade> min_grade() const noexcept { return min_grade_; }
  /// Returns a value in the definition's range, or nothing if it is undefined. Thread-safe,
  /// O(judged documents).
  [[nodiscard]] std::optional<double> score(const JudgedRanks& ranks) const {
    if (min_grade_ && *min_grade_ != ranks.min_grade) return score_from_grade(ranks);
    return ranks.num_rel == 0 ? std::nullopt : definition_->score(*this, ranks);
  }

  friend bool operator==(const Measure&, const Measure&) = default;

 private:
  explicit Measure(const MeasureDefinition& definition) : definition_(&definition) {}
  [[nodiscard]] std::optional<double> score_from_grade(const JudgedRanks& ranks) const;

  const MeasureDefinition* definition_;
  std::optional<Cutoff> cutoff_;
  double parameter_ = 1.0;
  std::optional<Grade> min_grade_;
};

/// Parses measures parted by commas or spaces, "PRES@100,R@1000"; throws as `Measure::parse`.
[[nodiscard]] std::vector<Measure> parse_measures(std::string_view list);

/// Returns the default measures: PRES, R and AP at each cutoff.
[[nodiscard]] std::vector<Measure> default_measures(std::span<const Cutoff> cutoffs);

}  // namespace prescope
#pragma GCC visibility pop
