// What an index holds is compared with the arm's settings, and with the night before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kDocuments = 40;

/// A document of the number `id` with the words of the number `text`.
std::string document_line(int id, int text) {
  return fmt::format(
      "{{\"id\": \"EP{}A1\", \"title\": \"valve{} heated\", \"abstract\": \"pump{} rotating\"}}\n",
      1000000 + id, text, text);
}

std::string documents(const std::function<int(int id)>& text_of) {
  std::string lines;
  for (int id = 0; id < kDocuments; ++id) lines += document_line(id, text_of(id));
  return lines;
}

void index(const Workspace& workspace, const std::string& engine, const std::string& name,
           const std::string& lines) {
  workspace.write(name + ".jsonl", lines);
  const Outcome indexed =
      workspace.run({"index", "--engine", engine, "--out", name, name + ".jsonl"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
}

/// An experiment on the index `base`, every document of which some topic cites.
void set_up(const Workspace& workspace, const std::string& engine, const std::string& settings) {
  std::string qrels, topics;
  for (int t = 0; t < kDocuments; ++t) {
    qrels += fmt::format("T{} 0 EP{}A1 1\n", t, 1000000 + t);
    topics += fmt::format("T{}\tvalve{} pump{}\n", t, t, t);
  }
  workspace.write("qrels.txt", qrels);
  workspace.write("topics.tsv", topics);
  workspace.write("night.toml", fmt::format("engine = '{}'\nindex = 'base'\ncutoffs = [10]\n"
                                            "[qrels]\npath = 'qrels.txt'\n"
                                            "[topics]\nsource = 'file'\npath = 'topics.tsv'\n"
                                            "[[arms]]\nname = 'a'\n{}",
                                            engine, settings));
  index(workspace, engine, "base", documents([](int id) { return id; }));
}

/// Pins the index `base` and gates the index `tonight`; returns the rule about the index.
json rule_about(const Workspace& workspace, const std::string& tonight) {
  const Outcome pinned = workspace.run({"pin", "nights.db", "--from", "night.toml", "--why", "x"});
  EXPECT_EQ(pinned.exit_code, 0) << pinned.err;
  const Outcome gated = workspace.run(
      {"gate", "nights.db", "--from", "night.toml", "--index", tonight, "--json", "-"});
  const json verdict = json::parse(gated.out);
  for (const json& rule : verdict["rules"]) {
    if (rule["id"] == "input.index") return rule;
  }
  return {};
}

class IndexPassport : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#if !PRESCOPE_HAS_TWO_ENGINES
    GTEST_SKIP() << "built without Lucene++ or Xapian";
#endif
    set_up(workspace_, GetParam(), "");
  }
  [[nodiscard]] json rule_of(const std::string& lines) const {
    index(workspace_, GetParam(), "tonight", lines);
    return rule_about(workspace_, "tonight");
  }
  Workspace workspace_;
};
INSTANTIATE_TEST_SUITE_P(Engines, IndexPassport, ::testing::Values("lucenepp", "xapian"));

TEST_P(IndexPassport, TheSameTextsInAnotherOrderPass) {
  std::string reversed;
  for (int id = kDocuments; id-- > 0;) reversed += document_line(id, id);
  const json rule = rule_of(reversed);
  EXPECT_EQ(rule["status"], "pass") << rule;
  EXPECT_THAT(rule["reason"].get<std::string>(), HasSubstr("holds the baseline's texts"));
}

TEST_P(IndexPassport, TextsShiftedByOneDocumentAreBadInput) {
  const json rule = rule_of(documents([](int id) { return (id + 1) % kDocuments; }));
  EXPECT_EQ(rule["status"], "bad_input") << rule;
  EXPECT_THAT(rule["reason"].get<std::string>(),
              AllOf(HasSubstr("40 judged documents of 40 looked at have another stored title"),
                    HasSubstr("40 have the text that another document had")));
}

TEST_P(IndexPassport, EmptyFieldsAreBadInput) {
  std::string lines;
  for (int id = 0; id < kDocuments; ++id) {
    lines += fmt::format("{{\"id\": \"EP{}A1\", \"claims\": \"valve{} pump{}\"}}\n", 1000000 + id,
                         id, id);
  }
  const json rule = rule_of(lines);
  EXPECT_EQ(rule["status"], "bad_input") << rule;
  EXPECT_THAT(rule["reason"].get<std::string>(),
              AllOf(HasSubstr("no document has a text in 'title' any more"),
                    HasSubstr("40 have none any more")));
}

TEST_P(IndexPassport, AFieldWithoutDocumentsIsRefusedInAReplay) {
  set_up(workspace_, GetParam(), "fields.claims = 1\n");
  const Outcome outcome = workspace_.run({"replay", "night.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("night.toml:11: fields.claims = 1, but no document"),
                                 HasSubstr("it has title, abstract")));
}

TEST_P(IndexPassport, AFieldOfFewDocumentsIsSaid) {
  set_up(workspace_, GetParam(), "fields.claims = 1\n");
  std::string lines = documents([](int id) { return id; });
  lines += "{\"id\": \"EP2000000A1\", \"title\": \"t\", \"claims\": \"valve1\"}\n";
  index(workspace_, GetParam(), "base", lines);
  const Outcome outcome = workspace_.run({"replay", "night.toml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("fields.claims reads a text that 1 of 41 (2.4 %) documents"));
}

// Half of the recall was lost, and called significantly worse.
TEST(IndexPassportOfXapian, AStemmerOtherThanTheIndexHasIsRefused) {
#if !PRESCOPE_HAS_TWO_ENGINES
  GTEST_SKIP() << "built without Lucene++ or Xapian";
#endif
  const Workspace workspace;
  set_up(workspace, "xapian", "stemmer = 'none'\n");
  const Outcome outcome = workspace.run({"replay", "night.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("night.toml:11: stemmer = 'none'"),
                                 HasSubstr("stemmer english"), HasSubstr("remove the setting")));
}

}  // namespace
}  // namespace prescope::testing
