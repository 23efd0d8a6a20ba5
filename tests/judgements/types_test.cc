#include "prescope/types.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace prescope {
namespace {

// A name of one kind cannot be passed as a name of another kind.
static_assert(!std::is_constructible_v<TopicId, Docno>);
static_assert(!std::is_constructible_v<Docno, TopicId>);
static_assert(!std::is_constructible_v<ArmId, TopicId>);
static_assert(!std::is_convertible_v<std::string, TopicId>);
static_assert(!std::is_assignable_v<TopicId&, Docno>);
static_assert(!std::is_constructible_v<DocId, TopicIndex>);
static_assert(!std::is_constructible_v<JudgementIndex, DocId>);
static_assert(!std::is_convertible_v<std::uint32_t, DocId>);
static_assert(sizeof(DocId) == 4 && std::is_trivially_copyable_v<DocId>);

TEST(Name, ComparesAndHashesByItsBytes) {
  EXPECT_EQ(TopicId("PAC-1"), TopicId(std::string("PAC-1")));
  EXPECT_LT(TopicId("PAC-10"), TopicId("PAC-2"));  // bytewise, not numerically
  EXPECT_EQ((std::unordered_set<Docno>{Docno("a"), Docno("a"), Docno("b")}.size()), 2U);
  EXPECT_TRUE(Docno().empty());
}

}  // namespace
}  // namespace prescope
