#include "fleet/fleet_epoch.h"

#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "fleet/audit.h"
#include "fleet/row_binary.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

/// The rules by which stored judgements are read.
struct JudgementRules {
  DocnoPolicy docno = DocnoPolicy::kRaw;
  Grade min_grade = 1;
  std::string_view families{};  ///< see SessionWords
};

/// Returns the judgements of a version.
Qrels read_judgements(ClickHouse& fleet, const std::string& experiment, std::uint64_t version,
                      const JudgementRules& rules) {
  FleetRows row(fleet,
                "SELECT topic, any(text) FROM {}.judgements WHERE experiment = {} AND "
                "version = {} GROUP BY topic ORDER BY topic",
                fleet.address().database, sql_text(experiment), version);
  std::vector<TopicQrels> topics;
  std::string_view topic, text;
  while (row.next(topic, text)) {
    topics.push_back(stored_topic(topic, rules.docno, rules.min_grade, text));
  }
  return stored_qrels(topics, rules.docno, rules.min_grade, rules.families);
}

}  // namespace

std::vector<ArmFacts> arms_in(std::string_view text) {
  std::vector<ArmFacts> arms;
  const nlohmann::json epoch = nlohmann::json::parse(text);
  for (const nlohmann::json& arm : epoch.at("arms")) {
    arms.push_back({.id = ArmId(name_in(arm.at(0)))});
  }
  return arms;
}

std::string EpochName::condition() const {
  return fmt::format("experiment = {} AND epoch = {}", sql_text(experiment), key);
}

EpochName newest_epoch(ClickHouse& fleet, const std::optional<std::string>& experiment) {
  FleetRows row(fleet,
                "SELECT experiment, epoch, max(began_ms) AS began FROM {}.epochs FINAL {} "
                "GROUP BY experiment, epoch ORDER BY began DESC, epoch LIMIT 1",
                fleet.address().database,
                experiment ? "WHERE experiment = " + sql_text(*experiment) : "");
  EpochName epoch;
  if (row.next(epoch.experiment, epoch.key, epoch.began_ms)) return epoch;
  const std::string& place = fleet.address().text;
  if (experiment) throw usage_error("{}: no experiment '{}' was shipped to it", place, *experiment);
  throw usage_error("{}: nothing was shipped to it; 'prescope ship' does", place);
}

FleetEpoch read_epoch(ClickHouse& fleet, const EpochName& name) {
  FleetRows row(fleet,
                "SELECT text, judgements, mode, rule, alpha, shadow_latency, measures, inference, "
                "primary_measure, salt, scored_flags, baseline, stages, docno, min_grade, families "
                "FROM {}.epochs FINAL WHERE {} ORDER BY made_ms DESC LIMIT 1",
                fleet.address().database, name.condition());
  SessionWords words{.experiment = name.experiment};
  std::string_view text, docno;
  std::uint64_t version = 0;
  JudgementRules rules;
  row.read(text, version, words.mode, words.epochs, words.alpha, words.shadow_latency,
           words.measures, words.inference, words.primary, words.salt, words.scored_flags,
           words.baseline, words.stages, docno, rules.min_grade, words.families);
  rules.docno = parse_docno_policy(docno);
  rules.families = words.families;
  // An index label is in the key, so that a later generation shows the same documents.
  if (text.find(R"(,"spool":)") == std::string_view::npos)
    words.epochs = word_in(kEpochWords, EpochRule::kConfiguration);
  return {.name = name,
          .set_up = session_set_up(words),
          .judged = JudgedDocnos(read_judgements(fleet, name.experiment, version, rules)),
          .arms = arms_in(text)};
}

std::map<SpoolName, SpoolProgress> read_progress(ClickHouse& fleet, const EpochName& name) {
  const std::string& database = fleet.address().database;
  FleetRows there(fleet,
                  "SELECT spool, server, up_to, complete_ms, dropped, closed FROM {}.spools "
                  "ORDER BY made_ms DESC LIMIT 1 BY spool",
                  database);
  // Asked for later, so that it has the epoch of all numbers up to `up_to`.
  FleetRows shipped(fleet,
                    "SELECT spool, arraySort(groupUniqArray(server)), argMax(up_to, made_ms), "
                    "argMax(rows, made_ms), argMax(counters, made_ms), argMax(counts, made_ms) "
                    "FROM {}.shipped WHERE {} GROUP BY spool",
                    database, name.condition());
  std::map<std::uint64_t, std::pair<std::string, SpoolProgress>> stores;  // of any epoch
  std::uint64_t number = 0;
  while (there.next(number)) {
    auto& [server, spool] = stores[number];
    there.read(server, spool.up_to, spool.complete_ms, spool.dropped, spool.is_closed);
  }
  std::map<SpoolName, SpoolProgress> spools;
  while (shipped.next(number)) {
    auto& [server, spool] = stores[number];
    std::vector<std::string> names;
    std::vector<std::uint64_t> counts;
    shipped.read(spool.servers, spool.shipped_up_to, spool.shipped_rows, names, counts);
    if (server.empty()) server = spool.servers.front();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      spool.counters.insert_or_assign(names.at(i), counts[i]);
    }
    spools.emplace(SpoolName(server, number), std::move(spool));
  }
  return spools;
}

std::map<std::string, std::uint64_t> servers_elsewhere(ClickHouse& fleet, const EpochName& name) {
  const std::string& database = fleet.address().database;
  FleetRows row(fleet,
                "SELECT server, toUInt64(sum(rows)) FROM {}.shipped FINAL WHERE experiment = {} "
                "AND server GLOBAL IN ({}) GROUP BY server HAVING sum(epoch = {}) = 0",
                database, sql_text(name.experiment), open_servers_sql(database), name.key);
  std::map<std::string, std::uint64_t> servers;
  std::string server;
  while (row.next(server)) row.read(servers[server]);
  return servers;
}

}  // namespace prescope
