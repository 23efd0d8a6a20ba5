// Broken and hostile files: what stands beside the damage is read, and the damage is counted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "citations/citation_lines.h"
#include "citations/zip_files.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Counts = std::vector<std::string>;

constexpr std::string_view kNotWellFormed = "document that is not well-formed XML: 1";

/// A small grant that cites one patent.
std::string grant(std::string_view number, std::string_view before = "", std::string_view in = "") {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}<us-patent-grant>\n"
      "<us-bibliographic-data-grant><publication-reference><document-id><country>US</country>"
      "<doc-number>{}</doc-number></document-id></publication-reference>\n{}"
      "<references-cited><citation><patcit><document-id><doc-number>1</doc-number></document-id>"
      "</patcit></citation></references-cited></us-bibliographic-data-grant>\n</us-patent-grant>\n",
      before, number, in);
}

std::vector<std::string> numbers_in(const ReadFile& file) {
  std::vector<std::string> numbers;
  for (const CitingDocument& each : file.documents) numbers.push_back(each.publication.number);
  return numbers;
}

TEST(BrokenFiles, KeepTheDocumentsBesideABrokenOne) {
  const std::string whole = grant("2");
  const struct {
    std::string broken;
    std::string count = std::string(kNotWellFormed);
  } cases[] = {
      {whole.substr(0, whole.size() / 2)},                // cut off
      {whole.substr(0, whole.find("<doc-number>") + 5)},  // within a tag
      {whole.substr(0, whole.find("encoding"))},          // within the declaration
      {grant("2", "", "<a></b>")},
      {grant("2", "", "&undeclared;")},
      {grant("2", "", "<!-- not closed ")},
      {grant("2", "", "<![CDATA[ not closed ")},
      {grant("2", "", "<a b='not closed")},
      {grant("2", "", "\x01")},
      {grant("2", "", "\xFF\xFE")},
      {grant("2", "<!DOCTYPE us-patent-grant [ <!ENTITY a 'b'> <!BAD> ]>")},
      {"<?xml version=\"1.0\" encoding=\"x-unknown\"?><us-patent-grant></us-patent-grant>"},
      {"<?xml version=\"9\"?>"},
      {grant("2", "<!DOCTYPE g [<!ENTITY a 'lol'><!ENTITY b '&a;&a;'>]>", "&b;"),
       "document with entities or tags that are too large: 1"},
      {grant("2", "",
             std::string(300 * 3, 'x')
                 .replace(0, 900,
                          [] {
                            std::string nested;
                            for (int i = 0; i < 300; ++i) nested += "<a>";
                            for (int i = 0; i < 300; ++i) nested += "</a>";
                            return nested;
                          }())),
       "document nested too deeply: 1"}};
  for (const auto& [broken, count] : cases) {
    const ReadFile file = read_content(grant("1") + broken + grant("3") + grant("4"));
    EXPECT_EQ(numbers_in(file), (Counts{"1", "3", "4"})) << broken;
    EXPECT_EQ(problem_counts(file.facts), Counts{count}) << broken;
  }
}

TEST(BrokenFiles, NameThePlace) {
  const ReadFile file = read_content(grant("1") + grant("2", "", "\n<a></b>") + grant("3"));
  EXPECT_THAT(file.facts.problems.reasons().begin()->second.examples,
              ElementsAre(HasSubstr("file:10: mismatched tag")));
}

/// Files that were joined without XML declarations.
TEST(BrokenFiles, FindDocumentsWithoutDeclarations) {
  const auto without = [](const std::string& text) { return text.substr(text.find('\n') + 1); };
  const std::string cut = grant("2").substr(0, 200);
  const ReadFile file = read_content(without(grant("1")) + without(cut) + without(grant("3")) +
                                     "<!DOCTYPE us-patent-grant>\n" + without(grant("4")) +
                                     "<sequence-cwu><s/></sequence-cwu>\n" + without(grant("5")));
  EXPECT_EQ(numbers_in(file), (Counts{"1", "3", "4", "5"}));
  EXPECT_EQ(problem_counts(file.facts), Counts{std::string(kNotWellFormed)});
}

/// A comment or CDATA may hold what begins a document.
TEST(BrokenFiles, KeepDocumentsThatQuoteAnother) {
  for (const std::string_view quoted : {"<!-- <?xml version=\"1.0\"?> <us-patent-grant> -->",
                                        "<![CDATA[<?xml version=\"1.0\"?>]]>"}) {
    const ReadFile file = read_content(grant("1", "", quoted) + grant("2"));
    EXPECT_EQ(numbers_in(file), (Counts{"1", "2"}));
    EXPECT_EQ(problem_counts(file.facts), Counts());
  }
}

TEST(BrokenFiles, SayThatTheRestOfOneXmlDocumentIsNotRead) {
  const auto document = [](std::string_view number) {
    return fmt::format("<exchange-document country=\"EP\" doc-number=\"{}\"/>", number);
  };
  const ReadFile file = read_content("<exchange-documents>" + document("1") + "\n<a></b>" +
                                     document("2") + "</exchange-documents>\n" + grant("3"));
  EXPECT_EQ(numbers_in(file), (Counts{"1", "3"}));
  EXPECT_THAT(problem_counts(file.facts), ElementsAre(HasSubstr("what stands behind it")));
}

TEST(BrokenFiles, CountDocumentsWithoutNumbersAndCitationsOfNothing) {
  const ReadFile file = read_content(
      "<patent-document><bibliographic-data/></patent-document>"
      "<patent-document country=\"EP\" doc-number=\"1\" date=\"19821399\"><bibliographic-data>"
      "<citations><patcit/></citations></bibliographic-data></patent-document>");
  EXPECT_EQ(numbers_in(file), Counts{"1"});
  EXPECT_THAT(problem_counts(file.facts),
              ElementsAre("citation without a number or text: 1", "date not understood: 1",
                          "document without a number: 1"));
}

TEST(BrokenFiles, LeaveOutDocumentsThatAreTooLarge) {
  const std::string large = grant("2", "", "<a>" + std::string(100'000, 'x') + "</a>");
  const ReadFile file =
      read_content(grant("1") + large + grant("3"), {.most_document_bytes = 50'000});
  EXPECT_EQ(numbers_in(file), (Counts{"1", "3"}));
  EXPECT_THAT(problem_counts(file.facts), ElementsAre("document that is too large: 1"));
  const Refusal refusal = refusal_of([] {
    (void)read_content("citing,cited\n" + std::string(1'000'000, 'x'),
                       {.most_document_bytes = 50'000});
  });
  EXPECT_THAT(refusal.message, HasSubstr("file:2: a line of more than 50000 bytes"));
}

/// An entity of one megabyte that is named a thousand times.
TEST(BrokenFiles, RefuseEntitiesThatExpandTooMuch) {
  std::string uses;
  for (int i = 0; i < 10'000; ++i) uses += "&a;";
  const std::string entity = "<!DOCTYPE g [<!ENTITY a '" + std::string(100'000, 'x') + "'>]>";
  const ReadFile file = read_content(grant("1", entity, uses) + grant("2"));
  EXPECT_EQ(numbers_in(file), Counts{"2"});
  EXPECT_EQ(file.facts.problems.count(), 1U);
}

TEST(BrokenFiles, PassExceptionsOfTheCaller) {
  const ScratchFolder folder;
  const auto path = folder.write("file", grant("1"));
  EXPECT_THROW(read_citations(path, [](CitingDocument&) { throw std::runtime_error("mine"); }),
               std::runtime_error);
}

TEST(ZipArchives, AreReadInOrderWithFoldersGzipAndArchivesWithin) {
  const ScratchFolder folder;
  const std::string inner = content_of(write_zip(folder, "inner.zip", {{"x/4.xml", grant("4")}}));
  const std::string gzip = content_of(folder.write_gzip("3.xml.gz", grant("3")));
  const auto path = write_zip(folder, "outer.zip",
                              {{"a/", ""},
                               {"a/1.xml", grant("1") + grant("2")},
                               {"a/3.xml.gz", gzip},
                               {"inner.zip", inner},
                               {"read.me", "This is no patent."},
                               {"__MACOSX/a", "metadata"},
                               {"5.tsv", "citing\tcited\n5\t6\n"}});
  const ReadFile file = read_file(path);
  EXPECT_EQ(numbers_in(file), (Counts{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(file.facts.format, "uspto-xml, table");
  EXPECT_THAT(problem_counts(file.facts),
              ElementsAre("member of an archive in no known format: 1"));
  EXPECT_THAT(file.facts.problems.reasons().begin()->second.examples[0],
              HasSubstr("outer.zip/read.me: begins with 'This is no patent.'"));
  // Compressed once more, it is unpacked to a temporary file.
  const ReadFile compressed = read_file(folder.write_gzip("outer.zip.gz", content_of(path)));
  EXPECT_EQ(numbers_in(compressed), numbers_in(file));
}

TEST(ZipArchives, KeepMembersBesideADamagedOne) {
  const ScratchFolder folder;
  std::string noise;
  for (int i = 0; i < 2000; ++i) noise += fmt::format("{}", i * 7919 % 1009);
  const auto path = write_zip(folder, "a.zip",
                              {{"1.xml", grant("1")},
                               {"2.xml", grant("2", "<!--" + noise + "-->")},
                               {"3.xml", grant("3")}});
  std::string bytes = content_of(path);
  const std::size_t at = bytes.find("2.xml") + 600;
  for (std::size_t i = 0; i < 40; ++i) bytes[at + i] = static_cast<char>(bytes[at + i] ^ 0x55);
  const ReadFile file = read_file(folder.write("damaged.zip", bytes));
  EXPECT_EQ(numbers_in(file), (Counts{"1", "3"}));
  EXPECT_GE(file.facts.problems.count(), 1U);
  // Without its end, an archive has no directory.
  const Refusal refusal = refusal_of(
      [&] { (void)read_file(folder.write("cut.zip", bytes.substr(0, bytes.size() / 2))); });
  EXPECT_EQ(refusal.code, ErrorCode::kBadInput);
  EXPECT_THAT(refusal.message, HasSubstr("cut.zip: the archive has no directory"));
}

TEST(ZipArchives, AreBoundedInDepthAndSize) {
  const ScratchFolder folder;
  std::string nested = grant("1");
  for (int i = 0; i < 4; ++i) {
    nested = content_of(write_zip(
        folder, "n.zip", {{fmt::format("{}", i), nested}, {fmt::format("{}.xml", i), grant("2")}}));
  }
  const ReadFile file = read_file(folder.write("nested.zip", nested));
  EXPECT_EQ(numbers_in(file), (Counts{"2", "2", "2"}));
  EXPECT_THAT(problem_counts(file.facts),
              ElementsAre("archives in archives, nested too deeply: 1"));
  // 100 MB in half a megabyte.
  std::string table = "citing\tcited\n";
  const std::string line = "1\t" + std::string(10'000, '2') + "\n";
  while (table.size() < 100'000'000) table += line;
  const auto bomb = write_zip(folder, "bomb.zip", {{"bomb", table}});
  const Refusal refusal = refusal_of([&] { (void)read_file(bomb, {.most_unpacked_ratio = 10}); });
  EXPECT_EQ(refusal.code, ErrorCode::kBadInput);
  EXPECT_THAT(refusal.message, HasSubstr("the archive unpacks to more than"));
}

}  // namespace
}  // namespace prescope
