#include "judgements/topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;

using Rows = std::vector<std::string>;

Rows rows_of(const std::vector<Topic>& topics) {
  Rows rows;
  for (const Topic& topic : topics) rows.push_back(topic.id.text() + "|" + topic.text);
  return rows;
}

TEST(LoadTopics, ReadsIdAndTextBetweenTabs) {
  const ScratchFolder folder;
  const std::string_view bytes =
      "\xEF\xBB\xBFq2\twashers with bubbles\tRelevant: foam.\r\n"
      "\n"
      "q1\t caf\xC3\xA9 machine \n"
      "q 3\t\tthird\n";
  const Rows expected = {"q2|washers with bubbles Relevant: foam.", "q1|caf\xC3\xA9 machine",
                         "q 3|third"};
  EXPECT_EQ(rows_of(load_topics(folder.write("topics.tsv", bytes))), expected);
  EXPECT_EQ(rows_of(load_topics(folder.write_gzip("topics.tsv.gz", bytes))), expected);
}

TEST(LoadTopics, ReadsJsonLines) {
  const ScratchFolder folder;
  const std::string_view bytes =
      "{\"id\": \"EP2\", \"text\": \" a valve \", \"title\": \"unused\"}\n"
      "\r\n"
      "{\"title\": \"Pump\", \"abstract\": \"A pump.\", \"id\": \"EP1\", \"other\": [1, {}]}\n"
      "{\"id\": \"EP3\", \"title\": null, \"abstract\": \"\\u00e9t\\u00e9\"}\n";
  const Rows expected = {"EP2|a valve", "EP1|Pump A pump.", "EP3|\xC3\xA9t\xC3\xA9"};
  EXPECT_EQ(rows_of(load_topics(folder.write("topics.jsonl", bytes))), expected);
  EXPECT_EQ(rows_of(load_topics(folder.write_gzip("topics.jsonl.gz", bytes))), expected);
}

TEST(LoadTopics, RefusesBadFiles) {
  const ScratchFolder folder;
  const struct {
    std::string name, bytes, message;
  } cases[] = {
      {"t.tsv", "a\tb\nno tab\n", ":2: no tab; expected \"id<TAB>text\""},
      {"t.tsv", "a\t \t\n", ":1: topic 'a' has no text"},
      {"t.tsv", " \ttext\n", ":1: a topic without id; give it the id that the qrels use"},
      {"t.tsv", "a\tb\n\na\tc\n", ":3: topic 'a' is already in line 1; keep one of the two"},
      {"t.tsv", "\n\n", ": no topics; expected an id and a text on each line"},
      {"t.tsv", "a\t\xFF\n", ":1: invalid UTF-8; convert the file to UTF-8"},
      {"t.jsonl", "{\"id\": 7, \"text\": \"b\"}\n",
       ":1: field 'id' is a number; expected a string"},
      {"t.jsonl", "{\"text\": \"b\"}\n",
       ":1: a topic without id; give it the id that the qrels use"},
      {"t.jsonl", "{\"id\": \"a\", \"title\": \"\"}\n", ":1: topic 'a' has no text"},
      {"t.jsonl", "{\"id\": \"a\\u0000\", \"text\": \"b\"}\n",
       ":1: field 'id' contains a NUL character; remove it"},
      {"t.jsonl", "", ": no topics; expected an id and a text on each line"},
  };
  for (const auto& [name, bytes, message] : cases) {
    const auto path = folder.write(name, bytes);
    const auto refused = refusal_of([&] { (void)load_topics(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput);
    EXPECT_EQ(refused.message, path.string() + message);
  }
  EXPECT_EQ(refusal_of([&] { (void)load_topics(folder.path() / "no.tsv"); }).code, ErrorCode::kIo);
}

TEST(LoadTopics, RefusesLinesThatAreNotOneJsonObject) {
  const ScratchFolder folder;
  for (const std::string bad : {"id\ttext", "[]", "\"a\"", "{\"id\": \"a\"", "{} {}", "{\"id\"}"}) {
    const auto path = folder.write("t.jsonl", "{\"id\": \"a\", \"text\": \"b\"}\n" + bad + "\n");
    const auto refused = refusal_of([&] { (void)load_topics(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput);
    EXPECT_TRUE(refused.message.starts_with(path.string() + ":2: not a JSON object ("))
        << refused.message;
    EXPECT_TRUE(refused.message.ends_with("; expected {\"id\": \"...\", ...}")) << refused.message;
  }
}

}  // namespace
}  // namespace prescope
