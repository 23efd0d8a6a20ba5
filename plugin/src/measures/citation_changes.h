#pragma once

#include "prescope/measure.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"
#include "prescope/summary.h"

namespace prescope {

/// A measure that is a sum over the relevant documents found: each has a whole number of credits,
/// and the score is their sum over `whole`.
class CitationCredits {
 public:
  /// PRES@N: the j-th document found, at rank r_j, has N + j - r_j credits of n N.
  /// R@N: each has 1 of n. No other measure has credits, nor one with a min grade of its own.
  [[nodiscard]] static std::optional<CitationCredits> of(const Measure& measure);

  [[nodiscard]] Cutoff cutoff() const noexcept { return cutoff_; }
  /// Returns the number that all credits are divided by; `num_rel` >= 1.
  [[nodiscard]] std::uint64_t whole(std::uint32_t num_rel) const noexcept {
    return kind_ == Kind::kPres ? std::uint64_t{num_rel} * cutoff_.value() : num_rel;
  }
  /// Returns the credit of the `found`-th relevant document (from 1), at `rank` <= cutoff.
  [[nodiscard]] std::uint64_t credit(std::uint64_t found, Rank rank) const noexcept {
    return kind_ == Kind::kPres ? cutoff_.value() + found - rank : 1;
  }

 private:
  enum class Kind { kPres, kRecall };
  CitationCredits(Kind kind, Cutoff cutoff) noexcept : kind_(kind), cutoff_(cutoff) {}

  Kind kind_;
  Cutoff cutoff_;
};

/// One relevant document of a topic that two rankings A and B serve differently.
struct CitationChange {
  JudgementIndex judgement{};              ///< or the caller's own number of the document
  std::optional<Rank> rank_a{}, rank_b{};  ///< none: not served within the cutoff
  /// Credits in B less those in A. It is not 0 for a document that kept its rank if another
  /// relevant one came or went above it; it is 0 for one that moved with the one above it.
  std::int64_t credit = 0;
  double share = 0.0;  ///< the credit over `CitationCredits::whole`

  [[nodiscard]] bool is_gained() const noexcept { return !rank_a; }
  [[nodiscard]] bool is_lost() const noexcept { return !rank_b; }
  /// Lost from the first 80 % of the ranks up to the cutoff, not just over its edge.
  [[nodiscard]] bool is_lost_from_far(Cutoff cutoff) const noexcept {
    return is_lost() && std::uint64_t{*rank_a} * 5 <= std::uint64_t{cutoff.value()} * 4;
  }
  [[nodiscard]] bool is_moved() const noexcept { return rank_a && rank_b && *rank_a != *rank_b; }
  friend bool operator==(const CitationChange&, const CitationChange&) = default;
};

/// Returns all documents whose rank or credits differ, largest absolute credit first, then in the
/// qrels' order; their shares sum to the difference of the scores. Hits ascend strictly by rank;
/// those behind the cutoff are not looked at.
[[nodiscard]] std::vector<CitationChange> citation_changes(const TopicQrels& judged,
                                                           std::span<const JudgedHit> a,
                                                           std::span<const JudgedHit> b,
                                                           const CitationCredits& credits);

/// Returns the changes of a topic with `num_rel` relevant documents, from hits of relevant
/// documents alone. The caller gives a document the same number in both rankings; of equal credits
/// the smaller number comes first.
[[nodiscard]] std::vector<CitationChange> citation_changes(std::uint32_t num_rel,
                                                           std::span<const JudgedHit> relevant_a,
                                                           std::span<const JudgedHit> relevant_b,
                                                           const CitationCredits& credits);

/// Returns the changes with the names and grades of their documents.
[[nodiscard]] std::vector<CitationMove> citation_moves(const TopicQrels& judged,
                                                       std::span<const CitationChange> changes);

}  // namespace prescope
