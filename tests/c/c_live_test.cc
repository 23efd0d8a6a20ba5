#include <gmock/gmock.h>

#include <fmt/format.h>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <random>

#include "c/c_handles.h"
#include "prescope/report.h"
#include "prescope/served_request.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr std::array kArms = {"a", "b"};

prescope_experiment_options options_of(const char* mode) {
  prescope_experiment_options options = PRESCOPE_EXPERIMENT_OPTIONS_INIT;
  options.name = "test";
  options.arms = kArms.data();
  options.num_arms = kArms.size();
  options.measures = "PRES@4,R@4";
  options.mode = mode;
  return options;
}

CExperiment opened(const prescope_experiment_options& options) {
  prescope_experiment* experiment = nullptr;
  prescope_error error;
  EXPECT_EQ(prescope_experiment_open(c_citations().get(), &options, &experiment, &error),
            PRESCOPE_OK)
      << error.message;
  return CExperiment(experiment);
}

prescope_visit begun(const CExperiment& experiment, std::string_view topic,
                     std::string_view query = {}) {
  prescope_request request = PRESCOPE_REQUEST_INIT;
  request.topic = c_text(topic);
  request.query = c_text(query);
  return prescope_begin(experiment.get(), &request);
}

/// A ranking of docnos that took a millisecond.
prescope_ranking ranking_of(std::uint32_t arm, const prescope_column& docnos) {
  prescope_ranking ranking = PRESCOPE_RANKING_INIT;
  ranking.arm = arm;
  ranking.docnos = &docnos;
  ranking.requested_depth = 4;
  ranking.started_ns = 5'000'000;
  ranking.ended_ns = 6'000'000;
  return ranking;
}

Json summary_of(const CExperiment& experiment) {
  char* text = nullptr;
  prescope_error error;
  EXPECT_EQ(prescope_summary(experiment.get(), "json", &text, &error), PRESCOPE_OK)
      << error.message;
  return Json::parse(CText(text).get());
}

/// Knows its documents by number: D0 is 0, D1 is 1, ...
int look_up_ten(void* context, prescope_found* found) {
  auto& judged = *static_cast<int*>(context);
  for (std::uint32_t i = 0; i < 10; ++i) {
    judged += prescope_found_add(found, c_text(fmt::format("D{}", i)), i);
  }
  return 0;
}

CIndex index_of(const CExperiment& experiment) {
  prescope_index* index = nullptr;
  prescope_error error;
  int judged = 0;
  EXPECT_EQ(
      prescope_index_open(experiment.get(), nullptr, 10, look_up_ten, &judged, &index, &error),
      PRESCOPE_OK)
      << error.message;
  EXPECT_EQ(judged, 3);
  return CIndex(index);
}

/// Returns the means of each arm.
Json means_of(const Json& summary) {
  Json means;
  for (const auto& arm : summary.at("arms")) means.push_back(arm.at("means"));
  return means;
}

// A C host and a C++ host with the same traffic have the same ledger: docids, docnos, pages, flags,
// failures, unjudged topics.
TEST(CLive, RandomTrafficEqualsTheLibrarys) {
  std::mt19937_64 random(20100719);
  prescope_experiment_options options = options_of("observe");
  options.slice_by = "relevant";
  const CExperiment c = opened(options);
  const CIndex index = index_of(c);
  const Qrels::Line lines[] = {{TopicId("T"), Docno("D1"), 1},
                               {TopicId("T"), Docno("D3"), 1},
                               {TopicId("U"), Docno("D9"), 1}};
  const Qrels qrels = Qrels::from_lines(lines);
  Experiment cpp(qrels, {.name = "test",
                         .arms = {"a", "b"},
                         .measures = {"PRES@4", "R@4"},
                         .slices = read_slices({.by = {"relevant"}}, qrels)});
  std::vector<Resolution> resolutions;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const std::uint32_t key = cpp.judged().find(fmt::format("D{}", i));
    if (key != JudgedDocnos::kNotJudged) resolutions.push_back({key, DocId(i)});
  }
  const ResolvedQrels resolved(cpp.judged(), resolutions, cpp.next_generation(), 10);
  for (int i = 0; i < 2000; ++i) {
    const char* const topic = std::array{"T", "U", "V"}[random() % 3];
    const auto arm = static_cast<std::uint32_t>(random() % 2);
    std::vector<std::uint32_t> hits;
    for (std::size_t n = random() % 5; n > 0; --n)
      hits.push_back(static_cast<std::uint32_t>(random() % 10));
    const std::uint32_t flags = random() % 8 == 0 ? PRESCOPE_FILTERED : 0;
    const prescope_visit c_visit = begun(c, topic);
    const Visit visit = cpp.visit(TopicId(topic));
    if (random() % 10 == 0) {
      prescope_observe_failure(c.get(), &c_visit, arm, 1);
      (void)cpp.observe_failure(visit, ArmIndex(arm), ExperimentTraffic::SearchFailure::kTimedOut);
      continue;
    }
    const bool has_docnos = random() % 2 == 0;
    std::vector<std::string> names;
    for (const std::uint32_t hit : hits) names.push_back(fmt::format("D{}", hit));
    std::vector<const char*> pointers_of;
    for (const std::string& name : names) pointers_of.push_back(name.c_str());
    const prescope_column docnos = pointers(pointers_of);
    prescope_ranking ranking = ranking_of(arm, docnos);
    if (!has_docnos) {
      ranking.docnos = nullptr;
      ranking.docids = hits.data();
      ranking.num_docids = hits.size();
      ranking.index = index.get();
    }
    ranking.flags = flags;
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::vector<DocId> docids;
    for (const std::uint32_t hit : hits) docids.emplace_back(hit);
    const Outcome wanted =
        cpp.observe(visit, {.arm = ArmIndex(arm),
                            .kind = has_docnos ? HitKind::kDocnos : HitKind::kDocids,
                            .resolved = has_docnos ? nullptr : &resolved,
                            .docids = docids,
                            .docnos = views,
                            .requested_depth = 4,
                            .latency = std::chrono::milliseconds(1),
                            .flags = RankingFlags(flags)});
    EXPECT_EQ(static_cast<int>(prescope_observe(c.get(), &c_visit, &ranking)),
              static_cast<int>(wanted));
  }
  const Json found = summary_of(c), wanted = Json::parse(to_json(*cpp.summary()));
  EXPECT_EQ(means_of(found), means_of(wanted));
  EXPECT_EQ(found["pairs"][0]["slices"], wanted["pairs"][0]["slices"]);
  EXPECT_EQ(found["pairs"][0]["slices"].size(), 1U);  // two small ones together
  for (std::size_t arm = 0; arm < 2; ++arm) {
    for (const char* count : {"judged_queries", "unjudged_queries", "timed_out_queries",
                              "filtered_queries", "topics_seen"}) {
      EXPECT_EQ(found["arms"][arm].at(count), wanted["arms"][arm].at(count)) << count;
    }
    EXPECT_GT(found["arms"][arm]["filtered_queries"], 0);
  }
}

/// Counts how often a context was freed, and searches as its arm says.
struct Searcher {
  prescope_experiment* experiment = nullptr;
  std::atomic<int>* searched = nullptr;
  std::atomic<int>* freed = nullptr;
  bool fails = false;
};

int search(void* context, std::uint32_t arm) {
  const Searcher& searcher = *static_cast<Searcher*>(context);
  ++*searcher.searched;
  if (searcher.fails) return 7;
  // Arm a finds D1 and D3 at 1 and 2, arm b at 3 and 4: PRES@4 = 1 and ((4+1-3)+(4+2-4))/8 = 1/2.
  const std::vector<const char*> docnos = arm == 0
                                              ? std::vector<const char*>{"D1", "D3", "D0", "D0"}
                                              : std::vector<const char*>{"D0", "D2", "D1", "D3"};
  const prescope_column column = pointers(docnos);
  const prescope_ranking ranking = ranking_of(arm, column);
  return prescope_observe(searcher.experiment, nullptr, &ranking) == PRESCOPE_RECORDED ? 0 : 1;
}

void free_searcher(void* context) {
  auto* const searcher = static_cast<Searcher*>(context);
  ++*searcher->freed;
  delete searcher;
}

TEST(CLive, SearchesForComparisonRunAndContextsAreFreedOnce) {
  const CExperiment experiment = opened(options_of("paired"));
  std::atomic<int> searched = 0, freed = 0;
  const std::vector<const char*> docnos = {"D1", "D3"};
  const prescope_column column = pointers(docnos);
  const prescope_ranking ranking = ranking_of(0, column);
  for (const bool fails : {false, true}) {
    const prescope_visit visit = begun(experiment, "T");
    EXPECT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_RECORDED);
    ASSERT_EQ(prescope_wants_shadow(experiment.get(), &visit), 1);
    EXPECT_EQ(prescope_shadow(experiment.get(), &visit, 0, search, free_searcher,
                              new Searcher{experiment.get(), &searched, &freed, fails}),
              1);
    ASSERT_EQ(prescope_drain_shadow(experiment.get(), nullptr), PRESCOPE_OK);
  }
  EXPECT_EQ(searched, 4) << "both arms, twice";
  EXPECT_EQ(freed, 2);
  // An unjudged topic is not compared, nor is a visit that was never begun.
  const prescope_visit unjudged = begun(experiment, "V"), never{};
  for (const prescope_visit& visit : {unjudged, never}) {
    EXPECT_EQ(prescope_wants_shadow(experiment.get(), &visit), 0);
    EXPECT_EQ(prescope_shadow(experiment.get(), &visit, 0, search, free_searcher,
                              new Searcher{experiment.get(), &searched, &freed, false}),
              0);
  }
  EXPECT_EQ(freed, 4);
  EXPECT_EQ(prescope_observe(experiment.get(), &never, &ranking), PRESCOPE_NO_SCOPE);
  const Json summary = summary_of(experiment);
  // The failed searches are empty rankings of both arms: the means of the two visits.
  EXPECT_EQ(summary["arms"][0]["means"]["PRES@4"]["mean"], 0.5);
  EXPECT_EQ(summary["arms"][1]["means"]["PRES@4"]["mean"], 0.25);
}

TEST(CLive, ComparisonsOfTheHostCountWithFailedArms) {
  const CExperiment experiment = opened(options_of("paired"));
  const std::vector<const char*> docnos = {"D1", "D3"};
  const prescope_column column = pointers(docnos);
  for (const bool fails : {false, true}) {
    const prescope_visit visit = begun(experiment, "T");
    prescope_ranking rankings[] = {ranking_of(0, column), ranking_of(1, column)};
    (void)prescope_observe(experiment.get(), &visit, &rankings[0]);
    ASSERT_EQ(prescope_wants_shadow(experiment.get(), &visit), 1);
    if (fails) {
      rankings[1] = PRESCOPE_RANKING_INIT;
      rankings[1].arm = 1;
      rankings[1].flags = PRESCOPE_FAILED;
    }
    EXPECT_EQ(prescope_observe_comparison(experiment.get(), &visit, 0, rankings, 2),
              PRESCOPE_RECORDED);
  }
  const Json summary = summary_of(experiment);
  EXPECT_EQ(summary["arms"][0]["means"]["PRES@4"]["mean"], 1.0);
  EXPECT_EQ(summary["arms"][1]["means"]["PRES@4"]["mean"], 0.5);
}

TEST(CLive, RankingsWithoutJudgementsAreComparedIfThatIsAskedFor) {
  prescope_experiment_options options = options_of("paired");
  options.shadow_overlap_sampling = 1.0;
  options.shadow_overlap_depth = 2;
  const CExperiment experiment = opened(options);
  const std::vector<const char*> first = {"D1", "D2"}, second = {"D1", "D3"};
  const prescope_column in_a = pointers(first), in_b = pointers(second);
  const prescope_visit visit = begun(experiment, "V", "valve");
  const prescope_ranking rankings[] = {ranking_of(0, in_a), ranking_of(1, in_b)};
  (void)prescope_observe(experiment.get(), &visit, &rankings[0]);
  ASSERT_EQ(prescope_wants_shadow(experiment.get(), &visit), 1);
  EXPECT_EQ(prescope_observe_comparison(experiment.get(), &visit, 0, rankings, 2),
            PRESCOPE_RECORDED);
  std::atomic<int> searched = 0, freed = 0;
  const std::string pump(100, 'p');
  const prescope_visit other = begun(experiment, "V", pump);
  EXPECT_EQ(prescope_shadow(experiment.get(), &other, 0, search, free_searcher,
                            new Searcher{experiment.get(), &searched, &freed, false}),
            1);
  ASSERT_EQ(prescope_drain_shadow(experiment.get(), nullptr), PRESCOPE_OK);
  const Json overlap = summary_of(experiment)["pairs"][0]["overlap"];
  EXPECT_EQ(overlap["visits"], 2);
  const Json& changed = overlap["most_changed"];
  ASSERT_EQ(changed.size(), 2);
  EXPECT_EQ(changed[0]["query"], pump.substr(0, 63));
  EXPECT_EQ(changed[0]["jaccard"], 0.0);  // D1 and D3, D0 and D2
  EXPECT_EQ(changed[1]["query"], "valve");
  EXPECT_EQ(changed[1]["jaccard"], 1.0 / 3);  // D1 of D1, D2 and D3
}

TEST(CLive, RankingsThatCannotBeReadAreAbandoned) {
  const CExperiment experiment = opened(options_of("observe"));
  const prescope_visit visit = begun(experiment, "T");
  const std::vector<const char*> docnos = {"D1", nullptr};
  const prescope_column column = pointers(docnos);
  prescope_ranking ranking = ranking_of(0, column);
  EXPECT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_ABANDONED);
  const std::vector<const char*> good = {"D1"};
  const prescope_column good_column = pointers(good);
  ranking = ranking_of(0, good_column);
  ranking.flags = 32;  // a flag of prescope's own
  EXPECT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_ABANDONED);
  ranking.flags = 0;
  ranking.size = 3;
  EXPECT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_ABANDONED);
  ranking = ranking_of(9, good_column);
  EXPECT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_INACTIVE_ARM);
  EXPECT_EQ(prescope_observe(nullptr, &visit, &ranking), PRESCOPE_ABANDONED);
  EXPECT_EQ(summary_of(experiment)["health"].at("adapter_failures"), 3U);
  // Docids without the index that they are numbers of.
  const std::uint32_t docid = 1;
  ranking = PRESCOPE_RANKING_INIT;
  ranking.docids = &docid;
  ranking.num_docids = 1;
  EXPECT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_UNMATCHED);
}

TEST(CLive, OptionsAndNamesAreRefusedWithTheNearest) {
  const auto said = [](prescope_experiment_options options) {
    prescope_experiment* experiment = nullptr;
    const CQrels qrels = c_citations();
    return c_refusal_of([&](prescope_error* error) {
             return prescope_experiment_open(qrels.get(), &options, &experiment, error);
           })
        .message;
  };
  prescope_experiment_options options = options_of("pairwise");
  EXPECT_THAT(said(options), AllOf(HasSubstr("'pairwise'"), HasSubstr("paired")));
  options = options_of("observe");
  options.num_arms = 0;
  EXPECT_THAT(said(options), HasSubstr("arms"));
  options = options_of("paired");
  options.actions_command = "true";
  EXPECT_THAT(said(options), HasSubstr("command and url need a journal"));
  options.actions_journal = "acts";
  options.actions_on = "worse,betta";
  EXPECT_THAT(said(options), HasSubstr("did you mean 'better'"));
  options.actions_command = nullptr;
  EXPECT_THAT(said(options), HasSubstr("actions_command or actions_url is missing"));
  options = options_of("paired");
  options.test_spending = "pokock";
  EXPECT_THAT(said(options), HasSubstr("did you mean 'pocock'"));
  options = options_of("paired");
  options.test_looks = "half";
  EXPECT_THAT(said(options), HasSubstr("test_looks: found 'half', expected shares"));
  options = options_of("paired");
  options.test_topics = 5;
  options.test_guardrails = "R@4=0.1,latency";
  EXPECT_THAT(said(options), HasSubstr("guardrail 'latency'; expected a measure and its margin"));
  options.test_guardrails = "R@4=0.1,latency=1.2";
  EXPECT_THAT(said(options), HasSubstr("plan.topics is 5; expected at least 10"));
  options = options_of("split");
  options.shares = "a=19,a=1";
  EXPECT_THAT(said(options), HasSubstr("share of arm 'a' is there twice"));
  options = options_of("observe");
  options.dashboard_port = 70'000;
  EXPECT_THAT(said(options), HasSubstr("dashboard_port 70000"));
  options = options_of("paired");
  options.shadow_latency = "all";
  EXPECT_THAT(said(options), HasSubstr("both arms alike"));
  options = options_of("observe");
  options.measures = "PRSE@4";
  EXPECT_THAT(said(options), HasSubstr("PRES"));
  const CExperiment experiment = opened(options_of("observe"));
  std::uint32_t arm = 0;
  EXPECT_THAT(c_refusal_of([&](prescope_error* error) {
                return prescope_arm(experiment.get(), c_text("c"), &arm, error);
              }).message,
              HasSubstr("'c'"));
  EXPECT_EQ(prescope_arm(experiment.get(), c_text("b"), &arm, nullptr), PRESCOPE_OK);
  EXPECT_EQ(arm, 1U);
  EXPECT_THAT(c_refusal_of([&](prescope_error* error) {
                return prescope_change_arm(experiment.get(), c_text("b"), "stop", error);
              }).message,
              HasSubstr("pause"));
  EXPECT_EQ(prescope_change_arm(experiment.get(), c_text("b"), "pause", nullptr), PRESCOPE_OK);
  EXPECT_EQ(summary_of(experiment)["arms"][1].at("status"), "paused");
}

TEST(CLive, ALookUpThatFailsIsTheEnginesError) {
  const CExperiment experiment = opened(options_of("observe"));
  prescope_index* index = nullptr;
  const CRefusal refusal = c_refusal_of([&](prescope_error* error) {
    return prescope_index_open(
        experiment.get(), nullptr, 10, [](void*, prescope_found*) { return 5; }, nullptr, &index,
        error);
  });
  EXPECT_EQ(refusal.code, PRESCOPE_ENGINE);
  EXPECT_EQ(refusal.message, "look_up returned 5; expected 0");
  EXPECT_EQ(prescope_num_judged(experiment.get()), 3U);
  const prescope_text first = prescope_judged_docno(experiment.get(), 0);
  EXPECT_EQ(std::string_view(first.data, first.size), "D1");
  EXPECT_EQ(prescope_judged_docno(experiment.get(), 3).size, 0U);
}

TEST(CLive, WhatWasObservedIsInTheStoreAfterAFlush) {
  const ScratchFolder folder;
  const std::string store = (folder.path() / "live.store").string();
  prescope_experiment_options options = options_of("observe");
  options.store = store.c_str();
  options.dashboard_port = 0;
  const CExperiment experiment = opened(options);
  EXPECT_THAT(prescope_dashboard_url(experiment.get()), ::testing::StartsWith("http://127.0.0.1:"));
  const prescope_visit visit = begun(experiment, "T");
  const std::vector<const char*> docnos = {"D1"};
  const prescope_column column = pointers(docnos);
  const prescope_ranking ranking = ranking_of(0, column);
  ASSERT_EQ(prescope_observe(experiment.get(), &visit, &ranking), PRESCOPE_RECORDED);
  prescope_error error;
  ASSERT_EQ(prescope_flush(experiment.get(), &error), PRESCOPE_OK) << error.message;
  EXPECT_TRUE(std::filesystem::exists(store));
  EXPECT_GT(std::filesystem::file_size(store), 0U);
}

}  // namespace
}  // namespace prescope
