#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>

#include "prescope/experiment_options.h"
#include "prescope/qrels.h"

namespace prescope {

/// Tables and views of the observations of running experiments, and of shipping them to fleets.
/// `docs/formats.md` explains every column. `observations` declares no foreign keys: checking them
/// would cost each row three look-ups.
inline constexpr std::string_view kObservationSchema = R"sql(
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY, experiment TEXT NOT NULL, began_ms INTEGER NOT NULL,
  mode TEXT NOT NULL, epochs TEXT NOT NULL, alpha REAL NOT NULL, shadow_latency TEXT NOT NULL,
  measures TEXT NOT NULL, cutoff INTEGER NOT NULL, unjudged TEXT NOT NULL,
  qrels INTEGER NOT NULL REFERENCES qrels_versions, after_seq INTEGER,
  epoch INTEGER REFERENCES epochs, inference TEXT, primary_measure TEXT, salt TEXT,
  scored_flags INTEGER, baseline TEXT, capture_depth INTEGER, captured_hits INTEGER,
  lost_before INTEGER, ended_ms INTEGER, families TEXT NOT NULL,
  judgements_repeated INTEGER NOT NULL, judgements_merged INTEGER NOT NULL,
  stages TEXT NOT NULL DEFAULT '[]', limits TEXT NOT NULL
);
CREATE TABLE session_arms (
  number INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions,
  position INTEGER NOT NULL, arm INTEGER NOT NULL REFERENCES arms, engine TEXT NOT NULL,
  engine_version TEXT NOT NULL, place TEXT NOT NULL, index_label TEXT, relevant_missing INTEGER,
  missing_series TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE session_changes (
  number INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions,
  after_seq INTEGER NOT NULL, kind TEXT NOT NULL, arm INTEGER REFERENCES session_arms,
  qrels INTEGER REFERENCES qrels_versions, epoch INTEGER REFERENCES epochs, newest_visit INTEGER
);
CREATE TABLE generations (
  number INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions,
  generation INTEGER NOT NULL, documents INTEGER NOT NULL, first_ms INTEGER NOT NULL,
  UNIQUE (session, generation, documents)
);
CREATE TABLE judged_topics (
  number INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topics, docno TEXT NOT NULL,
  min_grade INTEGER NOT NULL, judgements TEXT NOT NULL
);
CREATE INDEX judged_topics_by_topic ON judged_topics (topic);
CREATE TABLE qrels_topics (
  qrels INTEGER NOT NULL REFERENCES qrels_versions, position INTEGER NOT NULL,
  topic INTEGER NOT NULL REFERENCES judged_topics,
  PRIMARY KEY (qrels, position)
) WITHOUT ROWID;

CREATE TABLE observations (
  seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, arm INTEGER NOT NULL, topic INTEGER,
  generation INTEGER, first_rank INTEGER NOT NULL, depth INTEGER NOT NULL,
  num_ret INTEGER NOT NULL, total_hits INTEGER NOT NULL, duplicates INTEGER NOT NULL,
  flags INTEGER NOT NULL, latency_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL, pres REAL,
  recall REAL, ap REAL, hits BLOB, visit INTEGER NOT NULL DEFAULT 0, visit_key INTEGER,
  compared_arms INTEGER NOT NULL DEFAULT 0, covered INTEGER NOT NULL DEFAULT 0,
  exhausted INTEGER NOT NULL DEFAULT 0, stage INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE captures (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, hits BLOB NOT NULL);
CREATE TABLE hourly (
  arm INTEGER NOT NULL REFERENCES session_arms, hour_ms INTEGER NOT NULL, judged INTEGER NOT NULL,
  unjudged INTEGER NOT NULL, failed INTEGER NOT NULL, timed_out INTEGER NOT NULL,
  pres_n INTEGER NOT NULL, pres_sum REAL NOT NULL, recall_n INTEGER NOT NULL,
  recall_sum REAL NOT NULL, ap_n INTEGER NOT NULL, ap_sum REAL NOT NULL,
  latency_n INTEGER NOT NULL, latency_sum_ns INTEGER NOT NULL, latency BLOB NOT NULL,
  PRIMARY KEY (arm, hour_ms)
);
CREATE TABLE topic_totals (
  arm INTEGER NOT NULL REFERENCES session_arms, topic INTEGER NOT NULL REFERENCES judged_topics,
  visits INTEGER NOT NULL, pres_n INTEGER NOT NULL, pres_sum REAL NOT NULL,
  recall_n INTEGER NOT NULL, recall_sum REAL NOT NULL, ap_n INTEGER NOT NULL,
  ap_sum REAL NOT NULL, latency_n INTEGER NOT NULL, latency_sum_ns INTEGER NOT NULL,
  first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
  PRIMARY KEY (arm, topic)
) WITHOUT ROWID;
CREATE TABLE log_state (
  number INTEGER PRIMARY KEY CHECK (number = 1), rolled_up_to INTEGER NOT NULL,
  spool INTEGER NOT NULL
);
INSERT INTO log_state VALUES (1, 0, random());

CREATE TABLE epochs (key INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE counters (
  session INTEGER NOT NULL REFERENCES sessions, name TEXT NOT NULL, value INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE TABLE sinks (
  name TEXT PRIMARY KEY, url TEXT NOT NULL, acknowledged INTEGER NOT NULL DEFAULT 0,
  in_flight INTEGER, latest_ms INTEGER NOT NULL DEFAULT 0, order_ms INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0, published INTEGER, dropped INTEGER NOT NULL DEFAULT 0,
  ahead_rows INTEGER NOT NULL DEFAULT 0, made_ms INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE sink_epochs (
  sink TEXT NOT NULL, epoch INTEGER NOT NULL, experiment TEXT NOT NULL, began_ms INTEGER NOT NULL,
  rows INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (sink, epoch)
);
CREATE TABLE decisions (
  experiment TEXT NOT NULL, number INTEGER NOT NULL, made_ms INTEGER NOT NULL,
  id INTEGER NOT NULL, kind TEXT NOT NULL, arm TEXT NOT NULL, person TEXT NOT NULL,
  applied_ms INTEGER NOT NULL, refusal TEXT NOT NULL,
  PRIMARY KEY (experiment, number, id)
);

CREATE VIEW observation_rows AS
SELECT o.seq AS seq, strftime('%Y-%m-%dT%H:%M:%fZ', o.time_ms / 1000.0, 'unixepoch') AS time,
  s.experiment AS experiment, s.number AS session, a.name AS arm, t.name AS topic,
  g.generation AS generation, g.documents AS documents, o.first_rank AS first_rank,
  o.depth AS depth, o.num_ret AS num_ret, o.total_hits AS total_hits,
  o.duplicates AS duplicates, o.flags AS flags, o.stage AS stage,
  CASE WHEN o.flags & 16 OR o.latency_ns < 0 THEN NULL ELSE o.latency_ns / 1e6 END AS latency_ms,
  o.self_ns / 1e3 AS self_us, s.cutoff AS cutoff, o.pres AS pres, o.recall AS recall, o.ap AS ap
FROM observations o JOIN session_arms sa ON sa.number = o.arm JOIN sessions s ON s.number = sa.session
  JOIN arms a ON a.number = sa.arm LEFT JOIN judged_topics j ON j.number = o.topic
  LEFT JOIN topics t ON t.number = j.topic LEFT JOIN generations g ON g.number = o.generation;
CREATE VIEW hourly_means AS
SELECT s.experiment AS experiment, a.name AS arm,
  strftime('%Y-%m-%dT%H:00:00Z', h.hour_ms / 1000, 'unixepoch') AS hour,
  sum(h.judged) AS judged, sum(h.unjudged) AS unjudged, sum(h.failed) AS failed,
  sum(h.timed_out) AS timed_out, s.cutoff AS cutoff, sum(h.pres_sum) / sum(h.pres_n) AS pres,
  sum(h.recall_sum) / sum(h.recall_n) AS recall, sum(h.ap_sum) / sum(h.ap_n) AS ap,
  sum(h.latency_sum_ns) / 1e6 / sum(h.latency_n) AS latency_ms
FROM hourly h JOIN session_arms sa ON sa.number = h.arm JOIN sessions s ON s.number = sa.session
  JOIN arms a ON a.number = sa.arm
GROUP BY s.experiment, a.name, h.hour_ms, s.cutoff;
CREATE VIEW topic_means AS
SELECT s.experiment AS experiment, a.name AS arm, t.name AS topic, sum(m.visits) AS visits,
  s.cutoff AS cutoff, sum(m.pres_sum) / sum(m.pres_n) AS pres,
  sum(m.recall_sum) / sum(m.recall_n) AS recall, sum(m.ap_sum) / sum(m.ap_n) AS ap,
  sum(m.latency_sum_ns) / 1e6 / sum(m.latency_n) AS latency_ms
FROM topic_totals m JOIN session_arms sa ON sa.number = m.arm JOIN sessions s ON s.number = sa.session
  JOIN arms a ON a.number = sa.arm JOIN judged_topics j ON j.number = m.topic
  JOIN topics t ON t.number = j.topic
GROUP BY s.experiment, a.name, t.name, s.cutoff;
CREATE VIEW judgements AS
SELECT j.number AS judged_topic, t.name AS topic, d.key AS judgement,
  json_extract(d.value, '$[0]') AS docno, json_extract(d.value, '$[1]') AS grade
FROM judged_topics j JOIN topics t ON t.number = j.topic JOIN json_each(j.judgements) d;
)sql";

/// Words in a store, in the order of their enumeration's values.
inline constexpr std::array<std::string_view, 3> kModeWords{"observe", "paired", "split"};
inline constexpr std::array<std::string_view, 2> kEpochWords{"generation", "configuration"};
inline constexpr std::array<std::string_view, 4> kShadowLatencyWords{
    "both arms", "not compared", "both arms twice", "both arms alike"};
inline constexpr std::array<std::string_view, 2> kInferenceWords{"anytime", "at the end"};
inline constexpr std::array<std::string_view, 2> kUnjudgedWords{"counted", "each row"};
inline constexpr std::array<std::string_view, 6> kChangeWords{
    "arm added", "arm paused", "arm resumed", "arm removed", "arm restarted", "judgements"};

[[nodiscard]] constexpr std::string_view word_in(std::span<const std::string_view> words,
                                                 auto value) {
  return words[static_cast<std::size_t>(value)];
}
/// `otherwise` for a word that is none of them.
template <class Value>
[[nodiscard]] constexpr Value value_in(std::span<const std::string_view> words,
                                       std::string_view word, Value otherwise) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? otherwise : static_cast<Value>(found - words.begin());
}

// Encodings of values of varying length; `docs/formats.md` describes them too.

/// Writes for each hit the distance of its rank to the hit before (to 0 for the first) and its
/// judgement, both as varints. `hits` ascend by rank.
void write_hits(std::string& bytes, std::span<const JudgedHit> hits);
/// Returns std::nullopt if the bytes are not of this form, or a judgement is not below
/// `judgements`.
[[nodiscard]] std::optional<std::vector<JudgedHit>> read_hits(std::string_view bytes,
                                                              std::size_t judgements);

/// Varints.
void write_docids(std::string& bytes, std::span<const DocId> docids);
[[nodiscard]] std::optional<std::vector<DocId>> read_docids(std::string_view bytes);

/// Eight bytes each, the low one first.
void write_keys(std::string& bytes, std::span<const std::uint64_t> keys);
[[nodiscard]] std::optional<std::vector<std::uint64_t>> read_keys(std::string_view bytes);

// In JSON, a name is a text, or `{"hex":"4de9"}` if its bytes are not UTF-8.

void append_name(std::string& text, std::string_view name);
/// Throws nlohmann::json::exception or std::logic_error for anything but a name.
[[nodiscard]] std::string name_in(const nlohmann::json& json);

/// Returns `[["EP0971326A1",1],...]` in the order of their numbers. The key is a third element if
/// the docno policy cannot make it again.
[[nodiscard]] std::string judgements_text(const TopicQrels& topic, DocnoPolicy policy);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::vector<Judgement> read_judgements(std::string_view text);

/// Returns `["reranked","boosted"]`.
[[nodiscard]] std::string texts_json(std::span<const std::string> own);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::vector<std::string> read_texts(std::string_view text);

/// Returns `{"failures":0.02,...}`.
[[nodiscard]] std::string limits_text(const VerdictLimits& limits);
/// A limit that is not there has its default. Throws Error(kBadInput) that quotes the text if it is
/// of another form.
[[nodiscard]] VerdictLimits read_limits(std::string_view text);

/// Returns `[["EP1","PRES@100",0.25],...]`.
[[nodiscard]] std::string baseline_text(std::span<const BaselineScore> baseline);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::vector<BaselineScore> read_baseline(std::string_view text);

/// Returns the families of several topics, as positions of their topics: `[[0,3],[4,5,9]]`. Empty
/// without a family map.
[[nodiscard]] std::string families_text(const Qrels& qrels);
/// Returns the families that a text gives to these topics; null if it is empty. Throws
/// Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::shared_ptr<const FamilyMap> read_families(std::string_view text,
                                                             std::span<const TopicQrels> topics);

}  // namespace prescope
