#include "cli/commands/commands.h"
#include "cli/options/terminal.h"
#include "store/nights/store.h"

namespace prescope::cli {

namespace {

struct PruneRequest {
  std::string store;
  Retention retention;
  std::optional<std::uint64_t> days, most_mib;
};

UtcTime days_ago(std::uint64_t days) {
  constexpr std::uint64_t kMostDays = 100'000;
  if (days > kMostDays) {
    throw usage_error("--days: {} is more than {}; expected the days to keep, such as 90", days,
                      kMostDays);
  }
  return utc_now() - std::chrono::days(days);
}

Retention retention_of(const PruneRequest& request) {
  Retention retention = request.retention;
  if (request.days) {
    const UtcTime since = days_ago(*request.days);
    if (!retention.observations_since) retention.observations_since = since;
    if (!retention.evaluations_since) retention.evaluations_since = since;
  }
  if (request.most_mib) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
    if (*request.most_mib > kMost) {
      throw usage_error("--max-size: {} MiB is no size of a file", *request.most_mib);
    }
    retention.bytes = *request.most_mib << 20U;
  }
  if (!retention.observations_since && !retention.evaluations_since && !retention.bytes) {
    throw usage_error(
        "nothing to remove was named; expected --days, --observations-before, "
        "--nights-before or --max-size");
  }
  return retention;
}

std::string mib_text(std::uint64_t bytes) {
  constexpr double kMib = 1 << 20;
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMib);
}

std::string pruned_text(const Pruned& pruned) {
  return fmt::format("removed {}, {} and {}; the file had {}, and has {}\n",
                     count_text(pruned.observations, "observation"),
                     count_text(pruned.captures, "captured ranking"),
                     count_text(pruned.evaluations, "night"), mib_text(pruned.bytes_before),
                     mib_text(pruned.bytes_after));
}

void run_prune(const PruneRequest& request) {
  const Retention retention = retention_of(request);
  const Pruned pruned = Store::open(request.store, Store::Access::kUpdate).prune(retention);
  print_sentence(pruned_text(pruned));
  if (!retention.bytes || pruned.bytes_after <= *retention.bytes) return;
  print_note(
      fmt::format("{} is more than --max-size: the rest is always kept (pins, pinned "
                  "nights, sums), or a reader was at work; see docs/formats.md",
                  mib_text(pruned.bytes_after)));
}

}  // namespace

void add_prune_command(Command& program) {
  const auto [command, request] = program.add_command(
      "prune", "Remove old data from a store; never pins, pinned nights or sums.", run_prune);
  command.add("STORE", request.store, "FILE", "Store that pin, gate or --store wrote")->required();
  command.add("--days", request.days, "N", "Keep observations and nights of the last N days");
  command.add("--observations-before", request.retention.observations_since, "TIME",
              "Remove observations and captured rankings before this time, UTC: 2026-11-22");
  command.add("--nights-before", request.retention.evaluations_since, "TIME",
              "Remove nights before this time that were never pinned, UTC");
  command.add("--max-size", request.most_mib, "MIB",
              "Remove more, the oldest first, until the file has at most so many MiB");
  command.footer(
      "Examples:\n"
      "  prescope prune nights.db --days 365\n"
      "  prescope prune live.db --observations-before 2026-11-01 --max-size 2000");
}

}  // namespace prescope::cli
