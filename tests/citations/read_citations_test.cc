#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "citations/citation_lines.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

constexpr std::string_view kGrant =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE us-patent-grant SYSTEM \"us-patent-grant-v45-2014-04-03.dtd\" [ ]>\n"
    "<us-patent-grant lang=\"EN\" country=\"US\"><us-bibliographic-data-grant>\n"
    "<publication-reference><document-id><country>US</country><doc-number>08930553</doc-number>"
    "<kind>B2</kind><date>20150106</date></document-id></publication-reference>\n"
    "<application-reference><document-id><country>US</country><doc-number>13648029</doc-number>"
    "<date>20121009</date></document-id></application-reference>\n"
    "<classifications-ipcr><classification-ipcr><section>G</section><class>06</class>"
    "<subclass>F</subclass><main-group>15</main-group><subgroup>16</subgroup>"
    "</classification-ipcr></classifications-ipcr>\n"
    "<us-references-cited>"
    "<us-citation><patcit num=\"1\"><document-id><country>US</country>"
    "<doc-number>2007/0140112</doc-number><kind>A1</kind><name>Osterhout</name>"
    "<date>20070600</date></document-id></patcit><category>cited by applicant</category>"
    "</us-citation>\n"
    "<us-citation><patcit num=\"2\"><document-id><country>JP</country>"
    "<doc-number>5-3059</doc-number><date>19930100</date></document-id></patcit>"
    "<category>imported from a related application</category></us-citation>\n"
    "<us-citation><nplcit num=\"3\"><othercit>Rosenberg, J. &#x201c;SIP&#x201d;,\n 2001."
    "</othercit></nplcit><category>cited by third party</category></us-citation>"
    "</us-references-cited>\n"
    "<us-related-documents>"
    "<us-provisional-application><document-id><country>US</country>"
    "<doc-number>61559247</doc-number><date>20111114</date></document-id>"
    "</us-provisional-application>"
    "<related-publication><document-id><country>US</country><doc-number>20140101323</doc-number>"
    "<date>20100410</date></document-id></related-publication></us-related-documents>\n"
    "</us-bibliographic-data-grant>\n"
    "<description><p>as in <patcit><document-id><country>EP</country><doc-number>1</doc-number>"
    "</document-id></patcit></p></description></us-patent-grant>\n";

TEST(ReadCitations, GrantsOfTheUspto) {
  const ReadFile file = read_content(kGrant);
  EXPECT_EQ(file.lines,
            (Lines{"US08930553B2 > US|2007/0140112|A1 20070600 applicant",
                   "US08930553B2 > JP|5-3059| 19930100 imported from a related "
                   "application",
                   "US08930553B2 > 'Rosenberg, J. \u201cSIP\u201d, 2001.' third party"}));
  ASSERT_EQ(file.documents.size(), 1U);
  const CitingDocument& grant = file.documents[0];
  EXPECT_EQ(written_date(grant.published), "20150106");
  // The provisional application; the related publication is no earlier application.
  EXPECT_EQ(written_date(grant.priority), "20111114");
  EXPECT_EQ(grant.language, "en");
  EXPECT_THAT(grant.classes, ElementsAre("G06F15/16"));
  EXPECT_EQ(file.facts.format, "uspto-xml");
  EXPECT_EQ(file.facts.patents, 2U);
  EXPECT_EQ(file.facts.others, 1U);
  EXPECT_EQ(file.facts.problems.count(), 0U);
}

TEST(ReadCitations, OldApplicationsOfTheUspto) {
  const ReadFile file = read_content(
      "<!DOCTYPE patent-application-publication SYSTEM \"pap-v15-2001-01-31.dtd\" [\n"
      "<!ENTITY US1-D00001.TIF SYSTEM \"US1-D00001.TIF\" NDATA TIF>\n]>\n"
      "<patent-application-publication><subdoc-bibliographic-information><document-id>"
      "<doc-number>20010000943</doc-number><kind-code>A1</kind-code>"
      "<document-date>20010510</document-date></document-id>"
      "<domestic-filing-data><filing-date>20001204</filing-date></domestic-filing-data>"
      "<foreign-priority-data><filing-date>19990405</filing-date></foreign-priority-data>"
      "<technical-information><classification-ipc><classification-ipc-primary><ipc>H01J001/62"
      "</ipc></classification-ipc-primary></classification-ipc></technical-information>"
      "</subdoc-bibliographic-information></patent-application-publication>");
  ASSERT_EQ(file.documents.size(), 1U);
  EXPECT_EQ(file.documents[0].publication.docno(), "US20010000943A1");
  EXPECT_EQ(written_date(file.documents[0].priority), "19990405");
  EXPECT_THAT(file.documents[0].classes, ElementsAre("H01J1/62"));
  EXPECT_EQ(file.facts.format, "uspto-pap");
  EXPECT_FALSE(file.facts.has_citations());
  EXPECT_EQ(file.facts.documents_without_citations, 1U);
}

/// SGML has no end tags of empty elements, and entities of a DTD that is not there.
TEST(ReadCitations, SgmlOfTheUspto) {
  const ReadFile file = read_content(
      "<!DOCTYPE PATDOC PUBLIC \"-//USPTO//DTD ST.32 US PATENT GRANT V2.4 2000-09-20//EN\" [\n"
      "<!ENTITY USD0435713-D00000.TIF SYSTEM \"USD0435713-D00000.TIF\" NDATA TIF>\n]>\n"
      "<PATDOC DTD=\"2.4\" STATUS=\"BUILD 20001206\">\n<SDOBI>\n"
      "<B100><B110><DNUM><PDAT>06167569</PDAT></DNUM></B110><B130><PDAT>B1</PDAT></B130>"
      "<B140><DATE><PDAT>20010102</PDAT></DATE></B140><B190><PDAT>US</PDAT></B190></B100>\n"
      "<B200><B211US><PDAT>09</PDAT></B211US><B221US>\n"
      "<B220><DATE><PDAT>19990106</PDAT></DATE></B220></B200>\n"
      "<B500><B510><B511><PDAT>G06F 1516</PDAT></B511></B510><B560>"
      "<B561><PCIT><DOC><DNUM><PDAT>5825759</PDAT></DNUM><DATE><PDAT>19981000</PDAT></DATE>"
      "<KIND><PDAT>A</PDAT></KIND></DOC></PCIT><CITED-BY-EXAMINER></B561>\n"
      "<B561><PCIT><DOC><DNUM><PDAT>96/25012</PDAT></DNUM><CTRY><PDAT>WO</PDAT></CTRY></DOC>"
      "</PCIT><CITED-BY-OTHER/></B561>\n"
      "<B562><NCIT><STEXT><PDAT>T. Handeg&aring;ard, &ldquo;TINA&rdquo; &unknown;</PDAT></STEXT>"
      "</NCIT><CITED-BY-OTHER></B562></B560></B500></SDOBI>\n"
      "<SDODE><PARA>6 < 7</PARA></SDODE>\n</PATDOC>\n"
      "<PATDOC><SDOBI><B100><B110><DNUM><PDAT>cut off\n"
      "<PATDOC><SDOBI><B100><B190>US<B110>D0435713</B110></B100></SDOBI></PATDOC>\n");
  EXPECT_EQ(
      file.lines,
      (Lines{"US06167569B1 > US|5825759|A 19981000 examiner", "US06167569B1 > WO|96/25012| other",
             "US06167569B1 > 'T. Handeg\u00e5ard, \u201cTINA\u201d &unknown;' other"}));
  ASSERT_EQ(file.documents.size(), 2U);
  EXPECT_EQ(written_date(file.documents[0].priority), "19990106");
  EXPECT_THAT(file.documents[0].classes, ElementsAre("G06F15/16"));
  EXPECT_THAT(problem_counts(file.facts), ElementsAre("SGML document that is broken: 1"));
}

TEST(ReadCitations, GreenBook) {
  const ReadFile file = read_content(
      "HHHHHT  APS1 ISSUE - 760210\r\nPATN\r\nWKU  039373754\r\nAPT  1\r\nAPD  19741029\r\n"
      "ISD  19760210\r\nPRIR\r\nCNT  JPX\r\nAPD  19730710\r\nCLAS\r\nICL  B60R  900\r\n"
      "UREF\r\nPNO  2542907\r\nISD  19510200\r\nNAM  Dayton et al.\r\n"
      "FREF\r\nPNO  53-84696\r\nISD  19780000\r\nCNT  JPX\r\n"
      "OREF\r\nPAL  Smith, Optics,\r\n      vol. 3.\r\nPAL  M\xFCller, 1970.\r\nLREP\r\nFRM  X\r\n"
      "ABST\r\nPAL  Not a citation.\r\nPATN\r\nWKU  D02242551\r\nAPT  4\r\nISD  19760210\r\n");
  EXPECT_EQ(
      file.lines,
      (Lines{"US03937375A > US|2542907| 19510200", "US03937375A > JP|53-84696| 19780000",
             "US03937375A > 'Smith, Optics, vol. 3.'", "US03937375A > 'M\u00fcller, 1970.'"}));
  ASSERT_EQ(file.documents.size(), 2U);
  EXPECT_EQ(written_date(file.documents[0].priority), "19730710");
  EXPECT_THAT(file.documents[0].classes, ElementsAre("B60R9/00"));
  EXPECT_EQ(file.documents[1].publication.docno(), "USD0224255S");
}

TEST(ReadCitations, BrsText) {
  const ReadFile file = read_content(
      "09204581\tB2\t20151201\nTitle\n*** BRS DOCUMENT BOUNDARY ***\nWKU 09204581\n"
      "DID US 9204581 B2\nGISD 20151201\nAFD 20121114\nIPCP H05K9/00 20060101 H05K009/00\n"
      "URPN 2003/0169838\nURNM Greenstreet et al.\nURPD 20030900\nURCL 375/376\n"
      "URGP US 2003/0169838 A1 20030900 Greenstreet et al.\n      375/376 cited by examiner\n"
      "FRCO JP\nFRPN 201045940\nFRPD 20100200\nFRGP JP 201045940 20100200 cited by applicant\n"
      "URPN 1234567\nURPD 19230100\n"
      "ORPL \"Report\", cited by many,\n      2013. cited by applicant\nNCL 20\n");
  EXPECT_EQ(file.lines, (Lines{"US9204581B2 > US|2003/0169838|A1 20030900 examiner",
                               "US9204581B2 > JP|201045940| 20100200 applicant",
                               "US9204581B2 > US|1234567| 19230100",
                               "US9204581B2 > '\"Report\", cited by many, 2013.' applicant"}));
  EXPECT_EQ(file.facts.format, "uspto-brs");
}

constexpr std::string_view kExchange =
    "<?xml version=\"1.0\"?>\n<exch:exchange-documents xmlns:exch=\"http://www.epo.org/exchange\">"
    "<exch:exchange-document country=\"EP\" doc-number=\"2906782\" kind=\"A4\" family-id=\"504\" "
    "date-publ=\"20160817\"><exch:bibliographic-data>"
    "<exch:publication-reference data-format=\"docdb\"><exch:document-id>"
    "<exch:country>EP</exch:country><exch:doc-number>2906782</exch:doc-number>"
    "<exch:kind>A4</exch:kind></exch:document-id></exch:publication-reference>"
    "<exch:language-of-publication>en</exch:language-of-publication>"
    "<exch:priority-claims><exch:priority-claim data-format=\"docdb\"><exch:document-id>"
    "<exch:date>20121012</exch:date></exch:document-id></exch:priority-claim>"
    "</exch:priority-claims>"
    "<exch:references-cited>"
    "<exch:citation cited-phase=\"national-search-report\" cited-by=\"examiner\"><exch:patcit>"
    "<exch:document-id document-id-type=\"original\"><exch:doc-number>X</exch:doc-number>"
    "</exch:document-id>"
    "<exch:document-id document-id-type=\"epodoc\"><exch:doc-number>EP2653648</exch:doc-number>"
    "<exch:date>20131023</exch:date></exch:document-id>"
    "<exch:document-id document-id-type=\"docdb\"><exch:country>EP</exch:country>"
    "<exch:doc-number>2653648</exch:doc-number><exch:kind>A2</exch:kind></exch:document-id>"
    "</exch:patcit><exch:category>XI</exch:category><exch:category>Y</exch:category>"
    "<exch:corresponding-docs><exch:patcit><exch:document-id><exch:doc-number>1"
    "</exch:doc-number></exch:document-id></exch:patcit></exch:corresponding-docs>"
    "</exch:citation>"
    "<exch:citation cited-phase=\"undefined\" cited-by=\"applicant\"><exch:patcit>"
    "<exch:document-id document-id-type=\"epodoc\"><exch:doc-number>US2003236627"
    "</exch:doc-number></exch:document-id></exch:patcit></exch:citation>"
    "<exch:citation cited-phase=\"international-search-report\"><exch:nplcit><exch:text>Smith, "
    "Optics</exch:text></exch:nplcit></exch:citation>"
    "</exch:references-cited></exch:bibliographic-data></exch:exchange-document>"
    "<exch:exchange-document country=\"XX\" doc-number=\"1\" kind=\"A\" family-id=\"-1\"/>"
    "</exch:exchange-documents>";

TEST(ReadCitations, ExchangeDocumentsOfTheEpo) {
  const ReadFile file = read_content(kExchange);
  EXPECT_EQ(file.lines, (Lines{"EP2906782A4 > EP|2653648|A2 20131023 X,I,Y examiner search",
                               "EP2906782A4 > |US2003236627| applicant",
                               "EP2906782A4 > 'Smith, Optics' examiner international search"}));
  ASSERT_EQ(file.documents.size(), 2U);
  EXPECT_EQ(file.documents[0].family, "504");
  EXPECT_EQ(file.documents[0].language, "en");
  EXPECT_EQ(written_date(file.documents[0].published), "20160817");
  EXPECT_EQ(written_date(file.documents[0].priority), "20121012");
  EXPECT_EQ(file.documents[1].family, "");
}

TEST(ReadCitations, FamiliesOfOps) {
  const ReadFile file = read_content(
      "<ops:world-patent-data xmlns:ops=\"http://ops.epo.org\"><ops:patent-family>"
      "<ops:family-member family-id=\"197\"><publication-reference>"
      "<document-id document-id-type=\"epodoc\"><doc-number>EP1000000</doc-number></document-id>"
      "<document-id document-id-type=\"docdb\"><country>EP</country><doc-number>1000000"
      "</doc-number><kind>A1</kind><date>20000517</date></document-id></publication-reference>"
      "<priority-claim><document-id><date>19981112</date></document-id></priority-claim>"
      "</ops:family-member>"
      "<ops:family-member family-id=\"197\"><exchange-document country=\"EP\" "
      "doc-number=\"1000000\""
      " kind=\"B1\" family-id=\"197\"><bibliographic-data><references-cited><citation><patcit>"
      "<document-id><country>FR</country><doc-number>2</doc-number></document-id></patcit>"
      "</citation></references-cited></bibliographic-data></exchange-document>"
      "</ops:family-member></ops:patent-family></ops:world-patent-data>");
  ASSERT_EQ(file.documents.size(), 2U);
  EXPECT_EQ(file.documents[0].publication.docno(), "EP1000000A1");
  EXPECT_EQ(file.documents[0].family, "197");
  EXPECT_EQ(written_date(file.documents[0].priority), "19981112");
  EXPECT_EQ(file.lines, (Lines{"EP1000000B1 > FR|2|"}));
  EXPECT_EQ(file.facts.format, "epo-exchange, ops-family");
}

TEST(ReadCitations, RegisterOfTheEpo) {
  const ReadFile file = read_content(
      "<reg:register-documents xmlns:reg=\"http://www.epo.org/register\"><reg:register-document>"
      "<reg:bibliographic-data>"
      "<reg:publication-reference><reg:document-id><reg:country>WO</reg:country>"
      "<reg:doc-number>2016081758</reg:doc-number><reg:kind>A1</reg:kind></reg:document-id>"
      "</reg:publication-reference><reg:publication-reference><reg:document-id>"
      "<reg:country>EP</reg:country><reg:doc-number>3221665</reg:doc-number><reg:kind>A1</reg:kind>"
      "<reg:date>20170927</reg:date></reg:document-id></reg:publication-reference>"
      "<reg:classifications-ipcr><reg:classification-ipcr><reg:text>G01C25/00, E21B47/024"
      "</reg:text></reg:classification-ipcr></reg:classifications-ipcr>"
      "<reg:priority-claims><reg:priority-claim><reg:date>20141119</reg:date></reg:priority-claim>"
      "</reg:priority-claims><reg:references-cited>"
      "<reg:citation cited-phase=\"search\" office=\"EP\"><reg:patcit><reg:document-id>"
      "<reg:country>US</reg:country><reg:doc-number>4756088</reg:doc-number></reg:document-id>"
      "<reg:text>(RUSSELL)</reg:text></reg:patcit><reg:category>XI</reg:category></reg:citation>"
      "</reg:references-cited></reg:bibliographic-data></reg:register-document>"
      "</reg:register-documents>");
  EXPECT_EQ(file.lines, (Lines{"EP3221665A1 > US|4756088| X,I examiner search"}));
  ASSERT_EQ(file.documents.size(), 1U);
  EXPECT_EQ(written_date(file.documents[0].priority), "20141119");
  EXPECT_THAT(file.documents[0].classes, ElementsAre("G01C25/00", "E21B47/024"));
  ASSERT_EQ(file.documents[0].members.size(), 1U);
  EXPECT_EQ(file.documents[0].members[0].docno(), "WO2016081758A1");
}

TEST(ReadCitations, XmlOfMarec) {
  const ReadFile file = read_content(
      "<patent-document ucid=\"EP-0050001-A2\" country=\"EP\" doc-number=\"0050001\" kind=\"A2\" "
      "lang=\"EN\" date=\"19820421\" family-id=\"263\"><bibliographic-data><technical-data>"
      "<citations><patent-citations>"
      "<patcit ucid=\"US-2103502-A\"><document-id format=\"epo\"><country>US</country>"
      "<doc-number>2103502</doc-number><kind>A</kind></document-id><sources>"
      "<source name=\"SEA\"><category>X</category></source><source "
      "name=\"APP\"/></sources></patcit>"
      "<patcit ucid=\"DE-1-A\"><sources><source name=\"OPP\"/></sources></patcit>"
      "</patent-citations><non-patent-citations><nplcit><text>Smith</text><sources>"
      "<source name=\"EXA\"/></sources></nplcit></non-patent-citations></citations>"
      "</technical-data></bibliographic-data></patent-document>");
  EXPECT_EQ(file.lines, (Lines{"EP0050001A2 > US|2103502|A X examiner search",
                               "EP0050001A2 > US|2103502|A applicant filing",
                               "EP0050001A2 > |DE-1-A| examiner opposition",
                               "EP0050001A2 > 'Smith' examiner examination"}));
}

TEST(ReadCitations, JsonLines) {
  const ReadFile file = read_content(
      R"({"publication_number": "US-7654321-B2", "family_id": "-1", "publication_date": 20100202,)"
      R"( "priority_date": 20050101, "filing_date": 20060101, "ipc": [{"code": "H04L12/24"}],)"
      R"( "description_localized": [{"text": "", "language": "en"}], "citation": [)"
      R"({"publication_number": "US-5123456-A", "npl_text": "", "type": "X", "category": "SEA"},)"
      R"({"publication_number": "", "npl_text": "Smith,  1999", "category": "APP"},)"
      R"({"publication_number": "", "npl_text": "", "application_number": "US-1-A"}]})"
      "\n"
      R"({"id": "EP0049154B2", "family": ["AU546921B2"], "cites": ["EP 0047956 A"],)"
      R"( "cited_by": ["WO1A1"], "ipc": ["B08B5/00"], "pub_date": "1995-02-15",)"
      R"( "app_date": "1981-09-29"})"
      "\nnot JSON\n\n"
      R"({"publication_number": "US-2-A", "Citations": "US-1-A, EP-3-A1"})"
      "\n"
      R"({"publication_number": "FR-9-A", "citation": [{"country_code": "DE", "original_number":)"
      R"( "12", "kind_code": "C", "publication_number": null, "char_start": [5]}]})"
      "\n"
      R"({"patcit_id": "10.1/x", "title": "Optics", "cited_by": [)"
      R"({"publication_number": "US-8-B1", "origin": "ISR"}]})");
  EXPECT_EQ(file.lines,
            (Lines{"US-7654321-B2 > |US-5123456-A| X examiner search",
                   "US-7654321-B2 > 'Smith, 1999' applicant filing", "EP0049154B2 > |EP 0047956 A|",
                   "US-2-A > |US-1-A|", "US-2-A > |EP-3-A1|", "FR-9-A > DE|12|C applicant filing",
                   "US-8-B1 > 'Optics' examiner international search"}));
  ASSERT_EQ(file.documents.size(), 5U);
  EXPECT_EQ(file.documents[0].family, "");
  EXPECT_EQ(written_date(file.documents[0].published), "20100202");
  EXPECT_EQ(written_date(file.documents[0].priority), "20050101");
  EXPECT_EQ(file.documents[0].language, "en");
  EXPECT_EQ(written_date(file.documents[1].priority), "19810929");
  EXPECT_EQ(file.documents[1].members[0].number, "AU546921B2");
  EXPECT_EQ(file.documents[1].cited_by[0].number, "WO1A1");
  EXPECT_THAT(problem_counts(file.facts),
              ElementsAre("citation of an application without a publication: 1",
                          "line that is not one JSON object: 1"));
  EXPECT_THAT(file.facts.problems.reasons().at("line that is not one JSON object").examples[0],
              HasSubstr("file:3: "));
}

TEST(ReadCitations, Tables) {
  const struct {
    std::string_view content;
    Lines expected;
  } cases[] = {
      {"patent_id\tcitation_sequence\tcitation_patent_id\tcitation_date\trecord_name\twipo_kind\t"
       "citation_category\n"
       "10000000\t0\t5093563\t1992-03-01\tSmall\tA\tcited by applicant\n"
       "10000000\t1\t5751830\t1998-05-01\tHutchinson\tA\tcited by examiner\n"
       "D1\t0\tRE25874\t\t\t\t\n",
       {"US10000000 > US|5093563|A 19920301 applicant",
        "US10000000 > US|5751830|A 19980501 examiner", "USD1 > US|RE25874|"}},
      {"\"patent_id\"\t\"citation_sequence\"\t\"citation_application_id\"\t\"citation_date\"\t"
       "\"citation_category\"\t\"citation_country\"\n"
       "\"4\"\t\"0\"\t\"5-3059\"\t\"1993-01-00\"\t\"cited by other\"\t\"JP\"\n",
       {"US4 > JP|5-3059| 19930100 other"}},
      {"uuid\tpatent_id\tcitation_id\tdate\tname\tkind\tcountry\tcategory\tsequence\n"
       "x\t9009250\t8127342\t2012-02-01\tBoynton\tNULL\tUS\tNULL\t622\n",
       {"US9009250 > US|8127342| 20120201"}},
      {"uuid\tpatent_id\tapplication_id\tdate\tname\tkind\tnumber\tcountry\tcategory\tsequence\n"
       "x\t8683318\t2002/20020035573\t2002-03-01\tBlack\tA1\t20020035573\tUS\tcited by "
       "applicant\t9\n",
       {"US8683318 > US|20020035573|A1 20020301 applicant"}},
      {"\"patent_id\"\t\"other_reference_sequence\"\t\"other_reference_text\"\n"
       "\"5\"\t\"0\"\t\"Smith, \"\"Optics\"\",\n 1999\"\n\"6\"\t\"0\"\t\"Miller\"\n",
       {"US5 > 'Smith, \"Optics\", 1999'", "US6 > 'Miller'"}},
      {"Citing,Cited,Category,Source,Phase,Date\nEP1A1,\"DE2,A\",\"X, Y\",examiner,search,1990\n"
       "EP1A1,FR3,3,SEA,,\n",
       {"EP1A1 > |DE2,A| 19900000 X,Y examiner search", "EP1A1 > |FR3| 3 examiner search"}},
      {"\"CITING\",\"CITED\"\n3858241,956203\n3858241,1324234\n",
       {"3858241 > |956203|", "3858241 > |1324234|"}},
      {"PatentNo_citing;CountryCodeOrNPL_cited;PatentNoOrNPL_cited\n7;NPL;Smith\n7;EP;12\n",
       {"US7 > 'Smith'", "US7 > EP|12|"}}};
  for (const auto& [content, expected] : cases) {
    const ReadFile file = read_content(content);
    EXPECT_EQ(file.lines, expected) << content;
    EXPECT_EQ(file.facts.format, "table");
    EXPECT_EQ(problem_counts(file.facts), Lines());
  }
}

TEST(ReadCitations, TablesWithBadLines) {
  using std::string_view_literals::operator""sv;
  const ReadFile file = read_content(
      "citing,cited,date\nA,B,1990\nA\n,C,\nD,E,yesterday\nF,\"no end,\nG,H,\nX\0,Y,\nM\xFC,N,\n"sv);
  EXPECT_EQ(file.lines,
            (Lines{"A > |B| 19900000", "D > |E|", "F > |\"no end|", "G > |H|", "M\u00fc > |N|"}));
  EXPECT_THAT(problem_counts(file.facts),
              ElementsAre("date not understood: 1", "line with a NUL byte: 1",
                          "line without a cited document: 1", "line without a citing document: 1",
                          "quotation mark without an end: 1"));
}

TEST(ReadCitations, TablesInParts) {
  std::string content = "citing\tcited\n";
  for (int i = 0; i < 25; ++i) content += fmt::format("A\t{}\n", i);
  content += "B\t1\n";
  const ReadFile file = read_content(content, {.most_citations_at_once = 10});
  ASSERT_EQ(file.documents.size(), 4U);
  EXPECT_EQ(file.documents[0].citations.size(), 10U);
  EXPECT_EQ(file.documents[2].publication.number, "A");
  EXPECT_EQ(file.documents[2].citations.size(), 5U);
  EXPECT_EQ(file.facts.documents, 2U);
  EXPECT_EQ(file.facts.patents, 26U);
}

TEST(ReadCitations, Judgements) {
  EXPECT_EQ(read_content("PAC-1 0 EP-1 1\nPAC-1 0 EP-2 2\nPAC-2 0 EP-1 0\n").lines,
            (Lines{"PAC-1 > |EP-1| 1", "PAC-1 > |EP-2| 2", "PAC-2 > |EP-1| 0"}));
  EXPECT_EQ(read_content("PAC-1 EP-1 X,Y\nPAC-1 EP-2\n").lines, (Lines{"PAC-1 > |EP-1| X,Y"}));
}

TEST(ReadCitations, EncodingsAndBeginnings) {
  for (const std::string prefix : {"\xEF\xBB\xBF", "\n\n  ", "<!-- <!DOCTYPE a [ <?xml ?> -->\n"}) {
    const bool is_comment = prefix.starts_with("<");
    std::string content(kGrant);
    // An XML declaration stands at the beginning of a document or nowhere.
    if (prefix != "\xEF\xBB\xBF") content.erase(0, content.find('\n') + 1);
    EXPECT_EQ(read_content(prefix + content).lines.size(), 3U) << is_comment;
  }
  const ReadFile latin1 = read_content(
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><patent-document country=\"EP\" "
      "doc-number=\"1\"><bibliographic-data><citations><nplcit><text>M\xFCller</text></nplcit>"
      "</citations></bibliographic-data></patent-document>");
  EXPECT_EQ(latin1.lines, (Lines{"EP1 > 'M\u00fcller'"}));
}

TEST(ReadCitations, NamesAFormatThatIsForced) {
  EXPECT_EQ(citation_format_named("uspto-xml"), CitationFormat::kUsptoXml);
  EXPECT_EQ(name_of(CitationFormat::kQrels), "qrels");
  EXPECT_THAT(refusal_of([] { (void)citation_format_named("uspto"); }).message,
              HasSubstr("unknown format of citations 'uspto'"));
  const ReadFile other = read_content(kExchange, {.format = CitationFormat::kMarec});
  EXPECT_EQ(other.facts.documents, 0U);
}

TEST(ReadCitations, RefusesUnknownFormats) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "is empty"},
      {"MIT License\n", "begins with 'MIT License'"},
      {"<html><body>Not found</body></html>", "is XML of <html>, in which there is no patent"},
      {"{\n \"a\": 1}", "begins with '{'"},
      {"name,age\nx,3\n", "begins with 'name,age'"},
      {"%PDF-1.4\n", "is a PDF document"},
      {"BZh91AY&SYxxxx", "is bzip2 data"}};
  for (const auto& [content, found] : cases) {
    const Refusal refusal = refusal_of([&] { (void)read_content(content); });
    EXPECT_EQ(refusal.code, ErrorCode::kBadInput) << content;
    EXPECT_THAT(refusal.message, HasSubstr(found));
    EXPECT_THAT(refusal.message, HasSubstr("expected XML, SGML"));
  }
}

TEST(ReadingProblems, MergeKeepsTheFirstExamples) {
  ReadingProblems first, second;
  first.add("reason", "a:1: x");
  for (int i = 0; i < 4; ++i) second.add("reason", fmt::format("b:{}: \n\xFF", i));
  second.add("another", std::string(1000, 'x'));
  first.merge(second);
  EXPECT_EQ(first.count(), 6U);
  EXPECT_EQ(first.reasons().at("reason").count, 5U);
  EXPECT_THAT(first.reasons().at("reason").examples,
              ElementsAre("a:1: x", "b:0:  \uFFFD", "b:1:  \uFFFD"));
  EXPECT_EQ(first.reasons().at("another").examples[0].size(), ReadingProblems::kLongestExample);
}

}  // namespace
}  // namespace prescope
