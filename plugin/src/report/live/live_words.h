#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "prescope/summary.h"

/// Sentences about the arms of an experiment, shared by tables and JSON documents.
namespace prescope {

/// The two arms of a pair.
struct ArmNames {
  const std::string& a;
  const std::string& b;
};
[[nodiscard]] ArmNames names_of(const Summary& summary, const ArmPair& pair);

/// Half of the confidence sequence around a difference; nothing while it is unbounded.
[[nodiscard]] std::optional<double> live_half_width(const LiveVerdict& live,
                                                    std::optional<double> mean);
/// "collecting (7 of 10 topics)", "no verdict yet (±0.0123)", "bm25 leading", "bm25 confirmed
/// better". `mean` of B less A says which arm.
[[nodiscard]] std::string live_state_text(const LiveVerdict& live, std::uint32_t topics,
                                          std::optional<double> mean, const ArmNames& names);
/// "bm25 is better than tfidf by 0.0210 PRES@100."
[[nodiscard]] std::string live_sentence(const MeasureDifference& difference, const ArmNames& names);
/// The figures that a live verdict rests on, and what it may be used for.
[[nodiscard]] std::string live_grounds(const MeasureDifference& difference);
/// "Shadow latency, bm25 over tfidf in 60 topics: 1.183 [1.170, 1.196]; tfidf is faster"; empty
/// without a ratio.
[[nodiscard]] std::string live_latency_words(const Summary& summary, const ArmPair& pair);
/// How many topics each arm of Mode::kSplit was given; empty in other modes.
[[nodiscard]] std::string sample_ratio_words(const Summary& summary, const ArmPair& pair);

/// Of a finished run: "bm25 is better", "no difference shown (±0.0123)".
[[nodiscard]] std::string verdict_words(const MeasureDifference& difference, const ArmNames& names);
/// Of a finished run: "Latency, bm25 over tfidf in the same topic: 0.812 [0.800, 0.825]; bm25 is
/// faster."; empty without a ratio.
[[nodiscard]] std::string latency_words(const Summary& summary, const ArmPair& pair);
/// Of a finished run: "bm25 is better in PRES@100 and worse in MAP@100, compared with tfidf."
[[nodiscard]] std::string pair_sentence(const Summary& summary, const ArmPair& pair);

}  // namespace prescope
