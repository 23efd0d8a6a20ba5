// Nights of a store, while others write to it.
#include "serve/site/nights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/nightly/gate_report.h"
#include "store/nights/store.h"
#include "support/evaluation_records.h"
#include "support/scratch_file.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using std::chrono::hours;
using ::testing::HasSubstr;

class NightsTest : public ::testing::Test {
 protected:
  /// The same topics and judgements every night, so that nights can be compared.
  void add_night(std::uint32_t night) {
    EvaluationRecord record = evaluation_record(steady_topics(20));
    record.time = UtcTime(hours(24 * night));
    if (night % 2 == 0) record.topics[3].found.back().rank += 1;
    Store::open(path_, Store::Access::kWrite).add(record);
  }

  /// Returns the output of the command.
  [[nodiscard]] std::string plain_history() const {
    const Store store = Store::open(path_, Store::Access::kRead);
    const std::vector<Night> nights = store.nights();
    return history_json(
        history_report(store, path_.string(), nights, measures_of(nights), HistoryFilter{}));
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_.path() / "nights.db";
};

TEST_F(NightsTest, HistoryEqualsTheCommandAndFollowsTheStore) {
  add_night(1);
  EXPECT_EQ(history_document(path_), plain_history());
  EXPECT_EQ(json::parse(history_document(path_))["nights"].size(), 1U);
  for (std::uint32_t night = 2; night <= 5; ++night) {
    add_night(night);  // at once: the file may have the same size and the same time
    EXPECT_EQ(json::parse(history_document(path_))["nights"].size(), night);
    EXPECT_EQ(history_document(path_), plain_history());
  }
}

TEST_F(NightsTest, ComparesLikeTheGate) {
  add_night(1);
  add_night(2);
  add_night(3);
  const json verdict = json::parse(nights_compared(path_, 1, 2));
  const Store store = Store::open(path_, Store::Access::kRead);
  const GateReport report{
      .store = path_.string(),
      .evaluation = 2,
      .verdict = gate({.name = "night 1", .number = 1, .evaluation = store.evaluation(1)},
                      store.evaluation(2), {}),
      .compares_nights = true};
  EXPECT_EQ(verdict, json::parse(gate_json(report)));
  EXPECT_EQ(verdict["identical"], false);
  EXPECT_EQ(verdict["words"]["before"], "night 1");
  EXPECT_EQ(verdict["words"]["after"], "night 2");
  EXPECT_EQ(json::parse(nights_compared(path_, 1, 3))["identical"], true);
  const auto unknown = refusal_of([&] { (void)nights_compared(path_, 1, 4); });
  EXPECT_EQ(unknown.code, ErrorCode::kUsage);
  EXPECT_THAT(unknown.message, HasSubstr("4"));
}

TEST_F(NightsTest, UnreadableStoreIsAnErrorUntilItIsReadable) {
  add_night(1);
  const auto kept = scratch_.path() / "kept.db";
  std::filesystem::rename(path_, kept);
  EXPECT_EQ(refusal_of([&] { (void)history_document(path_); }).code, ErrorCode::kIo);
  std::ofstream(path_) << "no store";
  EXPECT_EQ(refusal_of([&] { (void)history_document(path_); }).code, ErrorCode::kBadInput);
  std::filesystem::rename(kept, path_);
  EXPECT_EQ(history_document(path_), plain_history());
}

}  // namespace
}  // namespace prescope::serve
