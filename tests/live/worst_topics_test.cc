// While topics change, the kept losses equal the largest ones that a look at all topics finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "live/ledger/scores.h"

namespace prescope {
namespace {

using Loss = WorstTopics::Loss;

std::vector<Loss> found_by_looking(const std::vector<double>& differences) {
  std::vector<Loss> losses;
  for (std::uint32_t t = 0; t < differences.size(); ++t) {
    if (differences[t] < 0.0) losses.emplace_back(differences[t], TopicIndex(t));
  }
  std::ranges::sort(losses);
  losses.resize(std::min<std::size_t>(losses.size(), 5));
  return losses;
}

TEST(WorstTopics, AreThoseThatLookingAtAllFinds) {
  std::mt19937 random(7);
  for (const std::uint32_t topics : {4U, 20U, 500U}) {
    WorstTopics worst;
    std::vector<double> differences(topics, std::numeric_limits<double>::quiet_NaN());
    int rebuilt = 0;
    for (int step = 0; step < 20'000; ++step) {
      // Losses come, many of them equal; then the largest ones go.
      const std::vector<Loss> now = found_by_looking(differences);
      const bool goes = !now.empty() && step / 1000 % 2 == 1;
      const auto any = static_cast<std::uint32_t>(random() % topics);
      const std::uint32_t t = goes ? now[random() % now.size()].second.value() : any;
      worst.take_out(differences[t], TopicIndex(t));
      differences[t] = goes ? 0.5 : (static_cast<double>(random() % 20) - 15.0) / 10.0;
      worst.add(differences[t], TopicIndex(t));
      if (worst.is_short()) {
        ++rebuilt;
        worst.clear();
        for (std::uint32_t i = 0; i < topics; ++i) worst.add(differences[i], TopicIndex(i));
      }
      const std::vector<Loss> kept(worst.losses().begin(), worst.losses().end());
      ASSERT_EQ(kept, found_by_looking(differences)) << topics << " topics, step " << step;
    }
    EXPECT_EQ(rebuilt > 0, topics == 500) << "more losses than are kept";
  }
}

}  // namespace
}  // namespace prescope
