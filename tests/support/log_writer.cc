// Writes observations to a store as fast as possible, and prints the number of acknowledged ones,
// until it is killed. The n-th of a process has n as its total_hits.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"

namespace prescope {
namespace {

constexpr std::uint32_t kTopics = 500, kJudgements = 6;

Qrels many_topics() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < kJudgements; ++j) {
      lines.push_back({TopicId("t" + std::to_string(t)), Docno("d" + std::to_string(t + j))});
    }
  }
  return Qrels::from_lines(lines);
}

Observation numbered(std::uint64_t number, std::vector<JudgedHit>& hits) {
  hits.clear();
  for (std::uint32_t j = 0; j < number % kJudgements; ++j) {
    hits.push_back({static_cast<Rank>(number % 97 + 100 * j + 1), JudgementIndex(j)});
  }
  return {.topic = TopicIndex(static_cast<std::uint32_t>(number % kTopics)),
          .arm = ArmIndex(static_cast<std::uint32_t>(number % 2)),
          .generation = 1 + number / 5000,
          .documents = 1'000'000,
          .total_hits = number,
          .latency = std::chrono::microseconds(number % 50'000),
          .self_time = std::chrono::nanoseconds(2500),
          .depth = 1000,
          .num_ret = 1000,
          .hits = hits};
}

void write_until_killed(const char* path) {
  const auto log = log_to_store(path, {.rollup_interval = std::chrono::milliseconds(100)});
  const Experiment experiment(many_topics(), {.arms = {"a", "b"}, .logs = {log}});
  std::vector<JudgedHit> hits;
  std::uint64_t said = 0;
  for (std::uint64_t number = 1;; ++number) {
    log->record(numbered(number, hits));
    LogProgress progress = log->progress();
    while (progress.accepted > progress.acknowledged + 5'000) {
      std::this_thread::yield();
      progress = log->progress();
    }
    if (progress.acknowledged == said) continue;
    said = progress.acknowledged;
    std::printf("%llu\n", static_cast<unsigned long long>(said));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace prescope

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  prescope::write_until_killed(argv[1]);
}
