#pragma once

#include <fmt/format.h>

#include <cmath>

#include "live/summary/summarize.h"

namespace prescope {

/// A paired ledger of two arms, "a" and "b", in which PRES@1000 of a topic differs by what a test
/// asks for. Topic t is "t0000", "t0001" and so on; each has one relevant document.
class DifferenceLedger {
 public:
  explicit DifferenceLedger(std::uint32_t topics) : qrels_(qrels_of(topics)) {}

  [[nodiscard]] const Qrels& qrels() const { return qrels_; }
  [[nodiscard]] static std::string topic(std::uint32_t t) { return fmt::format("t{:04}", t); }

  /// Begins with these slices, and this end.
  void begin(const TopicSlices& slices, const TestOptions& test = {}) {
    ledger_.emplace(
        judged_, scorer_, 2,
        LedgerOptions{
            .mode = Mode::kPaired, .slices = FollowedSlices(slices, qrels_), .test = test});
  }
  /// The time of the visits that follow.
  void at(UtcTime time) { now_ = time; }
  /// One visit, ranked by both arms; `difference` is limited to 0.49 and rounded to a thousandth.
  void compare(std::uint32_t topic, double difference) {
    ++visits_;
    rank(topic, 0, kMiddle);
    const auto steps = static_cast<int>(std::lround(1000.0 * std::clamp(difference, -0.49, 0.49)));
    rank(topic, 1, kMiddle - steps);
  }
  /// One visit in which the search of an arm fails.
  void fail(std::uint32_t topic, std::uint32_t arm) {
    ++visits_;
    rank(topic, 1 - arm, kMiddle);
    ledger_->record({.topic = TopicIndex(topic),
                     .arm = ArmIndex(arm),
                     .time = now_,
                     .visit = visits_,
                     .compared_arms = 2,
                     .flags = RankingFlags::kFailed});
  }
  [[nodiscard]] Summary summary() {
    return summarize(*ledger_, {.experiment = "e", .alpha = 0.05, .arms = arms_},
                     SummaryDetail::kVerdicts);
  }

 private:
  static constexpr Rank kMiddle = 500;

  static Qrels qrels_of(std::uint32_t topics) {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < topics; ++t) lines.push_back({TopicId(topic(t)), Docno("d")});
    return Qrels::from_lines(lines);
  }

  void rank(std::uint32_t topic, std::uint32_t arm, Rank rank) {
    const JudgedHit hit{rank, JudgementIndex(0)};
    Observation observation{.topic = TopicIndex(topic),
                            .arm = ArmIndex(arm),
                            .time = now_,
                            .visit = visits_,
                            .compared_arms = 2,
                            .depth = 1000,
                            .num_ret = 1000};
    observation.hits = std::span(&hit, 1);
    ledger_->record(observation);
  }

  Qrels qrels_;
  JudgedDocnos judged_{qrels_};
  Scorer scorer_{parse_measures("PRES@1000")};
  std::vector<ArmFacts> arms_{{.id = ArmId("a")}, {.id = ArmId("b")}};
  std::optional<Ledger> ledger_;
  std::uint64_t visits_ = 0;
  UtcTime now_{};
};

}  // namespace prescope
