#include "fleet/outbox.h"

#include <algorithm>

#include "base/errors.h"
#include "base/hash.h"
#include "facts/observation_fields.h"
#include "facts/observation_rules.h"
#include "fleet/row_binary.h"
#include "store/sessions/observation_schema.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope {

namespace {

using std::chrono::milliseconds;

/// Finds the newest session that was in an epoch, and its judgements then.
constexpr const char* kSessionOfEpoch =
    "SELECT s.number AS session, ifnull((SELECT d.qrels FROM session_changes d WHERE d.session = "
    "s.number"
    " AND d.number <= c.number AND d.qrels IS NOT NULL ORDER BY d.number DESC LIMIT 1), s.qrels)"
    " AS qrels, s.experiment FROM session_changes c JOIN sessions s ON s.number = c.session"
    " WHERE c.epoch = ?1"
    " UNION ALL SELECT number, qrels, experiment FROM sessions WHERE epoch = ?1"
    " ORDER BY 1 DESC LIMIT 1";

/// Numbers of visits begin anew with each session; 0 is an unknown visit.
std::uint64_t visit_in_spool(const StoredObservation& one) {
  constexpr unsigned kBitsOfVisit = 40;
  const std::uint64_t visit = one.observation.visit;
  if (visit == 0) return std::uint64_t{1} << 63U | static_cast<std::uint64_t>(one.seq);
  return static_cast<std::uint64_t>(one.session) << kBitsOfVisit | visit;
}

/// ClickHouse says its time in whole seconds, and good clocks differ by less than another one.
constexpr milliseconds kClocksDiffer{2000};
constexpr std::int64_t kNoClock = std::numeric_limits<std::int64_t>::max();

std::uint16_t day_of(std::int64_t time_ms) {
  using std::chrono::days;
  return static_cast<std::uint16_t>(
      std::chrono::floor<days>(std::chrono::milliseconds(time_ms)).count());
}

}  // namespace

Outbox::Outbox(const std::filesystem::path& store, std::string url, std::string server)
    : reader_(open_store_file(store, Database::Access::kUpdate)),
      sink_(database_, std::move(url)),
      server_(std::move(server)),
      spool_(database_.number("SELECT spool FROM log_state")) {}

std::optional<Outbox::Batch> Outbox::next(std::size_t most, std::optional<UtcTime> clock) {
  FleetSink::State now = sink_.state();
  Statement last(database_,
                 "SELECT max(seq) FROM (SELECT seq FROM observations WHERE seq > ? AND seq <= ?"
                 " ORDER BY seq LIMIT ?)");
  const auto end = [&](std::int64_t up_to) {
    last.bind(now.acknowledged, up_to, most).next();
    const auto found = last.as<std::optional<std::int64_t>>(0);
    last.rewind();
    return found;
  };
  if (!now.in_flight) {
    now.in_flight = end(std::numeric_limits<std::int64_t>::max());
    if (!now.in_flight) return std::nullopt;
    now.latest_ms = clock ? (*clock + kClocksDiffer).time_since_epoch().count() : kNoClock;
    Statement(database_, "UPDATE sinks SET in_flight = ?, latest_ms = ? WHERE name = ?")
        .bind(now.in_flight, now.latest_ms, sink_.name())
        .run();
  }
  Batch batch = read(now, end(*now.in_flight).value_or(*now.in_flight), most);
  for (const Change& change : changes_) note(change);
  return batch;
}

Outbox::Batch Outbox::read(const FleetSink::State& from, std::int64_t up_to, std::size_t most) {
  stretches_.clear();
  changes_.clear();
  Batch batch{.after = from.acknowledged,
              .up_to = up_to,
              .order_ms = from.order_ms,
              .latest_ms = from.latest_ms};
  batch.rows.reserve(most * kBytesOfRow);
  reader_.read({.up_to = batch.up_to, .unjudged = ObservationFilter::Unjudged::kRead}, batch.after,
               [&](const StoredObservation& one) { append(batch, one); });
  std::set<std::string> experiments;
  for (const Change& change : changes_) experiments.insert(sql_text(change.experiment));
  std::vector<std::uint64_t> epochs;
  for (const auto& [epoch, rows] : batch.epochs) {
    epochs.push_back(static_cast<std::uint64_t>(epoch));
  }
  batch.condition = fmt::format(
      "experiment IN ({}) AND epoch IN ({}) AND server = {} AND spool = {} AND seq > {} AND seq <= "
      "{}",
      fmt::join(experiments, ", "), fmt::join(epochs, ", "), sql_text(server_), spool(),
      batch.after, batch.up_to);
  return batch;
}

void Outbox::append(Batch& batch, const StoredObservation& one) {
  const Observation& observed = one.observation;
  const std::vector<Stretch>& of_session = stretches(one.session);
  const auto behind = std::ranges::lower_bound(of_session, one.seq, {}, &Stretch::after);
  if (behind == of_session.begin() || !std::prev(behind)->epoch) return;
  const Stretch& stretch = *std::prev(behind);
  const bool is_late = (observed.visit != 0 && observed.visit <= stretch.newest_visit_before) ||
                       (one.judged_topic && !topics_of(stretch.qrels).contains(*one.judged_topic));
  // A clock that ran ahead would put all that follows behind the facts of the other servers.
  const std::int64_t time_ms = observed.time.time_since_epoch().count();
  constexpr std::int64_t kAhead = milliseconds(std::chrono::minutes(1)).count();
  batch.ahead_rows += time_ms - kAhead > batch.latest_ms ? 1U : 0U;
  batch.order_ms = std::max(batch.order_ms, std::min(time_ms, batch.latest_ms));
  add_change(one.experiment, *stretch.epoch, batch.order_ms);
  ++batch.epochs[*stretch.epoch];
  ++batch.count;
  std::string& out = batch.rows;
  static const TopicQrels kUnjudged({}, {}, 1);
  const TopicQrels& topic = one.topic != nullptr ? *one.topic : kUnjudged;
  append_row(out, one.experiment, *stretch.epoch, server_, spool_, one.seq, day_of(batch.order_ms),
             batch.order_ms, observed.time, static_cast<std::uint32_t>(one.session), one.arm,
             topic.id(), topic.num_rel(), is_late);
  Observation fields = observed;
  fields.visit = visit_in_spool(one);
  with_field_values(fields, [&](const auto&... values) { append_row(out, values...); });
  const bool scored = is_scored(observed, one.scored_flags);
  const auto depth = std::max<std::uint64_t>(observed.covered, partial_depth_of(observed));
  append_row(out, answer_of(observed) == Answer::kFailure, answer_of(observed) == Answer::kUnseen,
             is_timed(observed), scored, scored ? depth : 0);
  append_array(out, observed.hits, &JudgedHit::rank);
  append_array(out, observed.hits, [&](const JudgedHit& hit) {
    return topic.judgements()[hit.judgement.value()].grade;
  });
  append_array(out, observed.hits, [](const JudgedHit& hit) { return hit.judgement.value(); });
}

const std::vector<Outbox::Stretch>& Outbox::stretches(std::int64_t session) {
  const auto [known, is_new] = stretches_.try_emplace(session);
  std::vector<Stretch>& found = known->second;
  if (!is_new) return found;
  Statement begin(database_,
                  "SELECT s.epoch, s.qrels, q.topics = 0 FROM sessions s"
                  " JOIN qrels_versions q ON q.number = s.qrels WHERE s.number = ?");
  if (!begin.bind(session).next()) return found;
  Stretch first;
  bool finds_topics = false;
  begin.read(first.epoch, first.qrels, finds_topics);
  if (finds_topics) return left_out_.insert(session), found;
  found.push_back(first);
  Statement changes(database_,
                    "SELECT after_seq, epoch, qrels, newest_visit FROM session_changes"
                    " WHERE session = ? ORDER BY number");
  for (changes.bind(session); changes.next();) {
    Stretch next = found.back();
    std::optional<std::int64_t> qrels;
    std::optional<std::uint64_t> newest_visit;
    changes.read(next.after, next.epoch, qrels, newest_visit);
    next.qrels = qrels.value_or(next.qrels);
    if (!qrels) next.newest_visit_before = newest_visit.value_or(0);
    if (next.after == found.back().after) found.pop_back();
    found.push_back(next);
  }
  return found;
}

const std::set<std::int64_t>& Outbox::topics_of(std::int64_t qrels) {
  if (topics_.qrels == qrels) return topics_.numbers;
  topics_ = {};
  Statement rows(database_, fmt::format("{} SELECT topic FROM version", kTopicsOfVersion));
  for (rows.bind(qrels); rows.next();) topics_.numbers.insert(rows.integer(0));
  topics_.qrels = qrels;
  return topics_.numbers;
}

/// Keeps the last change to each epoch, in the order of the changes.
void Outbox::add_change(std::string_view experiment, std::int64_t epoch, std::int64_t began_ms) {
  const auto last = std::find_if(changes_.rbegin(), changes_.rend(), [&](const Change& change) {
    return change.experiment == experiment;
  });
  if (last != changes_.rend() && last->epoch == epoch) return;
  std::erase_if(changes_, [&](const Change& change) { return change.epoch == epoch; });
  changes_.push_back({std::string(experiment), epoch, began_ms});
}

/// A server that goes on with the epoch of its experiment has not changed to it.
void Outbox::note(const Change& change) {
  std::int64_t began_ms = change.began_ms;
  Statement newest(database_,
                   "SELECT epoch, began_ms FROM sink_epochs WHERE sink = ? AND experiment = ?"
                   " ORDER BY began_ms DESC LIMIT 1");
  if (newest.bind(sink_.name(), change.experiment).next()) {
    if (newest.integer(0) == change.epoch) return;
    began_ms = std::max(began_ms, newest.integer(1) + 1);  // the order stays clear
    newest.rewind();
  }
  Statement(database_,
            "INSERT INTO sink_epochs (sink, experiment, epoch, began_ms) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (sink, epoch) DO UPDATE SET began_ms = excluded.began_ms")
      .bind(sink_.name(), change.experiment, change.epoch, began_ms)
      .run();
}

void Outbox::count_rows(const Batch& batch, const char* sign) {
  Statement add(database_, fmt::format("UPDATE sink_epochs SET rows = max(0, rows {} ?)"
                                       " WHERE sink = ? AND epoch = ?",
                                       sign));
  for (const auto& [epoch, rows] : batch.epochs) add.bind(rows, sink_.name(), epoch).run();
}

void Outbox::acknowledge(const Batch& batch) {
  Transaction transaction(database_);
  const FleetSink::State now = sink_.state();
  if (now.acknowledged != batch.after || !now.in_flight) return;  // another process shipped it
  count_rows(batch, "+");
  Statement(database_,
            "UPDATE sinks SET acknowledged = ?1, in_flight = nullif(in_flight, ?1), order_ms = ?2,"
            " ahead_rows = ahead_rows + ?3, published = max(published, ?1) WHERE name = ?4")
      .bind(batch.up_to, batch.order_ms, batch.ahead_rows, sink_.name())
      .run();
  transaction.commit();
}

std::uint64_t Outbox::compare(std::uint64_t known) {
  const std::optional<std::int64_t> back = sink_.compare(static_cast<std::int64_t>(known));
  if (!back) return 0;
  const FleetSink::State now = sink_.state();
  FleetSink::State from = now;
  from.acknowledged = *back;
  std::uint64_t again = 0;
  Transaction transaction(database_);
  constexpr std::int64_t kAtOnce = 20'000;
  for (; from.acknowledged < now.acknowledged; from.acknowledged += kAtOnce) {
    const Batch lost = read(from, std::min(from.acknowledged + kAtOnce, now.acknowledged), kAtOnce);
    count_rows(lost, "-");
    again += lost.count;
  }
  Statement(database_,
            "UPDATE sinks SET acknowledged = ?1, told = ?1, in_flight = NULL WHERE name = ?2")
      .bind(*back, sink_.name())
      .run();
  transaction.commit();
  return again;
}

std::string Outbox::epoch_row(std::int64_t epoch) const {
  Statement row(
      database_,
      fmt::format("SELECT o.session, e.text, q.hash, q.docno, q.min_grade, k.began_ms FROM ({}) o"
                  " JOIN qrels_versions q ON q.number = o.qrels"
                  " JOIN epochs e ON e.key = ?1 JOIN sink_epochs k ON k.epoch = ?1 AND k.sink = ?2",
                  kSessionOfEpoch));
  if (!row.bind(epoch, sink_.name()).next()) return {};
  std::int64_t session = 0, began_ms = 0;
  std::string_view text, hash, docno;
  Grade min_grade = 1;
  row.read(session, text, hash, docno, min_grade, began_ms);
  const SessionWords words = read_session_words(database_, session);
  std::string bytes;
  append_row(bytes, words.experiment, epoch, server_, text,
             judgements_version(hash, docno, min_grade), began_ms, words.mode, words.epochs,
             words.alpha, words.shadow_latency, words.measures, words.primary, words.salt,
             words.shares, words.scored_flags, words.baseline, words.stages, docno, min_grade,
             words.families, words.limits, words.slices, words.test);
  return bytes;
}

Outbox::Judgements Outbox::judgements(std::int64_t epoch) const {
  Judgements all;
  Statement session(database_, kSessionOfEpoch);
  if (!session.bind(epoch).next()) return all;
  const std::int64_t qrels = session.integer(1);
  const std::string experiment(session.text(2));
  Statement row(database_,
                fmt::format("{} SELECT q.hash, q.docno, q.min_grade, t.name, j.judgements"
                            " FROM version v JOIN qrels_versions q ON q.number = ?1"
                            " JOIN judged_topics j ON j.number = v.topic"
                            " JOIN topics t ON t.number = j.topic ORDER BY t.name",
                            kTopicsOfVersion));
  for (row.bind(qrels); row.next();) {
    std::string_view hash, docno, name, text;
    Grade min_grade = 1;
    row.read(hash, docno, min_grade, name, text);
    const TopicQrels topic = stored_topic(name, parse_docno_policy(docno), min_grade, text);
    const std::uint64_t version = judgements_version(hash, docno, min_grade);
    all.condition = fmt::format("experiment = {} AND version = {}", sql_text(experiment), version);
    std::string& rows = all.rows.emplace_back();
    append_row(rows, experiment, version, name, topic.num_rel(), text);
    append_array(rows, topic.judgements(), [](const Judgement& one) { return key_hash(one.key); });
    append_array(rows, topic.judgements(), &Judgement::grade);
    append_array(rows, topic.judgements(),
                 [&](const Judgement& one) { return one.grade >= min_grade; });
  }
  return all;
}

std::string Outbox::shipped_rows(const std::set<std::int64_t>& grown, std::uint64_t made_ms) const {
  constexpr int kNewest = 20;
  const FleetSink::State now = sink_.state();
  std::string rows;
  Statement epochs(database_,
                   "SELECT experiment, epoch, rows FROM sink_epochs WHERE sink = ?"
                   " ORDER BY began_ms DESC");
  Statement counters(database_,
                     "SELECT c.name, sum(c.value) FROM counters c JOIN sessions s"
                     " ON s.number = c.session WHERE s.experiment = ?1 GROUP BY c.name"
                     " UNION ALL SELECT ?2, ifnull(sum(h.unjudged), 0) FROM hourly h"
                     " JOIN session_arms a ON a.number = h.arm"
                     " JOIN sessions s ON s.number = a.session"
                     " WHERE s.experiment = ?1 AND s.unjudged = ?3");
  const std::string_view counted = word_in(kUnjudgedWords, StoreLogOptions::Unjudged::kCounted);
  epochs.bind(sink_.name());
  for (int place = 0; epochs.next(); ++place) {
    std::string_view experiment;
    std::int64_t epoch = 0, shipped = 0;
    epochs.read(experiment, epoch, shipped);
    if (place >= kNewest && !grown.contains(epoch)) continue;
    append_row(rows, experiment, epoch, server_, spool_, now.acknowledged, shipped);
    std::vector<std::string> names;
    std::vector<std::int64_t> counts;
    for (counters.bind(experiment, kOnlyCounted, counted); counters.next();) {
      counters.read(names.emplace_back(), counts.emplace_back());
    }
    append_array(rows, names, std::identity());
    append_array(rows, counts, std::identity());
    append_value(rows, made_ms);
  }
  return rows;
}

std::string Outbox::spool_row(const ShipperWords& words, std::uint64_t made_ms) const {
  const FleetSink::State now = sink_.state();
  const std::uint64_t waiting = this->waiting();
  // An earlier session of an experiment has ended, or was killed.
  const bool is_ended = database_.number(
                            "SELECT count(*) FROM (SELECT max(number), ended_ms FROM sessions"
                            " GROUP BY experiment) WHERE ended_ms IS NULL") == 0;
  std::string row;
  append_row(row, server_, spool_, now.acknowledged, now.order_ms, now.dropped, waiting,
             is_ended && waiting == 0, words.writer, words.ahead, now.ahead_rows, words.error,
             made_ms);
  return row;
}

std::string Outbox::epoch_condition(std::int64_t epoch, std::uint64_t made_ms) const {
  return fmt::format("epoch = {} AND server = {} AND made_ms = {}",
                     static_cast<std::uint64_t>(epoch), sql_text(server_), made_ms);
}

std::string Outbox::spool_condition(std::uint64_t made_ms) const {
  return fmt::format("server = {} AND spool = {} AND made_ms = {}", sql_text(server_), spool(),
                     made_ms);
}

void Outbox::forget(const std::filesystem::path& store, std::string_view url) {
  Database database = open_store_file(store, Database::Access::kUpdate);
  FleetSink::forget(database, url);
}

}  // namespace prescope
