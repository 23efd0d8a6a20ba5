#pragma once

#include "cli/options/command.h"
#include "nightly/record/evaluation_record.h"
#include "replay/replay_options.h"

namespace prescope::cli {

/// Returns the files that a replay reads beside its indexes.
[[nodiscard]] std::vector<std::string> inputs_of(const ReplayOptions& options);

/// The value of `--from` and the flags beside it: a run file, an experiment file that is replayed,
/// or an evaluation of the store.
class EvaluationSource {
 public:
  /// Adds --from and its companions to the command, which must not outlive this object.
  void add_to(Command& command);

  /// "12", "night 12" and "evaluation 12" are the store's; a file so called is "./12".
  [[nodiscard]] std::optional<std::int64_t> stored_number() const;
  /// Reads or replays what is no evaluation of a store, at the present time. Throws Error(kUsage)
  /// for flags that have no meaning for it, and what reading and replaying throw.
  [[nodiscard]] EvaluationRecord evaluate() const;
  /// Returns true if it is an experiment file.
  [[nodiscard]] bool is_replay() const;
  /// Returns the options of the replay, with the one arm. Throws Error as reading them does.
  [[nodiscard]] ReplayOptions replay_options() const;
  /// "run bm25.run", "replay nightly.toml", "night 12".
  [[nodiscard]] std::string name() const;
  /// Throws Error(kUsage) if nothing, or a flag without meaning, was given.
  void check() const;
  /// Returns the flags that were given, with --from.
  [[nodiscard]] std::vector<std::string_view> given_flags() const;
  /// Returns the files that `evaluate` reads, so that no output replaces one of them.
  [[nodiscard]] std::vector<std::string> inputs() const;
  /// Value of --family-map, for docnos that are matched with a stored evaluation's; empty: none.
  [[nodiscard]] std::string family_map() const { return given("--family-map").value_or(""); }

 private:
  [[nodiscard]] const std::optional<std::string>& given(std::string_view flag) const;
  [[nodiscard]] EvaluationRecord of_run() const;
  [[nodiscard]] EvaluationRecord of_replay() const;

  std::string from_;
  std::map<std::string_view, std::optional<std::string>> values_;  // by flag
  std::vector<std::string> categories_;                            // words of --category
};

}  // namespace prescope::cli
