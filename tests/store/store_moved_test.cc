// A store that is removed, moved or replaced while an experiment writes to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "prescope/observation_log.h"
#include "store/sessions/observation_reader.h"
#include "store/sessions/rebuilt_session.h"
#include "store/sqlite/database.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// An experiment whose n-th observation has n as its total hits.
struct WatchedStore {
  explicit WatchedStore(const fs::path& path)
      : log(log_to_store(path, {.queue = {.interval = milliseconds(1)}})),
        experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d1")}}),
                   {.name = "night", .arms = {"a", "b"}, .cutoffs = {10}, .logs = {log}}),
        resolved(resolve(experiment)) {}

  void serve(std::uint64_t number, std::uint32_t arm = 0) {
    const std::vector<DocId> docids = {DocId(1)};
    Ranking ranking = served(ArmIndex(arm), resolved, docids);
    ranking.total_hits = number;
    experiment.observe(experiment.visit(TopicId("t")), ranking);
    experiment.flush();
    ASSERT_TRUE(log->flush());
  }

  std::shared_ptr<ObservationLog> log;
  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved;
};

std::vector<std::uint64_t> numbers_in(const fs::path& path) {
  std::vector<std::uint64_t> numbers;
  ObservationReader reader(path);
  reader.read({}, 0,
              [&](const StoredObservation& one) { numbers.push_back(one.observation.total_hits); });
  return numbers;
}

void remove_store(const fs::path& path) {
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(path.string() + part);
}

TEST(StoreMoved, RemovedStoreIsMadeAnewBeforeAnythingIsAcknowledged) {
  // Only the file itself, or with the files beside it.
  for (const bool all : {false, true}) {
    const ScratchFolder scratch;
    const fs::path path = scratch.path() / "live.store";
    {
      WatchedStore logged(path);
      logged.experiment.add_arm("late", {.config = "k = 2"});
      logged.experiment.pause_arm(ArmIndex(1));
      for (std::uint64_t i = 1; i <= 3; ++i) logged.serve(i, 2);
      all ? remove_store(path) : void(fs::remove(path));
      logged.serve(4, 2);
      logged.serve(5, 0);
      EXPECT_THAT(numbers_in(path), ElementsAre(4, 5)) << "acknowledged, so it must be there";
      EXPECT_EQ(logged.log->progress().acknowledged, 5U);
      EXPECT_EQ(logged.log->progress().lost_with_file, 3U);
      EXPECT_EQ(logged.experiment.summary()->health.log_lost_with_file, 3U);
    }
    const RebuiltSession rebuilt(path, 1);
    const Summary summary = rebuilt.summary();
    ASSERT_EQ(summary.arms.size(), 3U);
    EXPECT_EQ(summary.arms[1].status, ArmStatus::kPaused);
    EXPECT_EQ(summary.arms[2].id, ArmId("late"));
    EXPECT_EQ(summary.arms[2].judged_queries, 1U);
    EXPECT_EQ(summary.health.recorded, 5U);
    EXPECT_EQ(summary.health.log_lost_with_file, 3U);
    EXPECT_THAT(rebuilt.missing(), ElementsAre(HasSubstr("3 earlier observations were in a file")));
  }
}

TEST(StoreMoved, MovedStoreIsCompleteAndIsContinuedAtItsPath) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store", moved = scratch.path() / "old.store";
  WatchedStore logged(path);
  logged.serve(1);
  logged.serve(2);
  fs::rename(path, moved);
  logged.serve(3);
  EXPECT_THAT(numbers_in(moved), ElementsAre(1, 2));
  EXPECT_THAT(numbers_in(path), ElementsAre(3));
  const auto spool_of = [](const fs::path& store) {
    return open_store_file(store, Database::Access::kRead).number("SELECT spool FROM log_state");
  };
  EXPECT_NE(spool_of(path), spool_of(moved)) << "a store that begins anew is another spool";
}

TEST(StoreMoved, ReplacedStoreIsContinuedByAnotherSession) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store", other = scratch.path() / "other.store";
  { WatchedStore(other).serve(100); }
  WatchedStore logged(path);
  logged.serve(1);
  fs::rename(other, path);
  logged.serve(2);
  EXPECT_THAT(numbers_in(path), ElementsAre(100, 2));
  EXPECT_EQ(logged.log->progress().lost_with_file, 1U);
  EXPECT_EQ(ObservationReader(path).newest_session(), 2);
}

TEST(StoreMoved, StoreThatIsStillOpenDoesNotMeetTheOneThatIsMadeInItsPlace) {
  const auto add = [](Database& store, std::int64_t number) {
    Statement(store, "INSERT INTO topics (name) VALUES (?)").bind(std::to_string(number)).run();
  };
  const auto topics_in = [](const fs::path& path) {
    const Database store = open_store_file(path, Database::Access::kRead);
    EXPECT_THAT(texts_of(store, "PRAGMA integrity_check"), ElementsAre("ok")) << path;
    return texts_of(store, "SELECT name FROM topics ORDER BY name");
  };
  // The open connections end before or after the new store is written to; the path may be a link.
  for (const bool ends_first : {false, true}) {
    for (const bool is_link : {false, true}) {
      const ScratchFolder scratch;
      const fs::path file = scratch.path() / "live.store", moved = scratch.path() / "old.store";
      const fs::path path = is_link ? scratch.path() / "link.store" : file;
      if (is_link) fs::create_symlink("live.store", path);
      std::optional<Database> earlier = open_store_file(path, Database::Access::kWrite);
      add(*earlier, 1);
      fs::rename(file, moved);
      std::optional<Database> later = open_store_file(path, Database::Access::kWrite);
      add(*later, 3);
      add(*earlier, 2);
      if (ends_first) earlier.reset();
      add(*later, 4);
      EXPECT_THAT(topics_in(path), ElementsAre("3", "4"));
      earlier.reset();
      add(*later, 5);
      later.reset();
      EXPECT_THAT(topics_in(path), ElementsAre("3", "4", "5"));
      EXPECT_THAT(topics_in(moved), ElementsAre("1", "2"));
    }
  }
}

TEST(StoreMoved, LogThatAKilledProcessLeftIsKeptForTheMovedFile) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store", moved = scratch.path() / "old.store";
  {
    const fs::path written = scratch.path() / "written.store";
    WatchedStore logged(written);
    logged.serve(1);
    for (const char* part : {"", "-wal"}) {
      fs::copy_file(written.string() + part, path.string() + part);
    }
  }
  fs::rename(path, moved);
  { WatchedStore(path).serve(2); }
  EXPECT_THAT(numbers_in(path), ElementsAre(2));
  std::vector<fs::path> kept;
  for (const auto& entry : fs::directory_iterator(scratch.path())) {
    if (entry.path().string().starts_with(path.string() + "-wal.")) kept.push_back(entry.path());
  }
  ASSERT_EQ(kept.size(), 1U);
  fs::rename(kept[0], moved.string() + "-wal");
  EXPECT_THAT(numbers_in(moved), ElementsAre(1));
}

TEST(StoreMoved, StoreWhoseFolderIsGoneIsRetried) {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "data", path = folder / "live.store";
  fs::create_directory(folder);
  WatchedStore logged(path);
  logged.serve(1);
  fs::rename(folder, scratch.path() / "gone");
  logged.experiment.observe(logged.experiment.visit(TopicId("t")),
                            served(ArmIndex(0), logged.resolved, {DocId(1)}));
  logged.experiment.flush();
  EXPECT_FALSE(logged.log->flush()) << "nothing is acknowledged without a file";
  EXPECT_EQ(logged.log->progress().acknowledged, 1U);
  fs::create_directory(folder);
  EXPECT_TRUE(logged.log->flush());
  EXPECT_EQ(numbers_in(path).size(), 1U);
}

TEST(StoreMoved, IdleStoreComesBackWithoutTraffic) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "live.store";
  WatchedStore logged(path);
  logged.serve(1);
  remove_store(path);
  for (int i = 0; i < 1000 && !fs::exists(path); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_TRUE(fs::exists(path));
}

}  // namespace
}  // namespace prescope
