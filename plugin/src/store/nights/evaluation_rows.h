#pragma once

#include "nightly/record/evaluation_record.h"
#include "store/sqlite/database.h"

namespace prescope {

/// Tables and views of evaluations, pins and verdicts, and of the names in observations.
/// `docs/formats.md` explains every column.
inline constexpr std::string_view kEvaluationSchema = R"sql(
CREATE TABLE qrels_versions (
  number INTEGER PRIMARY KEY, hash TEXT NOT NULL, topics INTEGER NOT NULL,
  judgements INTEGER NOT NULL, relevant INTEGER NOT NULL, docno TEXT NOT NULL,
  min_grade INTEGER NOT NULL, changed_from INTEGER REFERENCES qrels_versions,
  UNIQUE (hash, docno, min_grade)
);
CREATE TABLE index_versions (
  number INTEGER PRIMARY KEY, engine TEXT NOT NULL, engine_version TEXT NOT NULL,
  place TEXT NOT NULL, documents INTEGER, judged_found INTEGER,
  passport TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE arms (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, config TEXT NOT NULL,
  UNIQUE (name, config)
);
CREATE TABLE topics (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE evaluations (
  number INTEGER PRIMARY KEY AUTOINCREMENT, time_ms INTEGER NOT NULL,
  arm INTEGER NOT NULL REFERENCES arms, source TEXT NOT NULL,
  qrels INTEGER NOT NULL REFERENCES qrels_versions,
  index_version INTEGER NOT NULL REFERENCES index_versions, depth INTEGER NOT NULL,
  topics INTEGER NOT NULL, p50_ms REAL, p95_ms REAL, p99_ms REAL, latency BLOB, hint_docno TEXT,
  hint_judged INTEGER, hint_matched INTEGER, hint_would_match INTEGER,
  missing TEXT NOT NULL DEFAULT '[]', conditions TEXT NOT NULL DEFAULT '{}',
  samples TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE evaluation_means (
  evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE, position INTEGER NOT NULL,
  measure TEXT NOT NULL, mean REAL, topics INTEGER NOT NULL,
  PRIMARY KEY (evaluation, position)
) WITHOUT ROWID;
CREATE TABLE evaluation_topics (
  evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,
  topic INTEGER NOT NULL REFERENCES topics, num_rel INTEGER NOT NULL, num_ret INTEGER NOT NULL,
  duplicates INTEGER NOT NULL, served INTEGER NOT NULL, latency_ns INTEGER, found TEXT NOT NULL,
  text INTEGER, family INTEGER,
  PRIMARY KEY (evaluation, topic)
) WITHOUT ROWID;
CREATE TABLE topic_scores (
  evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE, position INTEGER NOT NULL,
  topic INTEGER NOT NULL REFERENCES topics, score REAL NOT NULL,
  PRIMARY KEY (evaluation, position, topic)
) WITHOUT ROWID;

CREATE TABLE pins (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL,
  evaluation INTEGER NOT NULL REFERENCES evaluations, replaced INTEGER, pinned_by TEXT NOT NULL,
  why TEXT NOT NULL, time_ms INTEGER NOT NULL, newest INTEGER NOT NULL
);
CREATE INDEX pins_by_evaluation ON pins (evaluation);
CREATE TABLE must_find (
  pin INTEGER NOT NULL REFERENCES pins, position INTEGER NOT NULL,
  topic INTEGER NOT NULL REFERENCES topics, docno TEXT NOT NULL,
  PRIMARY KEY (pin, position)
) WITHOUT ROWID;
CREATE TRIGGER pins_are_not_deleted BEFORE DELETE ON pins BEGIN
  SELECT RAISE(ABORT, 'pins are kept for good');
END;
CREATE TRIGGER pins_are_not_changed BEFORE UPDATE ON pins BEGIN
  SELECT RAISE(ABORT, 'pins are kept as they were made');
END;
CREATE TRIGGER must_find_is_not_deleted BEFORE DELETE ON must_find BEGIN
  SELECT RAISE(ABORT, 'pins are kept for good');
END;
CREATE TRIGGER must_find_is_not_changed BEFORE UPDATE ON must_find BEGIN
  SELECT RAISE(ABORT, 'pins are kept as they were made');
END;

CREATE TABLE verdicts (
  number INTEGER PRIMARY KEY,
  evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE, baseline TEXT NOT NULL,
  baseline_evaluation INTEGER, time_ms INTEGER NOT NULL, outcome TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE INDEX verdicts_by_evaluation ON verdicts (evaluation);
CREATE TABLE verdict_rules (
  verdict INTEGER NOT NULL REFERENCES verdicts ON DELETE CASCADE, position INTEGER NOT NULL,
  rule TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (verdict, position)
) WITHOUT ROWID;
CREATE TABLE verdict_measures (
  verdict INTEGER NOT NULL REFERENCES verdicts ON DELETE CASCADE, position INTEGER NOT NULL,
  measure TEXT NOT NULL, status TEXT NOT NULL, margin REAL NOT NULL, topics INTEGER NOT NULL,
  baseline REAL, tonight REAL, difference REAL, low REAL, high REAL, wins INTEGER NOT NULL,
  ties INTEGER NOT NULL, losses INTEGER NOT NULL,
  PRIMARY KEY (verdict, position)
) WITHOUT ROWID;

CREATE TABLE attempts (
  number INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, baseline TEXT NOT NULL,
  source TEXT NOT NULL, reason TEXT NOT NULL, newest INTEGER NOT NULL
);

CREATE VIEW night_means AS
SELECT e.number AS evaluation, strftime('%Y-%m-%dT%H:%M:%fZ', e.time_ms / 1000.0, 'unixepoch') AS time,
  a.name AS arm, e.source, m.measure, m.mean, m.topics, q.hash AS qrels, i.engine, i.documents,
  i.judged_found, e.depth, e.p50_ms, e.p95_ms, e.p99_ms,
  (SELECT v.outcome FROM verdicts v WHERE v.evaluation = e.number ORDER BY v.number DESC LIMIT 1)
    AS outcome
FROM evaluations e JOIN arms a ON a.number = e.arm
  JOIN qrels_versions q ON q.number = e.qrels
  JOIN index_versions i ON i.number = e.index_version
  JOIN evaluation_means m ON m.evaluation = e.number;
CREATE VIEW night_topics AS
SELECT e.number AS evaluation, strftime('%Y-%m-%dT%H:%M:%fZ', e.time_ms / 1000.0, 'unixepoch') AS time,
  a.name AS arm, t.name AS topic, m.measure, s.score, f.num_rel, f.num_ret, f.served,
  f.latency_ns / 1e6 AS latency_ms
FROM evaluations e JOIN arms a ON a.number = e.arm
  JOIN evaluation_means m ON m.evaluation = e.number
  JOIN evaluation_topics f ON f.evaluation = e.number
  JOIN topics t ON t.number = f.topic
  LEFT JOIN topic_scores s
    ON s.evaluation = e.number AND s.position = m.position AND s.topic = f.topic;
CREATE VIEW night_citations AS
SELECT e.number AS evaluation, strftime('%Y-%m-%dT%H:%M:%fZ', e.time_ms / 1000.0, 'unixepoch') AS time,
  a.name AS arm, t.name AS topic, found.key AS docno, found.value AS rank
FROM evaluations e JOIN arms a ON a.number = e.arm
  JOIN evaluation_topics f ON f.evaluation = e.number
  JOIN topics t ON t.number = f.topic
  JOIN json_each(f.found) found;
CREATE VIEW pin_history AS
SELECT p.number AS pin, strftime('%Y-%m-%dT%H:%M:%fZ', p.time_ms / 1000.0, 'unixepoch') AS time,
  p.name, p.evaluation, p.replaced, p.pinned_by, p.why,
  (SELECT count(*) FROM must_find m WHERE m.pin = p.number) AS must_find
FROM pins p;
CREATE VIEW verdict_history AS
SELECT v.number AS verdict, strftime('%Y-%m-%dT%H:%M:%fZ', v.time_ms / 1000.0, 'unixepoch') AS time,
  v.evaluation, a.name AS arm, v.baseline, v.baseline_evaluation, v.outcome, v.reason,
  m.measure, m.status, m.margin, m.difference, m.low, m.high, m.wins, m.ties, m.losses
FROM verdicts v JOIN evaluations e ON e.number = v.evaluation
  JOIN arms a ON a.number = e.arm
  LEFT JOIN verdict_measures m ON m.verdict = v.number;
)sql";

// Must be called within a transaction:

/// Stores a record under this number, or the next one for 0; returns it. Throws Error(kUsage) for
/// names that are not UTF-8.
std::int64_t write_evaluation(Database& database, const EvaluationRecord& record,
                              std::int64_t number);

/// Throws Error(kUsage), with the existing numbers, for an unknown number.
[[nodiscard]] EvaluationRecord read_evaluation(const Database& database, std::int64_t number);
void require_evaluation(const Database& database, std::int64_t number);

/// Judgements, indexes, arms and topics, which rows refer to by number.
struct SharedRows {
  explicit SharedRows(const Database& database);

  std::int64_t number_of(const QrelsVersion& version) {
    return qrels.number_of(version.hash, version.topics, version.judgements, version.relevant,
                           to_string(version.docno), version.min_grade);
  }

  NumberedRows qrels, indexes, arms, topics;
};

}  // namespace prescope
