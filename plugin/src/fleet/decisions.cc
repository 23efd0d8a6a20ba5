#include "fleet/decisions.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/random_bits.h"
#include "base/utc_time.h"
#include "fleet/audit.h"
#include "fleet/fleet_epoch.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"

namespace prescope {

namespace {

Decision next_decision(RowBinaryReader& rows) {
  Decision decision{.number = rows.number<std::uint64_t>(),
                    .made_ms = rows.number<std::uint64_t>(),
                    .id = rows.number<std::uint64_t>()};
  for (std::string* text : {&decision.kind, &decision.arm, &decision.person}) *text = rows.text();
  return decision;
}

using Names = std::set<std::string, std::less<>>;

void require_known(std::string_view kind, const std::string& name, const Names& names) {
  if (names.contains(name)) return;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error(ErrorCode::kUsage, unknown_name_message(kind, name, known));
}

/// Refuses names that no server has shipped.
void check_names(ClickHouse& fleet, const std::string& experiment, const std::string& arm) {
  const std::string epochs =
      fleet.ask(fmt::format("SELECT DISTINCT experiment, text FROM {}.epochs FORMAT RowBinary",
                            fleet.address().database));
  Names experiments, arms;
  for (RowBinaryReader rows(epochs); !rows.at_end();) {
    const std::string name(rows.text()), text(rows.text());
    experiments.insert(name);
    if (name != experiment) continue;
    for (const ArmFacts& one : arms_in(text)) arms.insert(one.id.text());
  }
  require_known("experiment", experiment, experiments);
  require_known("arm", arm, arms);
}

/// Returns the open servers of each experiment.
std::map<std::string, Names> open_servers(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  const std::string shipped = fleet.ask(
      fmt::format("SELECT DISTINCT experiment, server FROM {}.shipped WHERE server GLOBAL IN ({}) "
                  "FORMAT RowBinary",
                  database, open_servers_sql(database)));
  std::map<std::string, Names> servers;
  for (RowBinaryReader rows(shipped); !rows.at_end();) {
    const std::string experiment(rows.text());
    servers[experiment].emplace(rows.text());
  }
  return servers;
}

/// By experiment, number and id of a decision: each server that tried it, and its refusal.
using Tried = std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>,
                       std::map<std::string, std::string>>;

Tried read_tried(ClickHouse& fleet) {
  Tried tried;
  const std::string answer = fleet.ask(
      fmt::format("SELECT experiment, number, id, server, argMax(refusal, made_ms) FROM {}.applied "
                  "GROUP BY experiment, number, id, server FORMAT RowBinary",
                  fleet.address().database));
  for (RowBinaryReader rows(answer); !rows.at_end();) {
    const std::string experiment(rows.text());
    const auto number = rows.number<std::uint64_t>(), id = rows.number<std::uint64_t>();
    const std::string server(rows.text());
    tried[{experiment, number, id}][server] = rows.text();
  }
  return tried;
}

constexpr const char* kColumns = "number, made_ms, id, kind, arm, person";

}  // namespace

bool Decision::undoes(const Decision& earlier) const noexcept {
  const auto sets_status = [](const Decision& one) {
    return one.kind == "pause" || one.kind == "resume";
  };
  return earlier < *this && arm == earlier.arm &&
         (kind == earlier.kind || (sets_status(*this) && sets_status(earlier)));
}

std::set<Decision> read_decisions(ClickHouse& fleet, std::string_view experiment) {
  const std::string answer =
      fleet.ask(fmt::format("SELECT {} FROM {}.decisions WHERE experiment = {} FORMAT RowBinary",
                            kColumns, fleet.address().database, sql_text(experiment)));
  std::set<Decision> decisions;
  for (RowBinaryReader rows(answer); !rows.at_end();) decisions.insert(next_decision(rows));
  return decisions;
}

Decision decide(ClickHouse& fleet, const std::string& experiment, Decision wanted) {
  check_names(fleet, experiment, wanted.arm);
  const std::set<Decision> before = read_decisions(fleet, experiment);
  wanted.number = before.empty() ? 1 : before.rbegin()->number + 1;
  wanted.made_ms = utc_now_ms();
  wanted.id = random_bits() >> 1U;
  std::string row;
  append_text(row, experiment);
  for (const std::uint64_t number : {wanted.number, wanted.made_ms, wanted.id}) {
    append_number(row, number);
  }
  for (const std::string* text : {&wanted.kind, &wanted.arm, &wanted.person}) {
    append_text(row, *text);
  }
  fleet.insert(insert_sql(fleet.address().database, kDecisionsTable), row);
  return wanted;
}

std::vector<DecisionAudit> audit_decisions(ClickHouse& fleet) {
  const std::string answer = fleet.ask(
      fmt::format("SELECT DISTINCT experiment, {0} FROM {1}.decisions ORDER BY experiment, number, "
                  "made_ms, id FORMAT RowBinary",
                  kColumns, fleet.address().database));
  std::vector<DecisionAudit> audits;
  if (answer.empty()) return audits;
  Tried tried = read_tried(fleet);
  std::map<std::string, Names> open = open_servers(fleet);
  for (RowBinaryReader rows(answer); !rows.at_end();) {
    DecisionAudit& audit = audits.emplace_back();
    audit.experiment = rows.text();
    audit.decision = next_decision(rows);
    const auto& servers = tried[{audit.experiment, audit.decision.number, audit.decision.id}];
    for (const auto& [server, refusal] : servers) {
      if (refusal.empty()) {
        audit.applied.push_back(server);
      } else {
        audit.refused.emplace(server, refusal);
      }
    }
    for (const std::string& server : open[audit.experiment]) {
      if (!servers.contains(server)) audit.waiting.push_back(server);
    }
  }
  return audits;
}

}  // namespace prescope
