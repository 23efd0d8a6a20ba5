// Random damage to files of every format: an Error, or counted, and never a crash.

#include <gtest/gtest.h>

#include <random>

#include "citations/citation_lines.h"
#include "citations/zip_files.h"
#include "support/number_of_cases.h"

namespace prescope {
namespace {

/// One small file of each format.
const std::vector<std::string>& undamaged_files() {
  static const std::vector<std::string> files = [] {
    const std::string document_id =
        "<document-id><country>US</country><doc-number>7</doc-number><date>20010203</date>"
        "</document-id>";
    const std::string cited = "<patcit>" + document_id + "</patcit><category>X</category>";
    const std::string grant =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE us-patent-grant [<!ENTITY e 'text'>]>\n"
        "<us-patent-grant><us-bibliographic-data-grant><publication-reference>" +
        document_id + "</publication-reference><us-references-cited><us-citation>" + cited +
        "</us-citation><us-citation><nplcit>a &amp; &e;<!-- c --></nplcit></us-citation>"
        "</us-references-cited></us-bibliographic-data-grant></us-patent-grant>\n";
    const std::string exchange =
        "<e:docs xmlns:e='x'><e:exchange-document country='EP' doc-number='1' kind='A1'>"
        "<bibliographic-data><references-cited><citation cited-phase='search'>" +
        cited +
        "</citation></references-cited></bibliographic-data></e:exchange-document></e:docs>";
    std::vector<std::string> all = {
        grant + grant,
        exchange,
        "<PATDOC><SDOBI><B100><B190>US</B190><B110>1</B110></B100><B560><B561><PCIT><DOC><DNUM>2"
        "</DNUM><DATE>19981000</DATE></DOC></PCIT><CITED-BY-OTHER></B561><B562><NCIT>a &eacute; b"
        "</NCIT></B562></B560></SDOBI></PATDOC>\n",
        "PATN\nWKU  039373754\nAPT  1\nISD  19760210\nUREF\nPNO  2542907\nISD  19510200\nOREF\n"
        "PAL  Smith\n      1999\nPATN\nWKU  039373755\n",
        "*** BRS DOCUMENT BOUNDARY ***\nDID US 9204581 B2\nURPN 1\nURPD 20030900\n"
        "URGP US 1 A1 20030900 X cited by examiner\nORPL a b\n  c cited by applicant\n",
        "{\"id\": \"EP1\", \"cites\": [\"EP2\"], \"cited_by\": [{\"publication_number\": \"A\"}]}\n"
        "{\"id\": \"EP3\", \"citation\": [{\"npl_text\": \"x\", \"type\": \"A\"}]}\n",
        "citing,cited,category,date\nA,\"B \"\"C\"\"\",X,1990-01-02\nA,D,cited by other,1999\n",
        "T1 0 D1 1\nT1 0 D2 0\nT2 0 D1 2\n"};
    const ScratchFolder folder;
    all.push_back(content_of(write_zip(folder, "a", {{"1", grant}, {"2", all[6]}})));
    all.push_back(
        content_of(write_zip(folder, "b", {{"a.zip", all.back()}, {"c/2", exchange}, {"d/", ""}})));
    all.push_back(content_of(folder.write_gzip("c", grant)));
    return all;
  }();
  return files;
}

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  std::string damaged_file() {
    const std::vector<std::string>& files = undamaged_files();
    std::string text = files[below(files.size())];
    for (std::size_t times = 1 + below(4); times != 0; --times) {
      if (text.empty()) return text;
      damage(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  void damage(std::string& text) {
    static const std::vector<std::string> pieces = {
        "<",
        ">",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?xml version=\"1.0\"?>",
        "&e;",
        "&",
        "\"",
        "\n",
        "\r",
        "\t",
        std::string(1, '\0'),
        "\xFF",
        "</",
        "<!DOCTYPE g [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>",
        "PATN\n",
        "<PATDOC>",
        "</PATDOC>",
        "<us-patent-grant>",
        "{",
        "[[[[",
        "PK\x03\x04",
        "\x1F\x8B\x08"};
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(8)));
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.erase(at, 1 + below(20));
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), below(200)));
        break;
      case 5:
        for (std::size_t i = below(400); i != 0; --i) text.insert(at, "<a>");
        break;
      default:
        text += undamaged_files()[below(undamaged_files().size())];
    }
  }

  std::mt19937_64 random_;
};

/// Returns a few words about the input if what was read of it cannot be right.
std::string contradiction_in(const ReadFile& file) {
  std::uint64_t patents = 0, others = 0;
  for (const CitingDocument& document : file.documents) {
    if (document.publication.empty()) return "a document without a number was passed on";
    for (const Citation& each : document.citations) {
      if (!each.is_patent() && each.text.empty()) return "a citation of nothing was passed on";
      ++(each.is_patent() ? patents : others);
    }
  }
  if (patents != file.facts.patents || others != file.facts.others) return "counts differ";
  for (const auto& [name, reason] : file.facts.problems.reasons()) {
    if (reason.examples.empty() || !reason.examples[0].starts_with('/')) return name;
  }
  return {};
}

TEST(DamagedInputs, EndInAnErrorOrAreCounted) {
  const std::uint64_t cases = number_of_cases(2000);
  const ScratchFolder folder;
  std::uint64_t refused = 0, counted = 0, read = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const std::string content = Damage(seed).damaged_file();
    const auto path = folder.write("damaged", content);
    try {
      const ReadFile file = read_file(path);
      EXPECT_EQ(contradiction_in(file), "") << "seed " << seed << ":\n" << content;
      ++(file.facts.problems.count() != 0 ? counted : read);
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path.string())) << error.what();
      ++refused;
    }
  }
  // Each way out is met, so that the damage is neither too small nor too large.
  EXPECT_GT(refused, cases / 50);
  EXPECT_GT(counted, cases / 50);
  EXPECT_GT(read, cases / 50);
}

TEST(DamagedInputs, UndamagedFilesHaveNoProblems) {
  for (const std::string& content : undamaged_files()) {
    const ReadFile file = read_content(content);
    EXPECT_EQ(problem_counts(file.facts), std::vector<std::string>()) << content;
    EXPECT_TRUE(file.facts.has_citations()) << content;
  }
}

}  // namespace
}  // namespace prescope
