#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command.h"
#include "nightly/evaluation_record.h"
#include "store/nights/store.h"

namespace prescope::cli {

/// What `--from` names, and how it is to be read: a run file, an experiment file that is replayed,
/// or an evaluation of the store.
class EvaluationSource {
 public:
  /// Adds --from and its companions to the command, which must not outlive this object.
  void add_to(Command& command);

  /// "12" and "evaluation 12" are the store's; a file so called is "./12".
  [[nodiscard]] std::optional<std::int64_t> stored_number() const;
  /// Reads or replays what is no evaluation of a store, at the present time. Throws Error(kUsage)
  /// for flags that have no meaning for it, and what reading and replaying throw.
  [[nodiscard]] EvaluationRecord evaluate() const;
  /// Throws Error(kUsage) where nothing, or a flag without meaning, was given.
  void check() const;
  [[nodiscard]] const std::string& from() const noexcept { return from_; }
  /// Of --family-map, for docnos that are to be matched with a stored evaluation's; empty: none.
  [[nodiscard]] std::string family_map() const { return family_map_.value_or(""); }

 private:
  enum class Kind { kRun, kReplay, kStored };
  struct Flag;

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] std::vector<Flag> flags() const;
  [[nodiscard]] EvaluationRecord of_run() const;
  [[nodiscard]] EvaluationRecord of_replay() const;

  std::string from_;
  std::optional<std::string> qrels_, docno_, family_map_, min_grade_, measures_, depth_;
  std::optional<std::string> order_, score_;         // of runs
  std::optional<std::string> arm_, engine_, index_;  // of replays
  std::optional<std::string> threads_;
};

}  // namespace prescope::cli
