// Slices of topics: where they come from, and what they may say.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/errors.h"
#include "prescope/error.h"
#include "runs/slice_comparison.h"
#include "support/citation_file.h"
#include "support/null_differences.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Topics T1 to T5, of which Tn has n relevant documents.
Qrels five_topics() {
  std::vector<Qrels::Line> lines;
  for (int t = 1; t <= 5; ++t) {
    for (int d = 0; d < t; ++d) {
      lines.push_back({TopicId(fmt::format("T{}", t)), Docno(fmt::format("D{}", d)), 1});
    }
  }
  return Qrels::from_lines(lines);
}

/// "section A: T1 T2" for each slice, and "section -: T3" for topics that are in none.
std::vector<std::string> words_of(const TopicSlices& slices, const Qrels& qrels) {
  std::vector<std::string> words;
  const auto add = [&](std::string text, std::span<const TopicIndex> topics) {
    for (const TopicIndex topic : topics) text += " " + qrels.topic(topic).id().text();
    if (!topics.empty()) words.push_back(std::move(text));
  };
  for (const TopicSlices::Dimension& dimension : slices.dimensions) {
    for (const TopicSlices::Slice& slice : dimension.slices) {
      add(fmt::format("{} {}:", dimension.name, slice.name), slice.topics);
    }
    add(dimension.name + " -:", dimension.unsliced);
  }
  return words;
}

class SliceFile : public ::testing::Test {
 protected:
  std::vector<std::string> read(const std::string& name, std::string_view text,
                                const std::vector<std::string>& by = {}) {
    slices = read_slices({.file = folder.write(name, text), .by = by}, qrels);
    return words_of(slices, qrels);
  }
  std::string refused(const std::string& name, std::string_view text,
                      const std::vector<std::string>& by = {}) {
    return refusal_of([&] { read(name, text, by); }).message;
  }
  ScratchFolder folder;
  const Qrels qrels = five_topics();
  TopicSlices slices;
};

TEST_F(SliceFile, IsATableOfTopicsAndSlices) {
  EXPECT_THAT(read("s.tsv", "T1\tA\nT2\tB\r\nT1\tC\n\n# no row\nT9\tA\n"),
              ElementsAre("slice A: T1", "slice B: T2", "slice C: T1", "slice -: T3 T4 T5"));
  EXPECT_EQ(slices.unjudged, 1U);
  EXPECT_EQ(slices.unjudged_example, "T9");
}

TEST_F(SliceFile, NamesItsDimensionsInTheFirstLine) {
  const char* const table = "topic\tsource\tyear\nT1\tEP\t1999\nT2\tUS\t\nT3\tEP\t200\n";
  EXPECT_THAT(read("s.tsv", table),
              ElementsAre("source EP: T1 T3", "source US: T2", "source -: T4 T5", "year 200: T3",
                          "year 1999: T1", "year -: T2 T4 T5"));
  EXPECT_THAT(read("s.tsv", table, {"year"}),
              ElementsAre("year 200: T3", "year 1999: T1", "year -: T2 T4 T5"));
}

TEST_F(SliceFile, IsPatentsAsJsonLines) {
  const char* const patents =
      R"({"id":"T1","source":"x","ipc":["B08B5/00","C02F"],"pub_date":"1995-02-15","n":3}
{"id":"T2","ipc_primary":"d01","ipc":"A01","publication_date":20010203,"tags":["p","q"]}
{"id":"T7"}
)";
  EXPECT_THAT(read("p.jsonl", patents, {"section", "year", "source", "tags", "n"}),
              ElementsAre("section B: T1", "section D: T2", "section -: T3 T4 T5", "year 1995: T1",
                          "year 2001: T2", "year -: T3 T4 T5", "source x: T1",
                          "source -: T2 T3 T4 T5", "tags p: T2", "tags q: T2",
                          "tags -: T1 T3 T4 T5", "n 3: T1", "n -: T2 T3 T4 T5"));
  EXPECT_THAT(refused("p.jsonl", patents), HasSubstr("section"));
  EXPECT_THAT(refused("p.jsonl", patents, {"sorce"}), HasSubstr("did you mean 'source'"));
  EXPECT_THAT(read("q.jsonl", R"({"id":"T2","relevant":"few","ipc":"Ä","date":"199"})",
                   {"relevant", "section", "year"}),
              ElementsAre("relevant few: T2", "relevant -: T1 T3 T4 T5",
                          "section -: T1 T2 T3 T4 T5", "year -: T1 T2 T3 T4 T5"));
}

TEST_F(SliceFile, MayBeACitationStore) {
  const CitingDocument document{.publication = {.number = "EP1000001A1"},
                                .published = {.year = 1999},
                                .language = "de",
                                .classes = {"G06F17/30"}};
  const auto path = folder.path() / "citations.store";
  write_citation_store(path, std::span(&document, 1));
  const std::vector<Qrels::Line> lines{{TopicId("EP-1000001-B1"), Docno("D"), 1},
                                       {TopicId("EP2"), Docno("D"), 1}};
  const Qrels patents = Qrels::from_lines(lines);
  EXPECT_THAT(words_of(read_slices({.file = path}, patents), patents),
              ElementsAre("section G: EP-1000001-B1", "section -: EP2", "country EP: EP-1000001-B1",
                          "country -: EP2", "year 1999: EP-1000001-B1", "year -: EP2",
                          "language de: EP-1000001-B1", "language -: EP2"));
}

TEST_F(SliceFile, IsNotNeededForTheNumberOfRelevantDocuments) {
  const TopicSlices by_relevant = read_slices({.by = {"relevant"}}, qrels);
  EXPECT_THAT(words_of(by_relevant, qrels),
              ElementsAre("relevant 1: T1", "relevant 2: T2", "relevant 3-5: T3 T4 T5"));
  EXPECT_THAT(refusal_of([&] { (void)read_slices({.by = {"section"}}, qrels); }).message,
              HasSubstr("needs a file"));
}

TEST_F(SliceFile, IsRefusedWithItsPlace) {
  EXPECT_THAT(refused("s.tsv", "T1 A\n"), HasSubstr("s.tsv:1: no tab"));
  EXPECT_THAT(refused("s.tsv", "T1\tA\nT2\n"), HasSubstr("s.tsv:2: 1 columns; expected 2"));
  EXPECT_THAT(refused("s.tsv", "T1\tA\tB\n"), HasSubstr("names the columns"));
  EXPECT_THAT(refused("s.tsv", "T1\t(none)\n"), HasSubstr("expected another name"));
  EXPECT_THAT(refused("s.tsv", "T7\tA\nT8\tA\n"), HasSubstr("none of its 2 topics, such as 'T7'"));
  EXPECT_THAT(refused("s.tsv", ""), HasSubstr("no topics"));
  EXPECT_THAT(refused("s.tsv", "topic\ta\ta\nT1\tx\ty\n"), HasSubstr("there twice"));
  EXPECT_THAT(refused("s.tsv", "topic\ta\nT1\tx\n", {"b"}), HasSubstr("dimension 'b'"));
  EXPECT_THAT(refused("s.jsonl", "{\"topc\":\"T1\"}\n", {"a"}), HasSubstr("no 'id'"));
}

// Comparisons.

/// One dimension with slices of these sizes, topic by topic.
TopicSlices slices_of(const std::vector<std::pair<std::string, std::uint32_t>>& sizes) {
  TopicSlices slices;
  TopicSlices::Dimension& dimension = slices.dimensions.emplace_back();
  dimension.name = "d";
  std::uint32_t next = 0;
  for (const auto& [name, size] : sizes) {
    TopicSlices::Slice& slice = dimension.slices.emplace_back();
    slice.name = name;
    for (std::uint32_t i = 0; i < size; ++i) slice.topics.emplace_back(next++);
  }
  return slices;
}

std::vector<SlicedTopic> topics_of(std::span<const double> differences) {
  std::vector<SlicedTopic> topics;
  for (std::uint32_t t = 0; t < differences.size(); ++t) {
    const double difference = differences[t];
    topics.push_back(
        {TopicIndex(t), FamilyIndex(t), std::max(0.0, -difference), std::max(0.0, difference)});
  }
  return topics;
}

std::vector<SliceDifference> compared(const TopicSlices& slices,
                                      std::span<const SlicedTopic> topics) {
  std::vector<SliceDifference> differences = compare_slices(slices, topics, 0.95, {});
  std::vector<SliceDifference*> all;
  for (SliceDifference& one : differences) all.push_back(&one);
  correct_slices(all, 0.05);
  return differences;
}

/// The values were computed by a script with its own Student distribution.
TEST(Slices, HaveTheTextbooksNumbers) {
  std::vector<double> differences;
  for (int i = 0; i < 140; ++i) {
    differences.push_back(i < 60    ? 0.2 + 0.1 * ((i * 7) % 11 - 5)
                          : i < 120 ? -0.3 + 0.1 * ((i * 5) % 13 - 6)
                                    : 0.1 * ((i * 3) % 7 - 3));
  }
  const auto slices =
      compared(slices_of({{"x", 60}, {"y", 60}, {"z", 20}}), topics_of(differences));
  ASSERT_EQ(slices.size(), 3U);
  const auto& [x, y, z] = std::tie(slices[0], slices[1], slices[2]);
  EXPECT_NEAR(x.t->mean, 0.20166666666666666, 1e-12);
  EXPECT_NEAR(x.t->ci_low, 0.11867257846653156, 1e-9);
  EXPECT_NEAR(x.t->ci_high, 0.28466075486680176, 1e-9);
  EXPECT_NEAR(*x.mean_b - *x.mean_a, x.t->mean, 1e-12);
  EXPECT_NEAR(*x.corrected, 8.974681595640354e-06, 1e-12) << "Holm: the larger of two p";
  EXPECT_NEAR(*y.corrected, 2 * 4.3896391413759296e-08, 1e-14);
  EXPECT_NEAR(*x.against_rest / 2.0326714603944423e-11, 1.0, 1e-6);
  EXPECT_NEAR(*y.against_rest / (2 * 4.708200896732322e-12), 1.0, 1e-6);
  EXPECT_EQ(x.verdict, SliceVerdict::kBetter);
  EXPECT_EQ(y.verdict, SliceVerdict::kWorse);
  EXPECT_EQ(z.verdict, SliceVerdict::kTooFew);
  EXPECT_EQ(z.corrected, std::nullopt);
  EXPECT_NEAR(z.t->p_value, 0.7385824858364693, 1e-9);
}

TEST(Slices, SpeakFromFiftyTopicsOnOfWhichTwentyDiffer) {
  const auto verdict = [](std::uint32_t topics, std::uint32_t differing) {
    std::vector<double> differences(topics, 0.0);
    for (std::uint32_t i = 0; i < differing; ++i) differences[i] = 0.5 + 0.01 * (i % 3);
    return compared(slices_of({{"s", topics}}), topics_of(differences)).at(0).verdict;
  };
  EXPECT_EQ(verdict(49, 49), SliceVerdict::kTooFew);
  EXPECT_EQ(verdict(50, 19), SliceVerdict::kTooFew);
  EXPECT_EQ(verdict(50, 20), SliceVerdict::kBetter);
}

/// 200 gains of .01 are certain for a t test. One topic in 100 that loses .99 would turn them.
TEST(Slices, SayNothingThatARareLargeLossWouldTurn) {
  std::vector<double> differences(200);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = 0.01 + 0.0001 * static_cast<double>(i % 2);
  }
  const auto slices = compared(slices_of({{"s", 200}}), topics_of(differences));
  EXPECT_LT(*slices.at(0).corrected, 1e-6);
  EXPECT_EQ(slices.at(0).verdict, SliceVerdict::kNotRuledOut);
}

TEST(Slices, OfFewTopicsAreTakenTogetherAndSoAreTopicsInNone) {
  const std::vector<double> differences(33, 0.1);
  TopicSlices slices = slices_of({{"large", 12}, {"small", 9}, {"tiny", 2}, {"empty", 0}});
  for (std::uint32_t t = 23; t < 33; ++t) slices.dimensions[0].unsliced.emplace_back(t);
  std::vector<std::string> rows;
  for (const SliceDifference& one : compared(slices, topics_of(differences))) {
    rows.push_back(fmt::format("{} of {}: {}", one.name, one.slices, one.units));
  }
  EXPECT_THAT(rows, ElementsAre("large of 1: 12", "(small slices) of 2: 11", "(none) of 1: 10"));
}

TEST(Slices, OfFewTopicsKeepTheirNameIfThereIsOne) {
  const std::vector<double> differences(14, 0.1);
  const auto rows = compared(slices_of({{"large", 12}, {"tiny", 2}}), topics_of(differences));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].name, "tiny");
}

/// A heap of many small slices is a group that nobody asked for.
TEST(Slices, OfFewTopicsHaveNoVerdictTogether) {
  std::vector<double> differences(72);
  for (std::size_t t = 0; t < differences.size(); ++t) differences[t] = 0.5 + 0.01 * double(t % 3);
  std::vector<std::pair<std::string, std::uint32_t>> sizes;
  for (int i = 0; i < 8; ++i) sizes.emplace_back(fmt::format("s{}", i), 9);
  const auto rows = compared(slices_of(sizes), topics_of(differences));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].units, 72U);
  EXPECT_EQ(rows[0].corrected, std::nullopt);
}

TEST(Slices, CountAFamilyOnceAndATopicInEachOfItsSlices) {
  std::vector<SlicedTopic> topics = topics_of(std::vector<double>(24, 0.1));
  for (std::size_t t = 0; t < topics.size(); ++t) {
    topics[t].family = FamilyIndex(static_cast<std::uint32_t>(t / 2));
  }
  TopicSlices slices = slices_of({{"a", 24}});
  slices.dimensions[0].slices.push_back({"b", slices.dimensions[0].slices[0].topics});
  const auto both = compared(slices, topics);
  ASSERT_EQ(both.size(), 2U);
  for (const SliceDifference& one : both) {
    EXPECT_EQ(one.units, 12U);
    EXPECT_EQ(one.topics, 24U);
  }
}

TEST(Slices, AreNoneIfNobodyAsked) { EXPECT_THAT(compared({}, {}), IsEmpty()); }

/// Returns how many of 100 experiments state a slice's difference that is not there: ten slices
/// of 28 % down to 2.5 % of 2,000 topics.
double false_statements(const NullDifference& null, unsigned experiments) {
  constexpr std::uint32_t kTopics = 2000;
  std::vector<std::pair<std::string, std::uint32_t>> sizes;
  for (const int permille : kSlicePermilles) {
    sizes.emplace_back(fmt::format("{}", permille), kTopics * permille / 1000);
  }
  const TopicSlices slices = slices_of(sizes);
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < experiments; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<double> differences(kTopics);
    for (double& difference : differences) difference = null(random);
    wrong += std::ranges::any_of(compared(slices, topics_of(differences)),
                                 [](const SliceDifference& one) {
                                   return one.verdict == SliceVerdict::kBetter ||
                                          one.verdict == SliceVerdict::kWorse;
                                 })
                 ? 1
                 : 0;
  }
  return 100.0 * wrong / experiments;
}

/// At most 5 in 100 are promised. Chance adds up to 2.8 standard errors: 2.5 with 600 experiments.
TEST(Slices, StateADifferenceThatIsNotThereInFewExperiments) {
  const auto experiments = static_cast<unsigned>(number_of_cases(600));
  const double chance = 2.8 * std::sqrt(5.0 * 95.0 / experiments);
  for (const NullDifference& null :
       {NullDifference(symmetric_difference), NullDifference(lost_citation_difference),
        NullDifference(rare_fall_difference)}) {
    EXPECT_LE(false_statements(null, experiments), 5.0 + chance);
  }
}

}  // namespace
}  // namespace prescope
