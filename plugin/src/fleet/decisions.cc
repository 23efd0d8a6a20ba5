#include "fleet/decisions.h"

#include <algorithm>

#include "base/errors.h"
#include "base/random_bits.h"
#include "base/utc_time.h"
#include "fleet/audit.h"
#include "fleet/fleet_epoch.h"
#include "fleet/receipt.h"
#include "fleet/row_binary.h"

namespace prescope {

namespace {

constexpr const char* kColumns = "number, made_ms, id, kind, arm, person";

using Names = std::set<std::string, std::less<>>;

void require_known(std::string_view kind, const std::string& name, const Names& names) {
  if (names.contains(name)) return;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw usage_error("{}", unknown_name_message(kind, name, known));
}

/// Refuses names that no server has shipped.
void check_names(ClickHouse& fleet, const std::string& experiment, const std::string& arm) {
  FleetRows row(fleet, "SELECT DISTINCT experiment, text FROM {}.epochs", fleet.address().database);
  Names experiments, arms;
  std::string_view name, text;
  while (row.next(name, text)) {
    experiments.emplace(name);
    if (name != experiment) continue;
    for (const ArmFacts& one : arms_in(text)) arms.insert(one.id.text());
  }
  require_known("experiment", experiment, experiments);
  require_known("arm", arm, arms);
}

/// Returns the open servers of each experiment.
std::map<std::string, Names> open_servers(ClickHouse& fleet) {
  const std::string& database = fleet.address().database;
  FleetRows row(fleet,
                "SELECT DISTINCT experiment, server FROM {}.shipped WHERE server GLOBAL IN ({})",
                database, open_servers_sql(database));
  std::map<std::string, Names> servers;
  std::string experiment, server;
  while (row.next(experiment, server)) servers[experiment].insert(server);
  return servers;
}

/// By experiment, number and id of a decision: each server that tried it, and its refusal.
using Tried = std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>,
                       std::map<std::string, std::string>>;

Tried read_tried(ClickHouse& fleet) {
  Tried tried;
  FleetRows row(fleet,
                "SELECT experiment, number, id, server, argMax(refusal, made_ms) FROM {}.applied "
                "GROUP BY experiment, number, id, server",
                fleet.address().database);
  Tried::key_type decision;
  auto& [experiment, number, id] = decision;
  std::string server;
  while (row.next(experiment, number, id, server)) row.read(tried[decision][server]);
  return tried;
}

}  // namespace

bool Decision::undoes(const Decision& earlier) const noexcept {
  const auto sets_status = [](const Decision& one) {
    return one.kind == "pause" || one.kind == "resume";
  };
  return earlier < *this && arm == earlier.arm &&
         (kind == earlier.kind || (sets_status(*this) && sets_status(earlier)));
}

std::set<Decision> read_decisions(ClickHouse& fleet, std::string_view experiment) {
  FleetRows row(fleet, "SELECT {} FROM {}.decisions WHERE experiment = {}", kColumns,
                fleet.address().database, sql_text(experiment));
  std::set<Decision> decisions;
  Decision one;
  while (row.next(one.number, one.made_ms, one.id, one.kind, one.arm, one.person)) {
    decisions.insert(one);
  }
  return decisions;
}

Decision decide(ClickHouse& fleet, const std::string& experiment, Decision wanted) {
  check_names(fleet, experiment, wanted.arm);
  const std::set<Decision> before = read_decisions(fleet, experiment);
  wanted.number = before.empty() ? 1 : before.rbegin()->number + 1;
  wanted.made_ms = utc_now_ms();
  wanted.id = random_bits() >> 1U;
  std::string row;
  append_row(row, experiment, wanted.number, wanted.made_ms, wanted.id, wanted.kind, wanted.arm,
             wanted.person);
  insert_rows(fleet, kDecisionsTable, row,
              fmt::format("experiment = {} AND number = {} AND id = {}", sql_text(experiment),
                          wanted.number, wanted.id));
  return wanted;
}

std::vector<DecisionAudit> audit_decisions(ClickHouse& fleet) {
  FleetRows row(fleet,
                "SELECT DISTINCT experiment, {0} FROM {1}.decisions "
                "ORDER BY experiment, number, made_ms, id",
                kColumns, fleet.address().database);
  std::vector<DecisionAudit> audits;
  for (DecisionAudit audit; row.next(audit.experiment);) {
    Decision& one = audit.decision;
    row.read(one.number, one.made_ms, one.id, one.kind, one.arm, one.person);
    audits.push_back(audit);
  }
  if (audits.empty()) return audits;
  Tried tried = read_tried(fleet);
  std::map<std::string, Names> open = open_servers(fleet);
  for (DecisionAudit& audit : audits) {
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
