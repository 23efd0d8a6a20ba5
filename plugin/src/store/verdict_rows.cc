#include "store/verdict_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/utc_time.h"
#include "prescope/error.h"

namespace prescope {
namespace {

using Status = GateVerdict::Status;

/// Of the first rule that came out worst; nothing where all hold.
std::string_view reason_of(const GateVerdict& verdict) {
  const auto worst = std::ranges::max_element(verdict.rules, {}, &GateVerdict::Rule::status);
  const bool holds = worst == verdict.rules.end() || worst->status <= Status::kSkipped;
  return holds ? std::string_view() : worst->reason;
}

void write_rules(const Database& database, std::int64_t number, const GateVerdict& verdict) {
  Statement add(database,
                "INSERT INTO verdict_rules (verdict, position, rule, status, reason) "
                "VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < verdict.rules.size(); ++i) {
    const GateVerdict::Rule& rule = verdict.rules[i];
    add.bind(number, i, rule.id, to_string(rule.status), rule.reason).run();
  }
}

void write_measures(const Database& database, std::int64_t number, const GateVerdict& verdict) {
  Statement add(database,
                "INSERT INTO verdict_measures (verdict, position, measure, status, margin, topics, "
                "baseline, tonight, difference, low, high, wins, ties, losses) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < verdict.measures.size(); ++i) {
    const GateVerdict::MeasureResult& each = verdict.measures[i];
    add.bind(number, i, each.measure.name(), to_string(each.status), each.margin, each.topics,
             each.baseline, each.tonight, each.difference, each.low, each.high, each.wins,
             each.ties, each.losses)
        .run();
  }
}

}  // namespace

void write_verdict(Database& database, std::int64_t evaluation, const GateVerdict& verdict) {
  Statement(database,
            "INSERT INTO verdicts (evaluation, baseline, baseline_evaluation, time_ms, outcome, "
            "reason) VALUES (?, ?, ?, ?, ?, ?)")
      .bind(evaluation, verdict.baseline.name, verdict.baseline.number,
            utc_now().time_since_epoch().count(), to_string(verdict.outcome), reason_of(verdict))
      .run();
  const std::int64_t number = database.last_row();
  write_rules(database, number, verdict);
  write_measures(database, number, verdict);
}

GateOutcome parse_outcome(std::string_view text) {
  for (const GateOutcome outcome : {GateOutcome::kPass, GateOutcome::kRegression,
                                    GateOutcome::kInconclusive, GateOutcome::kBadInput}) {
    if (to_string(outcome) == text) return outcome;
  }
  throw Error(ErrorCode::kBadInput,
              fmt::format("the store has a verdict '{}', which no prescope writes; take a copy of "
                          "an earlier day",
                          text));
}

}  // namespace prescope
