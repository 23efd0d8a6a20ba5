#pragma once

#include "prescope/offline.h"

#pragma GCC visibility push(default)
/// Decides whether tonight's run may replace a baseline run, in memory, as the program's `gate`
/// does: with the same rules, sentences and figures, to the last bit. The program also tries
/// whether more documents would match under another docno policy.
namespace prescope {

enum class GateOutcome {
  kPass,
  kRegression,    ///< a rule fails
  kInconclusive,  ///< these topics cannot tell
  kBadInput,      ///< an input check fails, so no rule about the ranking is looked at
};
[[nodiscard]] std::string_view to_string(GateOutcome outcome) noexcept;

/// The answer of a gate.
struct GateResult {
  /// The result of one rule, best first.
  enum class Status { kPass, kSkipped, kWarning, kInconclusive, kFail, kBadInput };

  struct Rule {
    std::string id{};  ///< stable identifier: "input.judged_found", "margin.PRES@100"; docs/gate.md
    Status status = Status::kPass;
    std::string reason{};  ///< one sentence, with the figures
  };
  /// A decision measure over the topics that the baseline served, with a value in both, or over
  /// their families, each with the mean of its topics.
  struct MeasureResult {
    Measure measure;
    double margin = 0.0;
    bool by_family = false;    ///< tonight's judgements have a family map
    std::uint32_t topics = 0;  ///< or families
    std::optional<double> baseline{}, tonight{}, difference{};  ///< means
    std::optional<double> low{}, high{};     ///< one-sided bounds of the true mean difference
    std::optional<double> sd{};              ///< of their differences
    std::optional<double> p_non_inferior{};  ///< against "worse than the margin or as bad"
    std::optional<double> p_equivalent{};    ///< TOST, margin on both sides
    std::optional<double> p_different{};     ///< two-sided paired t
    std::uint32_t wins = 0, ties = 0, losses = 0;
    Status status = Status::kPass;
  };
  /// The first decision measure in a slice of the topics, as docs/slices.md has them. The bounds
  /// are of the slice alone.
  struct SliceResult : MeasureResult {
    std::string dimension{}, name{};
    bool may_speak = false;  ///< false: too few topics, or too few differ; `status` is kSkipped
    /// One-sided, corrected over all slices that may speak: against "not worse than the margin",
    /// and against "not worse at all". None for the others.
    std::optional<double> p_beyond{}, p_worse{};
  };

  GateOutcome outcome = GateOutcome::kPass;
  std::vector<Rule> rules{};  ///< input checks first; also the rules that hold
  std::vector<MeasureResult> measures{};
  std::vector<SliceResult> slices{};  ///< if the rules name slices; also those that are too small
};
/// For machines: "pass", "skipped", "warning", "inconclusive", "fail", "bad_input".
[[nodiscard]] std::string_view to_string(GateResult::Status status) noexcept;

struct GateOptions {
  /// All topics of the judgements count, so `only_topics_of_run` is refused.
  ScoringOptions scoring{};
  /// The rules as TOML, as docs/gate.md has them; empty: the defaults, by which PRES@100 and R@100
  /// decide. Runs have no latency, and no citation is pinned. A path of slices begins at the
  /// working folder.
  std::string_view rules{};
};

/// Throws Error: kBadInput for rules that are not TOML; kUsage for rules out of their range, a
/// measure that has no value from ranks of relevant documents alone, judgements with other docno
/// policies or without a topic in common, and scoring options out of their range. Thread-safe;
/// some milliseconds for 500 topics.
[[nodiscard]] GateResult gate(const JudgedRun& baseline, const JudgedRun& tonight,
                              const GateOptions& options = {});

}  // namespace prescope
#pragma GCC visibility pop
