#include <algorithm>

#include "base/errors.h"
#include "store/nights/evaluation_rows.h"
#include "store/nights/store.h"

namespace prescope {

namespace {

constexpr const char* kPinColumns =
    "SELECT number, name, evaluation, replaced, pinned_by, why, time_ms FROM pins";

std::vector<MustFind> read_must_find(const Database& database, std::int64_t pin) {
  std::vector<MustFind> must_find;
  Statement row(database,
                "SELECT t.name, m.docno FROM must_find m LEFT JOIN topics t ON t.number = m.topic "
                "WHERE m.pin = ? ORDER BY m.position");
  for (row.bind(pin); row.next();) {
    MustFind& one = must_find.emplace_back();
    row.read(one.topic, one.docno);
  }
  return must_find;
}

Pin pin_of(const Database& database, const Statement& row) {
  Pin pin;
  std::int64_t number = 0;
  row.read(number, pin.name, pin.evaluation, pin.replaced, pin.by, pin.why, pin.time);
  pin.must_find = read_must_find(database, number);
  return pin;
}

std::optional<Pin> find_pin(const Database& database, std::string_view name) {
  Statement row(database,
                fmt::format("{} WHERE name = ? ORDER BY number DESC LIMIT 1", kPinColumns));
  if (!row.bind(name).next()) return std::nullopt;
  return pin_of(database, row);
}

/// Returns the pin with the one that it replaced.
Pin write_pin(const Database& database, Pin pin) {
  if (pin.name.empty()) {
    throw usage_error("a pin without a name; give it one, as in 'main'");
  }
  const std::optional<Pin> before = find_pin(database, pin.name);
  pin.replaced = before ? std::optional(before->evaluation) : std::nullopt;
  pin.replaced_must_find = before ? before->must_find.size() : 0;
  const std::int64_t number =
      insert(database, "pins (name, evaluation, replaced, pinned_by, why, time_ms)", pin.name,
             pin.evaluation, pin.replaced, pin.by, pin.why, pin.time);
  SharedRows shared(database);
  Statement add = insert_into(database, "must_find (pin, position, topic, docno)");
  for (std::size_t i = 0; i < pin.must_find.size(); ++i) {
    const MustFind& one = pin.must_find[i];
    add.bind(number, i, shared.topics.number_of(one.topic), one.docno).run();
  }
  return pin;
}

using Status = GateVerdict::Status;

/// Returns the reason of the first rule with the worst result; empty if all hold.
std::string_view reason_of(const GateVerdict& verdict) {
  const auto worst = std::ranges::max_element(verdict.rules, {}, &GateVerdict::Rule::status);
  const bool holds = worst == verdict.rules.end() || worst->status <= Status::kSkipped;
  return holds ? std::string_view() : worst->reason;
}

void write_verdict(const Database& database, std::int64_t evaluation, const GateVerdict& verdict,
                   std::optional<std::int64_t> attempt) {
  Statement(database, "DELETE FROM attempts WHERE number = ?").bind(attempt).run();
  const std::int64_t number = insert(
      database, "verdicts (evaluation, baseline, baseline_evaluation, time_ms, outcome, reason)",
      evaluation, verdict.baseline.name, verdict.baseline.number, utc_now(),
      to_string(verdict.outcome), reason_of(verdict));
  Statement add_rule =
      insert_into(database, "verdict_rules (verdict, position, rule, status, reason)");
  for (std::size_t i = 0; i < verdict.rules.size(); ++i) {
    const GateVerdict::Rule& rule = verdict.rules[i];
    add_rule.bind(number, i, rule.id, to_string(rule.status), rule.reason).run();
  }
  Statement add_measure =
      insert_into(database,
                  "verdict_measures (verdict, position, measure, status, margin, topics, baseline, "
                  "tonight, difference, low, high, wins, ties, losses)");
  for (std::size_t i = 0; i < verdict.measures.size(); ++i) {
    const GateVerdict::MeasureResult& each = verdict.measures[i];
    add_measure
        .bind(number, i, each.measure.name(), to_string(each.status), each.margin, each.topics,
              each.baseline, each.tonight, each.difference, each.low, each.high, each.wins,
              each.ties, each.losses)
        .run();
  }
}

/// Adds an attempt that has begun, and fills in its number; says why one with a number was refused.
void write_attempt(const Database& database, const Attempt& attempt,
                   std::optional<std::int64_t>& number) {
  if (number) {
    return Statement(database, "UPDATE attempts SET reason = ? WHERE number = ?")
        .bind(attempt.reason, *number)
        .run();
  }
  number = insert(database, "attempts (time_ms, baseline, source, reason)", attempt.time,
                  attempt.baseline, attempt.source, attempt.reason);
}

}  // namespace

void Store::apply(StoreChange& change) { apply(change, {}); }

void Store::apply(StoreChange& change, const std::function<void()>& publish) {
  Transaction transaction(database_);
  if (change.record) {
    change.evaluation = write_evaluation(database_, *change.record, change.evaluation);
  } else if (change.pin || change.verdict) {
    require_evaluation(database_, change.evaluation);
  }
  if (change.pin) {
    change.pin->evaluation = change.evaluation;
    change.pin = write_pin(database_, *std::move(change.pin));
  }
  if (change.verdict) {
    write_verdict(database_, change.evaluation, *change.verdict, change.attempt_number);
  } else if (change.attempt) {
    write_attempt(database_, *change.attempt, change.attempt_number);
  }
  if (publish) publish();
  transaction.commit();
  database_.checkpoint();  // so that those who copy the file have it
}

StoreChange Store::made(StoreChange change) {
  apply(change);
  return change;
}

std::int64_t Store::add(const EvaluationRecord& record) {
  return made({.record = record}).evaluation;
}

Pin Store::pin(const EvaluationRecord& record, const Pin& request) {
  return *made({.record = record, .pin = request}).pin;
}

Pin Store::pin(const Pin& request) {
  return *made({.evaluation = request.evaluation, .pin = request}).pin;
}

std::vector<Pin> Store::pins() const {
  const Transaction at_one_moment(database_, SQLite::TransactionBehavior::DEFERRED);
  std::vector<Pin> pins;
  Statement row(database_, fmt::format("{} ORDER BY number", kPinColumns));
  while (row.next()) pins.push_back(pin_of(database_, row));
  return pins;
}

Baseline Store::baseline(std::string_view name) const {
  const Transaction at_one_moment(database_, SQLite::TransactionBehavior::DEFERRED);
  if (std::optional<Pin> pin = find_pin(database_, name)) {
    return {.name = std::move(pin->name),
            .number = pin->evaluation,
            .evaluation = read_evaluation(database_, pin->evaluation),
            .must_find = std::move(pin->must_find),
            .pinned_by = std::move(pin->by),
            .why = std::move(pin->why),
            .pinned = pin->time};
  }
  const std::vector<std::string> names =
      texts_of(database_, "SELECT DISTINCT name FROM pins ORDER BY name");
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw usage_error("{}: {}", database_.path().string(),
                    unknown_name_message("baseline", name, candidates));
}

std::int64_t Store::add(const EvaluationRecord& record, const GateVerdict& verdict,
                        std::optional<std::int64_t> attempt) {
  return made({.record = record, .verdict = verdict, .attempt_number = attempt}).evaluation;
}

void Store::add(std::int64_t evaluation, const GateVerdict& verdict,
                std::optional<std::int64_t> attempt) {
  made({.evaluation = evaluation, .verdict = verdict, .attempt_number = attempt});
}

std::int64_t Store::begin(const Attempt& attempt) {
  return made({.attempt = attempt}).attempt_number.value();
}

void Store::refuse(std::int64_t attempt, std::string_view reason) {
  made({.attempt = Attempt{.reason = std::string(reason)}, .attempt_number = attempt});
}

std::vector<Attempt> Store::attempts() const {
  std::vector<Attempt> attempts;
  Statement row(database_,
                "SELECT time_ms, baseline, source, reason FROM attempts ORDER BY number");
  while (row.next()) {
    Attempt& one = attempts.emplace_back();
    row.read(one.time, one.baseline, one.source, one.reason);
  }
  return attempts;
}

}  // namespace prescope
