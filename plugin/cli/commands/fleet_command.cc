#include "cli/commands/commands.h"
#include "cli/options/terminal.h"
#include "fleet/audit.h"
#include "fleet/decisions.h"
#include "fleet/fleet_epoch.h"
#include "fleet/schema.h"
#include "report/text/tables.h"

namespace prescope::cli {

namespace {

struct InitRequest {
  std::string fleet;
  std::optional<std::string> replicated, sharded;
  bool print = false;
};

FleetLayout layout_of(const InitRequest& request) {
  if (request.replicated && request.sharded) {
    throw usage_error(
        "--replicated and --sharded exclude each other: the replicas of shards are replicated too");
  }
  FleetLayout layout;
  if (request.replicated) layout = {FleetLayout::Kind::kReplicated, *request.replicated};
  if (request.sharded) layout = {FleetLayout::Kind::kSharded, *request.sharded};
  return layout;
}

void run_init(const InitRequest& request) {
  FleetAddress address = parse_fleet_url(request.fleet);
  const std::vector<std::string> statements = fleet_schema(address.database, layout_of(request));
  if (request.print) {
    for (const std::string& statement : statements) print_result(statement + ";\n");
    return;
  }
  ClickHouse fleet(address);
  for (const std::string& statement : statements) fleet.ask(statement);
  check_fleet(fleet);
  give_identity(fleet);
  print_sentence(fmt::format("{} has the tables of prescope\n", address.text));
}

struct CheckRequest {
  std::string fleet;
};

ReportTable audit_table(std::span<const SpoolAudit> spools) {
  ReportTable table =
      table_of("", {"server", "complete up to"},
               {"acknowledged", "present", "missing", "waiting", "dropped"}, {"last error"});
  for (const SpoolAudit& spool : spools) {
    const UtcTime complete{std::chrono::milliseconds(spool.complete_ms)};
    table.rows.push_back({spool.server, spool.is_closed ? "closed" : utc_text(complete),
                          fmt::to_string(spool.acknowledged), fmt::to_string(spool.present),
                          fmt::to_string(spool.missing()), fmt::to_string(spool.waiting),
                          fmt::to_string(spool.dropped), spool.error});
  }
  return table;
}

void show_decisions(std::span<const DecisionAudit> decisions) {
  if (decisions.empty()) return;
  ReportTable table =
      table_of("", {"experiment"}, {"decision"}, {"what", "by", "at", "applied by", "not yet by"});
  for (const auto& one : decisions) {
    const Decision& decision = one.decision;
    table.rows.push_back({one.experiment, fmt::to_string(decision.number),
                          decision.kind + ' ' + decision.arm, decision.person,
                          utc_text(UtcTime(std::chrono::milliseconds(decision.made_ms))),
                          fmt::to_string(fmt::join(one.applied, ", ")),
                          fmt::to_string(fmt::join(one.waiting, ", "))});
  }
  print_result('\n' + table_text(table, stdout_look()));
  for (const DecisionAudit& one : decisions) {
    for (const auto& [server, refusal] : one.refused) {
      print_note(fmt::format("{} cannot apply decision {} of {}: {}", server, one.decision.number,
                             one.experiment, refusal));
    }
  }
}

int run_check(const CheckRequest& request) {
  ClickHouse fleet(parse_fleet_url(request.fleet));
  print_note(rights_sentence(fleet));
  check_fleet(fleet);
  const std::vector<SpoolAudit> spools = audit_fleet(fleet);
  print_result(table_text(audit_table(spools), stdout_look()));
  show_decisions(audit_decisions(fleet));
  for (const std::string& sentence : differing_splits(fleet)) print_note(sentence);
  const std::vector<std::string> judgements = broken_judgements(fleet);
  for (const std::string& sentence : judgements) print_note(sentence);
  std::uint64_t missing = 0;
  for (const SpoolAudit& spool : spools) {
    missing += spool.missing();
    if (std::abs(spool.ahead_ms) > kClocksDifferMs) {
      print_note(clock_sentence(spool.server, spool.ahead_ms));
    }
    if (spool.ahead_rows > 0) print_note(future_sentence(spool.server, spool.ahead_rows));
  }
  if (missing == 0) return judgements.empty() ? 0 : 1;
  print_note(
      fmt::format("{} are missing that servers were told are stored; docs/fleet.md says how "
                  "to ship them again",
                  count_text(missing, "observation")));
  return 1;
}

struct CloseRequest {
  std::string fleet, server;
};

void run_close(const CloseRequest& request) {
  ClickHouse fleet(parse_fleet_url(request.fleet));
  const std::size_t closed = close_server(fleet, request.server);
  print_sentence(fmt::format("readers wait no longer for {} of {}\n", count_text(closed, "store"),
                             request.server));
}

struct DecisionRequest {
  std::string fleet, experiment;
  Decision decision;
};

void run_decision(const DecisionRequest& request) {
  ClickHouse fleet(parse_fleet_url(request.fleet));
  Decision wanted = request.decision;
  if (wanted.person.empty()) wanted.person = user_name();
  const Decision made = decide(fleet, request.experiment, wanted);
  print_sentence(fmt::format(
      "decision {} of {}: {} {}; its servers apply it within seconds, 'prescope fleet check' shows "
      "which did\n",
      made.number, request.experiment, made.kind, made.arm));
  for (const Decision& other : read_decisions(fleet, request.experiment)) {
    if (other.number != made.number || other.id == made.id) continue;
    print_note(fmt::format("{} decided {} {} at the same time; it counts as the {} decision",
                           other.person, other.kind, other.arm,
                           other < made ? "earlier" : "later"));
  }
}

}  // namespace

void add_fleet_commands(Command& program) {
  Command& group = program.add_command(
      "fleet", "Make and check the tables of a fleet, and change arms on all its servers.");
  constexpr const char* kUrl = "The fleet: clickhouse://host:8123/database";
  {
    const auto [command, request] = group.add_command(
        "init", "Make the database and its tables, if they are missing.", run_init);
    command.add("FLEET", request.fleet, "URL", kUrl)->required();
    command.add("--replicated", request.replicated, "CLUSTER",
                "Each server of this cluster has all rows");
    command.add("--sharded", request.sharded, "CLUSTER",
                "Each shard of this cluster has the rows of some servers");
    command.add_flag("--print", request.print, "Only print the statements");
    command.footer("Example:\n  prescope fleet init clickhouse://ch1/prescope --replicated fleet");
  }
  {
    const auto [command, request] = group.add_command(
        "check", "Compare what the fleet has with what it acknowledged to its servers.", run_check);
    command.add("FLEET", request.fleet, "URL", kUrl)->required();
    command.footer(
        "Ends with 1 if observations are missing or judgements are not those of the servers.\n\n"
        "Example:\n  prescope fleet check clickhouse://ch1/prescope");
  }
  {
    const auto [command, request] = group.add_command(
        "close", "Say that a server is gone for good, so that readers do not wait for it.",
        run_close);
    command.add("FLEET", request.fleet, "URL", kUrl)->required();
    command.add("SERVER", request.server, "NAME", "Its name, as 'fleet check' shows it")
        ->required();
    command.footer("Example:\n  prescope fleet close clickhouse://ch1/prescope search7");
  }
  const std::array<std::array<const char*, 3>, 3> decisions{{
      {"pause", "pause", "Pause an arm on all servers: it serves nothing."},
      {"arm", "resume", "Let a paused arm serve again on all servers."},
      {"restart", "restart", "Begin the evidence about an arm anew on all servers."},
  }};
  for (const auto& [name, kind, help] : decisions) {
    const auto [command, request] = group.add_command(name, help, run_decision);
    request.decision.kind = kind;
    command.add("FLEET", request.fleet, "URL", kUrl)->required();
    command.add("EXPERIMENT", request.experiment, "NAME", "The experiment's name")->required();
    command.add("ARM", request.decision.arm, "NAME", "The arm's name")->required();
    command.add("--by", request.decision.person, "NAME",
                "Who decides; the user's name unless given");
    command.footer(
        fmt::format("Servers that follow decisions apply it within seconds, or as soon as they can "
                    "look again.\n\n"
                    "Example:\n  prescope fleet {} clickhouse://ch1/prescope autumn bm25",
                    name));
    if (name != std::string_view(kind)) command.alias(kind);
  }
  group.footer(
      "'prescope fleet NAME --help' describes a command.\n\n"
      "Example:\n  prescope fleet init clickhouse://ch1/prescope");
}

}  // namespace prescope::cli
