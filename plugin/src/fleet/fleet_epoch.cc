#include "fleet/fleet_epoch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "fleet/audit.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"
#include "nightly/record/evaluation_record.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

/// A version of an experiment's judgements, which counts their documents by a policy.
struct JudgementsName {
  std::string experiment{};
  std::uint64_t version = 0;
  std::string docno{};
  Grade min_grade = 1;
  std::string families{};  ///< see SessionWords
};

/// Returns the judgements of a version. Throws Error(kBadInput) if they are not what the version
/// says, which is made from a hash of them.
Qrels read_judgements(ClickHouse& fleet, const JudgementsName& name) {
  const auto& [experiment, version, docno, min_grade, families] = name;
  const DocnoPolicy policy = parse_docno_policy(docno);
  FleetRows row(fleet,
                "SELECT topic, any(text) FROM {}.judgements WHERE experiment = {} AND "
                "version = {} GROUP BY topic ORDER BY topic",
                fleet.address().database, sql_text(experiment), version);
  std::vector<TopicQrels> topics;
  std::string_view topic, text;
  while (row.next(topic, text)) {
    topics.push_back(stored_topic(topic, policy, min_grade, text));
  }
  if (!topics.empty()) {
    Qrels qrels = stored_qrels(topics, policy, min_grade, read_families(families, topics));
    const std::string hash = qrels_version(qrels, policy).hash;
    if (judgements_version(hash, docno, min_grade) == version) return qrels;
  }
  throw bad_input_error(
      "{}: the judgements of experiment '{}' are not those that its servers use: rows of table "
      "judgements are lost or were changed ({} topics are there); 'prescope ship' with --forget, "
      "and then without it, sends them again",
      fleet.address().text, experiment, topics.size());
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

EpochName newest_epoch(ClickHouse& fleet, const std::optional<std::string>& experiment,
                       const std::set<std::uint64_t>& left_out) {
  constexpr int kHourMs = 3'600'000;
  FleetRows row(
      fleet,
      "SELECT experiment, epoch, max(began_ms) AS began FROM {}.epochs FINAL WHERE {} AND "
      "epoch NOT IN ({}) GROUP BY experiment, epoch ORDER BY "
      "began > toInt64(toUnixTimestamp(now())) * 1000 + {}, began DESC, epoch LIMIT 1",
      fleet.address().database, experiment ? "experiment = " + sql_text(*experiment) : "1",
      left_out.empty() ? "0" : fmt::to_string(fmt::join(left_out, ", ")), kHourMs);
  EpochName epoch;
  if (row.next(epoch.experiment, epoch.key, epoch.began_ms)) return epoch;
  const std::string& place = fleet.address().text;
  if (experiment) throw usage_error("{}: no experiment '{}' was shipped to it", place, *experiment);
  throw usage_error("{}: nothing was shipped to it; 'prescope ship' does", place);
}

FleetEpoch read_epoch(ClickHouse& fleet, const EpochName& name) {
  FleetRows row(
      fleet,
      "SELECT text, judgements, mode, rule, alpha, shadow_latency, measures, "
      "primary_measure, salt, shares, scored_flags, baseline, stages, docno, min_grade, families, "
      "limits, slices, test FROM {}.epochs FINAL WHERE {} ORDER BY made_ms DESC LIMIT 1",
      fleet.address().database, name.condition());
  SessionWords words{.experiment = name.experiment};
  std::string_view text;
  JudgementsName judgements{.experiment = name.experiment};
  row.read(text, judgements.version, words.mode, words.epochs, words.alpha, words.shadow_latency,
           words.measures, words.primary, words.salt, words.shares, words.scored_flags,
           words.baseline, words.stages, judgements.docno, judgements.min_grade, words.families,
           words.limits, words.slices, words.test);
  judgements.families = words.families;
  words.collapses = text.find(kCollapsedEpoch) != std::string_view::npos;
  // An index label is in the key, so that a later generation shows the same documents.
  if (text.find(R"(,"spool":)") == std::string_view::npos)
    words.epochs = word_in(kEpochWords, EpochRule::kConfiguration);
  const auto understood = [&](const auto& read) {
    try {
      return read();
    } catch (const std::exception& error) {
      throw SenselessEpoch(
          fmt::format("epoch {} of experiment '{}', of which a row in table epochs cannot be "
                      "understood: {}",
                      name.key, name.experiment, error.what()));
    }
  };
  auto [set_up, arms] = understood([&] {
    static_cast<void>(parse_docno_policy(judgements.docno));
    return std::pair(session_set_up(words), arms_in(text));
  });
  JudgedDocnos judged(read_judgements(fleet, judgements));
  set_up.options.slices = understood(
      [&] { return read_followed_slices(words.slices, judged.qrels().topics().size()); });
  return {.name = name,
          .set_up = std::move(set_up),
          .judged = std::move(judged),
          .arms = std::move(arms)};
}

std::vector<std::string> broken_judgements(ClickHouse& fleet) {
  FleetRows row(
      fleet,
      "SELECT DISTINCT experiment, judgements, docno, min_grade, families FROM {}.epochs ORDER BY "
      "experiment, judgements",
      fleet.address().database);
  std::vector<std::string> sentences;
  JudgementsName name;
  while (row.next(name.experiment, name.version, name.docno, name.min_grade, name.families)) {
    try {
      static_cast<void>(read_judgements(fleet, name));
    } catch (const FleetUnavailable&) {
      throw;
    } catch (const Error& error) {
      sentences.emplace_back(error.what());
    }
  }
  return sentences;
}

std::map<SpoolName, SpoolProgress> read_progress(ClickHouse& fleet, const EpochName& name) {
  const std::string& database = fleet.address().database;
  FleetRows there(
      fleet,
      "SELECT spool, server, up_to, complete_ms, dropped, waiting, ahead_ms, ahead_rows, "
      "closed FROM {}.spools "
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
    there.read(server, spool.up_to, spool.complete_ms, spool.dropped, spool.waiting, spool.ahead_ms,
               spool.ahead_rows, spool.is_closed);
  }
  std::map<SpoolName, SpoolProgress> spools;
  while (shipped.next(number)) {
    auto& [server, spool] = stores[number];
    std::vector<std::string> names;
    std::vector<std::uint64_t> counts;
    shipped.read(spool.servers, spool.shipped_up_to, spool.shipped_rows, names, counts);
    if (server.empty()) server = spool.servers.front();
    for (std::size_t i = 0; i < std::min(names.size(), counts.size()); ++i) {
      spool.counters.insert_or_assign(names[i], counts[i]);
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
