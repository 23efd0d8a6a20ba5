#pragma once

#include "prescope/run.h"
#include "runs/scan/run_facts.h"

namespace prescope {

/// A way in which input can be read without an error, or nearly so, and give wrong scores. Every
/// command that reads rankings, judgements or topics looks for all that concern its files.
struct InputCheck {
  enum class Result {
    kRefused,  ///< reading throws Error(kBadInput)
    kFault,    ///< scores do not say how the engine ranks: noted; pin and gate refuse it
    kRemark    ///< noted; pin and gate warn
  };

  std::string_view name;     ///< stable: "tied"
  std::string_view meaning;  ///< one sentence
  std::string_view files;    ///< "run", "run and qrels", "any"
  Result result = Result::kRefused;
};

/// Returns all checks, in the order in which findings are reported.
[[nodiscard]] std::span<const InputCheck> input_checks() noexcept;

/// Something that a check found in a run.
struct InputFinding {
  const InputCheck* check = nullptr;  ///< never null
  std::string words{};                ///< without the run's name: "2 tags: ..."
};

/// Returns findings of the check of series, as of a run.
[[nodiscard]] std::vector<InputFinding> series_findings(std::vector<std::string> sentences);

/// Names of checks that a reader adds facts to.
inline constexpr std::string_view kTiedCheck = "tied", kRisingCheck = "rising",
                                  kSeriesCheck = "series";

/// Returns what the checks of runs find, in the order of `input_checks`. Scores are looked at if
/// they order the lines. Throws Error(kIo).
[[nodiscard]] std::vector<InputFinding> check_run_input(const Qrels& qrels, const RunFacts& facts,
                                                        RunOrder order);

}  // namespace prescope
