// `prescope prune` on a store that the program itself wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nights_workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kPrunedTopics = 40;

/// Night 1 is pinned, nights 2 and 3 are not.
class Prune : public ::testing::Test {
 protected:
  void SetUp() override {
    pin_base(workspace_);
    for (int night = 2; night <= 3; ++night) {
      write_night_run(workspace_, "night.run", kPrunedTopics, [](int) { return NightRanks{1, 3}; });
      ASSERT_EQ(run_night(workspace_, "gate", "night.run").exit_code, 0);
    }
  }

  Outcome prune(std::vector<std::string> more) const {
    more.insert(more.begin(), {"prune", "nights.db"});
    return workspace_.run(more);
  }
  std::string history() const {
    return workspace_.run({"history", "nights.db", "--format", "csv"}).out;
  }

  Workspace workspace_;
};

TEST_F(Prune, KeepsPinnedNights) {
  const Outcome outcome = prune({"--nights-before", "2999-01-01"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              StartsWith("removed 0 observations, 0 captured rankings and 2 nights; the file had"));
  const Outcome list = workspace_.run({"pin", "nights.db", "--list"});
  EXPECT_THAT(list.out, HasSubstr("main"));
  write_night_run(workspace_, "again.run", kPrunedTopics, [](int) { return NightRanks{1, 3}; });
  EXPECT_EQ(run_night(workspace_, "gate", "again.run").exit_code, 0) << "the baseline is there";
}

TEST_F(Prune, KeepsTheLastDays) {
  const std::string before = history();
  const Outcome outcome = prune({"--days", "30"});
  EXPECT_THAT(outcome.out, HasSubstr(" and 0 nights;"));
  EXPECT_EQ(history(), before);
}

TEST_F(Prune, ReportsThatPinnedDataExceedsTheSize) {
  const Outcome outcome = prune({"--max-size", "0"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr(" and 2 nights;"));
  EXPECT_THAT(outcome.err, HasSubstr("is more than --max-size: the rest is always kept"));
}

TEST_F(Prune, RefusesWithoutALimit) {
  const std::string before = workspace_.read("nights.db");
  const Outcome outcome = prune({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("expected --days, --observations-before, --nights-before or"));
  EXPECT_EQ(prune({"--days", "many"}).exit_code, 2);
  EXPECT_EQ(prune({"--nights-before", "yesterday"}).exit_code, 2);
  EXPECT_EQ(workspace_.read("nights.db"), before);
}

TEST(PruneCommand, DoesNotCreateAStore) {
  const Workspace workspace;
  const Outcome outcome = workspace.run({"prune", "none.db", "--days", "3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("none.db"));
  EXPECT_FALSE(workspace.has("none.db"));
}

}  // namespace
}  // namespace prescope::testing
