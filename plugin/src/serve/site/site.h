#pragma once

#include "fleet/clickhouse.h"
#include "prescope/shipper.h"
#include "serve/http/handler.h"
#include "serve/site/source.h"

/// The site serves every document of `docs/http-json.md`.
namespace prescope::serve {

// Parameters of paths below /api.
inline constexpr std::array<std::string_view, 8> kTopicsParameters = {
    "measure", "a", "b", "sort", "order", "page", "size", "search"};
inline constexpr std::array<std::string_view, 1> kSweepParameters = {"count"};

/// The site of a running experiment, which must outlive it.
[[nodiscard]] std::unique_ptr<Handler> experiment_site(Experiment& experiment);

/// Returns the site of a store: its nights, read at each request, and one of its sessions as it was
/// at this call; the newest if none is named. Throws Error as Store::open and RebuiltSession do.
/// Takes as long as reading the session.
[[nodiscard]] std::unique_ptr<Handler> store_site(const std::filesystem::path& store,
                                                  std::optional<std::int64_t> session = {});

/// Returns `/metrics` and `/healthz` of a shipper. `progress` is called on the server's threads.
[[nodiscard]] std::unique_ptr<Handler> shipping_site(std::function<ShipProgress()> progress);

/// Returns the newest epoch of a fleet, which `fleet_site` shows, for `site_of`.
[[nodiscard]] std::unique_ptr<Source> fleet_source(
    const FleetAddress& address, std::function<void(const std::string&)> on_warning,
    std::chrono::milliseconds interval = std::chrono::seconds(2));

/// Returns the site of the newest epoch of a fleet. Another thread reads its facts, a part at a
/// time, so that the picture grows from the epoch's beginning on. Then it looks for new facts at
/// each `interval`. It calls `on_warning` when the fleet cannot be read, and when it can be again.
/// Throws as FleetSession does.
[[nodiscard]] std::unique_ptr<Handler> fleet_site(
    const FleetAddress& address, std::function<void(const std::string&)> on_warning,
    std::chrono::milliseconds interval = std::chrono::seconds(2));

/// The site of an experiment, if `source` is not null, and of the nights of a store, if one is
/// named.
[[nodiscard]] std::unique_ptr<Handler> site_of(std::unique_ptr<Source> source,
                                               std::optional<std::filesystem::path> store = {});

}  // namespace prescope::serve
