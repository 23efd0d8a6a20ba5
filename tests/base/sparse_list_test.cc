#include "base/sparse_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace prescope {
namespace {

using ::testing::ElementsAre;

TEST(SparseList, ElementsThatWereNotWrittenAreNone) {
  const SparseList<int> list(10, 1, -1);
  EXPECT_EQ(list.size(), 10U);
  EXPECT_EQ(list[9], -1);
  EXPECT_FALSE(list.has_room(9));
  EXPECT_TRUE(SparseList<int>().empty());
}

TEST(SparseList, ABlockGetsRoomWithItsFirstElementAndStays) {
  SparseList<int> list(10, 1, -1);
  int& first = list.at(5);
  first = 7;
  EXPECT_TRUE(list.has_room(4));
  EXPECT_TRUE(list.has_room(7));
  EXPECT_FALSE(list.has_room(3));
  EXPECT_FALSE(list.has_room(8));
  list.at(9) = 8;
  EXPECT_EQ(&list.at(5), &first) << "it does not move";
  std::vector<std::pair<std::size_t, int>> seen;
  list.for_each_row([&](std::size_t i) { seen.emplace_back(i, list[i]); });
  using Pair = std::pair<std::size_t, int>;
  EXPECT_THAT(seen, ElementsAre(Pair{4, -1}, Pair{5, 7}, Pair{6, -1}, Pair{7, -1}, Pair{8, -1},
                                Pair{9, 8}));
}

TEST(SparseList, ARowHasAllItsColumns) {
  SparseList<int> list(6, 3, -1);
  list.row_at(5)[2] = 7;
  EXPECT_THAT(list.row(5), ElementsAre(-1, -1, 7));
  EXPECT_THAT(list.row(4), ElementsAre(-1, -1, -1)) << "its block has room";
  EXPECT_THAT(list.row(0), ElementsAre(-1, -1, -1));
}

TEST(SparseList, HoldsWhatCannotBeCopied) {
  SparseList<std::unique_ptr<int>> list(3);
  list.at(2) = std::make_unique<int>(5);
  EXPECT_EQ(*list[2], 5);
  EXPECT_EQ(list[0], nullptr);
}

}  // namespace
}  // namespace prescope
