#include "fleet/outbox.h"

#include <algorithm>

#include "base/errors.h"
#include "base/hash.h"
#include "fleet/row_binary.h"
#include "store/sessions/observation_schema.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope {

namespace {

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

std::uint64_t version_of(std::string_view hash, std::string_view docno, Grade min_grade) {
  return fnv_1a(fmt::format("{} {} {}", hash, docno, min_grade));
}

std::uint16_t day_of(std::int64_t time_ms) {
  using std::chrono::days;
  return static_cast<std::uint16_t>(
      std::chrono::floor<days>(std::chrono::milliseconds(time_ms)).count());
}

}  // namespace

Outbox::Outbox(const std::filesystem::path& store, std::string sink, std::string server)
    : reader_(open_store_file(store, Database::Access::kUpdate)),
      sink_(std::move(sink)),
      server_(std::move(server)),
      spool_(database_.number("SELECT spool FROM log_state")) {
  Statement(database_, "INSERT OR IGNORE INTO sinks (name) VALUES (?)").bind(sink_).run();
}

Outbox::State Outbox::state() const {
  Statement row(database_,
                "SELECT acknowledged, in_flight, order_ms, dropped, made_ms FROM sinks"
                " WHERE name = ?");
  State state;
  if (row.bind(sink_).next()) {
    row.read(state.acknowledged, state.in_flight, state.order_ms, state.dropped, state.made_ms);
    return state;
  }
  throw usage_error("{}: '{}' was forgotten while it was shipped to", database_.path().string(),
                    sink_);
}

std::optional<Outbox::Batch> Outbox::next(std::size_t most) {
  State now = state();
  if (!now.in_flight) {
    Statement last(database_,
                   "SELECT max(seq) FROM"
                   " (SELECT seq FROM observations WHERE seq > ? ORDER BY seq LIMIT ?)");
    last.bind(now.acknowledged, most).next();
    now.in_flight = last.as<std::optional<std::int64_t>>(0);
    if (!now.in_flight) return std::nullopt;
    last.rewind();
    Statement(database_, "UPDATE sinks SET in_flight = ? WHERE name = ?")
        .bind(now.in_flight, sink_)
        .run();
  }
  stretches_.clear();
  changes_.clear();
  Batch batch{.up_to = *now.in_flight, .order_ms = now.order_ms};
  batch.rows.reserve(most * kBytesOfRow);
  reader_.read({.up_to = batch.up_to, .unjudged = ObservationFilter::Unjudged::kRead},
               now.acknowledged, [&](const StoredObservation& one) { append(batch, one); });
  for (const Change& change : changes_) note(change);
  std::set<std::string> experiments;
  for (const Change& change : changes_) experiments.insert(sql_text(change.experiment));
  std::vector<std::uint64_t> epochs;
  for (const auto& [epoch, rows] : batch.epochs)
    epochs.push_back(static_cast<std::uint64_t>(epoch));
  batch.condition = fmt::format(
      "experiment IN ({}) AND epoch IN ({}) AND server = {} AND spool = {} AND seq > {} AND seq <= "
      "{}",
      fmt::join(experiments, ", "), fmt::join(epochs, ", "), sql_text(server_),
      static_cast<std::uint64_t>(spool_), now.acknowledged, batch.up_to);
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
  batch.order_ms = std::max(batch.order_ms, one.time.time_since_epoch().count());
  add_change(one.experiment, *stretch.epoch, batch.order_ms);
  ++batch.epochs[*stretch.epoch];
  ++batch.count;
  std::string& out = batch.rows;
  static const TopicQrels kUnjudged({}, {}, 1);
  const TopicQrels& topic = one.topic != nullptr ? *one.topic : kUnjudged;
  append_row(out, one.experiment, *stretch.epoch, server_, spool_, one.seq, day_of(batch.order_ms),
             batch.order_ms, one.time, static_cast<std::uint32_t>(one.session), one.arm, topic.id(),
             visit_in_spool(one), observed.visit_key, observed.compared_arms, observed.generation,
             observed.collection_size, observed.first_rank, observed.requested_depth,
             observed.num_ret, observed.covered, observed.is_exhausted, is_late,
             observed.duplicates, observed.flags, observed.stage, observed.latency,
             observed.self_time, observed.total_hits, topic.num_rel());
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
  Statement begin(database_, "SELECT epoch, qrels FROM sessions WHERE number = ?");
  if (!begin.bind(session).next()) return found;
  Stretch& first = found.emplace_back();
  begin.read(first.epoch, first.qrels);
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
  const auto [known, is_new] = qrels_.try_emplace(qrels);
  if (!is_new) return known->second;
  Statement rows(database_, "SELECT topic FROM qrels_topics WHERE qrels = ?");
  for (rows.bind(qrels); rows.next();) known->second.insert(rows.integer(0));
  return known->second;
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
  if (newest.bind(sink_, change.experiment).next()) {
    if (newest.integer(0) == change.epoch) return;
    began_ms = std::max(began_ms, newest.integer(1) + 1);  // the order stays clear
    newest.rewind();
  }
  Statement(database_,
            "INSERT INTO sink_epochs (sink, experiment, epoch, began_ms) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (sink, epoch) DO UPDATE SET began_ms = excluded.began_ms")
      .bind(sink_, change.experiment, change.epoch, began_ms)
      .run();
}

void Outbox::acknowledge(const Batch& batch) {
  Transaction transaction(database_);
  if (state().in_flight != batch.up_to) return;  // another process shipped it, or gave it up
  Statement add(database_, "UPDATE sink_epochs SET rows = rows + ? WHERE sink = ? AND epoch = ?");
  for (const auto& [epoch, rows] : batch.epochs) add.bind(rows, sink_, epoch).run();
  Statement(database_,
            "UPDATE sinks SET acknowledged = ?, in_flight = NULL, order_ms = ? WHERE name = ?")
      .bind(batch.up_to, batch.order_ms, sink_)
      .run();
  transaction.commit();
}

std::uint64_t Outbox::waiting() const {
  // SQLite looks an end up in its tree only if it is asked for alone.
  Statement row(database_,
                "SELECT ifnull((SELECT min(seq) FROM observations), 0),"
                " ifnull((SELECT max(seq) FROM observations), 0)");
  row.next();
  const std::int64_t before = std::max(row.integer(0) - 1, state().acknowledged);
  return static_cast<std::uint64_t>(std::max(row.integer(1) - before, std::int64_t{0}));
}

std::uint64_t Outbox::dropped() const { return state().dropped; }

std::uint64_t Outbox::drop(const Limits& limits, UtcTime now) {
  const State before = state();
  std::int64_t up_to = before.acknowledged;
  if (limits.bytes) {
    const auto most = static_cast<std::int64_t>(*limits.bytes / kBytesOfRow);
    up_to =
        std::max(up_to, database_.number("SELECT ifnull(max(seq), 0) FROM observations") - most);
  }
  if (limits.age) {
    // Rows are stored about in the order of their times, so that the oldest stand first.
    constexpr int kMost = 100'000;
    Statement old(database_,
                  "SELECT max(seq) FROM (SELECT seq, time_ms FROM observations WHERE seq > ?"
                  " ORDER BY seq LIMIT ?) WHERE time_ms < ?");
    old.bind(before.acknowledged, kMost, now - *limits.age).next();
    up_to = std::max(up_to, old.as<std::optional<std::int64_t>>(0).value_or(0));
  }
  if (up_to <= before.acknowledged) return 0;
  Transaction transaction(database_);
  Statement count(database_, "SELECT count(*) FROM observations WHERE seq > ? AND seq <= ?");
  count.bind(before.acknowledged, up_to).next();
  const auto dropped = count.as<std::uint64_t>(0);
  count.rewind();
  Statement(database_,
            "UPDATE sinks SET acknowledged = ?, in_flight = NULL, dropped = dropped + ?"
            " WHERE name = ?")
      .bind(up_to, dropped, sink_)
      .run();
  transaction.commit();
  return dropped;
}

void Outbox::promise(UtcTime time) {
  Transaction transaction(database_);
  const State now = state();
  if (now.in_flight || waiting() > 0) return;
  Statement(database_, "UPDATE sinks SET order_ms = max(order_ms + 1, ?) WHERE name = ?")
      .bind(time, sink_)
      .run();
  transaction.commit();
}

std::uint64_t Outbox::next_version() {
  Statement(database_, "UPDATE sinks SET made_ms = max(made_ms + 1, ?) WHERE name = ?")
      .bind(utc_now_ms(), sink_)
      .run();
  return state().made_ms;
}

std::string Outbox::epoch_row(std::int64_t epoch) const {
  Statement row(
      database_,
      fmt::format("SELECT o.session, e.text, q.hash, q.docno, q.min_grade, k.began_ms FROM ({}) o"
                  " JOIN qrels_versions q ON q.number = o.qrels"
                  " JOIN epochs e ON e.key = ?1 JOIN sink_epochs k ON k.epoch = ?1 AND k.sink = ?2",
                  kSessionOfEpoch));
  if (!row.bind(epoch, sink_).next()) return {};
  std::int64_t session = 0, began_ms = 0;
  std::string_view text, hash, docno;
  Grade min_grade = 1;
  row.read(session, text, hash, docno, min_grade, began_ms);
  const SessionWords words = read_session_words(database_, session);
  std::string bytes;
  append_row(bytes, words.experiment, epoch, server_, text, version_of(hash, docno, min_grade),
             began_ms, words.mode, words.epochs, words.alpha, words.shadow_latency, words.measures,
             words.inference, words.primary, words.salt, words.scored_flags, words.baseline,
             words.stages, docno, min_grade, words.families);
  return bytes;
}

Outbox::Judgements Outbox::judgements(std::int64_t epoch) const {
  Judgements all;
  Statement session(database_, kSessionOfEpoch);
  if (!session.bind(epoch).next()) return all;
  const std::int64_t qrels = session.integer(1);
  const std::string experiment(session.text(2));
  Statement row(database_,
                "SELECT q.hash, q.docno, q.min_grade, t.name, j.judgements"
                " FROM qrels_topics k JOIN qrels_versions q ON q.number = k.qrels"
                " JOIN judged_topics j ON j.number = k.topic JOIN topics t ON t.number = j.topic"
                " WHERE k.qrels = ? ORDER BY t.name");
  for (row.bind(qrels); row.next();) {
    std::string_view hash, docno, name, text;
    Grade min_grade = 1;
    row.read(hash, docno, min_grade, name, text);
    const TopicQrels topic = stored_topic(name, parse_docno_policy(docno), min_grade, text);
    const std::uint64_t version = version_of(hash, docno, min_grade);
    all.condition = fmt::format("experiment = {} AND version = {}", sql_text(experiment), version);
    std::string& rows = all.rows;
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
  const State now = state();
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
  epochs.bind(sink_);
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

std::string Outbox::spool_row(std::uint64_t made_ms) const {
  const State now = state();
  const std::uint64_t waiting = this->waiting();
  // An earlier session of an experiment has ended, or was killed.
  const bool is_ended = database_.number(
                            "SELECT count(*) FROM (SELECT max(number), ended_ms FROM sessions"
                            " GROUP BY experiment) WHERE ended_ms IS NULL") == 0;
  std::string row;
  append_row(row, server_, spool_, now.acknowledged, now.order_ms, now.dropped, waiting,
             is_ended && waiting == 0, made_ms);
  return row;
}

std::string Outbox::epoch_condition(std::int64_t epoch, std::uint64_t made_ms) const {
  return fmt::format("epoch = {} AND server = {} AND made_ms = {}",
                     static_cast<std::uint64_t>(epoch), sql_text(server_), made_ms);
}

std::string Outbox::spool_condition(std::uint64_t made_ms) const {
  return fmt::format("server = {} AND spool = {} AND made_ms = {}", sql_text(server_),
                     static_cast<std::uint64_t>(spool_), made_ms);
}

void Outbox::forget(const std::filesystem::path& store, std::string_view sink) {
  Database database = open_store_file(store, Database::Access::kUpdate);
  Transaction transaction(database);
  Statement(database, "DELETE FROM sinks WHERE name = ?").bind(sink).run();
  const bool is_known = database.getChanges() > 0;
  Statement(database, "DELETE FROM sink_epochs WHERE sink = ?").bind(sink).run();
  transaction.commit();
  if (is_known) return;
  const std::vector<std::string> names = texts_of(database, "SELECT name FROM sinks ORDER BY name");
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw usage_error("{}: {}", store.string(), unknown_name_message("fleet", sink, known));
}

}  // namespace prescope
