#include <fmt/format.h>

#include "serve/metrics/metric_families.h"
#include "serve/metrics/metrics.h"

namespace prescope::serve {

namespace {

template <class Time>
double seconds_of(Time time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string fleet_metrics_text(std::span<const FleetSession::Server> servers) {
  using Server = FleetSession::Server;
  Objects<Server> objects;
  for (const Server& server : servers) {
    objects.emplace_back(
        Labels{{"server", server.name}, {"store", fmt::format("{:016x}", server.spool)}}, &server);
  }
  Families families;
  const Group<Server> group{families, objects};
  group.add(kGauge, "prescope_fleet_complete_timestamp_seconds",
            "Time up to which the fleet has all of a server that is not closed.",
            [](const Server& of) {
              return of.is_closed ? std::nullopt
                                  : std::optional(seconds_of(of.complete.time_since_epoch()));
            });
  group.add(kGauge, "prescope_fleet_waiting", "Observations that wait in a server's store.",
            &Server::waiting);
  group.add(kGauge, "prescope_fleet_missing",
            "Observations that were acknowledged and are not there.", &Server::missing);
  group.add(kGauge, "prescope_fleet_senseless",
            "Observations that cannot be understood and are left out.", &Server::senseless);
  group.add(kCounter, "prescope_fleet_dropped_total",
            "Observations that a server gave up, because its store had to be small.",
            &Server::dropped);
  group.add(kGauge, "prescope_fleet_clock_ahead_seconds",
            "How far a server's clock is ahead of that of ClickHouse.",
            [](const Server& of) { return std::optional(seconds_of(of.ahead)); });
  return text_of(std::move(families));
}

std::string ship_metrics_text(const ShipProgress& progress) {
  const Objects<ShipProgress> one = {{Labels{}, &progress}};
  Families families;
  const Group<ShipProgress> group{families, one};
  group.add(kCounter, "prescope_ship_shipped_total",
            "Observations that the fleet has acknowledged to this process.",
            &ShipProgress::shipped);
  group.add(kGauge, "prescope_ship_waiting", "Observations that are not acknowledged.",
            &ShipProgress::waiting);
  group.add(kCounter, "prescope_ship_dropped_total",
            "Observations that were given up since the store was made.", &ShipProgress::dropped);
  group.add(kCounter, "prescope_ship_failures_total", "Requests that failed and were sent again.",
            &ShipProgress::failures);
  group.add(kGauge, "prescope_ship_connected", "1 if the last request succeeded.",
            [](const ShipProgress& of) { return std::optional(of.is_connected ? 1.0 : 0.0); });
  group.add(kGauge, "prescope_ship_complete_timestamp_seconds",
            "Time up to which the fleet has everything.", [](const ShipProgress& of) {
              return std::optional(seconds_of(of.complete.time_since_epoch()));
            });
  group.add(kGauge, "prescope_ship_clock_ahead_seconds",
            "How far the clock is ahead of that of ClickHouse.",
            [](const ShipProgress& of) { return std::optional(seconds_of(of.clock_ahead)); });
  if (!progress.last_error.empty()) {
    MetricFamily& family =
        add_family(families, kGauge, "prescope_ship_last_error", "The last failure, in words.");
    add_sample(family, {{"error", progress.last_error}}, progress.is_connected ? 0.0 : 1.0);
  }
  return text_of(std::move(families));
}

}  // namespace prescope::serve
