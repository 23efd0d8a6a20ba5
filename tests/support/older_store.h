#pragma once

#include <string_view>

namespace prescope {

/// Makes a new store one of schema version 1, with an observation.
inline constexpr std::string_view kVersion1 = R"sql(
PRAGMA foreign_keys = OFF;
ALTER TABLE evaluation_topics DROP COLUMN text;
ALTER TABLE evaluations DROP COLUMN missing;
DROP TABLE epochs; DROP TABLE counters; DROP TABLE sessions; DROP TABLE session_changes;
DROP TABLE observations; DROP TABLE log_state; DROP TABLE session_arms; DROP TABLE attempts;
DROP TABLE sinks; DROP TABLE sink_epochs; DROP TABLE decisions;
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY, experiment TEXT NOT NULL, began_ms INTEGER NOT NULL,
  mode TEXT NOT NULL, epochs TEXT NOT NULL, alpha REAL NOT NULL, shadow_latency TEXT NOT NULL,
  measures TEXT NOT NULL, cutoff INTEGER NOT NULL, unjudged TEXT NOT NULL,
  qrels INTEGER NOT NULL REFERENCES qrels_versions
);
CREATE TABLE session_arms (
  number INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions,
  position INTEGER NOT NULL, arm INTEGER NOT NULL REFERENCES arms, engine TEXT NOT NULL,
  engine_version TEXT NOT NULL, place TEXT NOT NULL
);
CREATE TABLE session_changes (
  number INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions,
  after_seq INTEGER NOT NULL, kind TEXT NOT NULL, arm INTEGER REFERENCES session_arms,
  qrels INTEGER REFERENCES qrels_versions
);
CREATE TABLE observations (
  seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, arm INTEGER NOT NULL, topic INTEGER,
  generation INTEGER, first_rank INTEGER NOT NULL, depth INTEGER NOT NULL,
  num_ret INTEGER NOT NULL, total_hits INTEGER NOT NULL, duplicates INTEGER NOT NULL,
  flags INTEGER NOT NULL, latency_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL, pres REAL,
  recall REAL, ap REAL, hits BLOB
);
CREATE TABLE log_state (
  number INTEGER PRIMARY KEY CHECK (number = 1), rolled_up_to INTEGER NOT NULL
);
INSERT INTO log_state VALUES (1, 3);
INSERT INTO observations VALUES (3, 1, 1, 1, NULL, 1, 10, 7, 7, 0, 0, 5, 5, NULL, NULL, NULL, NULL);
PRAGMA user_version = 1;
)sql";

}  // namespace prescope
