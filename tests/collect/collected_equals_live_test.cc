// Lines that are posted give the same summary as the same visits in the process that served them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <random>

#include "base/utc_time.h"
#include "collect/collector.h"
#include "prescope/report.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr int kMadeUpTopics = 30, kVisits = 400;
const std::vector<std::string> kMadeUpArms = {"a", "b", "c"};

/// What one arm ranked for one visit.
struct MadeUpRanking {
  std::size_t arm = 0;
  std::vector<std::string> docnos{};
  std::chrono::milliseconds latency{};
  std::optional<std::uint64_t> total{};
  std::vector<std::pair<std::string, RankingFlags>> flags{};
  bool is_posted = true;
};
struct MadeUpVisit {
  std::string name, topic;
  UtcTime served{};
  std::vector<MadeUpRanking> rankings{};  ///< the first was served
};

class MadeUpVisits {
 public:
  explicit MadeUpVisits(unsigned seed) : random_(seed) {}

  MadeUpVisit next(int number, bool is_paired) {
    MadeUpVisit visit{
        .name = fmt::format("visit {}", number),
        .topic = fmt::format("EP{}", below(kMadeUpTopics + 3)),  // three are not judged
        .served = parse_utc_time("2026-11-27T10:00:00Z") + std::chrono::minutes(number)};
    std::vector<std::size_t> arms = {0, 1, 2};
    std::shuffle(arms.begin(), arms.end(), random_);
    arms.resize(is_paired ? 3 : 1);
    for (const std::size_t arm : arms) visit.rankings.push_back(ranking(arm, visit.topic));
    // Now and then the ranking of an arm is missing.
    if (is_paired && below(10) == 0) visit.rankings.back().is_posted = false;
    return visit;
  }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  MadeUpRanking ranking(std::size_t arm, const std::string& topic) {
    MadeUpRanking ranking{.arm = arm, .latency = std::chrono::milliseconds(1 + below(50))};
    if (below(15) == 0) {
      ranking.flags = {below(2) == 0 ? std::pair("failed", RankingFlags::kFailed)
                                     : std::pair("timed_out", RankingFlags::kTimedOut)};
      return ranking;
    }
    const int hits = below(4) == 0 ? below(10) : 10;
    for (int r = 0; r < hits; ++r) {
      ranking.docnos.push_back(below(4) == 0 ? fmt::format("US{}{}", topic.substr(2), below(3))
                                             : fmt::format("CN{}", below(100'000)));
    }
    if (below(3) == 0) ranking.total = 1000;
    if (hits == 0) ranking.total.reset();
    if (below(12) == 0) ranking.flags = {{"sorted", RankingFlags::kSorted}};
    if (below(12) == 0) ranking.flags.emplace_back("filtered", RankingFlags::kFiltered);
    return ranking;
  }

  std::mt19937 random_;
};

RankingFlags flags_of(const MadeUpRanking& ranking) {
  RankingFlags flags = RankingFlags::kNone;
  for (const auto& [word, flag] : ranking.flags) flags = flags | flag;
  return flags;
}

std::string lines_of(const MadeUpVisit& visit) {
  std::string lines;
  for (const MadeUpRanking& one : visit.rankings) {
    if (!one.is_posted) continue;
    nlohmann::json line{{"id", fmt::format("{}/{}", visit.name, one.arm)},
                        {"visit", visit.name},
                        {"topic", visit.topic},
                        {"arm", kMadeUpArms[one.arm]},
                        {"time", utc_text(visit.served)},
                        {"latency_ms", one.latency.count()},
                        {"depth", 10},
                        {"docnos", one.docnos}};
    for (const auto& [word, flag] : one.flags) line["flags"].push_back(word);
    if (one.total) line["total"] = *one.total;
    lines += line.dump() + '\n';
  }
  return lines;
}

/// A host that serves the visits itself.
class ServingHost {
 public:
  ServingHost(Qrels qrels, ExperimentOptions options) : experiment(std::move(qrels), options) {}

  void serve(const MadeUpVisit& visit) {
    Visit begun =
        experiment.visit(TopicId(visit.topic), {.key = visit.name, .served = visit.served});
    begun.started = {};
    const MadeUpRanking& first = visit.rankings.front();
    observe(begun, first);
    if (visit.rankings.size() == 1) return;
    std::vector<std::vector<std::string_view>> docnos;
    std::vector<Ranking> others;
    docnos.reserve(visit.rankings.size());
    for (std::size_t i = 1; i < visit.rankings.size(); ++i) {
      if (!visit.rankings[i].is_posted) continue;
      docnos.emplace_back(visit.rankings[i].docnos.begin(), visit.rankings[i].docnos.end());
      others.push_back(ranking_of(visit.rankings[i], docnos.back()));
    }
    experiment.observe_comparison(begun, ArmIndex(std::uint32_t(first.arm)), others);
  }

  Experiment experiment;

 private:
  static Ranking ranking_of(const MadeUpRanking& from, std::span<const std::string_view> docnos) {
    return {.arm = ArmIndex(std::uint32_t(from.arm)),
            .kind = HitKind::kDocnos,
            .docnos = docnos,
            .requested_depth = 10,
            .total_hits = from.total.value_or(0),
            .latency = from.latency,
            .flags = flags_of(from)};
  }
  void observe(const Visit& visit, const MadeUpRanking& from) {
    const ArmIndex arm(std::uint32_t(from.arm));
    if (has(flags_of(from), RankingFlags::kFailed)) {
      experiment.observe_failure(visit, arm, Experiment::SearchFailure::kFailed);
    } else if (has(flags_of(from), RankingFlags::kTimedOut)) {
      experiment.observe_failure(visit, arm, Experiment::SearchFailure::kTimedOut);
    } else {
      const std::vector<std::string_view> docnos(from.docnos.begin(), from.docnos.end());
      experiment.observe(visit, ranking_of(from, docnos));
    }
  }
};

/// Removes what differs from run to run: times of the clock, and prescope's own time.
void remove_clocks(nlohmann::json& json) {
  if (json.is_object()) {
    for (auto member = json.begin(); member != json.end();) {
      const std::string& key = member.key();
      const bool is_clock = key.find("self") != std::string::npos || key == "began" ||
                            key == "ended" || key == "time" || key == "log_waiting";
      member = is_clock ? json.erase(member) : std::next(member);
    }
  }
  if (json.is_structured()) {
    for (auto& each : json) remove_clocks(each);
  }
}

nlohmann::json document_of(Experiment& experiment) {
  nlohmann::json json = nlohmann::json::parse(to_json(*experiment.summary()));
  remove_clocks(json);
  return json;
}

class CollectedEqualsLive : public ::testing::TestWithParam<Mode> {};

TEST_P(CollectedEqualsLive, KeyByKey) {
  const ScratchFolder scratch;
  std::string qrels;
  for (int t = 0; t < kMadeUpTopics; ++t) {
    for (int d = 0; d < 3; ++d) qrels += fmt::format("EP{0} 0 US{0}{1} 1\n", t, d);
  }
  CollectorOptions options{.store = scratch.path() / "x.store"};
  options.live.mode = GetParam();
  options.live.salt = "salt";
  ReplayOptions& files = options.live.experiment;
  files.name = "x";
  files.measures = {Measure::parse("PRES@10"), Measure::parse("R@5"), Measure::parse("AP@10")};
  files.qrels = scratch.write("qrels.txt", qrels);
  for (const std::string& arm : kMadeUpArms) {
    files.arms.push_back({.config = {.id = ArmId(arm), .settings = {}}});
  }
  Collector collector(options);
  ExperimentOptions same = collector.experiment().options();
  same.logs.clear();
  ServingHost host(Qrels::load(files.qrels), same);

  MadeUpVisits visits(17);
  std::string lines;
  for (int v = 0; v < kVisits; ++v) {
    const MadeUpVisit visit = visits.next(v, GetParam() == Mode::kPaired);
    host.serve(visit);
    lines += lines_of(visit);
  }
  std::promise<CollectAnswer> answered;
  ASSERT_TRUE(
      collector.post(lines, [&](const CollectAnswer& answer) { answered.set_value(answer); }));
  const CollectAnswer answer = answered.get_future().get();
  EXPECT_TRUE(answer.refused.empty()) << answer.refused[0].why;
  EXPECT_TRUE(answer.not_stored.empty());
  collector.end();
  host.experiment.end_logs();
  EXPECT_EQ(nlohmann::json::diff(document_of(host.experiment), document_of(collector.experiment()))
                .dump(1),
            "[]");
}

INSTANTIATE_TEST_SUITE_P(Modes, CollectedEqualsLive,
                         ::testing::Values(Mode::kObserve, Mode::kPaired, Mode::kSplit));

}  // namespace
}  // namespace prescope
