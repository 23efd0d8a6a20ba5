#pragma once

#include "nightly/history.h"
#include "report/document/document.h"

namespace prescope {

/// The result of `prescope history`.
struct HistoryReport {
  /// Compares the newest night of an arm with another of its nights, topic by topic.
  struct Drift {
    enum class Against { kBaseline, kAccepted };
    std::string arm{};
    std::int64_t night = 0, against = 0;
    Against what = Against::kBaseline;
    std::vector<std::optional<PairedT>> tests{};  ///< in the order of the measures
  };

  std::string store{};  ///< path, as given
  History history{};
  std::vector<Pin> pins{};  ///< oldest first
  std::vector<Drift> drifts{};
  std::vector<Attempt> attempts{};       ///< gates without a verdict, oldest first
  std::vector<ClockFault> clock{};       ///< of all nights, shown or not
  std::optional<SliceHistory> slices{};  ///< of `history`, if they were asked for
};

/// The report for people. The curves of the means fit the columns of the look.
[[nodiscard]] ReportDocument history_document(const HistoryReport& report,
                                              const TextLook& look = {});
/// `docs/history.md` describes each format. Every locale and time zone gives the same bytes.
[[nodiscard]] std::string history_csv(const HistoryReport& report);
[[nodiscard]] std::string history_tsv(const HistoryReport& report);
/// One object, a line a night.
[[nodiscard]] std::string history_json(const HistoryReport& report);
/// "History of nights.db".
[[nodiscard]] std::string history_title(const HistoryReport& report);

/// Returns a column for each value, from "▁" for the lowest to "█" for the highest; "▄" if all are
/// the same, "·" for a missing one. If there are more values than `most_columns` (>= 1), each
/// column shows the mean of several consecutive ones. Empty without values.
[[nodiscard]] std::string sparkline(std::span<const std::optional<double>> values,
                                    std::size_t most_columns);

/// Store, nights, arms, baselines.
[[nodiscard]] LabelledLines history_subject(const HistoryReport& report);
/// Returns how many nights passed, the outcome of the newest, and a later gate without a verdict.
[[nodiscard]] std::string history_sentence(const HistoryReport& report);
/// "2026-11-24 03:10 UTC, run bm25.run against main: the reason".
[[nodiscard]] std::string attempt_words(const Attempt& attempt);
/// Names each night whose time cannot be right, and the order that nights have.
[[nodiscard]] std::vector<std::string> history_clock_words(const HistoryReport& report);
/// Explains the columns of the nights, and the tests of the newest night.
[[nodiscard]] std::vector<std::string> about_nights(const HistoryReport& report);
[[nodiscard]] std::vector<std::string> about_drift(const HistoryReport& report);
/// Explains the means in slices; empty without them.
[[nodiscard]] std::vector<std::string> about_slice_history(const HistoryReport& report);
/// "night 3 (pinned)".
[[nodiscard]] std::string against_words(const HistoryReport::Drift& drift);

}  // namespace prescope
