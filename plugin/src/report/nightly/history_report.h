#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nightly/history.h"
#include "prescope/report.h"
#include "report/text/json.h"
#include "report/text/tables.h"

namespace prescope {

/// What `prescope history` knows of a store.
struct HistoryReport {
  /// The newest night of an arm against another of its nights, topic by topic.
  struct Drift {
    enum class Against { kBaseline, kAccepted };
    std::string arm{};
    std::int64_t night = 0, against = 0;
    Against what = Against::kBaseline;
    std::vector<std::optional<PairedT>> tests{};  ///< in the order of the measures
  };

  std::string program{};  ///< its version
  std::string store{};    ///< path, as given
  History history{};
  std::vector<Pin> pins{};  ///< oldest first
  std::vector<Drift> drifts{};
};

/// `docs/history.md` describes each format. All of them print the same bytes in every locale and
/// time zone, and hand them on in pieces.
void write_history_table(const HistoryReport& report, TableOptions::Color color,
                         const TextSink& sink);
void write_history_csv(const HistoryReport& report, const TextSink& sink);
void write_history_tsv(const HistoryReport& report, const TextSink& sink);
/// One object, a line a night.
void write_history_json(const HistoryReport& report, const TextSink& sink);
/// "History of nights.db".
[[nodiscard]] std::string history_title(const HistoryReport& report);

/// Store, nights, arms, baselines: label and words.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> history_subject(
    const HistoryReport& report);
/// A line a night; with a column for the arm where there are several.
[[nodiscard]] ReportTable nights_table(const HistoryReport& report);
/// "night 4, REGRESSION: 3 topics lost ...", of every night shown that did not pass.
[[nodiscard]] std::vector<std::string> nights_not_passed(const HistoryReport& report);
/// The newest night of each arm against its baseline and the night accepted last.
[[nodiscard]] ReportTable drift_table(const HistoryReport& report);
/// How to read the columns.
[[nodiscard]] std::vector<std::string> about_nights(const HistoryReport& report);
[[nodiscard]] std::vector<std::string> about_drift(const HistoryReport& report);

/// "PASS", "REGRESSION", ..., "-" where the night was not gated.
[[nodiscard]] std::string verdict_text(const Night& night);
/// "PASS, pinned: main".
[[nodiscard]] std::string verdict_and_pins_text(const Night& night);

/// The nights of one arm with one of their numbers. Points into the history.
struct NightSeries {
  struct Point {
    const Night* night = nullptr;
    std::optional<double> value{};
  };
  std::string arm{};
  std::string name{};  ///< "PRES@100", "p95 ms"
  bool is_latency = false;
  std::vector<Point> points{};  ///< oldest first
};

/// For each arm its measures, then its latency where any night was timed. What bad input gave says
/// nothing about a ranking: those nights have no value.
[[nodiscard]] std::vector<NightSeries> series_of(const History& history);

[[nodiscard]] std::vector<std::optional<double>> values_of(const NightSeries& series);
/// Lowest and highest value; nothing where there is none.
[[nodiscard]] std::pair<std::optional<double>, std::optional<double>> range_of(
    const NightSeries& series);
/// Of the newest night that has one.
[[nodiscard]] std::optional<double> newest_of(const NightSeries& series);

}  // namespace prescope
