#include "prescope/shared_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <ranges>
#include <string>

namespace prescope {
namespace {

static_assert(std::ranges::random_access_range<SharedList<std::string>>);

std::vector<std::string> numbers_up_to(std::size_t size) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < size; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

TEST(SharedList, HasItsElementsInOrderAtEverySizeOfItsBlocks) {
  for (const std::size_t size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 8192, 8193, 12'345}) {
    const std::vector<std::string> elements = numbers_up_to(size);
    const SharedList<std::string> list(elements);
    EXPECT_EQ(list.size(), size);
    EXPECT_EQ(list.empty(), size == 0);
    EXPECT_TRUE(std::ranges::equal(list, elements)) << size;
    if (size == 0) continue;
    EXPECT_EQ(*(list.end() - 1), elements.back());
  }
}

TEST(SharedList, CopiesThatAreChangedLeaveTheOthersAsTheyWere) {
  std::mt19937 random(7);
  std::vector<std::vector<std::string>> expected{numbers_up_to(5000)};
  std::vector<SharedList<std::string>> lists{SharedList(expected[0])};
  for (int version = 1; version < 50; ++version) {
    expected.push_back(expected[random() % expected.size()]);
    lists.push_back(SharedList(expected.back()));
    const std::size_t from = random() % (lists.size() - 1);
    lists.back() = lists[from];
    expected.back() = expected[from];
    const std::size_t i = random() % 5000;
    lists.back().set(i, "version " + std::to_string(version));
    expected.back()[i] = "version " + std::to_string(version);
  }
  for (std::size_t v = 0; v < lists.size(); ++v) {
    EXPECT_TRUE(std::ranges::equal(lists[v], expected[v])) << "version " << v;
  }
}

TEST(SharedList, NamesTheBlocksThatAreNotShared) {
  const SharedList<std::string> before(numbers_up_to(10'000));
  SharedList<std::string> now = before;
  const auto unshared = [&](const SharedList<std::string>& with) {
    std::vector<std::size_t> places;
    now.for_each_unshared(with, [&](std::size_t i) { places.push_back(i); });
    return places;
  };
  EXPECT_TRUE(unshared(before).empty());
  now.set(130, "other");
  now.set(9999, "other");
  const std::vector<std::size_t> places = unshared(before);
  EXPECT_EQ(places.size(), 64U + 10'000U % 64U) << "the blocks of 64 from 128 on and from 9984 on";
  EXPECT_EQ(places.front(), 128U);
  EXPECT_EQ(places.back(), 9999U);
  EXPECT_EQ(unshared({}).size(), 10'000U) << "of an empty list nothing is shared";
}

}  // namespace
}  // namespace prescope
