#pragma once

#include <map>
#include <set>
#include <tuple>

#include "fleet/clickhouse.h"

namespace prescope {

/// A decision about an arm of an experiment, for all of its servers. ClickHouse cannot give a
/// number to one of two people only, so each decision has an id too: of two with the same number,
/// the one that was made later stands behind the other, on every server.
struct Decision {
  std::uint64_t number = 0;  ///< from 1
  std::uint64_t made_ms = 0;
  std::uint64_t id = 0;  ///< random, below 2^63
  std::string kind{};    ///< "pause", "resume" or "restart"
  std::string arm{};
  std::string person{};  ///< who decided

  friend bool operator<(const Decision& a, const Decision& b) noexcept {
    return std::tie(a.number, a.made_ms, a.id) < std::tie(b.number, b.made_ms, b.id);
  }
  /// Returns whether this decision leaves nothing of an earlier one.
  [[nodiscard]] bool undoes(const Decision& earlier) const noexcept;
};

/// Returns the decisions about an experiment. Throws as ClickHouse::ask.
[[nodiscard]] std::set<Decision> read_decisions(ClickHouse& fleet, std::string_view experiment);

/// Appends a decision: `kind`, `arm` and `person` of `wanted`, with the number behind the last one.
/// Returns it as the fleet has it. Throws as ClickHouse::insert, and Error(kUsage), with the
/// nearest name, for an experiment or an arm that no server has shipped yet.
Decision decide(ClickHouse& fleet, const std::string& experiment, Decision wanted);

/// A decision, and what each server has done with it.
struct DecisionAudit {
  std::string experiment{};
  Decision decision{};
  std::vector<std::string> applied{};            ///< servers, by name
  std::vector<std::string> waiting{};            ///< open servers that have not tried
  std::map<std::string, std::string> refused{};  ///< by server: why it cannot apply it
};

/// Returns all decisions, by experiment and in their order. Throws as ClickHouse::ask.
[[nodiscard]] std::vector<DecisionAudit> audit_decisions(ClickHouse& fleet);

}  // namespace prescope
