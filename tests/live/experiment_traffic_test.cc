#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "prescope/experiment.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

/// Random rankings of random topics; the same for each seed.
struct Traffic {
  struct Query {
    std::string topic;
    std::uint32_t arm;
    std::vector<DocId> docids;
  };
  Qrels qrels;
  std::vector<Query> queries;

  Traffic(std::uint32_t seed, std::size_t num_queries) {
    std::mt19937 random(seed);
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < 20; ++t) {
      for (std::uint32_t j = 0; j < 1 + t % 7; ++j) {
        lines.push_back({TopicId("t" + std::to_string(t)),
                         Docno("d" + std::to_string((t * 31 + j * 7) % 200)),
                         static_cast<Grade>(random() % 3)});
      }
    }
    qrels = Qrels::from_lines(lines);
    for (std::size_t i = 0; i < num_queries; ++i) {
      std::vector<std::uint32_t> all(200);
      std::iota(all.begin(), all.end(), 0U);
      std::shuffle(all.begin(), all.end(), random);
      all.resize(random() % 120);
      queries.push_back({"t" + std::to_string(random() % 22),
                         static_cast<std::uint32_t>(random() % 2),
                         {all.begin(), all.end()}});
    }
  }
};

ExperimentOptions traffic_options() {
  return {.arms = {"a", "b"}, .measures = {"PRES@10", "PRES@100", "R@50", "AP@100", "P@5", "RR"}};
}

Ranking full(const Traffic::Query& query, const std::shared_ptr<const ResolvedQrels>& resolved) {
  Ranking ranking = served(ArmIndex(query.arm), resolved, query.docids);
  ranking.requested_depth = 1000;  // every ranking is exhausted: the last one counts
  return ranking;
}

TEST(ExperimentProperty, IncrementalStateEqualsBatchEvaluationOfTheLastRankings) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Traffic traffic(seed, 300);
    Experiment experiment(traffic.qrels, traffic_options());
    const auto resolved = resolve(experiment);
    std::map<std::pair<std::string, std::uint32_t>, const Traffic::Query*> last;
    for (const Traffic::Query& query : traffic.queries) {
      const QueryScope scope(experiment, TopicId(query.topic));
      experiment.observe(full(query, resolved));
      last[{query.topic, query.arm}] = &query;
    }
    const auto summary = experiment.summary();
    for (const TopicRow& row : summary->rows) {
      const TopicQrels& judged = traffic.qrels.topic(*traffic.qrels.find(row.id.text()));
      for (std::uint32_t a = 0; a < 2; ++a) {
        if (!row.arms[a].seen) continue;
        std::vector<Rank> ranks;
        const auto& docids = last.at({row.id.text(), a})->docids;
        for (std::size_t i = 0; i < docids.size(); ++i) {
          const auto j = judged.find("d" + std::to_string(docids[i].value()));
          if (j && judged.is_relevant(*j)) ranks.push_back(static_cast<Rank>(i + 1));
        }
        for (std::size_t m = 0; m < summary->measures.size(); ++m) {
          ASSERT_EQ(row.arms[a].scores[m],
                    summary->measures[m].score({.num_rel = judged.num_rel(), .relevant = ranks}))
              << "seed " << seed << " topic " << row.id.text() << " arm " << a << " "
              << summary->measures[m].name();
        }
      }
    }
  }
}

TEST(ExperimentThreads, EightQueryThreadsGiveTheSummaryOfOne) {
  // One query for each (topic, arm), so that the order of arrival cannot matter.
  const Traffic all(7, 2000);
  std::map<std::pair<std::string, std::uint32_t>, const Traffic::Query*> once;
  for (const Traffic::Query& query : all.queries)
    once.try_emplace({query.topic, query.arm}, &query);
  std::vector<const Traffic::Query*> queries;
  for (const auto& [key, query] : once) queries.push_back(query);

  const auto run = [&](std::size_t num_threads) {
    Experiment experiment(all.qrels, traffic_options());
    const auto resolved = resolve(experiment);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < num_threads; ++t) {
        threads.emplace_back([&, t] {
          for (std::size_t i = t; i < queries.size(); i += num_threads) {
            const QueryScope scope(experiment, TopicId(queries[i]->topic));
            experiment.observe(full(*queries[i], resolved));
          }
        });
      }
    }
    return experiment.summary();
  };
  const auto one = run(1);
  const auto eight = run(8);
  EXPECT_EQ(eight->health.pushed, queries.size());
  EXPECT_EQ(eight->health.recorded, queries.size());
  for (std::uint32_t a = 0; a < 2; ++a) {
    for (std::size_t m = 0; m < one->measures.size(); ++m) {
      EXPECT_EQ(eight->arms[a].means[m].mean, one->arms[a].means[m].mean);
    }
  }
  EXPECT_EQ(eight->pairs[0].differences[0].mean, one->pairs[0].differences[0].mean);
}

}  // namespace
}  // namespace prescope
