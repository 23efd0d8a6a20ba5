#include "base/seen_list.h"

#include <gtest/gtest.h>

#include <string>

namespace prescope {
namespace {

/// Sees the thing, with room in the list.
template <class T>
void see(SeenOrder& order, SeenList<T>& list, std::size_t thing) {
  list.make_room();
  order.make_room(thing);
  order.see(thing);
}

TEST(SeenList, AThingThatWasNotSeenHasTheRowOfNone) {
  SeenOrder order;
  SeenList<int> list(order, 2, -1);
  EXPECT_EQ(list.row(9).size(), 2U);
  EXPECT_EQ(list.row(9)[1], -1);
  EXPECT_FALSE(order.has_seen(9));
  EXPECT_FALSE(list.empty());
  EXPECT_TRUE(SeenList<int>().empty());
}

// Rows of several blocks, in an order of their own.
TEST(SeenList, EachThingHasItsOwnRowHoweverManyWereSeenAndInWhichOrder) {
  constexpr std::size_t kThings = 1000;
  SeenOrder order;
  SeenList<std::string> list(order, 3, "none");
  for (std::size_t i = 0; i < kThings; i += 2) {
    const std::size_t thing = i * 7 % kThings;
    see(order, list, thing);
    EXPECT_EQ(list.row(thing)[2], "none") << "until it is written";
    list.row_at(thing)[2] = std::to_string(thing);
  }
  for (std::size_t thing = 0; thing < kThings; ++thing) {
    EXPECT_EQ(list[thing], "none");
    EXPECT_EQ(list.row(thing)[2], thing % 2 == 0 ? std::to_string(thing) : "none");
  }
}

TEST(SeenList, ThingsThatWereSeenAreVisitedInTheirOwnOrder) {
  SeenOrder order;
  for (const std::size_t thing : {7U, 2U, 5U}) {
    order.make_room(thing);
    order.see(thing);
  }
  std::vector<std::size_t> seen;
  order.for_each([&](std::size_t thing) { seen.push_back(thing); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{2, 5, 7}));
}

TEST(SeenList, RoomThatWasMadeIsForWhateverIsSeenNext) {
  SeenOrder order;
  SeenList<std::unique_ptr<int>> list(order);
  list.make_room();
  list.make_room();
  order.make_room(3);
  order.see(3);
  list.at(3) = std::make_unique<int>(3);
  EXPECT_EQ(*list[3], 3);
  EXPECT_EQ(list[0], nullptr);
  order.clear();
  EXPECT_FALSE(order.has_seen(3));
  EXPECT_EQ(order.next(), 0U);
}

}  // namespace
}  // namespace prescope
