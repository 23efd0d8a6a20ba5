// Captured rankings in stores: the last one of each topic, by arm and session.
#include "store/sessions/captured_rankings.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/hash.h"
#include "prescope/observation_log.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// An experiment whose log stores captured rankings.
struct CapturingExperiment {
  explicit CapturingExperiment(const std::filesystem::path& path, std::uint32_t hits = 3)
      : log(log_to_store(path, {.captured_hits = hits})),
        experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("d1")},
                                                              {TopicId("t2"), Docno("d2")}}),
                   {.name = "night",
                    .arms = {"a", "b"},
                    .recording = {.capture_depth = hits},
                    .logs = {log}}) {}

  void serve(const char* topic, std::uint32_t arm, const std::vector<DocId>& docids) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe(served(ArmIndex(arm), resolved, docids));
  }
  void serve_docnos(const char* topic, const std::vector<std::string_view>& docnos) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe({.kind = HitKind::kDocnos, .docnos = docnos, .requested_depth = 10});
  }
  void flush() {
    experiment.flush();
    ASSERT_TRUE(log->flush());
  }

  std::shared_ptr<ObservationLog> log;
  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved = resolve(experiment);
};

std::vector<DocId> docids_of(std::initializer_list<std::uint32_t> numbers) {
  std::vector<DocId> docids;
  for (const std::uint32_t number : numbers) docids.emplace_back(number);
  return docids;
}

TEST(CapturedRankings, AreTheLastOfEachTopicAndArm) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  CapturingExperiment capturing(path);
  capturing.serve("t1", 0, docids_of({9, 8, 7, 6}));
  capturing.serve("t1", 1, docids_of({4}));
  capturing.serve("t2", 0, docids_of({5, 6}));
  capturing.serve("t1", 0, docids_of({1, 2}));
  capturing.serve("nobody judged this", 0, docids_of({3}));
  capturing.flush();
  const auto captured = read_captured_rankings(path);
  ASSERT_EQ(captured.size(), 2U);
  EXPECT_EQ(captured[0].arm, "a");
  EXPECT_EQ(captured[0].experiment, "night");
  EXPECT_EQ(captured[0].kind, CapturedRankings::Kind::kDocids);
  EXPECT_THAT(captured[0].topics,
              ElementsAre(Pair("t1", ElementsAre(1U, 2U)), Pair("t2", ElementsAre(5U, 6U))));
  EXPECT_EQ(captured[0].cut_off.size(), 0U) << "t1 was, but has been served again";
  EXPECT_THAT(captured[1].topics, ElementsAre(Pair("t1", ElementsAre(4U))));
  EXPECT_EQ(read_captured_rankings(path, {.arm = "b"}).size(), 1U);
}

TEST(CapturedRankings, CountRankingsServedDeeperThanCaptured) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  CapturingExperiment capturing(path, 2);
  capturing.serve("t1", 0, docids_of({9, 8, 7}));
  capturing.serve("t2", 0, docids_of({9, 8}));
  capturing.flush();
  const auto captured = read_captured_rankings(path);
  ASSERT_EQ(captured.size(), 1U);
  EXPECT_EQ(captured[0].cut_off.size(), 1U);
  EXPECT_EQ(captured[0].topics.at("t1").size(), 2U);
}

TEST(CapturedRankings, OfServedNamesAreHashesOfTheirKeys) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  CapturingExperiment capturing(path);
  capturing.serve_docnos("t1", {"d1", "d7"});
  capturing.flush();
  const auto captured = read_captured_rankings(path);
  ASSERT_EQ(captured.size(), 1U);
  EXPECT_EQ(captured[0].kind, CapturedRankings::Kind::kKeys);
  EXPECT_THAT(captured[0].topics,
              ElementsAre(Pair("t1", ElementsAre(key_hash("d1"), key_hash("d7")))));
}

TEST(CapturedRankings, OfAStoreWithoutCapturesAreEmpty) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "night.db";
  CapturingExperiment capturing(path, 0);
  capturing.serve("t1", 0, docids_of({9, 8}));
  capturing.flush();
  EXPECT_THAT(read_captured_rankings(path), IsEmpty());
}

TEST(CapturedRankings, AreReadFromStoresOnly) {
  const ScratchFolder scratch;
  CapturingExperiment capturing(scratch.path() / "night.db");
  capturing.flush();
  EXPECT_TRUE(looks_like_store(scratch.path() / "night.db"));
  EXPECT_FALSE(looks_like_store(scratch.write("run", "T1 Q0 D1 1 1.0 x\n")));
  EXPECT_FALSE(looks_like_store(scratch.write("short", "SQLite")));
  EXPECT_FALSE(looks_like_store(scratch.path() / "missing"));
  EXPECT_FALSE(looks_like_store("-"));
}

TEST(CapturedRankings, NothingIsReadFromAPipe) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int pipe = ::open(path.c_str(), O_RDWR);  // which waits for nobody
  constexpr std::string_view kHead{"SQLite format 3\0", 16};
  ASSERT_EQ(::write(pipe, kHead.data(), kHead.size()), 16);
  EXPECT_FALSE(looks_like_store(path));
  ASSERT_EQ(::write(pipe, "!", 1), 1);
  std::array<char, 32> left{};
  EXPECT_EQ(::read(pipe, left.data(), left.size()), 17);
  ::close(pipe);
}

}  // namespace
}  // namespace prescope
