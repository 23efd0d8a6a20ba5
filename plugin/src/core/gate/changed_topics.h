#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/citation_changes.h"
#include "core/gate/gate.h"
#include "core/gate/gate_subject.h"

namespace prescope {

/// What became of one topic's citations up to the cutoff of the moving measure.
struct ChangedTopic {
  struct Document {
    Docno docno{};
    std::optional<Rank> baseline{}, tonight{};  ///< wherever it was found
    bool must_find = false;
  };

  PairedTopic topic{};
  Cutoff cutoff{};
  double baseline = 0.0, tonight = 0.0;  ///< the moving measure
  double difference = 0.0;               ///< clean
  std::size_t found_baseline = 0, found_tonight = 0;
  std::uint64_t whole = 1;                ///< credits over this are shares of the difference
  std::vector<Document> documents{};      ///< none where nothing changed
  std::vector<CitationChange> changes{};  ///< of documents by their position

  [[nodiscard]] const TopicId& id() const noexcept { return topic.tonight->id; }
  [[nodiscard]] bool is_emptied() const noexcept {
    return found_baseline > 0 && found_tonight == 0;
  }
  [[nodiscard]] bool is_filled() const noexcept { return found_baseline == 0 && found_tonight > 0; }
  [[nodiscard]] bool has_loss() const noexcept;
  /// A citation was lost from the first 80 % of the ranks up to the cutoff.
  [[nodiscard]] bool has_hard_loss() const noexcept;
  /// The baseline found this pinned citation, and tonight has it neither up to the cutoff nor as
  /// early as the baseline.
  [[nodiscard]] bool is_must_find_lost(const Document& document) const noexcept;
  [[nodiscard]] bool has_must_find_lost() const noexcept;
};

/// All topics with relevant documents, ascending by id, also those in which nothing changed. The
/// moving measure must be there. Documents are the same where the docno policy says so; families,
/// whose map is not stored, by their patents.
[[nodiscard]] std::vector<ChangedTopic> changed_topics(const GateSubject& subject);

/// As the verdict shows it, `fails` left empty.
[[nodiscard]] GateVerdict::Topic to_verdict(const ChangedTopic& topic);

}  // namespace prescope
