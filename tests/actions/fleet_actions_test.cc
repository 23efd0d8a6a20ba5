// Actions of a fleet: whoever reads it acts for all of its servers, once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "actions/actor.h"
#include "actions/decided_experiment.h"
#include "prescope/observation_log.h"
#include "prescope/shipper.h"
#include "serve/site/site.h"
#include "support/clickhouse_server.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// Records traffic that decides for one arm, and ships it.
void ship_decided_traffic(const ClickHouseServer& server, const std::filesystem::path& store) {
  {
    ExperimentOptions options = DecidedTraffic::options({});
    options.services.clear();
    options.logs = {log_to_store(store, {.durability = StoreLogOptions::Durability::kNormal})};
    Experiment experiment(DecidedTraffic::qrels(), std::move(options));
    DecidedTraffic::serve(experiment);
  }
  ship_all(store, {.to = server.url(), .server = "search1"});
}

TEST(FleetActions, ReadersWithOneJournalActOnce) {
  const ClickHouseServer server;
  server.make_tables();
  const ScratchFolder scratch;
  ship_decided_traffic(server, scratch.path() / "live.db");
  const std::filesystem::path journal = scratch.path() / "acts", said = scratch.path() / "said";
  const auto read = [&](std::size_t readers) {
    std::vector<std::unique_ptr<serve::Source>> fleets;
    std::vector<std::unique_ptr<Actor>> actors;
    for (std::size_t i = 0; i < readers; ++i) {
      serve::Source* const fleet = fleets
                                       .emplace_back(serve::fleet_source(
                                           parse_fleet_url(server.url()), [](const std::string&) {},
                                           std::chrono::milliseconds(20)))
                                       .get();
      actors.push_back(std::make_unique<Actor>(
          ActionOptions{.command = "echo $PRESCOPE_EVENT $PRESCOPE_ARM >> '" + said.string() + "'",
                        .journal = journal},
          ActionSource{.newest = [fleet] { return fleet->newest().summary; },
                       .interval = std::chrono::milliseconds(5)}));
    }
    while (Journal(journal).events().empty() ||
           !Journal(journal).open(Journal::Work::kCommand).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    actors.clear();  // before what they look at
  };
  read(2);
  EXPECT_EQ(content_of(said), "worse bad\n");
  read(1);
  EXPECT_EQ(content_of(said), "worse bad\n") << "a restart";
}

}  // namespace
}  // namespace prescope
