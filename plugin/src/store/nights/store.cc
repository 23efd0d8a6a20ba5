#include "store/nights/store.h"

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "nightly/record/conditions.h"
#include "store/nights/evaluation_rows.h"
#include "store/nights/evaluation_texts.h"

namespace prescope {

Store Store::open(const std::filesystem::path& path, Access access) {
  return Store(open_store_file(path, access));
}

namespace {

constexpr const char* kPinColumns =
    "SELECT number, name, evaluation, replaced, pinned_by, why, time_ms, newest FROM pins";

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
  row.read(number, pin.name, pin.evaluation, pin.replaced, pin.by, pin.why, pin.time, pin.newest);
  pin.must_find = read_must_find(database, number);
  return pin;
}

std::optional<Pin> find_pin(const Database& database, std::string_view name) {
  Statement row(database,
                fmt::format("{} WHERE name = ? ORDER BY number DESC LIMIT 1", kPinColumns));
  if (!row.bind(name).next()) return std::nullopt;
  return pin_of(database, row);
}

/// Returns the highest number of an evaluation; 0 if there is none.
std::int64_t newest_night(const Database& database) {
  Statement row(database, "SELECT coalesce(max(number), 0) FROM evaluations");
  std::int64_t number = 0;
  if (row.next()) row.read(number);
  return number;
}

/// Returns the pin with the one that it replaced.
Pin write_pin(const Database& database, Pin pin) {
  if (pin.name.empty()) {
    throw usage_error("a pin without a name; give it one, as in 'main'");
  }
  const std::optional<Pin> before = find_pin(database, pin.name);
  pin.replaced = before ? std::optional(before->evaluation) : std::nullopt;
  pin.replaced_must_find = before ? before->must_find.size() : 0;
  pin.newest = newest_night(database);
  const std::int64_t number =
      insert(database, "pins (name, evaluation, replaced, pinned_by, why, time_ms, newest)",
             pin.name, pin.evaluation, pin.replaced, pin.by, pin.why, pin.time, pin.newest);
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
  number = insert(database, "attempts (time_ms, baseline, source, reason, newest)", attempt.time,
                  attempt.baseline, attempt.source, attempt.reason, newest_night(database));
}

void require_arm(const Database& database, const std::string& arm) {
  const std::vector<std::string> names =
      texts_of(database,
               "SELECT DISTINCT a.name FROM evaluations e "
               "JOIN arms a ON a.number = e.arm ORDER BY a.name");
  if (std::ranges::find(names, arm) != names.end()) return;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw Error(ErrorCode::kUsage, unknown_name_message("arm", arm, candidates));
}

/// Parses the text that `to_string` returns.
GateOutcome parse_outcome(std::string_view text) {
  for (const GateOutcome outcome : {GateOutcome::kPass, GateOutcome::kRegression,
                                    GateOutcome::kInconclusive, GateOutcome::kBadInput}) {
    if (to_string(outcome) == text) return outcome;
  }
  throw bad_input_error(
      "the store has a verdict '{}', which no prescope writes; take a copy of an earlier day",
      text);
}

/// Adds means, verdict and pins to a night.
void complete(const Database& database, Night& night) {
  Statement means(database,
                  "SELECT measure, mean, topics FROM evaluation_means WHERE evaluation = ? "
                  "ORDER BY position");
  for (means.bind(night.number); means.next();) {
    auto& [measure, mean] = night.means.emplace_back();
    means.read(measure, mean.mean, mean.topics);
  }
  Statement verdict(database,
                    "SELECT number, outcome, reason, baseline, baseline_evaluation FROM verdicts "
                    "WHERE evaluation = ? ORDER BY number DESC LIMIT 1");
  if (verdict.bind(night.number).next()) {
    std::int64_t number = 0;
    std::string_view outcome;
    verdict.read(number, outcome, night.reason, night.baseline, night.baseline_number);
    night.outcome = parse_outcome(outcome);
    Statement rules(database,
                    "SELECT measure FROM verdict_measures WHERE verdict = ? ORDER BY position");
    for (rules.bind(number); rules.next();) night.decided_by.emplace_back(rules.text(0));
  }
  Statement pins(database,
                 "SELECT name FROM pins WHERE evaluation = ? GROUP BY name ORDER BY min(number)");
  for (pins.bind(night.number); pins.next();) night.pinned_as.emplace_back(pins.text(0));
}

}  // namespace

void Store::apply(StoreChange& change) { apply(change, {}); }

void Store::apply(StoreChange& change, const std::function<void()>& publish) {
  if (database_.is_moved()) {  // nobody would look for the night in the file that was opened
    throw io_error("{}: was moved, removed or replaced since it was opened; repeat the command",
                   database_.path().string());
  }
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

EvaluationRecord Store::evaluation(std::int64_t number) const {
  const Transaction at_one_moment(database_, SQLite::TransactionBehavior::DEFERRED);
  return read_evaluation(database_, number);
}

std::vector<Night> Store::nights(const HistoryFilter& filter) const {
  const Transaction at_one_moment(database_, SQLite::TransactionBehavior::DEFERRED);
  if (filter.arm) require_arm(database_, *filter.arm);
  Statement row(database_,
                "SELECT e.number, e.time_ms, a.name, e.source, q.hash, q.topics, q.judgements, "
                "q.relevant, q.docno, q.min_grade, e.topics, e.p95_ms, "
                "a.config, i.engine, i.engine_version, i.passport, e.conditions "
                "FROM evaluations e LEFT JOIN arms a ON a.number = e.arm "
                "LEFT JOIN qrels_versions q ON q.number = e.qrels "
                "LEFT JOIN index_versions i ON i.number = e.index_version "
                "WHERE (?1 IS NULL OR e.time_ms >= ?1) AND (?2 IS NULL OR e.time_ms < ?2) "
                "AND (?3 IS NULL OR a.name = ?3) "
                "ORDER BY e.number DESC LIMIT coalesce(?4, -1)");
  std::vector<Night> nights;
  for (row.bind(filter.since, filter.until, filter.arm, filter.last); row.next();) {
    Night& night = nights.emplace_back();
    QrelsVersion& qrels = night.qrels;
    std::string_view docno, passport, conditions;
    EvaluationRecord facts;
    row.read(night.number, night.time, night.arm, night.source, qrels.hash, qrels.topics,
             qrels.judgements, qrels.relevant, docno, qrels.min_grade, night.topics, night.p95_ms,
             facts.config, facts.index.engine, facts.index.engine_version, passport, conditions);
    qrels.docno = parse_docno_policy(docno);
    // A list that is damaged says nothing here; reading the whole night refuses it.
    if (read_text(passport, facts.index.passport) && read_text(conditions, facts.conditions)) {
      night.conditions = conditions_of(facts);
    }
    complete(database_, night);
  }
  std::ranges::reverse(nights);
  return nights;
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
                "SELECT time_ms, baseline, source, reason, newest FROM attempts ORDER BY number");
  while (row.next()) {
    Attempt& one = attempts.emplace_back();
    row.read(one.time, one.baseline, one.source, one.reason, one.newest);
  }
  return attempts;
}

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
/// Rows of one transaction, which other writers have to wait for.
constexpr std::int64_t kRowsAtOnce = 20'000;

/// One kind of rows that may be removed.
struct Removable {
  std::uint64_t Pruned::*count = nullptr;
  std::optional<UtcTime> Retention::*since = nullptr;
  std::string_view table, key;
  std::string_view may_go;   ///< SQL condition of the rows that may be removed
  std::string_view time_ms;  ///< of a row
  std::string_view order;    ///< oldest first
};

/// Rows that are in the sums, and that every fleet has acknowledged that the store is shipped to.
constexpr std::string_view kIsKeptElsewhere =
    "seq <= (SELECT min(rolled_up_to, ifnull((SELECT min(acknowledged) FROM sinks), rolled_up_to))"
    " FROM log_state)";

// Captures are removed before their observations, whose time they have.
constexpr Removable kRemovable[] = {
    {.count = &Pruned::captures,
     .since = &Retention::observations_since,
     .table = "captures",
     .key = "seq",
     .may_go = kIsKeptElsewhere,
     .time_ms = "ifnull((SELECT o.time_ms FROM observations o WHERE o.seq = captures.seq), 0)",
     .order = "seq"},
    {.count = &Pruned::observations,
     .since = &Retention::observations_since,
     .table = "observations",
     .key = "seq",
     .may_go = kIsKeptElsewhere,
     .time_ms = "time_ms",
     .order = "seq"},
    {.count = &Pruned::evaluations,
     .since = &Retention::evaluations_since,
     .table = "evaluations",
     .key = "number",
     .may_go = "number NOT IN (SELECT evaluation FROM pins)",
     .time_ms = "time_ms",
     .order = "time_ms, number"}};

/// Removes the oldest rows from before the time, at most so many; returns their number.
std::int64_t remove(Database& database, const Removable& what, std::int64_t before_ms,
                    std::int64_t most) {
  Transaction transaction(database);
  Statement(database,
            fmt::format("DELETE FROM {0} WHERE {1} IN (SELECT {1} FROM {0} WHERE {2} AND {3} < ? "
                        "ORDER BY {4} LIMIT ?)",
                        what.table, what.key, what.may_go, what.time_ms, what.order))
      .bind(before_ms, most)
      .run();
  const std::int64_t removed = database.getChanges();
  transaction.commit();
  return removed;
}

/// Forgets the requests that were served before the time, and notes it: whether a request from
/// before it was stored is not known any more.
void forget_requests(Database& database, std::int64_t before_ms) {
  Statement(database,
            "UPDATE log_state SET requests_since_ms = max(ifnull(requests_since_ms, ?1), ?1)")
      .bind(before_ms)
      .run();
  constexpr Removable kRequests{.table = "requests",
                                .key = "request_id",
                                .may_go = "1",
                                .time_ms = "time_ms",
                                .order = "time_ms"};
  while (remove(database, kRequests, before_ms, kRowsAtOnce) > 0) {
  }
}

/// Removes the overlaps of visits from before the time.
void remove_overlaps(Database& database, std::int64_t before_ms) {
  constexpr Removable kOverlaps{
      .table = "overlaps", .key = "number", .may_go = "1", .time_ms = "time_ms", .order = "number"};
  while (remove(database, kOverlaps, before_ms, kRowsAtOnce) > 0) {
  }
}

/// Forgets the requests from before the oldest observation that is left; all if none is.
void forget_requests_of_removed(Database& database) {
  forget_requests(database,
                  database.number("SELECT ifnull((SELECT time_ms FROM observations ORDER BY seq "
                                  "LIMIT 1), (SELECT ifnull(max(time_ms), 0) + 1 FROM requests))"));
  remove_overlaps(database,
                  database.number("SELECT ifnull((SELECT time_ms FROM observations ORDER BY seq "
                                  "LIMIT 1), (SELECT ifnull(max(time_ms), 0) + 1 FROM overlaps))"));
}

std::uint64_t bytes_of(const Database& database, std::int64_t pages) {
  return static_cast<std::uint64_t>(pages * database.number("PRAGMA page_size"));
}

}  // namespace

Pruned Store::prune(const Retention& retention) {
  const auto pages = [&] { return database_.number("PRAGMA page_count"); };
  const auto used = [&] { return pages() - database_.number("PRAGMA freelist_count"); };
  Pruned pruned{.bytes_before = bytes_of(database_, pages())};
  const auto remove_some = [&](const Removable& what, std::int64_t before_ms, std::int64_t most) {
    const std::int64_t removed = remove(database_, what, before_ms, most);
    pruned.*what.count += static_cast<std::uint64_t>(removed);
    return removed > 0;
  };
  for (const Removable& what : kRemovable) {
    const std::optional<UtcTime> since = retention.*what.since;
    while (since && remove_some(what, since->time_since_epoch().count(), kRowsAtOnce)) {
    }
  }
  if (retention.observations_since) {
    remove_overlaps(database_, retention.observations_since->time_since_epoch().count());
    forget_requests(database_, retention.observations_since->time_since_epoch().count());
  }
  if (retention.evaluations_since) {
    Statement(database_, "DELETE FROM attempts WHERE time_ms < ?")
        .bind(*retention.evaluations_since)
        .run();
  }
  for (const Removable& what : kRemovable) {
    bool goes_on = retention.bytes.has_value();
    while (goes_on && bytes_of(database_, used()) > *retention.bytes) {
      // Removes a sixteenth at a time, because sizes are only known for pages.
      const std::int64_t there = database_.number(
          fmt::format("SELECT count(*) FROM {} WHERE {}", what.table, what.may_go));
      goes_on = remove_some(what, kEndOfTime, std::min(1 + there / 16, kRowsAtOnce));
      if (goes_on && what.table == "observations") forget_requests_of_removed(database_);
    }
  }
  Statement(database_, "PRAGMA incremental_vacuum").run();  // returns rows, which say nothing
  database_.checkpoint();
  pruned.bytes_after = bytes_of(database_, pages());
  return pruned;
}

}  // namespace prescope
