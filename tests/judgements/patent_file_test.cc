#include "judgements/patent_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<PatentDocument> patents_of(const std::filesystem::path& path) {
  std::vector<PatentDocument> patents;
  const auto count =
      for_each_patent(path, [&](const PatentDocument& patent) { patents.push_back(patent); });
  EXPECT_EQ(count, patents.size());
  return patents;
}

TEST(ForEachPatent, ReadsEveryKnownField) {
  const ScratchFolder folder;
  const std::string_view bytes =
      R"({"id": "EP0115517A1", "title": "Package", "abstract": "A \u2603 \"box\".",)"
      R"( "claims": ["1. A box.", "2. A lid."], "description": "Long.", "ipc": ["B05B5/02",)"
      R"( "B31F1/00"], "family": ["EP0115517A1", "WO1984000705A1"], "cites": {"x": [1, null]}})"
      "\r\n\n"
      R"({"claims": "1. All in one.", "ipc": "B08B5/00", "family": null, "title": null,)"
      R"( "id": "EP0049154B2", "year": 1981})";
  for (const auto& path : {folder.write("p.jsonl", bytes), folder.write_gzip("p.gz", bytes)}) {
    const auto patents = patents_of(path);
    ASSERT_EQ(patents.size(), 2U);
    EXPECT_EQ(patents[0].docno, Docno("EP0115517A1"));
    EXPECT_EQ(patents[0].title, "Package");
    EXPECT_EQ(patents[0].abstract, "A \xE2\x98\x83 \"box\".");
    EXPECT_EQ(patents[0].claims, "1. A box.\n2. A lid.");
    EXPECT_EQ(patents[0].description, "Long.");
    EXPECT_THAT(patents[0].ipc, ElementsAre("B05B5/02", "B31F1/00"));
    EXPECT_THAT(patents[0].family, ElementsAre(Docno("EP0115517A1"), Docno("WO1984000705A1")));
    EXPECT_EQ(patents[1].docno, Docno("EP0049154B2"));
    EXPECT_EQ(patents[1].title, "");
    EXPECT_EQ(patents[1].claims, "1. All in one.");
    EXPECT_THAT(patents[1].ipc, ElementsAre("B08B5/00"));
    EXPECT_THAT(patents[1].family, IsEmpty());
  }
}

TEST(ForEachPatent, EmptyFileHasNoPatents) {
  const ScratchFolder folder;
  EXPECT_THAT(patents_of(folder.write("p.jsonl", "\n")), IsEmpty());
}

TEST(ForEachPatent, RefusesBadLines) {
  const ScratchFolder folder;
  const std::string no_id =
      ":2: no 'id'; expected {\"id\": \"EP0971326B1\", \"title\": \"...\", ...}";
  const std::string strings = "; expected a string or an array of strings";
  const struct {
    std::string line, message;
  } cases[] = {
      {"{}", no_id},
      {R"({"title": "a"})", no_id},
      {R"({"id": ""})", no_id},
      {R"({"id": null})", no_id},
      {R"({"id": 12})", ":2: field 'id' is a number; expected a string"},
      {R"({"id": ["EP1"]})", ":2: field 'id' is an array; expected a string"},
      {R"({"id": "EP\u0000"})", ":2: field 'id' contains a NUL character; remove it"},
      {R"({"id": "EP1", "title": true})", ":2: field 'title' is a truth value; expected a string"},
      {R"({"id": "EP1", "abstract": {}})", ":2: field 'abstract' is an object; expected a string"},
      {R"({"id": "EP1", "description": 1.5})",
       ":2: field 'description' is a number; expected a string"},
      {R"({"id": "EP1", "claims": 3})", ":2: field 'claims' is a number" + strings},
      {R"({"id": "EP1", "claims": ["a", null]})", ":2: field 'claims' is null" + strings},
      {R"({"id": "EP1", "ipc": {"a": 1}})", ":2: field 'ipc' is an object" + strings},
      {R"({"id": "EP1", "family": [["EP2"]]})", ":2: field 'family' is an array" + strings},
      {R"({"id": "EP1", "family": ["a\u0000"]})",
       ":2: field 'family' contains a NUL character; remove it"},
      {"<patent-document/>",
       ":2: XML; expected JSON lines: write {\"id\": \"...\", ...} for each document"},
      {"{\"id\": \"EP\xFF\"}", ":2: invalid UTF-8; convert the file to UTF-8"},
  };
  for (const auto& [line, message] : cases) {
    const auto path = folder.write("p.jsonl", "{\"id\": \"EP0\"}\n" + line + "\n");
    const auto refused = refusal_of([&] { patents_of(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput) << line;
    EXPECT_EQ(refused.message, path.string() + message) << line;
  }
}

TEST(ForEachPatent, RefusesInvalidJson) {
  const ScratchFolder folder;
  for (const std::string bad :
       {"{", "{\"id\": \"EP1\"", "{\"id\": \"EP1\"} x", "{'id': 'EP1'}", "EP1", "[{\"id\": \"a\"}]",
        "{\"id\": \"\\ud800\"}", "{\"id\": \"EP1\", \"unknown\": tru}"}) {
    const auto path = folder.write("p.jsonl", bad + "\n");
    const auto refused = refusal_of([&] { patents_of(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput) << bad;
    EXPECT_TRUE(refused.message.starts_with(path.string() + ":1: not a JSON object (")) << bad;
  }
}

TEST(ForEachPatent, ExceptionOfTheCallbackPassesThrough) {
  const ScratchFolder folder;
  const auto path = folder.write("p.jsonl", "{\"id\": \"EP1\"}\n");
  EXPECT_THROW(for_each_patent(path, [](const PatentDocument&) { throw std::logic_error("full"); }),
               std::logic_error);
}

TEST(PatentFeed, NamesWhatIsOdd) {
  const std::string rename =
      "; if the feed has other names for them, rename them (topics made from documents are their "
      "title and abstract)";
  const auto patent = [](const char* id, const char* title, const char* abstract,
                         const char* claims) {
    PatentDocument document;
    document.docno = Docno(id);
    document.title = title;
    document.abstract = abstract;
    document.claims = claims;
    return document;
  };
  const PatentDocument whole = patent("EP1", "a", "b", ""), title = patent("EP2", "a", "", "");
  const PatentDocument abstract = patent("EP3", "", "b", ""), claims = patent("EP4", "", "", "c");
  const PatentDocument bare = patent("EP5", "", "", "");
  const struct {
    std::vector<PatentDocument> documents;
    std::vector<std::string> sentences;
  } cases[] = {
      {{}, {}},
      {{whole}, {}},
      {{title, abstract, claims}, {}},
      {{title}, {"no document has a field 'abstract'" + rename}},
      {{abstract}, {"no document has a field 'title'" + rename}},
      {{claims}, {"no document has a field 'title' or 'abstract'" + rename}},
      {{whole, bare}, {"1 of 2 documents have no text that can be searched, first 'EP5'"}},
      {{whole, title, whole, title, title},
       {"3 of 5 documents have the id of an earlier one, first 'EP1'; the index has all of them, "
        "so remove those that are not wanted"}},
  };
  for (const auto& [documents, sentences] : cases) {
    PatentFeed feed;
    for (const PatentDocument& document : documents) feed.add(document);
    EXPECT_EQ(feed.documents(), documents.size());
    EXPECT_EQ(feed.oddities(), sentences);
  }
}

TEST(ForEachPatent, ReadsTheRealCollection) {
  const auto path =
      std::filesystem::path(PRESCOPE_TEST_DATA) / "patent_text" / "documents.jsonl.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the collection is absent: " << path.string();
  std::size_t without_abstract = 0;
  const auto count = for_each_patent(path, [&](const PatentDocument& patent) {
    without_abstract += patent.abstract.empty() ? 1 : 0;
  });
  EXPECT_EQ(count, 12'242U);  // both as its SOURCE.txt says
  EXPECT_EQ(without_abstract, 11U);
}

}  // namespace
}  // namespace prescope
