#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/judged_positions.h"

namespace prescope {
namespace {

/// Some of `docids`, each for one judged document of one topic, with prefilter and all.
ResolvedQrels resolved(const std::vector<std::uint32_t>& docids) {
  std::vector<Qrels::Line> lines = {{TopicId("t"), Docno("none"), 1}};
  for (const std::uint32_t docid : docids) {
    lines.push_back({TopicId("t"), Docno(std::to_string(docid)), 1});
  }
  const JudgedDocnos judged(Qrels::from_lines(lines));
  std::vector<Resolution> resolutions;
  for (const std::uint32_t docid : docids) {
    resolutions.push_back({judged.find(std::to_string(docid)), DocId(docid)});
  }
  return ResolvedQrels(judged, 1, std::move(resolutions), 1, 1'000'000);
}

TEST(JudgedPositions, AreThoseOfComparingEachWithEach) {
  std::mt19937_64 random(20100719);
  for (int i = 0; i < 5'000; ++i) {
    // From nothing to more than is compared at once; few distinct docids, so that many repeat.
    const std::size_t judged = random() % 40, served = random() % 130;
    const std::uint32_t distinct = 1 + static_cast<std::uint32_t>(random() % 200);
    std::vector<std::uint32_t> entries;
    for (std::size_t e = 0; e < judged; ++e) {
      entries.push_back(static_cast<std::uint32_t>(random() % distinct) * 4096U / 3U);
    }
    std::ranges::sort(entries);
    const auto repeats = std::ranges::unique(entries);
    entries.erase(repeats.begin(), repeats.end());
    std::vector<DocId> docids;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t d = 0; d < served; ++d) {
      docids.emplace_back(static_cast<std::uint32_t>(random() % distinct) * 4096U / 3U);
      if (std::ranges::count(entries, docids.back().value()) != 0) expected.push_back(d);
    }
    const ResolvedQrels table = resolved(entries);
    std::vector<std::uint32_t> positions(served);
    positions.resize(judged_positions(table.topic(TopicIndex(0)), docids, positions.data()));
    ASSERT_EQ(positions, expected) << judged << " judged, " << served << " served, case " << i;
    positions.resize(served);
    positions.resize(
        judged_positions_by_prefilter(table.topic(TopicIndex(0)), docids, positions.data()));
    ASSERT_EQ(positions, expected) << "by prefilter, case " << i;
  }
}

}  // namespace
}  // namespace prescope
