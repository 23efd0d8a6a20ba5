#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "prescope/report.h"
#include "store/sqlite/database.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class Log : public ::testing::Test {
 protected:
  Log() {
    Experiment experiment(
        Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("EP1")},
                                                   {TopicId("t1"), Docno("EP2")},
                                                   {TopicId("t,2"), Docno("EP3")}}),
        {.name = "night",
         .arms = {"tfidf", "bm25"},
         .cutoffs = {4},
         .logs = {log_to_store(workspace_.path("live.store")),
                  log_to_json_lines(workspace_.path("live.jsonl"))},
         .descriptions = {{"bm25", {.config = "k1 = \"1\""}}}});
    serve(experiment, "t1", 0, {"EP9", "EP8", "EP2", "EP7"});
    serve(experiment, "t1", 1, {"EP1", "EP2"});
    serve(experiment, "t,2", 1, {"EP9"});
    serve(experiment, "not judged", 1, {"EP9"});
  }

  static void serve(Experiment& experiment, const char* topic, std::uint32_t arm,
                    const std::vector<std::string_view>& docnos) {
    const QueryScope scope(experiment, TopicId(topic));
    experiment.observe({.arm = ArmIndex(arm),
                        .kind = HitKind::kDocnos,
                        .docnos = docnos,
                        .requested_depth = 4,
                        .search_started = std::chrono::steady_clock::now()});
  }

  Outcome log(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"log", "live.store"});
    return workspace_.run(std::move(arguments));
  }
  std::string printed(std::vector<std::string> arguments) const {
    const Outcome outcome = log(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }

  Workspace workspace_;
};

TEST_F(Log, ControlCharactersInNamesAreReplaced) {
  const auto path = workspace_.path("hostile.store");
  {
    const std::string topic = "t\x1b[31m\nPASS";
    Experiment experiment(
        Qrels::from_lines(std::vector<Qrels::Line>{{TopicId(topic), Docno("EP1")}}),
        {.name = "night", .arms = {"bm\x1b]0;25"}, .cutoffs = {4}, .logs = {log_to_store(path)}});
    serve(experiment, topic.c_str(), 0, {"EP1"});
  }
  const Outcome outcome = workspace_.run({"log", "hostile.store", "--format", "table"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("\x1b")), HasSubstr("t\\u001B[31m PASS")));
  EXPECT_EQ(lines_of(outcome.out).size(), 3U) << "titles, a rule, one observation";
}

// A Latin-1 docno made the whole store unreadable.
TEST_F(Log, NamesMayBeAnyBytes) {
  const std::string topic = "Pr\xFC\x66ung", docno = "EP-\xE9-1";
  const auto path = workspace_.path("latin.store");
  {
    Experiment experiment(
        Qrels::from_lines(std::vector<Qrels::Line>{{TopicId(topic), Docno(docno)}}),
        {.name = "night", .arms = {"bm25"}, .cutoffs = {4}, .logs = {log_to_store(path)}});
    serve(experiment, topic.c_str(), 0, {"EP9", docno});
  }
  const auto printed_by = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"log", "latin.store"});
    const Outcome outcome = workspace_.run(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const json line = json::parse(printed_by({"--topic", topic}));
  EXPECT_EQ(line["topic"], "Pr\uFFFDfung");
  EXPECT_EQ(line["docnos"], json({"EP-\uFFFD-1"}));
  // At rank 2 of 4: (4 + 1 - 2) / 4.
  EXPECT_EQ(line["PRES@4"], 0.75);
  EXPECT_THAT(printed_by({"--summary"}), HasSubstr("0.7500"));
  EXPECT_THAT(printed_by({"--format", "csv"}), HasSubstr(topic));
  EXPECT_THAT(printed_by({"--format", "table"}), HasSubstr("Pr\uFFFDfung"));
}

TEST_F(Log, SummaryHasTheLinesAboutTheIndexAndTheJudgements) {
  const auto path = workspace_.path("resolved.store");
  std::string live;
  {
    const std::vector<Qrels::Line> lines = {{TopicId("t1"), Docno("EP1")},
                                            {TopicId("t1"), Docno("EP1")},
                                            {TopicId("t1"), Docno("EP2-A1")},
                                            {TopicId("t1"), Docno("EP2-B1")},
                                            {TopicId("t2"), Docno("EP3")}};
    Experiment experiment(
        Qrels::from_lines(lines, {.docno = DocnoPolicy::kPatent}),
        {.name = "night", .arms = {"bm25"}, .cutoffs = {4}, .logs = {log_to_store(path)}});
    const JudgedDocnos& judged = experiment.judged();
    experiment.set_resolved(ArmIndex(0),
                            std::make_shared<const ResolvedQrels>(
                                judged, std::vector<Resolution>{{judged.find("EP1"), DocId(7)}},
                                experiment.next_generation(), 100));
    serve(experiment, "t1", 0, {"EP1"});
    live = to_table(*experiment.summary());
  }
  const Outcome outcome = workspace_.run({"log", "resolved.store", "--summary"});
  for (const char* line :
       {"2 relevant judgements are not in the index of bm25 and count as not found",
        "1 line of the qrels repeats an earlier one", "1 judgement was merged"}) {
    EXPECT_THAT(live, HasSubstr(line));
    EXPECT_THAT(outcome.out, HasSubstr(line));
  }
  EXPECT_THAT(outcome.out, HasSubstr("which of the judged documents are not in the index"));
}

TEST_F(Log, SummaryNamesSeriesThatTheIndexLacks) {
  const auto path = workspace_.path("series.store");
  std::vector<Qrels::Line> lines;
  for (int i = 0; i < 12; ++i) {
    lines.push_back({TopicId("t1"), Docno(fmt::format("EP10000{:02}", i))});
    lines.push_back({TopicId("t1"), Docno(fmt::format("US20032202{:02}", i))});
  }
  std::string live;
  {
    Experiment experiment(
        Qrels::from_lines(lines),
        {.name = "night", .arms = {"bm25"}, .cutoffs = {4}, .logs = {log_to_store(path)}});
    const JudgedDocnos& judged = experiment.judged();
    std::vector<Resolution> found;
    for (std::uint32_t key = 0; key < judged.num_keys(); ++key) {
      if (judged.key(key).starts_with("EP")) found.push_back({key, DocId(key)});
    }
    experiment.set_resolved(ArmIndex(0), std::make_shared<const ResolvedQrels>(
                                             judged, found, experiment.next_generation(), 100));
    serve(experiment, "t1", 0, {"EP1000000"});
    EXPECT_EQ(experiment.summary()->arms[0].missing_series,
              std::vector<std::string>{
                  "US applications: 0 of 12 judged documents found, of the other series 12 of 12; "
                  "are they written in another form than 'US2003220200'?"});
    live = to_table(*experiment.summary());
  }
  EXPECT_THAT(live, HasSubstr("bm25: US applications: 0 of 12 judged"));
  EXPECT_THAT(workspace_.run({"log", "series.store", "--summary"}).out,
              HasSubstr("bm25: US applications: 0 of 12 judged"));
}

TEST_F(Log, SummarySaysWhatTheStoreDoesNotHave) {
  EXPECT_THAT(printed({"--summary"}),
              HasSubstr("not in this summary: 1 unjudged query was only counted"));
}

TEST_F(Log, PrintsJsonLinesIntoAPipe) {
  const std::vector<std::string> lines = lines_of(printed({}));
  ASSERT_EQ(lines.size(), 3U);
  const json first = json::parse(lines[0]);
  EXPECT_EQ(first["arm"], "tfidf");
  EXPECT_EQ(first["topic"], "t1");
  EXPECT_EQ(first["ranks"], json({3}));
  EXPECT_EQ(first["docnos"], json({"EP2"}));
  // One of two relevant documents at rank 3 of 4: (4 + 1 - 3) / (2 * 4).
  EXPECT_EQ(first["PRES@4"], 0.25);
  EXPECT_EQ(json::parse(lines[2])["topic"], "t,2");
}

TEST_F(Log, AppliesFiltersAndMeasures) {
  EXPECT_EQ(lines_of(printed({"--arm", "bm25"})).size(), 2U);
  const json last = json::parse(printed({"--topic", "t1", "--last", "1", "-m", "P@2,RR"}));
  EXPECT_EQ(last["P@2"], 1.0);
  EXPECT_EQ(last["RR"], 1.0);
  EXPECT_FALSE(last.contains("PRES@4"));
  EXPECT_EQ(printed({"--since", "2999-01-01"}), "");
  EXPECT_EQ(lines_of(printed({"--until", "2999-01-01T00:00"})).size(), 3U);
  EXPECT_EQ(printed({"--until", "2020-01-01", "--follow"}), "");  // and ends
}

TEST_F(Log, CsvHasAColumnForEachMeasure) {
  const std::vector<std::string> lines = lines_of(printed({"--format", "csv"}));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[2], MatchesRegex("20.*Z,night,1,2,[0-9a-f]{16},bm25,\"k1 = \"\"1\"\"\",t1,2,,,"
                                     "0,0,0,1,4,2,2,true,0,0,[0-9.e-]+,[0-9.e-]+,,,2,1 2,EP1 EP2,"
                                     "1,1,1"));
  EXPECT_THAT(lines[3], HasSubstr(",\"t,2\","));
}

/// Names in the first column of the table below a heading.
std::vector<std::string> documented(const std::string& heading) {
  const std::string page = content_of(PRESCOPE_SOURCE_DIR "/docs/logs.md");
  std::istringstream in(page.substr(page.find("\n" + heading + "\n")));
  std::vector<std::string> names;
  bool is_in_table = false;
  for (std::string line; std::getline(in, line);) {
    if (is_in_table && !line.starts_with("|")) break;
    is_in_table = is_in_table || line.starts_with("|---");
    if (line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

std::vector<std::string> keys_of(const std::string& line) {
  std::vector<std::string> keys;
  const auto object = nlohmann::ordered_json::parse(line);
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// Pipelines have a schema for these: a field keeps its name, its type and its place.
TEST_F(Log, LinesHaveTheDocumentedFieldsInTheirOrder) {
  std::vector<std::string> json_fields = documented("## Fields of an observation");
  ASSERT_EQ(json_fields.back(), "PRES@100");
  json_fields.pop_back();
  std::vector<std::string> csv_fields = json_fields;
  std::erase(json_fields, "visit_key");  // none here
  std::erase(json_fields, "request_id");
  for (const char* measure : {"PRES@4", "R@4", "AP@4"}) {
    json_fields.emplace_back(measure);
    csv_fields.emplace_back(measure);
  }
  const std::string stored = lines_of(printed({})).at(1);
  EXPECT_EQ(keys_of(stored), json_fields);
  std::string head;
  for (const std::string& field : csv_fields) head += (head.empty() ? "" : ",") + field;
  EXPECT_EQ(lines_of(printed({"--format", "csv"}))[0], head);
  // The line that the host's process writes has the same, but for the number of the session.
  json from_file = json::parse(lines_of(workspace_.read("live.jsonl")).at(1));
  json from_store = json::parse(stored);
  EXPECT_GT(from_file["session"], 1'700'000'000'000);
  EXPECT_EQ(from_store["session"], 1);
  for (json* const line : {&from_file, &from_store}) {
    line->erase("session");
    line->erase("time");
  }
  EXPECT_EQ(from_file, from_store);
  EXPECT_EQ(from_store["seq"], 2);
  EXPECT_EQ(from_store["config"], "k1 = \"1\"");
  EXPECT_EQ(from_store["docnos"], json({"EP1", "EP2"}));
}

TEST_F(Log, ASessionOfAnotherExperimentIsRefused) {
  {
    Experiment day(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t1"), Docno("EP1")}}),
                   {.name = "day",
                    .arms = {"bm25"},
                    .cutoffs = {4},
                    .logs = {log_to_store(workspace_.path("live.store"))}});
  }
  for (const char* kind : {"--summary", "--unjudged"}) {
    EXPECT_EQ(log({kind, "--session", "2", "--experiment", "day"}).exit_code, 0);
    const Outcome refused = log({kind, "--session", "1", "--experiment", "day"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("there is no session 1 of 'day'; the newest is 2"));
  }
}

// A host's shipper opens the store that its experiment writes to. This released the host's locks,
// and the next reader removed the write-ahead log as the last one to leave.
TEST_F(Log, LeavesTheLogOfAProcessThatOpensTheStoreTwice) {
  const auto path = workspace_.path("live.store");
  Database host = open_store_file(path, Database::Access::kWrite);
  host.run("INSERT INTO topics (name) VALUES ('t8')");
  static_cast<void>(open_store_file(path, Database::Access::kUpdate));
  static_cast<void>(printed({}));
  EXPECT_TRUE(workspace_.has("live.store-wal"));
}

TEST(LogOfChanges, EachLineHasTheJudgementsAndTheConfigurationOfItsTime) {
  const Workspace workspace;
  const auto path = workspace.path("live.store");
  std::vector<std::string> hashes;
  {
    const auto file = log_to_json_lines(workspace.path("live.jsonl"));
    const std::vector<Qrels::Line> lines = {{TopicId("t1"), Docno("EP1")}};
    Experiment experiment(
        Qrels::from_lines(lines),
        {.name = "night", .arms = {"a"}, .cutoffs = {4}, .logs = {log_to_store(path), file}});
    const auto serve = [&] {
      const std::vector<std::string_view> docnos = {"EP9"};
      experiment.observe(experiment.visit(TopicId("t1")),
                         {.kind = HitKind::kDocnos, .docnos = docnos, .requested_depth = 4});
    };
    serve();
    experiment.restart_arm(ArmIndex(0), {.config = "k1 = 2"});
    serve();
    experiment.rejudge({.judged = {{TopicId("t1"), Docno("EP9"), 1}}, .withdrawn = {}});
    serve();
  }
  const Outcome of_store = workspace.run({"log", "live.store"});
  for (const std::string& text : {of_store.out, workspace.read("live.jsonl")}) {
    const std::vector<std::string> lines = lines_of(text);
    ASSERT_EQ(lines.size(), 3U) << of_store.err;
    std::vector<json> all;
    for (const std::string& line : lines) all.push_back(json::parse(line));
    EXPECT_EQ(all[0]["config"], "");
    EXPECT_EQ(all[1]["config"], "k1 = 2");
    EXPECT_EQ(all[2]["config"], "k1 = 2");
    EXPECT_EQ(all[0]["qrels"], all[1]["qrels"]);
    EXPECT_NE(all[1]["qrels"], all[2]["qrels"]);
    hashes.push_back(all[2]["qrels"]);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

// The observations and sessions of the new store have numbers that were printed already.
TEST_F(Log, FollowsTheStoreThatIsMadeInThePlaceOfAMovedOne) {
  RunningProgram follower({.arguments = {"log", "live.store", "--follow"},
                           .environment = {},
                           .folder = workspace_.folder()});
  EXPECT_THAT(follower.wait_for_line("\"t,2\""), HasSubstr("\"seq\":3"));
  const auto path = workspace_.path("live.store");
  std::filesystem::rename(path, workspace_.path("live.store.1"));
  {
    Experiment experiment(
        Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t9"), Docno("EP1")}}),
        {.name = "day", .arms = {"lm"}, .cutoffs = {2}, .logs = {log_to_store(path)}});
    serve(experiment, "t9", 0, {"EP1", "EP2"});
  }
  const json line = json::parse(follower.wait_for_line("\"t9\""));
  EXPECT_EQ(line["seq"], 1);
  EXPECT_EQ(line["PRES@2"], 1.0) << "its relevant document at rank 1";
}

TEST_F(Log, TableHasTitlesAndNoTrailingSpaces) {
  const std::vector<std::string> lines = lines_of(printed({"--format", "table"}));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], AllOf(StartsWith("time "), HasSubstr("PRES@4")));
  EXPECT_THAT(lines[2], AllOf(HasSubstr("tfidf"), HasSubstr("0.2500")));
  for (const std::string& line : lines) EXPECT_THAT(line, Not(::testing::EndsWith(" ")));
}

TEST_F(Log, SummaryHasTheArmsAndMeasuresOfTheExperiment) {
  EXPECT_THAT(printed({"--summary"}),
              AllOf(HasSubstr("tfidf"), HasSubstr("bm25"), HasSubstr("PRES@4")));
}

TEST_F(Log, RefusesUnknownNamesAndValues) {
  const auto refused = [&](std::vector<std::string> arguments) {
    const Outcome outcome = log(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(refused({"--arm", "bm52"}), HasSubstr("did you mean 'bm25'?"));
  EXPECT_THAT(refused({"--topic", "t3"}), HasSubstr("unknown topic 't3'"));
  EXPECT_THAT(refused({"--experiment", "day"}), HasSubstr("unknown experiment 'day'"));
  EXPECT_THAT(refused({"--format", "xml"}), HasSubstr("--format"));
  EXPECT_THAT(refused({"--since", "yesterday"}), HasSubstr("yesterday"));
  EXPECT_THAT(refused({"-m", "PRSE@4"}), HasSubstr("PRES"));
  EXPECT_THAT(refused({"--summary", "--session", "7"}), HasSubstr("no session 7"));
  EXPECT_THAT(refused({"--session", "7"}), HasSubstr("no session 7"));
  const std::vector<std::vector<std::string>> of_observations = {{"--arm", "bm25"},
                                                                 {"--topic", "t1"},
                                                                 {"--since", "2026-11-22"},
                                                                 {"--until", "2999-01-01"},
                                                                 {"--last", "1"},
                                                                 {"--follow"},
                                                                 {"--unjudged"},
                                                                 {"-m", "RR"},
                                                                 {"--format", "csv"}};
  for (std::vector<std::string> flag : of_observations) {
    flag.emplace_back("--summary");
    EXPECT_THAT(refused(flag), HasSubstr("has no meaning with --summary")) << flag[0];
  }
  const Outcome missing = workspace_.run({"log", "other.store"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("there is no such file"));
}

}  // namespace
}  // namespace prescope::testing
