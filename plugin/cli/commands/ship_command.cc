#include "cli/commands/commands.h"
#include "cli/options/interrupt.h"
#include "cli/options/terminal.h"
#include "fleet/outbox.h"
#include "prescope/shipper.h"
#include "report/text/tables.h"
#include "serve/http/http_server.h"
#include "serve/site/site.h"

namespace prescope::cli {

namespace {

struct ShipRequest {
  std::string store;
  ShipOptions options;
  std::optional<std::uint64_t> seconds, patience, days, most_mib;
  std::optional<std::uint16_t> port;
  bool follow = false, forget = false;
};

ShipOptions options_of(const ShipRequest& request) {
  ShipOptions options = request.options;
  options.on_warning = print_note;
  if (request.seconds) options.interval = std::chrono::seconds(*request.seconds);
  if (request.patience) options.patience = std::chrono::seconds(*request.patience);
  if (request.days) options.most_age = std::chrono::days(*request.days);
  if (request.most_mib) options.most_bytes = *request.most_mib << 20U;
  return options;
}

std::string shipped_text(const ShipProgress& progress) {
  std::string text = fmt::format("shipped {}; {} wait", count_text(progress.shipped, "observation"),
                                 progress.waiting);
  if (progress.dropped > 0) {
    text += fmt::format("; {} were given up since the store was made", progress.dropped);
  }
  return text + '\n';
}

void run_ship(const ShipRequest& request) {
  if (request.forget) {
    Outbox::forget(request.store, parse_fleet_url(request.options.to).text);
    return;
  }
  if (request.port && !request.follow) {
    throw usage_error("--port has a meaning only with --follow; add it");
  }
  const ShipOptions options = options_of(request);
  if (!request.follow) return print_sentence(shipped_text(ship_all(request.store, options)));
  Interrupt interrupt;
  const Shipper shipper(request.store, options);
  std::optional<serve::HttpServer> server;
  if (request.port) {
    server.emplace(serve::shipping_site([&] { return shipper.progress(); }),
                   DashboardOptions{.port = *request.port, .on_warning = print_note});
    print_note("serving " + server->url() + "metrics");
  }
  interrupt.wait();
  print_sentence(shipped_text(shipper.progress()));
}

}  // namespace

void add_ship_command(Command& program) {
  constexpr Limits kDays{1, 36'500}, kSeconds{1, 600}, kPatience{0, 86'400};
  constexpr Limits kMib{1, std::uint64_t{1} << 40U};
  const auto [command, request] = program.add_command(
      "ship", "Send a store's observations to the fleet's ClickHouse, each exactly once.",
      run_ship);
  command.add("STORE", request.store, "FILE", "Store that observations are written to")->required();
  command
      .add("--to", request.options.to, "URL",
           "The fleet: clickhouse://host:8123/database, or clickhouse+https://host1,host2/database")
      ->required();
  command.add("--server", request.options.server, "NAME",
              "Name of this server in the fleet (the machine's name)");
  command.add_flag("--follow", request.follow, "Go on with observations written from now on");
  command.add("--batch", request.options.batch, "N",
              "Observations sent at a time, at most 500000 (20000)");
  command.add("--interval", request.seconds, "SECONDS",
              "With --follow: time between two batches (10)", kSeconds);
  command.add("--patience", request.patience, "SECONDS",
              "Without --follow: how long to go on if the fleet cannot be reached (60)", kPatience);
  command.add("--max-age", request.days, "DAYS",
              "Give up observations that were not acknowledged for so long", kDays);
  command.add("--max-size", request.most_mib, "MIB",
              "Give up the oldest observations if more than so much waits", kMib);
  command.add(
      "--port", request.port, "N",
      "With --follow: serve /metrics and /healthz on this port of this machine; 0: a free one");
  command.add_flag("--forget", request.forget,
                   "Do not ship: the store keeps nothing for this fleet any more");
  command.footer(
      "User and password come from PRESCOPE_CLICKHOUSE_USER and PRESCOPE_CLICKHOUSE_PASSWORD, or\n"
      "PRESCOPE_CLICKHOUSE_PASSWORD_FILE; PRESCOPE_CLICKHOUSE_CA_FILE names certificates to "
      "trust.\n"
      "docs/fleet.md says how to run it.\n\n"
      "Examples:\n"
      "  prescope ship live.db --to clickhouse://ch1,ch2,ch3/prescope\n"
      "  prescope ship live.db --to clickhouse+https://ch1:8443/prescope --follow --interval 5");
}

}  // namespace prescope::cli
