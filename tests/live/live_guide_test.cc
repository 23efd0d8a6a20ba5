// The host of docs/live.md, run in each mode, and checks of that page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "prescope/served_request.h"
#include "prescope/topic_matcher.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"

namespace prescope {
namespace {

using Hits = std::vector<DocId>;
using Clock = std::chrono::steady_clock;
using Send = std::function<void(const Hits&)>;

constexpr ArmIndex kServed{0};

/// An engine and its adapter in one: "tfidf" serves document 1, "bm25" serves documents 2 and 1.
class Searcher {
 public:
  Searcher(Experiment& experiment, ArmIndex arm, std::shared_ptr<const ResolvedQrels> resolved)
      : experiment_(&experiment), arm_(arm), resolved_(std::move(resolved)) {}

  Hits search(const std::string& query) const {
    Hits hits = arm_ == ArmIndex(0) ? Hits{DocId(1)} : Hits{DocId(2), DocId(1)};
    hits.resize(query.empty() ? 0 : hits.size());
    experiment_->observe(served(arm_, resolved_, hits));
    return hits;
  }

 private:
  Experiment* experiment_;
  ArmIndex arm_;
  std::shared_ptr<const ResolvedQrels> resolved_;
};

/// A searcher for each arm, on one snapshot.
class Searchers {
 public:
  explicit Searchers(Experiment& experiment) {
    resolved_ = resolve(experiment);
    for (std::uint32_t i = 0; i < experiment.arms().size(); ++i) {
      arms_.emplace_back(experiment, ArmIndex(i), resolved_);
    }
  }
  const Searcher& arm(ArmIndex index) const { return arms_[index.value()]; }
  const ResolvedQrels* resolved() const { return resolved_.get(); }

 private:
  std::shared_ptr<const ResolvedQrels> resolved_;
  std::vector<Searcher> arms_;
};

ExperimentOptions options_for(Mode mode) {
  return {.name = "autumn", .arms = {"tfidf", "bm25"}, .cutoffs = {10, 100}, .mode = mode};
}

/// Finds document 2 too, and puts it first.
Hits ranked_anew(Hits hits) {
  hits.insert(hits.begin(), DocId(2));
  return hits;
}

/// Two topics, which both found nothing but document 2 relevant.
Qrels judgements() {
  const Qrels::Line lines[] = {{TopicId("EP1"), Docno("d2"), 1}, {TopicId("EP2"), Docno("d2"), 1}};
  return Qrels::from_lines(lines);
}

/// A line of another process's log.
struct LogLine {
  std::string id, topic, session, arm;
  UtcTime time{};
  std::chrono::nanoseconds latency{};
  std::uint32_t depth = 0;
  std::vector<std::string_view> docnos{};
};

class Server {
 public:
  explicit Server(Mode mode)
      : experiment_(judgements(), options_for(mode)),
        matcher_(experiment_.qrels(), texts()),
        searchers_(std::make_shared<const Searchers>(experiment_)) {}

  void answer(const SearchRequest& request, const std::string& query, const Send& send);
  Hits reranked(ArmIndex arm, const std::string& query);
  void begin(const SearchRequest& request);
  SearchRequest request_of(const std::string& query) const;
  Rejudged judge(const TopicId& topic, const Docno& docno, Grade grade);
  void report(const LogLine& line);
  void close();

  /// Answers the requests that were begun, the last one first.
  void run() {
    for (; !waiting_.empty(); waiting_.pop_back()) {
      const auto& [visit, arm, asked] = waiting_.back();
      answered(visit, arm, {DocId(2)}, asked);
    }
  }
  Experiment& experiment() { return experiment_; }

 private:
  struct Waiting {
    Visit visit;
    ArmIndex arm;
    Clock::time_point asked;
  };

  void search_later(const Visit& visit, ArmIndex arm) {
    waiting_.push_back({visit, arm, Clock::now()});
  }
  void answered(const Visit& visit, ArmIndex arm, const Hits& hits, Clock::time_point asked);

  static std::vector<TopicMatcher::Text> texts() {
    return {{TopicId("EP1"), "Fuel cell"}, {TopicId("EP2"), "Wärmepumpe"}};
  }

  Experiment experiment_;
  TopicMatcher matcher_;
  std::shared_ptr<const Searchers> searchers_;
  std::vector<Waiting> waiting_;
};

void Server::answer(const SearchRequest& request, const std::string& query, const Send& send) {
  const ServedRequest served(experiment_, request, [searchers = searchers_, query](ArmIndex arm) {
    return searchers->arm(arm).search(query);
  });
  send(*served);
}  // in kPaired the other arms may search from here on

Hits Server::reranked(ArmIndex arm, const std::string& query) {
  const auto started = std::chrono::steady_clock::now();
  Hits hits;
  {
    const StageScope candidates(Stage::kCandidates);
    hits = searchers_->arm(arm).search(query);
  }
  const Hits best = ranked_anew(hits);
  experiment_.observe({.arm = arm,
                       .resolved = searchers_->resolved(),
                       .docids = best,
                       .requested_depth = 10,
                       .search_started = started,
                       .stage = Stage::kServed});
  return best;
}

void Server::begin(const SearchRequest& request) {
  const Visit visit = experiment_.visit(request);
  search_later(visit, experiment_.arm_for(request));
}

void Server::answered(const Visit& visit, ArmIndex arm, const Hits& hits, Clock::time_point asked) {
  const Outcome outcome = experiment_.observe(visit, {.arm = arm,
                                                      .resolved = searchers_->resolved(),
                                                      .docids = hits,
                                                      .requested_depth = 10,
                                                      .search_started = asked});
  if (outcome == Outcome::kNoRoom) std::fputs("a ranking was dropped\n", stderr);
  if (!experiment_.wants_shadow(visit)) return;  // always false but in kPaired
  experiment_.shadow(visit, arm, [searchers = searchers_](ArmIndex other) {
    searchers->arm(other).search("fuel");
  });
}

void Server::report(const LogLine& line) {
  const Visit visit = experiment_.visit(
      TopicId(line.topic),
      {.key = line.session, .served = line.time, .request_id = std::stoull(line.id, nullptr, 16)});
  experiment_.observe(visit, {.arm = experiment_.arm(line.arm),
                              .kind = HitKind::kDocnos,
                              .docnos = line.docnos,
                              .requested_depth = line.depth,
                              .latency = line.latency});
}

SearchRequest Server::request_of(const std::string& query) const {
  return {.matched = matcher_.find(query), .text = query};
}

Rejudged Server::judge(const TopicId& topic, const Docno& docno, Grade grade) {
  const JudgementChanges changes{.judged = {{topic, docno, grade}}};
  return experiment_.rejudge(changes);
}

void Server::close() {
  // The threads that serve have ended, so that no search is offered any more.
  experiment_.drain_shadow();
  searchers_.reset();
}

void write_down(ExperimentOptions& options, const std::filesystem::path& folder) {
  options.logs = {log_to_store(folder / "live.store"), log_to_json_lines(folder / "live.jsonl")};
  options.descriptions = {
      {"bm25", {.config = "k1 = 1.2", .engine = "Lucene++", .engine_version = "3.0.8"}}};
}

/// Returns what was sent.
Hits answer(Server& server, const SearchRequest& request) {
  Hits sent;
  server.answer(request, "fuel", [&](const Hits& hits) { sent = hits; });
  return sent;
}

TEST(LiveGuide, ObservesTheArmThatServes) {
  Server server(Mode::kObserve);
  EXPECT_EQ(answer(server, {.topic = "EP1"}).size(), 1U);
  const auto summary = server.experiment().summary();
  EXPECT_EQ(summary->arms[0].topics_seen, 1U);
  EXPECT_EQ(summary->arms[1].topics_seen, 0U);
}

TEST(LiveGuide, PairsServedQueriesWithAShadow) {
  Server server(Mode::kPaired);
  EXPECT_EQ(answer(server, {.topic = "EP1"}), Hits{DocId(1)});
  answer(server, {.topic = "unjudged"});
  server.close();
  const auto summary = server.experiment().summary();
  EXPECT_EQ(summary->pairs[0].differences[0].topics, 1U);
  EXPECT_EQ(summary->health.shadow_unjudged, 1U);
  EXPECT_EQ(summary->health.shadow_run, 1U);
}

TEST(LiveGuide, SplitsTopicsAmongArms) {
  Server server(Mode::kSplit);
  const ArmIndex arm = server.experiment().arm_for("EP1");
  EXPECT_EQ(answer(server, {.topic = "EP1"}).size(), 1U + arm.value());
  EXPECT_EQ(server.experiment().summary()->arms[arm.value()].topics_seen, 1U);
}

TEST(LiveGuide, AnswersRequestsThatTakeTurnsOnAThread) {
  Server server(Mode::kPaired);
  server.begin({.topic = "EP1", .session = "session 7"});
  server.begin({.topic = "EP2"});
  server.run();
  server.close();
  const auto summary = server.experiment().summary();
  EXPECT_EQ(summary->arms[0].topics_seen, 2U);
  EXPECT_EQ(summary->pairs[0].differences[0].topics, 2U);
  EXPECT_EQ(summary->health.queries_without_scope, 0U);
}

TEST(LiveGuide, ReportsWhatWasServedElsewhere) {
  Server server(Mode::kObserve);
  server.report({.id = "5f1a",
                 .topic = "EP1",
                 .session = "session 7",
                 .arm = "bm25",
                 .time = UtcTime(std::chrono::hours(490'000)),
                 .latency = std::chrono::milliseconds(20),
                 .depth = 10,
                 .docnos = {"d2"}});
  const ArmSummary arm = server.experiment().summary()->arms[1];
  EXPECT_EQ(arm.means[0].mean, 1.0);
  EXPECT_NEAR(arm.latency.p50.ms.value_or(0.0), 20.0, 0.5);
}

TEST(LiveGuide, ScoresWhatWasServedOfWhatItRanksAnew) {
  Server server(Mode::kObserve);
  const ServedRequest served(server.experiment(), {.topic = "EP1"},
                             [&](ArmIndex arm) { return server.reranked(arm, "fuel"); });
  EXPECT_EQ(*served, (Hits{DocId(2), DocId(1)}));
  const ArmSummary arm = server.experiment().summary()->arms[0];
  EXPECT_EQ(arm.judged_queries, 1U);
  EXPECT_EQ(arm.means[0].mean, 1.0) << "document 2 at rank 1";
  EXPECT_EQ(arm.stages.at(0).found, 0U) << "it was never a candidate";
  EXPECT_EQ(arm.stages[0].served, 1U);
}

TEST(LiveGuide, MatchesTopicsByText) {
  Server server(Mode::kObserve);
  for (const std::string query : {"FUEL  cell", "wa\u0308rmepumpe", "cell of fuel"}) {
    answer(server, server.request_of(query));
  }
  const auto summary = server.experiment().summary();
  EXPECT_EQ(summary->arms[0].judged_queries, 2U);
  EXPECT_EQ(summary->arms[0].unjudged_queries, 1U);
}

TEST(LiveGuide, LogsItsObservations) {
  const ScratchFolder folder;
  ExperimentOptions options = options_for(Mode::kObserve);
  write_down(options, folder.path());
  {
    Experiment experiment(judgements(), options);
    const QueryScope scope(experiment, TopicId("EP1"));
    (void)Searchers(experiment).arm(kServed).search("fuel");
  }
  std::ifstream lines(folder.path() / "live.jsonl");
  std::string line;
  EXPECT_TRUE(std::getline(lines, line));
  EXPECT_THAT(line, ::testing::HasSubstr("\"EP1\""));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / "live.store"));
}

ExperimentOptions options_with_overlap() {
  ExperimentOptions options{.arms = {"exact", "approximate"}, .mode = Mode::kPaired};
  options.shadow.overlap = {.sampling = 0.1, .depth = 100, .persistence = 0.98};
  return options;
}

TEST(LiveGuide, ComparesRankingsOfVisitsWithoutJudgements) {
  ExperimentOptions options = options_with_overlap();
  options.shadow.overlap.sampling = 1.0;
  const Qrels::Line lines[] = {{TopicId("EP1"), Docno("d1"), 1}};
  Experiment experiment(Qrels::from_lines(lines), options);
  const Searchers searchers(experiment);
  {
    const ServedRequest served(experiment, {.text = "valve"}, [&searchers](ArmIndex arm) {
      return searchers.arm(arm).search("valve");
    });
  }
  experiment.drain_shadow();
  // 1 beside 2 1.
  EXPECT_EQ(experiment.summary()->pairs[0].overlap->jaccard.mean, 0.5);
}

TEST(LiveGuide, AcceptsNewJudgements) {
  Server server(Mode::kObserve);
  EXPECT_EQ(server.judge(TopicId("EP1"), Docno("d1"), 1).topics, 0U)
      << "of rankings that were served";
  EXPECT_EQ(server.experiment().qrels().num_judgements(), 3U);
}

const std::string kRoot = PRESCOPE_SOURCE_DIR;

TEST(LiveGuide, EveryListingIsInThisFile) {
  const std::string page = content_of(kRoot + "/docs/live.md");
  const std::string source = content_of(kRoot + "/tests/live/live_guide_test.cc");
  const std::regex fenced("```cpp\n([^`]*)```");
  int listings = 0;
  for (std::sregex_iterator i(page.begin(), page.end(), fenced), end; i != end; ++i, ++listings) {
    EXPECT_THAT(source, ::testing::HasSubstr((*i)[1]));
  }
  EXPECT_EQ(listings, 10);
}

}  // namespace
}  // namespace prescope
