#pragma once

#include <optional>
#include <span>

#include "base/hash.h"
#include "prescope/docno.h"
#include "prescope/key_slots.h"
#include "prescope/run.h"

/// Retrievability of documents: Azzopardi & Vinay, "Retrievability: an evaluation measure for
/// higher order information access tasks", CIKM 2008.
namespace prescope {

/// Documents numbered from 0 in the order in which their names came. About 30 bytes a document and
/// its name; O(1). Single-threaded; readers may share it.
class DocumentNumbers {
 public:
  /// Its number, a new one for a new name.
  std::uint32_t number(std::string_view name) {
    const std::uint32_t found = slots_.find_or_add(
        key_hash(name), size(), [&](std::uint32_t i) { return this->name(i) == name; });
    if (found != KeySlots::kNone) return found;
    names_ += name;
    ends_.push_back(names_.size());
    return size() - 1;
  }
  /// View into this object, until the next new name.
  [[nodiscard]] std::string_view name(std::uint32_t number) const noexcept {
    return std::string_view(names_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(ends_.size() - 1);
  }

 private:
  std::string names_;                 // one behind the other
  std::vector<std::size_t> ends_{0};  // offsets in names_: where each begins, and the end
  KeySlots slots_;
};

/// r(d) with the cumulative function: the number of topics for which a document stands at rank <=
/// c. The caller numbers the documents; those beyond the end were never retrieved.
class RetrievabilityScores {
 public:
  /// One topic's ranking, cut off at c. A document that it repeats counts once.
  void add_topic(std::vector<std::uint32_t> documents);

  [[nodiscard]] std::uint32_t score(std::uint32_t document) const noexcept {
    return document < scores_.size() ? scores_[document] : 0;
  }
  [[nodiscard]] std::span<const std::uint32_t> scores() const noexcept { return scores_; }
  [[nodiscard]] std::uint32_t topics() const noexcept { return topics_; }
  /// Hits of a document that its topic's ranking had at a better rank already.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  /// Forgets the documents numbered from `end` on.
  void keep_below(std::size_t end) { scores_.resize(std::min(scores_.size(), end)); }
  /// The same under other numbers: document i becomes `numbers[i]`.
  void renumber(std::span<const std::uint32_t> numbers);

 private:
  std::vector<std::uint32_t> scores_;
  std::uint32_t topics_ = 0;
  std::uint64_t repeated_ = 0;
};

/// The least retrievable `documents` of all, as a share, have this share of all retrievability.
struct LorenzPoint {
  double documents = 0.0, retrievability = 0.0;  ///< in [0, 1]
  friend bool operator==(const LorenzPoint&, const LorenzPoint&) = default;
};

/// So many documents were retrieved for exactly `topics` topics.
struct DocumentsByScore {
  std::uint32_t topics = 0;
  std::uint64_t documents = 0;
};

struct RetrievabilitySummary {
  std::uint64_t population = 0;  ///< documents that the shares are of
  std::uint64_t retrieved = 0;   ///< those with r(d) > 0
  std::uint64_t total = 0;       ///< sum of r(d)
  std::uint32_t highest = 0;     ///< r(d)
  std::optional<double> mean{};  ///< of r(d); std::nullopt without documents
  /// sum over i of (2 i - N - 1) r(d_i) / (N sum r), documents ascending by r: 0 if all are equally
  /// retrievable, towards 1 if few are; std::nullopt if none is.
  std::optional<double> gini{};
  std::vector<DocumentsByScore> by_score{};  ///< ascending by topics; those with documents
  std::vector<LorenzPoint> lorenz{};         ///< from (0, 0) to (1, 1); a point for each score

  [[nodiscard]] std::uint64_t never() const noexcept { return population - retrieved; }
};

/// Summarizes the scores of `population` documents, or of all with a score above 0 if these are
/// more.
[[nodiscard]] RetrievabilitySummary summarize(std::span<const std::uint32_t> scores,
                                              std::uint64_t population);

/// A document whose r(d) differs.
struct RetrievabilityChange {
  std::uint32_t document = 0;
  std::uint32_t a = 0, b = 0;  ///< r(d)
  friend bool operator==(const RetrievabilityChange&, const RetrievabilityChange&) = default;
};

/// Documents that A and B find.
struct RetrievabilityComparison {
  std::uint64_t in_both = 0;
  std::vector<RetrievabilityChange> lost{};    ///< A had them, B never; most retrievable first
  std::vector<RetrievabilityChange> gained{};  ///< the reverse
  std::uint64_t risen = 0, fallen = 0;         ///< in both, with a higher or lower r(d)
};

/// Documents with the same r(d) are ordered by name.
[[nodiscard]] RetrievabilityComparison compare_retrievability(const RetrievabilityScores& a,
                                                              const RetrievabilityScores& b,
                                                              const DocumentNumbers& documents);

/// A run, or the rankings of an arm, whose retrievability is studied.
struct RetrievabilitySource {
  std::string name;   ///< the run's, or the arm's with its session
  std::string path;   ///< the file's
  std::string group;  ///< sources of different groups have no documents in common
  RetrievabilityScores scores{};
  std::vector<std::string> notes{};
  RetrievabilitySummary summary{};
  /// With the first source; std::nullopt for itself and for sources of another group.
  std::optional<RetrievabilityComparison> comparison{};
};

struct RetrievabilityStudy {
  std::uint32_t cutoff = 100;
  std::string order;  ///< how runs are ranked, in words
  DocumentNumbers documents{};
  std::vector<RetrievabilitySource> sources{};  ///< at least one; the first is the baseline

  /// The number of documents; without `population_source` the number of those that a source has.
  std::uint64_t population = 0;
  std::string population_source{};
  std::uint64_t unlisted = 0;  ///< documents retrieved that the list of documents has not
  /// If all documents were listed: those numbered below this are in the list.
  std::optional<std::uint32_t> listed{};
  /// Documents numbered below this are in the numbers and tables.
  [[nodiscard]] std::uint32_t counted() const { return listed.value_or(documents.size()); }

  std::size_t top = 10;  ///< documents listed in each table
  enum class Csv { kNone, kEveryDocument };
  Csv csv = Csv::kNone;
};

/// The sources of the study, and the number of documents.
struct RetrievabilityRequest {
  std::vector<std::string> sources;  ///< runs and stores
  std::uint32_t cutoff = 100;
  std::string documents;
  std::optional<std::uint64_t> collection;
  DocnoPolicy docno = DocnoPolicy::kRaw;
  std::string family_map;
  RunOrder order = RunOrder::kTrec;
  std::optional<std::string> experiment, arm;
  std::optional<std::int64_t> session;
  std::uint32_t threads = 1;
};

/// Reads everything that is asked for. Throws Error(kUsage), and Error(kBadInput) for a store that
/// holds no captured rankings, and as reading runs, lists and stores does.
[[nodiscard]] RetrievabilityStudy read_retrievability(const RetrievabilityRequest& request);

/// Computes summaries and comparisons of the sources, and the number of documents, from the scores.
void summarize(RetrievabilityStudy& study);

/// The `study.top` documents that the first source has for most topics, then by name.
[[nodiscard]] std::vector<std::uint32_t> most_found(const RetrievabilityStudy& study);
/// Listed documents that no source has, in the order of the list; none without a list.
[[nodiscard]] std::vector<std::uint32_t> never_found(const RetrievabilityStudy& study);

}  // namespace prescope
