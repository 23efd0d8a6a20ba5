#include "fleet/fleet_epoch.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <bit>

#include "fleet/row_binary.h"
#include "store/sessions/observation_schema.h"

namespace prescope {

namespace {

/// Returns the judgements of a version.
Qrels read_judgements(ClickHouse& fleet, const std::string& experiment, std::uint64_t version,
                      DocnoPolicy policy, Grade min_grade) {
  const std::string judged =
      fleet.ask(fmt::format("SELECT topic, any(text) FROM {}.judgements WHERE experiment = {} AND "
                            "version = {} GROUP BY topic ORDER BY topic FORMAT RowBinary",
                            fleet.address().database, sql_text(experiment), version));
  std::vector<TopicQrels> topics;
  for (RowBinaryReader rows(judged); !rows.at_end();) {
    std::string topic(rows.text());
    topics.push_back(stored_topic(std::move(topic), policy, min_grade, rows.text()));
  }
  return stored_qrels(topics, policy, min_grade);
}

}  // namespace

std::vector<ArmFacts> arms_in(std::string_view text) {
  simdjson::dom::parser parser;
  std::vector<ArmFacts> arms;
  for (const simdjson::dom::element arm : parser.parse(text.data(), text.size())["arms"]) {
    arms.push_back({.id = ArmId(std::string_view(arm.at(0)))});
  }
  return arms;
}

std::string EpochName::condition() const {
  return fmt::format("experiment = {} AND epoch = {}", sql_text(experiment), key);
}

EpochName newest_epoch(ClickHouse& fleet, const std::optional<std::string>& experiment) {
  const std::string found = fleet.ask(fmt::format(
      "SELECT experiment, epoch, max(began_ms) AS began FROM {}.epochs FINAL {} GROUP BY "
      "experiment, epoch ORDER BY began DESC, epoch LIMIT 1 FORMAT RowBinary",
      fleet.address().database,
      experiment ? "WHERE experiment = " + sql_text(*experiment) : std::string()));
  RowBinaryReader row(found);
  if (row.at_end()) {
    throw Error(ErrorCode::kUsage,
                experiment ? fmt::format("{}: no experiment '{}' was shipped to it",
                                         fleet.address().text, *experiment)
                           : fmt::format("{}: nothing was shipped to it; 'prescope ship' does",
                                         fleet.address().text));
  }
  EpochName epoch{.experiment = std::string(row.text()), .key = row.number<std::uint64_t>()};
  epoch.began_ms = row.number<std::int64_t>();
  return epoch;
}

FleetEpoch read_epoch(ClickHouse& fleet, const EpochName& name) {
  const std::string found = fleet.ask(fmt::format(
      "SELECT text, judgements, mode, rule, alpha, shadow_latency, measures, inference, "
      "primary_measure, salt, scored_flags, baseline, docno, min_grade FROM {}.epochs FINAL "
      "WHERE {} ORDER BY made_ms DESC LIMIT 1 FORMAT RowBinary",
      fleet.address().database, name.condition()));
  RowBinaryReader row(found);
  const std::string text(row.text());
  const auto version = row.number<std::uint64_t>();
  SessionWords words{.experiment = name.experiment};
  words.mode = row.text();
  words.epochs = row.text();
  words.alpha = std::bit_cast<double>(row.number<std::uint64_t>());
  for (std::string* word :
       {&words.shadow_latency, &words.measures, &words.inference, &words.primary, &words.salt}) {
    *word = row.text();
  }
  words.scored_flags = RankingFlags(row.number<std::uint32_t>());
  words.baseline = row.text();
  const DocnoPolicy policy = parse_docno_policy(row.text());
  const auto min_grade = row.number<Grade>();
  // An index label is in the key, so that a later generation shows the same documents.
  if (text.find(R"(,"spool":)") == std::string::npos)
    words.epochs = word_in(kEpochWords, EpochRule::kConfiguration);
  return {
      .name = name,
      .set_up = session_set_up(words),
      .judged = JudgedDocnos(read_judgements(fleet, name.experiment, version, policy, min_grade)),
      .arms = arms_in(text)};
}

std::map<SpoolName, SpoolProgress> read_progress(ClickHouse& fleet, const EpochName& name) {
  const std::string& database = fleet.address().database;
  const std::string there =
      fleet.ask(fmt::format("SELECT server, spool, up_to, complete_ms, dropped, closed FROM "
                            "{}.spools FINAL FORMAT RowBinary",
                            database));
  // Asked for later, so that it has the epoch of all numbers up to `up_to`.
  const std::string shipped =
      fleet.ask(fmt::format("SELECT server, spool, up_to, rows, counters, counts FROM {}.shipped "
                            "FINAL WHERE {} FORMAT RowBinary",
                            database, name.condition()));
  const auto name_in = [](RowBinaryReader& rows) {
    std::string server(rows.text());
    return SpoolName(std::move(server), rows.number<std::uint64_t>());
  };
  std::map<SpoolName, SpoolProgress> spools;
  for (RowBinaryReader rows(shipped); !rows.at_end();) {
    SpoolProgress& spool = spools[name_in(rows)];
    spool.shipped_up_to = rows.number<std::uint64_t>();
    spool.shipped_rows = rows.number<std::uint64_t>();
    std::vector<std::string_view> names;
    for (std::uint64_t left = rows.length(); left > 0; --left) names.push_back(rows.text());
    std::size_t i = 0;
    rows.array<std::uint64_t>([&](std::uint64_t count) {
      spool.counters.insert_or_assign(std::string(names.at(i++)), count);
    });
  }
  for (RowBinaryReader rows(there); !rows.at_end();) {
    const auto known = spools.find(name_in(rows));
    SpoolProgress of_others;  // of other epochs or experiments
    SpoolProgress& spool = known != spools.end() ? known->second : of_others;
    spool.up_to = rows.number<std::uint64_t>();
    spool.complete_ms = rows.number<std::int64_t>();
    spool.dropped = rows.number<std::uint64_t>();
    spool.is_closed = rows.number<std::uint8_t>() != 0;
  }
  return spools;
}

}  // namespace prescope
