#include "store/nights/evaluation_rows.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/utc_time.h"
#include "prescope/error.h"
#include "store/sqlite/database.h"

namespace prescope {

namespace {

constexpr const char* kPinColumns =
    "SELECT number, name, evaluation, replaced, pinned_by, why, time_ms FROM pins";

std::vector<MustFind> read_must_find(const Database& database, std::int64_t pin) {
  std::vector<MustFind> must_find;
  Statement row(database,
                "SELECT t.name, m.docno FROM must_find m JOIN topics t ON t.number = m.topic "
                "WHERE m.pin = ? ORDER BY m.position");
  for (row.bind(pin); row.next();) {
    must_find.push_back({.topic = TopicId(row.text(0)), .docno = Docno(row.text(1))});
  }
  return must_find;
}

Pin pin_of(const Database& database, const Statement& row) {
  return {.name = std::string(row.text(1)),
          .evaluation = row.integer(2),
          .replaced = row.integer_if_any<std::int64_t>(3),
          .by = std::string(row.text(4)),
          .why = std::string(row.text(5)),
          .time = UtcTime(std::chrono::milliseconds(row.integer(6))),
          .must_find = read_must_find(database, row.integer(0))};
}

std::optional<Pin> find_pin(const Database& database, std::string_view name) {
  Statement row(database,
                fmt::format("{} WHERE name = ? ORDER BY number DESC LIMIT 1", kPinColumns));
  if (!row.bind(name).next()) return std::nullopt;
  return pin_of(database, row);
}

void write_must_find(Database& database, std::int64_t pin, const std::vector<MustFind>& must_find) {
  SharedRows shared(database);
  Statement add(database,
                "INSERT INTO must_find (pin, position, topic, docno) VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < must_find.size(); ++i) {
    const std::int64_t topic = shared.number_of_topic(must_find[i].topic.text());
    add.bind(pin, i, topic, must_find[i].docno.text()).run();
  }
}

}  // namespace

Pin write_pin(Database& database, const Pin& request) {
  if (request.name.empty()) {
    throw Error(ErrorCode::kUsage, "a pin without a name; give it one, as in 'main'");
  }
  Pin pin = request;
  const std::optional<Pin> before = find_pin(database, pin.name);
  pin.replaced = before ? std::optional(before->evaluation) : std::nullopt;
  Statement(database,
            "INSERT INTO pins (name, evaluation, replaced, pinned_by, why, time_ms) "
            "VALUES (?, ?, ?, ?, ?, ?)")
      .bind(pin.name, pin.evaluation, pin.replaced, pin.by, pin.why,
            pin.time.time_since_epoch().count())
      .run();
  write_must_find(database, database.getLastInsertRowid(), pin.must_find);
  return pin;
}

std::vector<Pin> read_pins(const Database& database) {
  std::vector<Pin> pins;
  Statement row(database, fmt::format("{} ORDER BY number", kPinColumns));
  while (row.next()) pins.push_back(pin_of(database, row));
  return pins;
}

Pin read_pin(const Database& database, std::string_view name) {
  if (auto pin = find_pin(database, name)) return *std::move(pin);
  std::vector<std::string> names;
  Statement row(database, "SELECT DISTINCT name FROM pins ORDER BY name");
  while (row.next()) names.emplace_back(row.text(0));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw Error(ErrorCode::kUsage, fmt::format("{}: {}", database.path().string(),
                                             unknown_name_message("baseline", name, candidates)));
}

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
  const std::int64_t number = database.getLastInsertRowid();
  write_rules(database, number, verdict);
  write_measures(database, number, verdict);
}

}  // namespace prescope
