#include "prescope/docno.h"

#include <gtest/gtest.h>

#include <random>

#include "prescope/error.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

std::string key_of(DocnoPolicy policy, std::string_view docno) {
  return DocnoNormalizer(policy).key(Docno(docno));
}

struct Spelling {
  std::string_view docno, publication, patent;
};

// Key = country, letters of the number, number without leading zeros, kind code; no separators. A
// kind code that tells a series of its own stays in the patent key, as T, U or A.
constexpr Spelling kPatents[] = {
    {"EP-0971326-B1", "EP971326B1", "EP971326"},
    {"EP0971326B1", "EP971326B1", "EP971326"},
    {"EP 0 971 326 B1", "EP971326B1", "EP971326"},
    {"ep 0 971 326 b1", "EP971326B1", "EP971326"},
    {"EP0.971.326/B1", "EP971326B1", "EP971326"},
    {"EP,0971326,B1", "EP971326B1", "EP971326"},
    {"EP_0971326_B1", "EP971326B1", "EP971326"},
    {"EP971326B1", "EP971326B1", "EP971326"},
    {"EP0971326A3", "EP971326A3", "EP971326"},
    {"EP-0971326", "EP971326", "EP971326"},
    {"EP971326A", "EP971326A", "EP971326"},
    {"US-4,893,752-A", "US4893752A", "US4893752"},
    {"US4893752", "US4893752", "US4893752"},
    {"US20010000044A1", "US20010000044A1", "US20010000044"},
    {"US 2001/0000044 A1", "US20010000044A1", "US20010000044"},
    {"USD435854S1", "USD435854S1", "USD435854"},   // design: D belongs to the number
    {"USD0435854S1", "USD435854S1", "USD435854"},  // its padding stands behind the D
    {"US D435,854 S", "USD435854S", "USD435854"},
    {"USRE012345E1", "USRE12345E1", "USRE12345"},  // reissue
    {"USPP12345P3", "USPP12345P3", "USPP12345"},   // plant
    {"WO1984000705A1", "WO1984000705A1", "WO1984000705"},
    {"WO-1984/000705", "WO1984000705", "WO1984000705"},  // the serial's zeros are not leading
    {"JPH05123456A", "JPH05123456A", "JPH05123456"},
    {"JP-H05-123456-A", "JPH05123456A", "JPH05123456"},
    {"JPWO2005012345A1", "JPWO2005012345A1", "JPWO2005012345"},
    {"DE69912345T2", "DE69912345T2", "DE69912345T"},
    {"DE3176257D1", "DE3176257D1", "DE3176257T"},
    {"DE202004012345U1", "DE202004012345U1", "DE202004012345U"},
    {"AU7576481A", "AU7576481A", "AU7576481A"},
    {"GB0000A", "GB0A", "GB0"},  // one digit is left
};

// Not a patent number, so its own key under every policy.
constexpr std::string_view kOthers[] = {
    "UNRETRIEVED-EP-1223211-A1-0",  // too many letters
    "clueweb09-en0000-00-00000",
    "CR93E-10279",
    "EP",
    "EP-B",
    "E971326",
    "0971326B1",
    "EP0971326B12",  // two digits of kind
    "EP0971326BB",   // two letters of kind
    "EP0971326 (B1)",
    "-EP0971326B1",  // separators stand between, not around
    "EP0971326B1-",
    "\xC3\x89P0971326B1",  // E with acute accent
    "EP\xEF\xBC\x90"
    "971326",  // a full-width zero
    "EP\xC2\xA0"
    "971326",  // a no-break space
    "",
    "-",
};

TEST(DocnoNormalizer, MapsEachSpellingOfAPatentToItsKey) {
  for (const Spelling& spelling : kPatents) {
    EXPECT_EQ(key_of(DocnoPolicy::kPublication, spelling.docno), spelling.publication);
    EXPECT_EQ(key_of(DocnoPolicy::kPatent, spelling.docno), spelling.patent);
    EXPECT_EQ(key_of(DocnoPolicy::kRaw, spelling.docno), spelling.docno);
  }
}

TEST(DocnoNormalizer, KeepsOtherNamesUnchanged) {
  for (const std::string_view docno : kOthers) {
    EXPECT_EQ(key_of(DocnoPolicy::kRaw, docno), docno);
    EXPECT_EQ(key_of(DocnoPolicy::kPublication, docno), docno);
    EXPECT_EQ(key_of(DocnoPolicy::kPatent, docno), docno);
  }
}

TEST(DocnoNormalizer, KeepsNamesThatExceedTheBuffer) {
  const std::string fits = "EP" + std::string(61, '0') + "1";
  ASSERT_EQ(fits.size(), std::tuple_size_v<DocnoBuffer>);
  EXPECT_EQ(key_of(DocnoPolicy::kPatent, fits), "EP1");
  EXPECT_EQ(key_of(DocnoPolicy::kPatent, fits + "1"), fits + "1");
}

TEST(DocnoNormalizer, KeyOfAKeyIsItself) {
  std::mt19937 random(20100719);
  constexpr std::string_view kAlphabet = "EPUSAB0019-. /_,x\xC3";
  for (int i = 0; i < 100'000; ++i) {
    std::string docno;
    for (auto size = random() % 14; size > 0; --size)
      docno += kAlphabet[random() % kAlphabet.size()];
    for (const auto policy : {DocnoPolicy::kPublication, DocnoPolicy::kPatent}) {
      const std::string key = key_of(policy, docno);
      ASSERT_EQ(key_of(policy, key), key) << "of '" << docno << "'";
    }
  }
}

TEST(DocnoNormalizer, PatentKeyFollowsFromThePublicationKey) {
  for (const Spelling& spelling : kPatents) {
    EXPECT_EQ(key_of(DocnoPolicy::kPatent, key_of(DocnoPolicy::kPublication, spelling.docno)),
              spelling.patent);
  }
}

TEST(DocnoPolicy, ParsesWhatItPrints) {
  for (const auto policy :
       {DocnoPolicy::kRaw, DocnoPolicy::kPublication, DocnoPolicy::kPatent, DocnoPolicy::kFamily}) {
    EXPECT_EQ(parse_docno_policy(to_string(policy)), policy);
  }
  const auto refused = refusal_of([] { (void)parse_docno_policy("patnet"); });
  EXPECT_EQ(refused.code, ErrorCode::kUsage);
  EXPECT_EQ(refused.message,
            "unknown docno policy 'patnet'; did you mean 'patent'? Valid: raw, publication, "
            "patent, family");
}

TEST(DocnoSet, HasADocumentHoweverItIsSpelled) {
  const std::vector<Docno> docnos = {Docno("EP-0971326-B1"), Docno("W1"), Docno("EP0000007A1")};
  const DocnoSet patents(docnos, DocnoNormalizer(DocnoPolicy::kPatent));
  for (const char* one : {"EP0971326A3", "ep 0 971 326 b1", "W1", "EP7B1"}) {
    EXPECT_TRUE(patents.contains(one)) << one;
  }
  for (const char* one : {"EP971327", "W", "W12", ""}) EXPECT_FALSE(patents.contains(one)) << one;
  const DocnoSet raw(docnos, DocnoNormalizer());
  EXPECT_FALSE(raw.contains("EP0971326B1")) << "byte for byte";
  EXPECT_TRUE(DocnoSet({}, DocnoNormalizer()).empty());
}

TEST(FamilyMap, MakesPublicationsOfAFamilyOneDocument) {
  const ScratchFolder folder;
  const auto path =
      folder.write_gzip("families.gz",
                        "# docno family\n"
                        "EP-0115517-A1 42\r\n"
                        "WO1984000705A1\t42\n"
                        "\n"
                        "EP 0 049 154 B2\tAU 546921\n"  // tabs: docnos may have spaces
                        "EP0115517B1 42\n");            // the same patent again
  const DocnoNormalizer families(DocnoPolicy::kFamily, FamilyMap::load(path));
  EXPECT_EQ(families.key(Docno("EP115517A2")), "family:42");  // compared without kind code
  EXPECT_EQ(families.key(Docno("WO-1984000705")), "family:42");
  EXPECT_EQ(families.key(Docno("EP0049154A1")), "family:AU 546921");
  EXPECT_EQ(families.key(Docno("US4382867A")), "US4382867");  // without family: its patent key
}

TEST(FamilyMap, FamilyNamedLikeAPatentIsNotThatPatent) {
  FamilyMap map;
  map.add(Docno("EP0115517A1"), "US4382867");
  const DocnoNormalizer families(DocnoPolicy::kFamily, std::move(map));
  EXPECT_NE(families.key(Docno("EP0115517A1")), families.key(Docno("US4382867")));
}

TEST(FamilyMap, KeyLivesAsLongAsAnyCopyOfTheNormalizer) {
  FamilyMap map;
  map.add(Docno("EP1"), "a family whose name is too long for a small string");
  auto original = std::make_unique<DocnoNormalizer>(DocnoPolicy::kFamily, std::move(map));
  const DocnoNormalizer copy = *original;
  std::string_view key;
  {
    DocnoBuffer buffer;
    key = copy.key("EP-1-A1", buffer);
  }
  original.reset();
  EXPECT_EQ(key, "family:a family whose name is too long for a small string");
}

TEST(FamilyMap, RefusesBadFiles) {
  const ScratchFolder folder;
  const struct {
    std::string_view bytes, message;
  } cases[] = {
      {"EP1 1\nEP2\n", ":2: 1 columns; expected 2, \"docno family\""},
      {"EP1 1 2\n", ":1: 3 columns; expected 2, \"docno family\""},
      {"EP1A1 7\nEP2 7\nEP-1-B1 8\n",
       ":3: patent EP1 has family '7' and also '8'; keep one of them"},
  };
  for (const auto& [bytes, message] : cases) {
    const auto path = folder.write("families.txt", bytes);
    const auto refused = refusal_of([&] { (void)FamilyMap::load(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput);
    EXPECT_EQ(refused.message, path.string() + std::string(message));
  }
  EXPECT_EQ(refusal_of([&] { (void)FamilyMap::load(folder.path() / "none"); }).code,
            ErrorCode::kIo);
}

TEST(FamilyMap, ValuesThatMeanNoneAreNoFamily) {
  const ScratchFolder folder;
  const FamilyMap map = FamilyMap::load(
      folder.write("families.txt",
                   "EP1 -1\nEP2 -1\nEP3 0\nEP4 none\nEP5 NULL\nEP6 N/A\nEP7\t\nEP8 nan\nEP9 -\n"
                   "EP14 -1.0\nEP15 0.0\nEP16 \\N\nEP17 ?\n"
                   "EP10 1\nEP11 1\nEP12 01\nEP13 nonesuch\nEP1 1\n"));
  EXPECT_EQ(map.without_family().patents, 13U);
  EXPECT_EQ(map.without_family().example, "-1");
  const DocnoNormalizer docnos(DocnoPolicy::kFamily, map);
  const std::pair<const char*, const char*> cases[] = {
      {"EP1A1", "family:1"},  {"EP2A1", "EP2"},        {"EP3A1", "EP3"},
      {"EP4A1", "EP4"},       {"EP5A1", "EP5"},        {"EP6A1", "EP6"},
      {"EP7A1", "EP7"},       {"EP8A1", "EP8"},        {"EP9A1", "EP9"},
      {"EP10A1", "family:1"}, {"EP12A1", "family:01"}, {"EP13A1", "family:nonesuch"}};
  for (const auto& [docno, key] : cases) EXPECT_EQ(docnos.key(Docno(docno)), key);
}

TEST(FamilyMap, MustNotBeEmptyIfThePolicyNeedsIt) {
  const auto refused = refusal_of([] { DocnoNormalizer normalizer(DocnoPolicy::kFamily); });
  EXPECT_EQ(refused.code, ErrorCode::kUsage);
  EXPECT_EQ(refused.message,
            "docno policy 'family' has no families; give a file of lines \"docno family\"");
}

}  // namespace
}  // namespace prescope
