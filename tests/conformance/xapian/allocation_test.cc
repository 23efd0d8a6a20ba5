// Counts every allocation of a thread while it runs the query path. A program of its own, because
// malloc is replaced in it.
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "conformance/count_allocations.h"
#include "conformance/watched.h"
#include "conformance/xapian/database_folder.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::conformance {
namespace {

/// 6000 documents in two shards that all match "valve"; every tenth is cited by T1.
class XapianAllocationTest : public ::testing::TestWithParam<Xapian::doccount> {
 protected:
  XapianAllocationTest() {
    if (!kAllocationsAreCounted) return;
    std::vector<Doc> docs;
    Watched::Citations citations;
    for (int i = 0; i < 6000; ++i) {
      docs.push_back({"D" + std::to_string(i), "valve"});
      if (i % 10 == 0) citations.emplace_back("T1", docs.back().docno);
    }
    folder_.add(docs);
    watched_ = std::make_unique<Watched>(citations);
    index_.emplace([this] { return folder_.open(); }, watched_->experiment());
    database_.emplace(index_->open());
    enquire_.emplace(database_->enquire("a"));
    plain_.emplace(database_->database());
    plain_->set_query(Xapian::Query("valve"));
    make_buffer_of_this_thread(watched_->experiment(), topic_);
  }

  void SetUp() override {
    if (!kAllocationsAreCounted) GTEST_SKIP() << "a sanitizer has replaced malloc already";
  }
  void TearDown() override {
    if (!kAllocationsAreCounted) return;
    // It was the real thing: all judged documents were found.
    const std::vector<Seen> seen = watched_->seen();
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].facts.num_ret, GetParam());
    EXPECT_EQ(seen[0].hits.size(), GetParam() / 10);
  }

  DatabaseFolder folder_{2};
  std::unique_ptr<Watched> watched_;
  std::optional<xapian::ObservedIndex> index_;
  std::optional<xapian::ObservedDatabase> database_;
  std::optional<xapian::ObservedEnquire> enquire_;
  std::optional<Xapian::Enquire> plain_;
  const TopicId topic_{"T1"};
};

TEST_P(XapianAllocationTest, ObservingAnMSetDoesNotAllocate) {
  const Xapian::MSet served = plain_->get_mset(0, GetParam());
  EXPECT_EQ(allocations_in([&] {
              QueryScope scope(watched_->experiment(), topic_);
              enquire_->observe(served,
                                {.requested_depth = GetParam(), .flags = RankingFlags::kNone});
            }),
            0U);
}

INSTANTIATE_TEST_SUITE_P(Depths, XapianAllocationTest, testing::Values(10, 1000, 5000));

}  // namespace
}  // namespace prescope::conformance
