// Engines over HTTP as arms of the program score as their exported runs do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/lucene_front/lucene_front.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kPatents = fs::path(PRESCOPE_TEST_DATA) / "patent_text/documents.jsonl.gz";

class HttpReplay : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LuceneFront::why_not().empty()) GTEST_SKIP() << LuceneFront::why_not();
  }
  /// Writes an experiment with these arms: name, place behind the front's URL, settings.
  void write_experiment(const LuceneFront& front, const std::string& qrels,
                        const std::vector<std::array<std::string, 3>>& arms) const {
    std::string text = fmt::format(
        "engine = \"http\"\nmeasures = [\"PRES@100\", \"R@1000\", \"AP\"]\ndepth = 1000\n"
        "threads = 4\n[qrels]\npath = \"{}\"\ndocno = \"raw\"\n[topics]\npath = \"topics.tsv\"\n",
        qrels);
    for (const auto& [name, index, settings] : arms) {
      text += fmt::format("[[arms]]\nname = \"{}\"\nindex = \"{}{}\"\n{}\n", name, front.url(),
                          index, settings);
    }
    workspace_.write("x.toml", text);
  }
  [[nodiscard]] json run(std::vector<std::string> arguments) const {
    const Outcome outcome = workspace_.run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
  }
  Workspace workspace_;
};

const char* const kMatch = "server = \"opensearch\"\nquery = '{\"match\":{\"text\":{{QUERY}}}}'";

TEST_F(HttpReplay, ArmsMayBeServersOfSeveralKinds) {
  workspace_.write("patents.jsonl",
                   "{\"id\":\"EP1\",\"title\":\"valve\",\"abstract\":\"valve pump\"}\n"
                   "{\"id\":\"EP2\",\"title\":\"pump\",\"abstract\":\"pump valve\"}\n"
                   "{\"id\":\"EP3\",\"title\":\"wheel\",\"abstract\":\"wheel\"}\n");
  const LuceneFront front(workspace_.path("patents.jsonl"));
  workspace_.write("qrels.txt", "T1 0 EP1 1\nT1 0 EP2 1\nT2 0 EP3 1\n");
  workspace_.write("topics.tsv", "T1\tvalve\nT2\twheel\n");
  write_experiment(front, "qrels.txt",
                   {{"os", "/bm25", kMatch},
                    {"solr", "/solr/tfidf", "server = \"solr\"\nquery = \"q={{QUERY}}\""},
                    {"vespa", "/vespa/lmd", "server = \"vespa\"\nretries = 2"}});
  const json report = run({"replay", "x.toml", "--json", "-"});
  ASSERT_EQ(report.at("indexes").size(), 3U);
  EXPECT_EQ(report.at("indexes")[0].at("engine").at("version"), "opensearch 2.11.1");
  for (const json& index : report.at("indexes")) EXPECT_EQ(index.at("documents"), 3);
  for (const json& arm : report.at("summary").at("arms")) {
    EXPECT_EQ(arm.at("means").at("R@1000").at("mean"), 1.0);
  }
}

/// Returns the experiment file in a page of the documentation.
std::string experiment_in(const std::string& page) {
  const std::string text = content_of(std::string(PRESCOPE_SOURCE_DIR "/docs/") + page);
  const std::size_t begin = text.find("engine = \"http\"");
  const std::size_t end = std::min(text.find("\nEND\n", begin), text.find("\n```", begin));
  return text.substr(begin, end - begin) + "\n";
}

TEST_F(HttpReplay, TheExperimentsOfThePagesRun) {
  workspace_.write("patents.jsonl",
                   "{\"id\":\"EP1\",\"title\":\"valve\",\"abstract\":\"valve pump\"}\n"
                   "{\"id\":\"EP2\",\"title\":\"pump\",\"abstract\":\"pump valve\"}\n");
  const LuceneFront front(workspace_.path("patents.jsonl"));
  workspace_.write("qrels.txt", "T1 0 EP1 1\nT1 0 EP2 1\n");
  workspace_.write("topics.tsv", "T1\tvalve\n");
  const std::vector<std::array<std::string, 3>> pages{
      {"with-opensearch.md", "http://localhost:9200/patents", "/bm25"},
      {"with-solr.md", "http://localhost:8983/solr/patents", "/solr/bm25"},
      {"with-vespa.md", "http://localhost:8080", "/vespa/bm25"}};
  for (const auto& [page, url, index] : pages) {
    std::string experiment = experiment_in(page);
    const std::size_t at = experiment.find(url);
    ASSERT_NE(at, std::string::npos) << page;
    workspace_.write("x.toml", experiment.replace(at, url.size(), front.url() + index));
    const json report = run({"replay", "x.toml", "--json", "-"});
    ASSERT_EQ(report.at("summary").at("arms").size(), 2U) << page;
    for (const json& arm : report.at("summary").at("arms")) {
      EXPECT_EQ(arm.at("means").at("R@100").at("mean"), 1.0) << page;
    }
  }
}

TEST_F(HttpReplay, SaysWhichTopicFailedAndWhy) {
  workspace_.write("patents.jsonl", "{\"id\":\"EP1\",\"title\":\"valve\"}\n");
  const LuceneFront front(workspace_.path("patents.jsonl"));
  workspace_.write("qrels.txt", "T1 0 EP1 1\n");
  workspace_.write("topics.tsv", "T1\tvalve\n");
  write_experiment(front, "qrels.txt", {{"a", "/bm26", "server = \"opensearch\""}});
  const Outcome outcome = workspace_.run({"replay", "x.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("topic 'T1', arm 'a'"));
  EXPECT_THAT(outcome.err, HasSubstr("HTTP status 404"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

/// Calls `take` for each line of a gzip file.
void for_each_line(const fs::path& path, const std::function<void(std::string_view)>& take) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  std::vector<char> line(std::size_t{1} << 20U);
  while (::gzgets(file.get(), line.data(), static_cast<int>(line.size())) != nullptr) {
    take(line.data());
  }
}

/// Returns "id TAB title and abstract" of the patents that are topics of the judgements.
std::string topics_of(const fs::path& qrels) {
  std::set<std::string> judged;
  std::ifstream lines(qrels);
  for (std::string line; std::getline(lines, line);) judged.insert(line.substr(0, line.find(' ')));
  std::string topics;
  for_each_line(kPatents, [&](std::string_view line) {
    const json patent = json::parse(line);
    if (judged.count(patent.at("id")) == 0) return;
    std::string text =
        patent.at("title").get<std::string>() + ' ' + patent.at("abstract").get<std::string>();
    std::ranges::replace_if(
        text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    topics += patent.at("id").get<std::string>() + '\t' + text + '\n';
  });
  return topics;
}

TEST_F(HttpReplay, RealTopicsScoreAsTheExportedRunsDo) {
  if (!fs::exists(kPatents)) GTEST_SKIP() << kPatents << " is not here";
  const fs::path qrels = kPatents.parent_path() / "qrels.citation.family.txt";
  const LuceneFront front(kPatents);
  workspace_.write("topics.tsv", topics_of(qrels));
  write_experiment(front, qrels,
                   {{"whole", "/bm25", kMatch},
                    {"pages", "/bm25", std::string(kMatch) + "\nwindow = 300"},
                    {"tfidf", "/solr/tfidf", "server = \"solr\"\nquery = \"q={{QUERY}}\""}});
  const json replayed = run({"replay", "x.toml", "--json", "-", "--runs-out", "runs"});
  const json evaluated =
      run({"evaluate", qrels, "runs/whole.run", "runs/pages.run", "runs/tfidf.run", "--order",
           "file", "-m", "PRES@100,R@1000,AP", "--per-topic", "--format", "json"});
  const json& topics = replayed.at("summary").at("per_topic");
  ASSERT_EQ(topics.size(), 583U);
  ASSERT_EQ(evaluated.at("per_topic").size(), 583U);
  const char* const names[] = {"whole", "pages", "tfidf"};
  for (std::size_t t = 0; t < topics.size(); ++t) {
    const json& exported = evaluated.at("per_topic")[t];
    ASSERT_EQ(topics[t].at("topic"), exported.at("topic"));
    for (std::size_t arm = 0; arm < 3; ++arm) {
      EXPECT_EQ(topics[t].at("arms").at(names[arm]).at("scores"),
                exported.at("runs")[arm].at("scores"));
    }
  }
}

}  // namespace
}  // namespace prescope::testing
