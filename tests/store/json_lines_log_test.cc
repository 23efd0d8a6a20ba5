#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "prescope/observation_log.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<json> lines_of(const std::filesystem::path& path) {
  std::istringstream text(content_of(path));
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  return lines;
}

struct Logged {
  explicit Logged(const std::filesystem::path& path)
      : log(log_to_json_lines(path, {.queue = {.interval = milliseconds(1)}})),
        experiment(
            Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t \"1\""), Docno("d1")},
                                                       {TopicId("t \"1\""), Docno("d2")},
                                                       {TopicId("t \"1\""), Docno("d9"), 0}}),
            {.name = "night", .arms = {"a", "b"}, .cutoffs = {4}, .logs = {log}}),
        resolved(resolve(experiment)) {}

  void serve(const char* topic, ArmIndex arm, const std::vector<DocId>& docids) {
    {
      const QueryScope scope(experiment, TopicId(topic));
      experiment.observe(served(arm, resolved, docids));
    }
    experiment.flush();
    ASSERT_TRUE(log->flush());
  }

  std::shared_ptr<ObservationLog> log;
  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved;
};

TEST(JsonLinesLog, WritesALineForEachJudgedQuery) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "log.jsonl";
  Logged logged(path);
  logged.serve("t \"1\"", ArmIndex(1), {DocId(9), DocId(7), DocId(2), DocId(8)});
  logged.serve("not judged", ArmIndex(0), {DocId(1)});
  const std::vector<json> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 1U);
  const json& line = lines.front();
  EXPECT_EQ(line["experiment"], "night");
  EXPECT_EQ(line["arm"], "b");
  EXPECT_EQ(line["topic"], "t \"1\"");
  EXPECT_EQ(line["generation"], 1);
  EXPECT_EQ(line["documents"], 1000);
  EXPECT_EQ(line["first_rank"], 1);
  EXPECT_EQ(line["depth"], 10);
  EXPECT_EQ(line["num_ret"], 4);
  EXPECT_EQ(line["total_hits"], 4);
  EXPECT_EQ(line["num_rel"], 2);
  EXPECT_EQ(line["ranks"], json({3}));
  EXPECT_EQ(line["docnos"], json({"d2"}));
  EXPECT_THAT(line["flags"], IsEmpty());
  // One of two relevant documents, at rank 3 of 4: credit 4 + 1 - 3 = 2 of 2 * 4.
  EXPECT_EQ(line["PRES@4"], 0.25);
  EXPECT_EQ(line["R@4"], 0.5);
  EXPECT_NEAR(line["AP@4"].get<double>(), 1.0 / 3 / 2, 1e-15);
  EXPECT_TRUE(line["latency_ms"].is_number());
  EXPECT_TRUE(line["self_us"].is_number());
  EXPECT_THAT(line["time"].get<std::string>(),
              ::testing::MatchesRegex("20[0-9-]+T[0-9:]+\\.[0-9][0-9][0-9]Z"));
}

TEST(JsonLinesLog, AppendsAndReopensAMovedFile) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "log.jsonl", moved = scratch.path() / "log.jsonl.1";
  {
    Logged first(path);
    first.serve("t \"1\"", ArmIndex(0), {DocId(1)});
  }
  Logged second(path);
  second.serve("t \"1\"", ArmIndex(0), {DocId(2)});
  EXPECT_EQ(lines_of(path).size(), 2U);
  std::filesystem::rename(path, moved);
  // Reopened at most a second later; earlier lines go to the old file.
  for (int i = 0; i < 1000 && !std::filesystem::exists(path); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  second.serve("t \"1\"", ArmIndex(0), {DocId(1)});
  EXPECT_EQ(lines_of(moved).size(), 2U);
  EXPECT_EQ(lines_of(path).size(), 1U);
}

TEST(JsonLinesLog, NeverContinuesAPartialLine) {
  const ScratchFolder scratch;
  const auto path = scratch.write("log.jsonl", "{\"half\": tr");
  {
    Logged logged(path);
    logged.serve("t \"1\"", ArmIndex(0), {DocId(1)});
  }
  const std::string text = content_of(path);
  EXPECT_EQ(text.substr(0, text.find('\n')), "{\"half\": tr");
  EXPECT_EQ(json::parse(text.substr(text.find('\n') + 1))["num_ret"], 1);
}

TEST(JsonLinesLog, RefusesAnUnwritablePath) {
  const ScratchFolder scratch;
  const auto refusal = refusal_of([&] { const Logged logged(scratch.path()); });
  EXPECT_EQ(refusal.code, ErrorCode::kIo);
  EXPECT_THAT(refusal.message, HasSubstr(scratch.path().string() + ": cannot be appended to"));
}

TEST(JsonLinesLog, RefusesOptionsOutOfRangeAllAtOnce) {
  const ScratchFolder scratch;
  const auto log =
      log_to_json_lines(scratch.path() / "log", {.queue = {.queue_bytes = 1,
                                                           .batch = 0,
                                                           .interval = milliseconds(0),
                                                           .retry_interval = milliseconds(1)}});
  const auto refusal = refusal_of([&] {
    const Experiment experiment(
        Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d1")}}),
        {.arms = {"a"}, .logs = {log}});
  });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  for (const char* option : {"queue_bytes", "batch", "interval in ms", "retry_interval in ms"}) {
    EXPECT_THAT(refusal.message, HasSubstr(option));
  }
}

}  // namespace
}  // namespace prescope
