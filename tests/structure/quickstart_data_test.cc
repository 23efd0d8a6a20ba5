// Properties of the collection that the quickstart generates.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "quickstart/collection.h"
#include "quickstart/text.h"

namespace quickstart {
namespace {

const Collection& collection() {
  static const Collection kCollection = make_collection({});
  return kCollection;
}

TEST(QuickstartData, HasTheGivenNumbersOfDocumentsAndTopics) {
  EXPECT_EQ(collection().publications.size(), 20'000U);
  EXPECT_EQ(collection().topics.size(), 500U);
}

TEST(QuickstartData, NumbersAreUniqueAndRiseWithTheDate) {
  std::set<std::string> seen;
  std::map<Publication::Kind, const Publication*> last;
  for (const Publication& made : collection().publications) {
    EXPECT_TRUE(seen.insert(made.docno).second) << made.docno;
    const Publication*& before = last[made.kind];
    if (before != nullptr) {
      EXPECT_LE(before->published, made.published) << made.docno;
      EXPECT_LT(before->docno, made.docno);
    }
    before = &made;
  }
  EXPECT_EQ(last.size(), 4U) << "EP A1, EP B1, WO A1 and US B2 all occur";
}

TEST(QuickstartData, AFamilyIsAnApplicationAndItsLaterPublications) {
  for (const Invention& made : collection().inventions) {
    const Publication& first = collection().publications[made.first_publication];
    EXPECT_EQ(first.kind, Publication::Kind::kEpA1);
    for (std::uint32_t i = 1; i < made.num_publications; ++i) {
      const Publication& later = collection().publications[made.first_publication + i];
      EXPECT_EQ(later.invention, first.invention);
      EXPECT_LE(first.published, later.published);
    }
  }
}

TEST(QuickstartData, EveryCitationIsOfAnEarlierPatentOfAnotherFamily) {
  for (const Citation& citation : collection().citations) {
    const Publication& topic = collection().publications[collection().topics[citation.topic]];
    const Publication& cited = collection().publications[citation.publication];
    EXPECT_NE(cited.invention, topic.invention);
    EXPECT_LT(cited.published, collection().inventions[topic.invention].filed);
    EXPECT_NE(std::string("XYA").find(citation.category), std::string::npos);
  }
}

TEST(QuickstartData, EveryTopicCitesAtLeastThreeFamiliesEachOnce) {
  std::map<std::uint32_t, std::set<std::uint32_t>> families;
  for (const Citation& citation : collection().citations) {
    const std::uint32_t family = collection().publications[citation.publication].invention;
    EXPECT_TRUE(families[citation.topic].insert(family).second);
  }
  ASSERT_EQ(families.size(), 500U);
  for (const auto& [topic, cited] : families) EXPECT_GE(cited.size(), 3U) << "topic " << topic;
}

TEST(QuickstartData, CitationsPreferPatentsOfTheSameProblem) {
  std::size_t same = 0;
  for (const Citation& citation : collection().citations) {
    const auto problem = [](std::uint32_t publication) {
      const Invention& made =
          collection().inventions[collection().publications[publication].invention];
      return std::tuple(made.subject, made.field, made.problem);
    };
    same += problem(collection().topics[citation.topic]) == problem(citation.publication) ? 1 : 0;
  }
  EXPECT_GT(2 * same, collection().citations.size());
}

TEST(QuickstartData, TheSameSeedGivesTheSameTextsAndAnotherSeedOthers) {
  const CollectionOptions small{.seed = 7, .documents = 400, .topics = 5};
  CollectionOptions other = small;
  other.seed = 8;
  const Collection once = make_collection(small), twice = make_collection(small);
  const Collection different = make_collection(other);
  std::size_t unlike = 0;
  for (std::uint32_t i = 0; i < small.documents; ++i) {
    EXPECT_EQ(once.publications[i].docno, twice.publications[i].docno);
    EXPECT_EQ(make_text(once, i).claims, make_text(twice, i).claims);
    unlike += make_text(once, i).claims != make_text(different, i).claims ? 1 : 0;
  }
  EXPECT_EQ(unlike, small.documents);
}

// The reference outputs of splitmix64 for seed 1234567 (Rosetta Code, "Pseudo-random numbers/
// Splitmix64"), so that no compiler or platform gives another collection.
TEST(QuickstartData, RandomNumbersAreThoseOfSplitmix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(QuickstartData, TooFewDocumentsForTheTopicsAreRefused) {
  EXPECT_THROW((void)make_collection({.seed = 1, .documents = 100, .topics = 50}),
               std::invalid_argument);
}

}  // namespace
}  // namespace quickstart
