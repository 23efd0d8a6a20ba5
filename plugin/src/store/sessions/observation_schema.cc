#include "store/sessions/observation_schema.h"

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_lines.h"
#include "base/varint.h"
#include "facts/observation_fields.h"
#include "live/summary/checks.h"
#include "statistics/group_sequential.h"
#include "store/sqlite/database.h"

namespace prescope {

namespace {

constexpr std::string_view kTablesAndViews = R"sql(
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY, experiment TEXT NOT NULL, began_ms INTEGER NOT NULL,
  mode TEXT NOT NULL, epochs TEXT NOT NULL, alpha REAL NOT NULL, shadow_latency TEXT NOT NULL,
  measures TEXT NOT NULL, cutoff INTEGER NOT NULL, unjudged TEXT NOT NULL,
  qrels INTEGER NOT NULL REFERENCES qrels_versions, after_seq INTEGER,
  epoch INTEGER REFERENCES epochs, primary_measure TEXT, salt TEXT, shares TEXT NOT NULL, scored_flags INTEGER,
  baseline TEXT, capture_depth INTEGER, captured_hits INTEGER, lost_before INTEGER,
  ended_ms INTEGER, families TEXT NOT NULL, judgements_repeated INTEGER NOT NULL,
  judgements_merged INTEGER NOT NULL, stages TEXT NOT NULL DEFAULT '[]', limits TEXT NOT NULL,
  collapse INTEGER NOT NULL, rule TEXT NOT NULL, slices TEXT NOT NULL,
  test TEXT NOT NULL, overlap TEXT NOT NULL
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
CREATE TABLE found_topics (
  session INTEGER NOT NULL REFERENCES sessions, topic INTEGER NOT NULL REFERENCES judged_topics,
  family TEXT NOT NULL,
  PRIMARY KEY (session, topic)
) WITHOUT ROWID;

CREATE TABLE overlaps (
  number INTEGER PRIMARY KEY, session INTEGER NOT NULL, epoch INTEGER NOT NULL,
  time_ms INTEGER NOT NULL, visit INTEGER NOT NULL, request_id INTEGER NOT NULL,
  query TEXT NOT NULL, arm INTEGER NOT NULL, outcome TEXT NOT NULL, jaccard REAL, rbo REAL,
  identical INTEGER NOT NULL, failed_first INTEGER NOT NULL, failed INTEGER NOT NULL,
  known_depth INTEGER NOT NULL
);
CREATE INDEX overlaps_by_session ON overlaps (session, epoch);
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
  spool INTEGER NOT NULL, requests_since_ms INTEGER
);
INSERT INTO log_state VALUES (1, 0, random(), NULL);
CREATE TABLE requests (request_id INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL);
CREATE INDEX requests_by_time ON requests (time_ms);
CREATE TABLE log_positions (
  path TEXT PRIMARY KEY, file TEXT NOT NULL, offset INTEGER NOT NULL, line INTEGER NOT NULL
) WITHOUT ROWID;

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

/// The table has no foreign keys: checking them would cost each row two look-ups.
std::string observations_table() {
  std::string table = R"sql(
CREATE TABLE observations (
  seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, arm INTEGER NOT NULL, topic INTEGER,
  hits BLOB, pres REAL, recall REAL, ap REAL)sql";
  for_each_field([&](const auto& field) {
    table += fmt::format(", {} INTEGER NOT NULL DEFAULT 0", field.name);
  });
  return table + ");\n";
}

std::string observations_view() {
  return fmt::format(R"sql(
CREATE VIEW observation_rows AS
SELECT o.seq AS seq, strftime('%Y-%m-%dT%H:%M:%fZ', o.time_ms / 1000.0, 'unixepoch') AS time,
  s.experiment AS experiment, s.number AS session, a.name AS arm, t.name AS topic,
  nullif(o.generation, 0) AS generation, nullif(o.documents, 0) AS documents,
  o.first_rank AS first_rank,
  o.depth AS depth, o.num_ret AS num_ret, o.total_hits AS total_hits,
  o.duplicates AS duplicates, o.flags AS flags, o.stage AS stage,
  CASE WHEN o.flags & {} OR o.latency_ns < 0 THEN NULL ELSE o.latency_ns / 1e6 END AS latency_ms,
  o.self_ns / 1e3 AS self_us, s.cutoff AS cutoff, o.pres AS pres, o.recall AS recall, o.ap AS ap
FROM observations o JOIN session_arms sa ON sa.number = o.arm JOIN sessions s ON s.number = sa.session
  JOIN arms a ON a.number = sa.arm LEFT JOIN judged_topics j ON j.number = o.topic
  LEFT JOIN topics t ON t.number = j.topic;
)sql",
                     static_cast<std::uint32_t>(RankingFlags::kUntimed));
}

constexpr std::size_t kKeyBytes = 8;

/// A varint that fits into 32 bits.
std::optional<std::uint32_t> take_small(std::string_view& bytes) {
  const std::optional<std::uint64_t> number = take_varint(bytes);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

std::string observation_schema() {
  return fmt::format("{}{}{}", kTablesAndViews, observations_table(), observations_view());
}

void write_hits(std::string& bytes, std::span<const JudgedHit> hits) {
  Rank before = 0;
  for (const JudgedHit& hit : hits) {
    append_varint(bytes, hit.rank - before);
    append_varint(bytes, hit.judgement.value());
    before = hit.rank;
  }
}

std::optional<std::vector<JudgedHit>> read_hits(std::string_view bytes, std::size_t judgements) {
  std::vector<JudgedHit> hits;
  for (std::uint64_t rank = 0; !bytes.empty();) {
    const std::optional<std::uint32_t> distance = take_small(bytes), judgement = take_small(bytes);
    if (!distance || !judgement || *distance == 0 || *judgement >= judgements) return std::nullopt;
    rank += *distance;
    if (rank > std::numeric_limits<Rank>::max()) return std::nullopt;
    hits.push_back({static_cast<Rank>(rank), JudgementIndex(*judgement)});
  }
  return hits;
}

void write_docids(std::string& bytes, std::span<const DocId> docids) {
  for (const DocId docid : docids) append_varint(bytes, docid.value());
}

std::optional<std::vector<DocId>> read_docids(std::string_view bytes) {
  std::vector<DocId> docids;
  while (!bytes.empty()) {
    const std::optional<std::uint32_t> docid = take_small(bytes);
    if (!docid) return std::nullopt;
    docids.emplace_back(*docid);
  }
  return docids;
}

void write_keys(std::string& bytes, std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) {
    for (std::size_t i = 0; i < kKeyBytes; ++i) bytes += static_cast<char>(key >> (8 * i));
  }
}

std::optional<std::vector<std::uint64_t>> read_keys(std::string_view bytes) {
  if (bytes.size() % kKeyBytes != 0) return std::nullopt;
  std::vector<std::uint64_t> keys(bytes.size() / kKeyBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    keys[i / kKeyBytes] |= std::uint64_t{static_cast<unsigned char>(bytes[i])}
                           << (8 * (i % kKeyBytes));
  }
  return keys;
}

void append_name(std::string& text, std::string_view name) {
  if (is_utf8(name)) return append_json_text(text, name);
  text += R"({"hex":")";
  for (const char byte : name) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  text += "\"}";
}

std::string name_in(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto& hex = json.at("hex").get_ref<const std::string&>();
  std::string name;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    name += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return name;
}

namespace {

/// Returns `make(element)` for each element of an array.
template <class Value, class Make>
std::vector<Value> read_list(std::string_view text, std::string_view expected, const Make& make) {
  const auto refusal = [&] {
    constexpr std::size_t kShown = 60;
    return bad_input_error("the store has '{}'; expected {}", text.substr(0, kShown), expected);
  };
  try {
    std::vector<Value> values;
    for (const auto& one : nlohmann::json::parse(text)) values.push_back(make(one));
    return values;
  } catch (const nlohmann::json::exception&) {
    throw refusal();
  } catch (const std::logic_error&) {
    throw refusal();
  }
}

}  // namespace

std::string judgements_text(const TopicQrels& topic, DocnoPolicy policy) {
  std::string text = "[";
  for (const Judgement& judgement : topic.judgements()) {
    if (text.size() > 1) text += ',';
    text += '[';
    append_name(text, judgement.docno.text());
    text += fmt::format(",{}", judgement.grade);
    const bool has_about = !judgement.about.empty();
    if (policy == DocnoPolicy::kFamily || has_about) {
      text += ',';
      append_name(text, policy == DocnoPolicy::kFamily ? judgement.key : std::string());
    }
    if (has_about) {
      text += ',';
      append_name(text, judgement.about);
    }
    text += ']';
  }
  return text + ']';
}

std::vector<Judgement> read_judgements(std::string_view text) {
  return read_list<Judgement>(
      text, "judgements, [[docno, grade], ...]", [](const nlohmann::json& one) {
        return Judgement{.docno = Docno(name_in(one.at(0))),
                         .key = one.size() > 2 ? name_in(one[2]) : std::string(),
                         .grade = one.at(1).get<Grade>(),
                         .about = one.size() > 3 ? name_in(one[3]) : std::string()};
      });
}

std::string texts_json(std::span<const std::string> own) {
  std::string text = "[";
  for (const std::string& name : own) {
    if (text.size() > 1) text += ',';
    append_name(text, name);
  }
  return text + ']';
}

std::vector<std::string> read_texts(std::string_view text) {
  return read_list<std::string>(text, "a list of texts, [text, ...]", name_in);
}

std::string limits_text(const VerdictLimits& limits) {
  nlohmann::ordered_json json;
  for (const auto& [name, limit] : kVerdictLimits) json[std::string(name)] = limits.*limit;
  return json.dump();
}

VerdictLimits read_limits(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    VerdictLimits limits;
    for (const auto& [name, limit] : kVerdictLimits) {
      limits.*limit = json.value(std::string(name), limits.*limit);
    }
    return limits;
  } catch (const nlohmann::json::exception&) {
    throw bad_input_error("'{}' are no limits of verdicts, {{name: share, ...}}", text);
  }
}

std::string baseline_text(std::span<const BaselineScore> baseline) {
  std::string text = "[";
  for (const BaselineScore& score : baseline) {
    if (text.size() > 1) text += ',';
    text += '[';
    append_name(text, score.topic.text());
    text += ',';
    append_json_text(text, score.measure);
    text += fmt::format(",{}]", score.score);
  }
  return text + ']';
}

std::string families_text(const Qrels& qrels) {
  if (!qrels.has_family_map() || qrels.finds_topics()) return {};
  std::vector<std::vector<std::uint32_t>> members(qrels.num_families());
  for (std::uint32_t t = 0; t < qrels.topics().size(); ++t) {
    members[qrels.family(TopicIndex(t)).value()].push_back(t);
  }
  std::erase_if(members, [](const auto& topics) { return topics.size() < 2; });
  return nlohmann::json(members).dump();
}

std::shared_ptr<const FamilyMap> read_families(std::string_view text,
                                               std::span<const TopicQrels> topics) {
  if (text.empty()) return nullptr;
  const auto families = read_list<std::vector<std::size_t>>(
      text, "families, [[topic, topic, ...], ...]",
      [](const nlohmann::json& one) { return one.get<std::vector<std::size_t>>(); });
  auto map = std::make_shared<FamilyMap>();
  for (std::size_t f = 0; f < families.size(); ++f) {
    for (const std::size_t topic : families[f]) {
      if (topic >= topics.size()) {
        throw bad_input_error("the store has a family with topic {} of {}", topic, topics.size());
      }
      map->add(Docno(topics[topic].id().text()), fmt::format("f{}", f));
    }
  }
  return map;
}

std::string test_text(const TestOptions& test) {
  if (test.plan.topics == 0 && test.guardrails.empty() && test.same_within == 0.0) return {};
  nlohmann::ordered_json json{{"topics", test.plan.topics},
                              {"looks", looks_of(test.plan)},
                              {"spending", key_of(test.plan.spending)},
                              {"live_alpha", test.plan.live_alpha},
                              {"guardrails", nlohmann::ordered_json::array()},
                              {"same_within", test.same_within}};
  for (const Guardrail& guardrail : test.guardrails) {
    json["guardrails"].push_back({guardrail.measure, guardrail.margin});
  }
  return json.dump();
}

std::string overlap_text(const OverlapOptions& overlap) {
  if (overlap.sampling == 0.0) return {};
  return nlohmann::ordered_json{{"sampling", overlap.sampling},
                                {"depth", overlap.depth},
                                {"persistence", overlap.persistence}}
      .dump();
}

OverlapOptions read_overlap(std::string_view text) {
  OverlapOptions overlap;
  if (text.empty()) return overlap;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    overlap.sampling = json.at("sampling").get<double>();
    overlap.depth = json.at("depth").get<std::uint32_t>();
    overlap.persistence = json.at("persistence").get<double>();
    return overlap;
  } catch (const std::exception&) {
    throw bad_input_error(
        "the store has '{}'; expected how much rankings overlap, {{\"sampling\": ...}}", text);
  }
}

std::string earlier_plan_words(const Database& database, std::int64_t session) {
  Statement row(database,
                "SELECT e.number, e.test FROM sessions s JOIN sessions e"
                " ON e.experiment = s.experiment AND e.number < s.number"
                " WHERE s.number = ? AND e.test != '' AND e.test != s.test"
                " ORDER BY e.number DESC LIMIT 1");
  if (!row.bind(session).next()) return {};
  return fmt::format(
      "session {} of the experiment had another plan, {}; a plan that is changed after its first "
      "look promises nothing",
      row.integer(0), row.text(1));
}

TestOptions read_test(std::string_view text) {
  TestOptions test;
  if (text.empty()) return test;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    PlanOptions& plan = test.plan;
    plan.topics = json.at("topics").get<std::uint32_t>();
    plan.looks = json.at("looks").get<std::vector<double>>();
    plan.spending = json.at("spending") == key_of(Spending::kPocock) ? Spending::kPocock
                                                                     : Spending::kObrienFleming;
    plan.live_alpha = json.at("live_alpha").get<double>();
    for (const nlohmann::json& one : json.at("guardrails")) {
      test.guardrails.push_back({one.at(0).get<std::string>(), one.at(1).get<double>()});
    }
    test.same_within = json.at("same_within").get<double>();
    if (!why_not_planned(plan).empty()) throw std::invalid_argument("a plan");
    return test;
  } catch (const std::exception&) {
    throw bad_input_error("the store has '{}'; expected how the test ends, {{\"topics\": ...}}",
                          text);
  }
}

std::string slices_text(const FollowedSlices& slices) {
  if (slices.all().empty()) return {};
  std::string text = fmt::format("{{\"unjudged\":[{},", slices.unjudged().topics);
  append_name(text, slices.unjudged().example);
  text += "],\"slices\":[";
  for (const FollowedSlice& slice : slices.all()) {
    text += text.back() == '[' ? "[" : ",[";
    append_name(text, slice.dimension);
    text += ',';
    append_name(text, slice.name);
    text += fmt::format(",{},{},{},[", slice.slices, slice.judged, slice.may_speak);
    for (const TopicIndex topic : slice.topics) {
      text += fmt::format("{}{}", text.back() == '[' ? "" : ",", topic.value());
    }
    text += "]]";
  }
  return text + "]}";
}

FollowedSlices read_followed_slices(std::string_view text, std::size_t topics) {
  if (text.empty()) return {};
  const auto topic_in = [&](const nlohmann::json& json) {
    const auto topic = json.get<std::uint32_t>();
    if (topic >= topics) throw std::out_of_range("a topic");
    return TopicIndex(topic);
  };
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    std::vector<FollowedSlice> slices;
    for (const nlohmann::json& one : json.at("slices")) {
      FollowedSlice& slice =
          slices.emplace_back(FollowedSlice{.dimension = name_in(one.at(0)),
                                            .name = name_in(one.at(1)),
                                            .slices = one.at(2).get<std::uint32_t>(),
                                            .judged = one.at(3).get<std::uint32_t>(),
                                            .may_speak = one.at(4).get<bool>()});
      for (const nlohmann::json& topic : one.at(5)) slice.topics.push_back(topic_in(topic));
    }
    const nlohmann::json& unjudged = json.at("unjudged");
    return {std::move(slices), {unjudged.at(0).get<std::uint64_t>(), name_in(unjudged.at(1))}};
  } catch (const std::exception&) {
    constexpr std::size_t kShown = 60;
    throw bad_input_error("the store has '{}'; expected slices of {} topics, {{\"slices\": [...]}}",
                          text.substr(0, kShown), topics);
  }
}

std::string shares_text(const ArmShares& shares) {
  std::string text = "[";
  for (const auto& [name, share] : shares) {
    text += text.size() > 1 ? ",[" : "[";
    append_name(text, name);
    text += fmt::format(",{}]", share);
  }
  return text + ']';
}

ArmShares read_shares(std::string_view text) {
  using Share = std::pair<std::string, double>;
  const auto shares = read_list<Share>(text, "shares of arms above 0, [[arm, share], ...]",
                                       [](const nlohmann::json& one) {
                                         const auto share = one.at(1).get<double>();
                                         if (!(share > 0.0))
                                           throw bad_input_error("a share of {}", share);
                                         return Share(name_in(one.at(0)), share);
                                       });
  return {shares.begin(), shares.end()};
}

std::vector<BaselineScore> read_baseline(std::string_view text) {
  return read_list<BaselineScore>(text, "baseline scores, [[topic, measure, score], ...]",
                                  [](const nlohmann::json& one) {
                                    return BaselineScore{.topic = TopicId(name_in(one.at(0))),
                                                         .measure = one.at(1).get<std::string>(),
                                                         .score = one.at(2).get<double>()};
                                  });
}

}  // namespace prescope
