// A full disk, simulated by a limit of a file's size: the search goes on, losses are counted, and
// logs recover when there is room again. The logs' threads take no SIGXFSZ.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "prescope/observation_log.h"
#include "store/sessions/observation_reader.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;

/// No file of this process may grow beyond it, while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

constexpr LogQueueOptions kSmallQueue{.queue_bytes = 65536,
                                      .batch = 64,
                                      .interval = milliseconds(1),
                                      .retry_interval = milliseconds(10)};

struct Logging {
  explicit Logging(std::shared_ptr<ObservationLog> to)
      : log(std::move(to)),
        experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d1")}}),
                   {.arms = {"a"}, .cutoffs = {10}, .logs = {log}}),
        resolved(resolve(experiment)) {}

  void serve(std::uint64_t number) {
    const std::vector<DocId> docids = {DocId(1)};
    Ranking ranking = served(ArmIndex(0), resolved, docids);
    ranking.total_hits = number;
    const QueryScope scope(experiment, TopicId("t"));
    experiment.observe(ranking);
    experiment.flush();
  }
  /// Until the log says that it lost some.
  std::uint64_t serve_until_lost(std::uint64_t from) {
    std::uint64_t number = from;
    while (log->progress().dropped_write_failures == 0) serve(number++);
    return number;
  }

  std::shared_ptr<ObservationLog> log;
  Experiment experiment;
  std::shared_ptr<const ResolvedQrels> resolved;
};

/// Every number that was accepted, once, in its order: `written` has all but those lost.
void expect_recovered(Logging& logging, const std::vector<std::uint64_t>& written,
                      std::uint64_t served) {
  const Health health = logging.experiment.summary()->health;
  EXPECT_EQ(health.recorded, served) << "the search and the summary are unharmed";
  EXPECT_EQ(health.recorder_failures + health.log_failures + health.dropped_queue_full, 0U);
  EXPECT_GT(health.log_write_failures, 0U);
  EXPECT_EQ(written.size(), served - health.log_write_failures - health.log_queue_full);
  EXPECT_TRUE(std::ranges::is_sorted(written, std::ranges::less_equal{}))
      << "each once, in its order";
  EXPECT_EQ(written.back(), served) << "what comes after the recovery";
}

TEST(LogDiskFull, StoreRecovers) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "store.db";
  Logging logging(log_to_store(path, {.queue = kSmallQueue}));
  logging.serve(1);
  ASSERT_TRUE(logging.log->flush());
  std::uint64_t next = 2;
  {
    const FileSizeLimit full(std::filesystem::file_size(path.string() + "-wal") + 100'000);
    next = logging.serve_until_lost(next);
    EXPECT_FALSE(logging.log->flush());
  }
  ASSERT_TRUE(logging.log->flush());
  logging.serve(next);
  ASSERT_TRUE(logging.log->flush());
  std::vector<std::uint64_t> written;
  ObservationReader reader(path);
  reader.read({}, 0,
              [&](const StoredObservation& one) { written.push_back(one.observation.total_hits); });
  expect_recovered(logging, written, next);
  EXPECT_EQ(Statement(reader.database(), "PRAGMA integrity_check").bind().next(), true);
}

TEST(LogDiskFull, JsonLinesRecoverWithoutAPartialLine) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "log.jsonl";
  Logging logging(log_to_json_lines(path, {.queue = kSmallQueue}));
  logging.serve(1);
  ASSERT_TRUE(logging.log->flush());
  std::uint64_t next = 2;
  {
    // In the middle of a line.
    const FileSizeLimit full(std::filesystem::file_size(path) * 10 + 17);
    next = logging.serve_until_lost(next);
    EXPECT_FALSE(logging.log->flush());
  }
  ASSERT_TRUE(logging.log->flush());
  logging.serve(next);
  ASSERT_TRUE(logging.log->flush());
  std::vector<std::uint64_t> written;
  std::istringstream text(content_of(path));
  for (std::string line; std::getline(text, line);) {
    written.push_back(nlohmann::json::parse(line)["total_hits"]);
  }
  expect_recovered(logging, written, next);
}

/// A log to a path whose disk is full from some time on, and the sentences that it said.
struct FullLog {
  const char* name;
  std::function<std::shared_ptr<ObservationLog>(const std::filesystem::path&, const LogWarning&)>
      open;
};
const FullLog kFullLogs[] = {
    {"store",
     [](const std::filesystem::path& path, const LogWarning& warn) {
       return log_to_store(path, {.queue = kSmallQueue, .on_warning = warn});
     }},
    {"JSON lines",
     [](const std::filesystem::path& path, const LogWarning& warn) {
       return log_to_json_lines(path, {.queue = kSmallQueue, .on_warning = warn});
     }},
};

/// The host serves nothing more after the disk has become full, and ends.
TEST(LogDiskFull, IsSaidWhileItLastsAndWhatIsLostAtTheEndIsCounted) {
  for (const FullLog& one : kFullLogs) {
    SCOPED_TRACE(one.name);
    const ScratchFolder scratch;
    const auto path = scratch.path() / "log";
    std::mutex access;
    std::vector<std::string> said;
    const auto warn = [&](const std::string& sentence) {
      const std::lock_guard lock(access);
      said.push_back(sentence);
    };
    Logging logging(one.open(path, warn));
    logging.serve(1);
    ASSERT_TRUE(logging.log->flush());
    const FileSizeLimit full(1);
    constexpr std::uint64_t kLost = 5;
    for (std::uint64_t number = 2; number < 2 + kLost; ++number) logging.serve(number);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (logging.experiment.latest()->health.logs_failing == 0 &&
           std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_EQ(logging.experiment.latest()->health.logs_failing, 1U);
    std::this_thread::sleep_for(milliseconds(100));  // more attempts, of which nothing is said
    {
      const std::lock_guard lock(access);
      ASSERT_EQ(said.size(), 1U);
      EXPECT_NE(said[0].find("cannot be written, and "), std::string::npos) << said[0];
    }
    EXPECT_EQ(logging.experiment.summary()->health.log_waiting, kLost);
    logging.experiment.end_logs();
    logging.serve(7);  // is in no log
    const Health health = logging.experiment.summary()->health;
    EXPECT_EQ(health.log_write_failures, kLost + 1);
    EXPECT_EQ(health.log_waiting, 0U);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_NE(said[1].find("5 observations are lost"), std::string::npos) << said[1];
  }
}

}  // namespace
}  // namespace prescope
