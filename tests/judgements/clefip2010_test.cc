// Real judgements, CLEF-IP 2010 (European search reports). The expected counts are those of the
// collection's SOURCE.txt, taken there with other programs.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "base/text_file.h"
#include "prescope/qrels.h"

namespace prescope {
namespace {

class ClefIp2010 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "the collection is absent: " << folder_.string();
    }
  }
  Qrels load(const char* name, DocnoPolicy policy) const {
    return Qrels::load(folder_ / name, {.docno = policy});
  }

  const std::filesystem::path folder_ = std::filesystem::path(PRESCOPE_TEST_DATA) / "clefip2010";
};

using Judged = std::set<std::tuple<std::string, std::string, Grade>>;

/// Returns (topic, key, grade) of every judgement; topics in `names` are renamed.
Judged judged(const Qrels& qrels, const std::map<std::string, std::string>& names = {}) {
  Judged all;
  for (const TopicQrels& topic : qrels.topics()) {
    const auto name = names.find(topic.id().text());
    for (const Judgement& judgement : topic.judgements()) {
      all.emplace(name == names.end() ? topic.id().text() : name->second, judgement.key,
                  judgement.grade);
    }
  }
  return all;
}

TEST_F(ClefIp2010, HasTheCountsOfItsDescription) {
  const Qrels qrels = load("qrels.pac.txt", DocnoPolicy::kPublication);
  EXPECT_EQ(qrels.num_judgements(), 63'002U);
  EXPECT_EQ(qrels.topics().size(), 1'348U);
  EXPECT_EQ(qrels.repeated(), 0U);
  EXPECT_EQ(qrels.merged(), 0U);
  std::set<std::string> publications;
  std::size_t grade_two = 0;
  for (const auto& [topic, key, grade] : judged(qrels)) {
    publications.insert(key);
    grade_two += grade == 2 ? 1 : 0;
  }
  EXPECT_EQ(publications.size(), 26'283U);
  EXPECT_EQ(grade_two, 2'095U);
}

TEST_F(ClefIp2010, PatentPolicyMergesKindCodes) {
  const Qrels qrels = load("qrels.pac.txt", DocnoPolicy::kPatent);
  EXPECT_EQ(qrels.num_judgements(), 45'715U);
  EXPECT_EQ(qrels.merged(), 63'002U - 45'715U);
  std::set<std::uint32_t> sizes;
  for (const TopicQrels& topic : qrels.topics()) sizes.insert(topic.num_rel());
  EXPECT_EQ(*sizes.begin(), 1U);
  EXPECT_EQ(*sizes.rbegin(), 755U);
}

TEST_F(ClefIp2010, CopyWithCrlfIsEqual) {
  EXPECT_EQ(judged(load("docsim.orig.gt.qrel", DocnoPolicy::kRaw)),
            judged(load("qrels.pac.txt", DocnoPolicy::kRaw)));
}

TEST_F(ClefIp2010, CopyInAnotherSpellingIsEqualUnderThePublicationPolicyOnly) {
  std::map<std::string, std::string> names;
  TextFile map(folder_ / "topic_map.tsv");
  for (std::string_view line; map.next(line);) {
    const auto tab = line.find('\t');
    names.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  const auto equal = [&](DocnoPolicy policy) {
    return judged(load("docsim.results.gt.qrel", policy)) ==
           judged(load("qrels.pac.txt", policy), names);
  };
  EXPECT_TRUE(equal(DocnoPolicy::kPublication));
  EXPECT_TRUE(equal(DocnoPolicy::kPatent));
  EXPECT_FALSE(equal(DocnoPolicy::kRaw));
}

}  // namespace
}  // namespace prescope
