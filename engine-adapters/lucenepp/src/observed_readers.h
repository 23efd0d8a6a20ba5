#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "judged_resolver.h"
#include "prescope/lucenepp/observed_index_options.h"
#include "prescope/lucenepp/ranking_target.h"

namespace prescope::lucenepp {

/// The readers of the current generation and the table on their docids, where the documents of each
/// reader follow those of the one before. Thread-safe.
class ObservedReaders {
 public:
  using Readers = std::vector<Lucene::IndexReaderPtr>;
  /// What one searcher keeps.
  struct Searched {
    Readers readers;
    RankingTarget target;
  };

  /// Throws Error(kEngine) where resolving fails. The experiment must outlive this object.
  ObservedReaders(Readers readers, Experiment& experiment, const ObservedIndexOptions& options);

  /// The current generation for one more searcher. Throws Error(kUsage) with the nearest arm.
  [[nodiscard]] Searched searched_by(std::string_view arm);
  /// False where neither the readers nor the judgements have changed; what Lucene++ throws passes
  /// through and changes nothing.
  bool reopen();
  /// Never throws for what cannot be resolved: it is counted, and served without a table.
  void reopen(Readers readers);

  [[nodiscard]] Readers readers() const;
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const;

 private:
  void serve(Readers next);
  bool rejudge();
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolve(std::uint64_t generation) noexcept;
  void tell_served() noexcept;

  Experiment& experiment_;
  mutable std::mutex mutex_;  // over everything below
  JudgedResolver resolver_;
  // By arm, as far as there are: searched here, so these readers are what it resolves to.
  std::vector<bool> served_;
  Readers readers_;
  std::shared_ptr<const ResolvedQrels> resolved_;
};

}  // namespace prescope::lucenepp
