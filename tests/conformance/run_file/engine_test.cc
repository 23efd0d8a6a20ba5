// The module as the program sees it: loaded at run time, known by its one exported function.
#include "prescope/engine.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "conformance/run_file/run_folder.h"
#include "conformance/unhonoured_settings.h"
#include "conformance/watched.h"
#include "prescope/error.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

EngineFactory* factory() {
  void* module = ::dlopen(PRESCOPE_RUN_FILE_MODULE, RTLD_NOW);
  if (module == nullptr) throw std::runtime_error(::dlerror());
  return reinterpret_cast<EngineFactory*>(::dlsym(module, kEngineFactorySymbol));
}

class RunFileEngineTest : public ::testing::Test {
 protected:
  RunFileEngineTest() {
    folder_.write("bm25.run",
                  "T1 Q0 EP2 1 0.5 e\nT1 Q0 EP1 2 0.9 e\nT1 Q0 EP3 3 0.1 e\nT2 Q0 EP1 1 1 e\n");
  }
  static ArmConfig arm(std::vector<ArmSetting> settings = {}) {
    return {ArmId{"a"}, std::move(settings)};
  }
  static ArmConfig arm_of(const std::string& run) { return arm({{"run", run, "x.toml:7"}}); }

  [[nodiscard]] std::unique_ptr<SearchIndex> open(const fs::path& path) {
    return engine_.open(path, watched_.experiment());
  }
  /// Returns the docnos that `search` serves for a topic.
  std::vector<std::string> search(ArmSearcher& searcher, std::string_view topic,
                                  std::uint32_t depth = 10) {
    QueryScope scope(watched_.experiment(), TopicId(topic));
    const std::uint32_t count =
        searcher.search({.topic = topic, .text = "any words", .depth = depth}, &hits_);
    EXPECT_EQ(count, hits_.size());
    std::vector<std::string> docnos;
    for (const Hit& hit : hits_) docnos.push_back(hit.docno.text());
    return docnos;
  }
  RunFolder folder_;
  Watched watched_{Watched::Citations{{"T1", "EP1"}, {"T1", "EP3"}, {"T3", "EP1"}}};
  Engine& engine_ = *factory()(kEngineApiVersion);
  std::vector<Hit> hits_ = {{Docno{"stale"}, 1.0F}};
};

TEST_F(RunFileEngineTest, NamesItselfAndItsSettings) {
  EXPECT_EQ(engine_.name(), "run-file");
  EXPECT_FALSE(engine_.version().empty());
  EXPECT_THAT(engine_.arm_settings(),
              ElementsAre(testing::StartsWith("run "), testing::StartsWith("order ")));
}

TEST_F(RunFileEngineTest, OtherInterfaceVersionGetsNoEngine) {
  EXPECT_EQ(factory()(kEngineApiVersion + 1), nullptr);
}

TEST_F(RunFileEngineTest, WritesNoIndex) {
  expect_error(ErrorCode::kUsage, "makes no indexes",
               [&] { return engine_.create(folder_.path() / "new"); });
}

TEST_F(RunFileEngineTest, ServesTheTopicAndIsObserved) {
  const auto index = open(folder_.path());
  const auto searcher = index->searcher(arm_of("bm25.run"));
  EXPECT_THAT(search(*searcher, "T1"), ElementsAre("EP1", "EP2", "EP3"));
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(1, 3));
}

TEST_F(RunFileEngineTest, ScoresFallFromHitToHit) {
  folder_.write("flat.run", "T1 Q0 EP1 1 7 e\nT1 Q0 EP2 2 7 e\nT1 Q0 EP3 3 7 e\n");
  const auto index = open(folder_.path());
  search(*index->searcher(arm_of("flat.run")), "T1");
  ASSERT_EQ(hits_.size(), 3U);
  for (std::size_t i = 1; i < hits_.size(); ++i) EXPECT_LT(hits_[i].score, hits_[i - 1].score);
}

TEST_F(RunFileEngineTest, OrderSettingSelectsTheRanking) {
  const auto index = open(folder_.path());
  const auto ordered = [&](const char* order) {
    return index->searcher(arm({{"run", "bm25.run", ""}, {"order", order, ""}}));
  };
  EXPECT_THAT(search(*ordered("trec"), "T1"), ElementsAre("EP1", "EP2", "EP3"));
  EXPECT_THAT(search(*ordered("file"), "T1"), ElementsAre("EP2", "EP1", "EP3"));
}

TEST_F(RunFileEngineTest, RunFilePathIsAnIndex) {
  const auto index = open(folder_.path() / "bm25.run");
  EXPECT_THAT(search(*index->searcher(arm()), "T1"), ElementsAre("EP1", "EP2", "EP3"));
  expect_error(ErrorCode::kUsage, AllOf(HasSubstr("x.toml:7: "), HasSubstr("is a run file")),
               [&] { return index->searcher(arm_of("bm25.run")); });
}

TEST_F(RunFileEngineTest, EmptyPathIsTheCurrentFolder) {
  const auto index = open("");
  expect_error(ErrorCode::kIo, "no-such.run",
               [&] { return index->searcher(arm_of("no-such.run")); });
  EXPECT_THAT(search(*index->searcher(arm_of(folder_.path() / "bm25.run")), "T1"),
              ElementsAre("EP1", "EP2", "EP3"));  // an absolute path starts from nowhere
}

TEST_F(RunFileEngineTest, DepthCutsAndATopicOutsideTheRunIsEmpty) {
  const auto index = open(folder_.path());
  const auto searcher = index->searcher(arm_of("bm25.run"));
  EXPECT_THAT(search(*searcher, "T1", 2), ElementsAre("EP1", "EP2"));
  EXPECT_THAT(search(*searcher, "T3"), IsEmpty());
  EXPECT_EQ(watched_.experiment().summary()->arms[0].topics_seen, 2U);
}

TEST_F(RunFileEngineTest, ExcludedDocumentsAreNotServed) {
  const auto index = open(folder_.path());
  const auto searcher = index->searcher(arm_of("bm25.run"));
  const std::vector<Docno> exclude = {Docno{"EP1"}};
  QueryScope scope(watched_.experiment(), TopicId{"T1"});
  EXPECT_EQ(searcher->search({.topic = "T1", .exclude = exclude, .depth = 10}, nullptr), 2U);
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(2));  // EP2, EP3
}

TEST_F(RunFileEngineTest, HasNoDocuments) {
  const auto index = open(folder_.path());
  EXPECT_EQ(index->num_documents(), 0U);
  EXPECT_FALSE(index->document(Docno{"EP1"}).has_value());
}

TEST_F(RunFileEngineTest, ServesTheQuerysTopicAlsoIfItHasNoJudgements) {
  const auto index = open(folder_.path());
  const auto searcher = index->searcher(arm_of("bm25.run"));
  EXPECT_FALSE(search(*searcher, "T2").empty()) << "in the run, not in the qrels";
  const auto summary = watched_.experiment().summary();
  EXPECT_EQ(summary->arms[0].unjudged_queries, 1U);
  EXPECT_EQ(summary->arms[0].judged_queries, 0U);
}

TEST_F(RunFileEngineTest, WrongSettingsAreAllNamedWithTheirPlaces) {
  const auto index = open(folder_.path());
  expect_error(ErrorCode::kUsage,
               AllOf(HasSubstr("x.toml:3: unknown arm setting 'rnu'; did you mean 'run'?"),
                     HasSubstr("x.toml:4: unknown order 'score'; valid: trec, file"),
                     HasSubstr("x.toml:5: 'run' is empty")),
               [&] {
                 return index->searcher(arm({{"rnu", "bm25.run", "x.toml:3"},
                                             {"order", "score", "x.toml:4"},
                                             {"run", "", "x.toml:5"}}));
               });
  expect_error(ErrorCode::kUsage, "arm 'a' names no run; set run = FILE",
               [&] { return index->searcher(arm()); });
}

TEST_F(RunFileEngineTest, MissingAndMalformedRunsAreRefused) {
  expect_error(ErrorCode::kIo, "absent: no such file or folder",
               [&] { return open(folder_.path() / "absent"); });
  const auto index = open(folder_.path());
  folder_.write("bad.run", "T1 Q0 EP1 1 high e\n");
  expect_error(ErrorCode::kBadInput, "bad.run:1: score 'high'",
               [&] { return index->searcher(arm_of("bad.run")); });
}

TEST_F(RunFileEngineTest, RunWithoutCommonTopicsIsRefused) {
  folder_.write("other.run", "T01 Q0 EP1 1 1 e\nT7 Q0 EP1 1 1 e\n");
  const auto index = open(folder_.path());
  expect_error(
      ErrorCode::kBadInput,
      AllOf(HasSubstr("other.run: no topic in common"), HasSubstr("'T01'"), HasSubstr("'T1'")),
      [&] { return index->searcher(arm_of("other.run")); });
}

/// Lines of one ranking with equal scores, whose order is not that of docnos.
void write_flat(const fs::path& run) {
  std::ofstream out(run);
  for (int i = 10; i < 30; ++i) out << "T1 Q0 EP" << i << " 1 0.5 e\n";
}

TEST_F(RunFileEngineTest, WhatTheRunCannotHonourIsSaid) {
  const UnhonouredSetting rows[] = {
      {.setting = "run", .says = "MissingRunIsNamed: a file that is not there is refused"},
      {"order",
       {"order", "trec", "x.toml:5"},
       write_flat,
       "has equal scores in every ranking, so that only docnos order them"}};
  folder_.write("one.run", "T1 Q0 EP2 1 0.5 e\nT1 Q0 EP1 2 0.9 e\n");
  expect_unhonoured_settings_are_said(engine_, rows, folder_.path() / "one.run");
}

TEST_F(RunFileEngineTest, EqualScoresOfAnArmWithoutAnOrderAreNoted) {
  write_flat(folder_.path() / "flat.run");
  const auto index = open(folder_.path());
  EXPECT_THAT(index->searcher(arm_of("flat.run"))->notes(),
              ElementsAre(HasSubstr("set order = file")));
  EXPECT_THAT(index->searcher(arm({{"run", "flat.run", ""}, {"order", "file", ""}}))->notes(),
              IsEmpty());
}

}  // namespace
}  // namespace prescope::conformance
