#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nightly/evaluation_record.h"
#include "nightly/gate/gate.h"
#include "nightly/history.h"
#include "store/sqlite/database.h"

namespace prescope {

/// What a store is to keep. Pins, pinned evaluations with their verdicts, and the sums over
/// observations by hour and by topic are always kept.
struct Retention {
  /// Observations and captured rankings of before are removed, once they are in the sums.
  std::optional<UtcTime> observations_since{};
  /// Evaluations of before are removed with their verdicts, unless they are or were pinned.
  std::optional<UtcTime> evaluations_since{};
  /// The size of the file beyond which more is removed, the oldest first: captured rankings, then
  /// observations, then evaluations.
  std::optional<std::uint64_t> bytes{};
};

/// What was removed.
struct Pruned {
  std::uint64_t captures = 0, observations = 0, evaluations = 0;
  /// Size of the file; what is kept in any case may be more than was asked for.
  std::uint64_t bytes_before = 0, bytes_after = 0;
};

/// An SQLite file that keeps observations, evaluations (nights), baselines and gate verdicts;
/// `docs/formats.md` documents it column by column. One process writes at a time, others may read
/// meanwhile. Not thread-safe: one object a thread.
class Store {
 public:
  enum class Access {
    kRead,   ///< the file must be there
    kWrite,  ///< made where it is missing; an older schema is migrated
  };
  /// Throws Error: kIo (missing, no permission, folder read-only), kBadInput (another program's
  /// file, damaged, of a newer prescope). A file that is refused is not touched.
  [[nodiscard]] static Store open(const std::filesystem::path& path, Access access);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Returns its number, from 1. All or nothing; durable on return.
  std::int64_t add(const EvaluationRecord& record);
  /// Throws Error(kUsage) for a number that is not there.
  [[nodiscard]] EvaluationRecord evaluation(std::int64_t number) const;

  using Night = prescope::Night;
  struct NightFilter {
    std::optional<std::string> arm{};
    std::optional<UtcTime> since{}, until{};
    std::optional<std::size_t> last{};  ///< only so many, the newest
  };
  /// Oldest first.
  [[nodiscard]] std::vector<Night> nights(const NightFilter& filter) const;
  [[nodiscard]] std::vector<Night> nights() const { return nights(NightFilter{}); }

  /// Nothing is ever deleted from the list of pins.
  using Pin = prescope::Pin;
  /// Adds the evaluation and pins it, or nothing. Returns the pin with its numbers.
  Pin pin(const EvaluationRecord& record, const Pin& request);
  /// Pins an evaluation that is there.
  Pin pin(const Pin& request);
  /// Oldest first.
  [[nodiscard]] std::vector<Pin> pins() const;
  /// What the name stands for now. Throws Error(kUsage) that lists the names there are.
  [[nodiscard]] Baseline baseline(std::string_view name) const;

  /// The evaluation and the verdict about it, or nothing. Returns the evaluation's number.
  std::int64_t add(const EvaluationRecord& record, const GateVerdict& verdict);
  /// The verdict about an evaluation: outcome, rules and reasons.
  void add(std::int64_t evaluation, const GateVerdict& verdict);

  /// Removes what need not be kept, in several transactions each of which leaves a sound store,
  /// then gives what became free back to the file system; a reader that is at work meanwhile puts
  /// that off to the next time.
  Pruned prune(const Retention& retention);

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace prescope
