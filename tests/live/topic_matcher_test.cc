#include "prescope/topic_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/unicode.h"
#include "prescope/error.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using Text = TopicMatcher::Text;

Qrels judging(const std::vector<std::string>& topics) {
  std::vector<Qrels::Line> lines;
  for (const std::string& topic : topics) lines.push_back({TopicId(topic), Docno("EP1"), 1});
  return Qrels::from_lines(lines);
}

TopicMatcher matching(const std::string& text) {
  return {judging({"t"}), std::vector<Text>{{TopicId("t"), text}}};
}

bool matches(const std::string& topic_text, std::string_view query) {
  return matching(topic_text).find(query) == TopicIndex(0);
}

struct Pair {
  std::string topic, query, why;
};

TEST(TopicMatcher, IgnoresCaseSpacingAndUnicodeForms) {
  const Pair pairs[] = {
      {"Fuel CELL stack", "fuel cell stack", "case"},
      {"fuel cell stack", "  Fuel\tcell \r\n stack\n", "white space"},
      {"fuel cell", "fuel\u00A0cell", "no-break space"},
      {"Straße", "STRASSE", "sharp s folds to ss"},
      {"Straße", "STRA\u1E9EE", "capital sharp s"},
      {"Wärmeübertrager für Kältemittel", "WÄRMEÜBERTRAGER FÜR KÄLTEMITTEL", "umlauts"},
      {"Wärmeübertrager", "Wa\u0308rmeu\u0308bertrager", "composed and decomposed"},
      {"ΣΊΣΥΦΟΣ", "σίσυφος", "final sigma"},
      {"\u1FB4", "\u03B1\u0345\u0301", "iota subscript before or after the accent"},
      {"\u1FB4", "\u1FB3\u0301", "iota subscript composed"},
      {"q\u0323\u0307", "q\u0307\u0323", "marks below and above in either order"},
      {"ＬＥＤ　ランプ", "led ランプ", "full width"},
      {"ﾗﾝﾌﾟ", "ランプ", "half width, its voicing mark apart"},
      {"한국", "\u1112\u1161\u11AB\u1100\u116E\u11A8", "Hangul as syllables or letters"},
      {"eﬃcient ﬁlter", "efficient filter", "ligatures of typesetting"},
      {"CO₂ per m²", "co2 per m2", "sub- and superscripts"},
      {"photo\u00ADvoltaic", "photovoltaic", "soft hyphen"},
      {"\uFEFFsolar\u200Bcell", "solarcell", "byte order mark, zero-width space"},
      {"İstanbul", "i\u0307stanbul", "a dotted capital I folds to i and its dot"},
  };
  for (const Pair& pair : pairs) {
    EXPECT_TRUE(matches(pair.topic, pair.query)) << pair.why;
    EXPECT_TRUE(matches(pair.query, pair.topic)) << pair.why << ", the other way round";
  }
}

TEST(TopicMatcher, DifferentTextsDoNotMatch) {
  const Pair pairs[] = {
      {"fuel cell", "fuelcell", "a space is a difference"},
      {"fuel cell", "fuel cells", "longer"},
      {"fuel cells", "fuel cell", "shorter"},
      {"fuel cell", "", "nothing"},
      {"fuel cell", " \n", "white space only"},
      {"fuel-cell", "fuel cell", "punctuation counts"},
      {"fuel-cell", "fuel\u2010cell", "so does which hyphen"},
      {"résumé", "resume", "accents count"},
      {"İstanbul", "istanbul", "Turkish dotted I"},
      {"ısı", "ISI", "Turkish dotless i"},
      {"q\u0301\u0300", "q\u0300\u0301", "marks at the same place: their order counts"},
  };
  for (const Pair& pair : pairs) EXPECT_FALSE(matches(pair.topic, pair.query)) << pair.why;
}

TEST(TopicMatcher, TextThatIsNotUtf8MatchesNothing) {
  const TopicMatcher matcher = matching("ab");
  EXPECT_EQ(matcher.find("ab"), TopicIndex(0));
  const std::string_view broken[] = {"ab\xFF",
                                     "\xC3",
                                     "a\x80"
                                     "b",
                                     "\xC1\x81"
                                     "b",  // a in two bytes
                                     "\xED\xA0\x80",
                                     "\xF4\x90\x80\x80"};  // surrogate; too large
  for (const std::string_view text : broken) EXPECT_EQ(matcher.find(text), kUnjudgedTopic);
}

TEST(TopicMatcher, NulIsAnOrdinaryCharacter) {
  const std::string with_nul("a\0b", 3);
  EXPECT_TRUE(matches(with_nul, with_nul));
  EXPECT_FALSE(matches(with_nul, "a"));
  EXPECT_FALSE(matches("a", with_nul));
  EXPECT_FALSE(matches("a", std::string_view("a\0", 2)));  // as its last, filled up word would be
}

TEST(TopicMatcher, ComparesVeryLongTextsToTheirEnd) {
  std::string text;
  while (text.size() < std::size_t{1} << 20U) text += "Kälte Über 冷却 ";
  const TopicMatcher matcher = matching(text);
  EXPECT_EQ(matcher.find(text), TopicIndex(0));
  EXPECT_EQ(matcher.find(text + "x"), kUnjudgedTopic);
  text.insert(text.size() - 1, "x");
  EXPECT_EQ(matcher.find(text), kUnjudgedTopic);
}

TEST(TopicMatcher, RefusesTooManyCombiningMarks) {
  std::string marked = "a";
  for (std::size_t i = 0; i < kMaxMarks; ++i) marked += "\u0301";
  EXPECT_TRUE(matches(marked, marked));
  EXPECT_FALSE(matches(marked, marked + "\u0301"));
  const auto refused = refusal_of([&] { (void)matching(marked + "\u0301"); });
  EXPECT_EQ(refused.code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.message,
            "topics: the text of topic 't' has more than 64 combining marks on one character; "
            "leave some out");
}

TEST(TopicMatcher, LeavesOutTopicsThatAreNotJudged) {
  const std::vector<Text> texts = {
      {TopicId("a"), "first"}, {TopicId("unknown"), "first"}, {TopicId("odd"), "\xFF"}};
  const TopicMatcher matcher(judging({"a", "b"}), texts);
  EXPECT_EQ(matcher.size(), 1U);
  EXPECT_EQ(matcher.find("FIRST"), TopicIndex(0));
}

TEST(TopicMatcher, ATopicMayHaveSeveralTexts) {
  const std::vector<Text> texts = {
      {TopicId("b"), "cell"}, {TopicId("b"), "CELL"}, {TopicId("b"), "battery"}};
  const TopicMatcher matcher(judging({"a", "b"}), texts);
  EXPECT_EQ(matcher.size(), 2U);
  EXPECT_EQ(matcher.find("cell"), TopicIndex(1));
  EXPECT_EQ(matcher.find("battery"), TopicIndex(1));
}

TEST(TopicMatcher, ReportsAllProblemsAtOnce) {
  const std::vector<Text> texts = {{TopicId("c"), " \u200B"}, {TopicId("d"), "caf\xE9"}};
  const auto refused = refusal_of([&] { TopicMatcher(judging({"a", "b", "c", "d"}), texts); });
  EXPECT_EQ(refused.code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.message,
            "topics: the text of topic 'c' has nothing but white space and characters without a "
            "width; give it a text or leave it out; the text of topic 'd' is not UTF-8; convert "
            "it");
}

// Members of a patent family have one title. Each text was refused because of them.
TEST(TopicMatcher, TopicsWithTheSameTextAreAGroup) {
  const std::vector<Text> texts = {{TopicId("c"), "Straße"},
                                   {TopicId("a"), " STRASSE"},
                                   {TopicId("b"), "cell"},
                                   {TopicId("c"), "strasse"}};
  const TopicMatcher matcher(judging({"a", "b", "c"}), texts);
  EXPECT_EQ(matcher.size(), 2U);
  EXPECT_EQ(matcher.find("strasse"), TopicIndex(2)) << "the first that was given";
  EXPECT_EQ(matcher.find("cell"), TopicIndex(1));
  const TopicMatcher::Group group = {TopicIndex(2), TopicIndex(0)};
  EXPECT_EQ(matcher.shared_texts(), std::vector<TopicMatcher::Group>(1, group));
}

TEST(TopicMatcher, LoadsEveryKindOfTopicsFile) {
  const ScratchFolder folder;
  const Qrels qrels = judging({"EP1", "EP2"});
  const std::string tabs = "EP1\tFuel cell\nEP2\tWärme\tpumpe\nEP3\tnot judged\n";
  const std::string json =
      "{\"id\": \"EP1\", \"text\": \"Fuel cell\"}\n"
      "{\"id\": \"EP2\", \"title\": \"Wärme\", \"abstract\": \"pumpe\"}\n";
  for (const auto& path :
       {folder.write("topics.tsv", tabs), folder.write("topics.jsonl", json),
        folder.write_gzip("topics.tsv.gz", tabs), folder.write_gzip("topics.jsonl.gz", json)}) {
    const TopicMatcher matcher = TopicMatcher::load(qrels, path);
    EXPECT_EQ(matcher.size(), 2U) << path;
    EXPECT_EQ(matcher.find("FUEL CELL"), TopicIndex(0)) << path;
    EXPECT_EQ(matcher.find("wärme pumpe"), TopicIndex(1)) << path;
    EXPECT_EQ(matcher.find("not judged"), kUnjudgedTopic) << path;
  }
}

TEST(TopicMatcher, LoadErrorNamesThePlace) {
  const ScratchFolder folder;
  const Qrels qrels = judging({"a", "b"});
  const auto empty = folder.write("empty.tsv", "a\tcell\nb\t\u200B\n");
  const auto refused = refusal_of([&] { (void)TopicMatcher::load(qrels, empty); });
  EXPECT_EQ(refused.code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.message,
            empty.string() +
                ": the text of topic 'b' has nothing but white space and characters without a "
                "width; give it a text or leave it out");
  const auto line = folder.write("line.tsv", "a\tcell\nb\n");
  EXPECT_THAT(refusal_of([&] { (void)TopicMatcher::load(qrels, line); }).message,
              ::testing::StartsWith(line.string() + ":2: "));
  EXPECT_EQ(
      refusal_of([&] { (void)TopicMatcher::load(qrels, folder.path() / "missing.tsv"); }).code,
      ErrorCode::kIo);
}

TEST(TopicMatcher, FindsEachOfManyTexts) {
  constexpr std::uint32_t kTexts = 300;
  std::vector<Text> texts;
  std::vector<std::string> topics;
  for (std::uint32_t i = 0; i < kTexts; ++i) {
    topics.push_back(std::to_string(1000 + i));
    texts.push_back({TopicId(topics.back()), "Text " + std::to_string(i)});
  }
  const TopicMatcher matcher(judging(topics), texts);
  EXPECT_EQ(matcher.size(), kTexts);
  for (std::uint32_t i = 0; i < kTexts; ++i) {
    ASSERT_EQ(matcher.find("tEXT  " + std::to_string(i)), TopicIndex(i));
    ASSERT_EQ(matcher.find("tEXU  " + std::to_string(i)), kUnjudgedTopic);
  }
  EXPECT_EQ(matcher.find("Text 300"), kUnjudgedTopic);
}

TEST(TopicMatcher, WithoutTextsFindsNothing) {
  const TopicMatcher matcher(judging({"t"}), {});
  EXPECT_EQ(matcher.find("text"), kUnjudgedTopic);
  EXPECT_EQ(matcher.find(""), kUnjudgedTopic);
}

}  // namespace
}  // namespace prescope
