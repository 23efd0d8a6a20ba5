#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "judged_resolver.h"
#include "prescope/lucenepp/observed_index_options.h"
#include "prescope/lucenepp/ranking_target.h"

namespace prescope::lucenepp {

/// The readers of the current generation and the table of their docids. The documents of each
/// reader follow those of the one before. Thread-safe.
class ObservedReaders {
 public:
  using Readers = std::vector<Lucene::IndexReaderPtr>;
  /// The readers and the table that one searcher keeps.
  struct Searched {
    Readers readers;
    RankingTarget target;
  };

  /// Throws Error(kEngine) if resolving fails. The experiment must outlive this object.
  ObservedReaders(Readers readers, Experiment& experiment, const ObservedIndexOptions& options);

  /// The current generation for one more searcher. Throws Error(kUsage) with the nearest arm.
  [[nodiscard]] Searched searched_by(std::string_view arm);
  /// Returns false if neither the readers nor the judgements have changed. Exceptions of Lucene++
  /// pass through and change nothing. Other calls than this wait for none of its work.
  bool reopen();
  /// A failure to resolve is counted, not thrown; the readers are then served without a table.
  void reopen(Readers readers);

  [[nodiscard]] Readers readers() const;
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolved() const;

 private:
  void serve(Readers next);
  bool rejudge();
  [[nodiscard]] std::shared_ptr<const ResolvedQrels> resolve(const Readers& readers) noexcept;
  void publish(Readers next, std::shared_ptr<const ResolvedQrels> resolved);
  void tell_experiment(ArmIndex arm) noexcept;

  Experiment& experiment_;

  std::mutex reopening_mutex_;  // over these, and to write readers_ and resolved_
  JudgedResolver resolver_;
  std::uint64_t generation_;  // of readers_

  std::mutex telling_mutex_;  // so that the experiment is told the newest table last

  mutable std::mutex mutex_;  // over everything below; held for copies and swaps only
  // True for each arm that was searched here; it resolves to these readers.
  std::vector<bool> served_;
  Readers readers_;
  std::shared_ptr<const ResolvedQrels> resolved_;
};

}  // namespace prescope::lucenepp
