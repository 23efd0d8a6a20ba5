#pragma once

#include <fmt/format.h>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/clickhouse.h"

namespace prescope {

/// Returns the fields of an observation as columns: "visit UInt64, ...".
[[nodiscard]] std::string clickhouse_fields();

/// A table of the fleet's database. Its rows are never changed: a row with the same key and a
/// higher version replaces it, so that what was sent twice counts once.
struct FleetTable {
  std::string_view name;
  std::string columns;       ///< "experiment String, epoch UInt64, ..."
  std::string_view version;  ///< column; empty if rows with the same key are equal
  std::string_view partition;
  std::string_view key;
  std::string_view shard;         ///< expression that spreads the rows over shards
  std::string_view may_differ{};  ///< columns that may have other values if a row is sent again
};

/// One row for each observation: its server, session, arm and topic, its fields, the answers of
/// `facts/observation_rules.h`, and its hits. `order_ms` orders the facts, `late` is 1 if its visit
/// began before the arms or the judgements changed. `visit` is unique in a spool. `known_depth` is
/// the rank down to which a scored visit is known: `covered`, or what a search that was cut short
/// was asked for.
inline const FleetTable kObservationsTable{
    "observations",
    fmt::format("experiment String, epoch UInt64, server String, spool UInt64, seq UInt64, "
                "day Date, order_ms Int64, time_ms Int64, session UInt32, arm String, "
                "topic String, num_rel UInt32, late UInt8, {}, failed UInt8, unseen UInt8, "
                "timed UInt8, scored UInt8, known_depth UInt64, ranks Array(UInt32), "
                "grades Array(Int32), positions Array(UInt32)",
                clickhouse_fields()),
    "",
    "toYYYYMM(day)",
    "experiment, epoch, server, spool, seq",
    "sipHash64(server)",
    "day order_ms"};
/// One row an epoch of a server. It says what the epoch's key stands for, the options of the
/// experiment, and by `began_ms` when the server changed to this epoch.
inline const FleetTable kEpochsTable{
    "epochs",
    "experiment String, epoch UInt64, server String, text String, judgements UInt64, "
    "began_ms Int64, mode String, rule String, alpha Float64, shadow_latency String, "
    "measures String, primary_measure String, salt String, shares String, scored_flags UInt32, "
    "baseline String, stages String, docno String, min_grade Int32, families String, "
    "limits String, slices String, test String, made_ms UInt64",
    "made_ms",
    "",
    "experiment, epoch, server",
    "sipHash64(server)"};
/// Judgements by version. `text` has the documents as `docs/formats.md` says; `docs` are hashes of
/// their keys, in the order that `observations.positions` counts in.
inline const FleetTable kJudgementsTable{
    "judgements",
    "experiment String, version UInt64, topic String, num_rel UInt32, text String, "
    "docs Array(UInt64), grades Array(Int32), relevant Array(UInt8)",
    "",
    "",
    "experiment, version, topic",
    "sipHash64(topic)"};
/// Returns `version` of judgements with this hash (`qrels_version`), in an epoch with this policy
/// and smallest relevant grade.
[[nodiscard]] std::uint64_t judgements_version(std::string_view hash, std::string_view docno,
                                               std::int32_t min_grade);
/// The rows of an epoch that a server was acknowledged, with numbers up to `up_to`, and what it
/// counted and did not store: counters of Health by their names, and `kOnlyCounted`.
inline const FleetTable kShippedTable{
    "shipped",
    "experiment String, epoch UInt64, server String, spool UInt64, up_to UInt64, rows UInt64, "
    "counters Array(String), counts Array(UInt64), made_ms UInt64",
    "made_ms",
    "",
    "experiment, epoch, server, spool",
    "sipHash64(server)"};
/// The name of the counter of unjudged queries that are no observations.
inline constexpr std::string_view kOnlyCounted = "unjudged_only_counted";
/// How far a store was shipped. All its later rows have an `order_ms` of at least `complete_ms`. A
/// closed store has no experiment that runs. `writer` is a random number of the process that ships
/// it, `ahead_ms` how far that machine's clock is ahead of ClickHouse's, `ahead_rows` counts rows
/// with a time in the future, `error` is the last failure of shipping.
inline const FleetTable kSpoolsTable{
    "spools",
    "server String, spool UInt64, up_to UInt64, complete_ms Int64, dropped UInt64, "
    "waiting UInt64, closed UInt8, writer UInt64, ahead_ms Int64, ahead_rows UInt64, error String, "
    "made_ms UInt64",
    "made_ms",
    "",
    "server, spool",
    "sipHash64(server)"};
/// Decisions of people about the arms of an experiment; `fleet/decisions.h` says how they count.
inline const FleetTable kDecisionsTable{
    "decisions",
    "experiment String, number UInt64, made_ms UInt64, id UInt64, kind String, arm String, "
    "person String",
    "",
    "",
    "experiment, number, id",
    "sipHash64(experiment)"};
/// The decisions that a server has applied, or could not: then `refusal` says why.
inline const FleetTable kAppliedTable{
    "applied",
    "experiment String, number UInt64, id UInt64, server String, refusal String, made_ms UInt64",
    "made_ms",
    "",
    "experiment, number, id, server",
    "sipHash64(experiment)"};

/// One row a change of evaluations, pins and verdicts, in the form of `fleet/nights.cc`. `number`
/// is that of an evaluation that it adds, otherwise 0. Changes are made in the order of (place,
/// id).
inline const FleetTable kNightsTable{
    "nights", "id UInt64, number Int64, place UInt64, change String", "place", "", "id", "id"};

/// The identity of the database: the row that was made first. A store knows its fleet by it, not by
/// a URL that may change or lead to another database one day.
inline const FleetTable kFleetTable{"fleet", "id UInt64, made_ms UInt64", "", "", "id", "id"};

inline const std::array kFleetTables{kObservationsTable, kEpochsTable, kJudgementsTable,
                                     kShippedTable,      kSpoolsTable, kDecisionsTable,
                                     kAppliedTable,      kNightsTable, kFleetTable};

/// How the tables lie on the servers.
struct FleetLayout {
  enum class Kind {
    kSingle,      ///< one server
    kReplicated,  ///< each server of the cluster has all rows
    kSharded,     ///< each shard of the cluster has some rows, each replica of a shard the same
  };
  Kind kind = Kind::kSingle;
  std::string cluster{};  ///< of the servers' configuration; not for kSingle
};

/// Returns the statements that make the database and its tables, in order; those that are there
/// are left as they are.
[[nodiscard]] std::vector<std::string> fleet_schema(const std::string& database,
                                                    const FleetLayout& layout);

/// Gives the database an identity unless it has one. Throws as ClickHouse::insert.
void give_identity(ClickHouse& fleet);

/// Inserts rows of RowBinary, which have every column; `fleet/receipt.h` verifies them. Throws as
/// ClickHouse::insert.
void send_rows(ClickHouse& fleet, const FleetTable& table, std::string_view rows);

/// Throws Error if the server is older than 18.16, or the tables are not those of this prescope.
void check_fleet(ClickHouse& fleet);

}  // namespace prescope
