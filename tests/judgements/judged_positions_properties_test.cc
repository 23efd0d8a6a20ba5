#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "prescope/resolved_qrels.h"

namespace prescope {
namespace {

/// Some of `docids`, each for one judged document of one topic.
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
  return ResolvedQrels(judged, std::move(resolutions), 1, 1'000'000);
}

/// Positions of the judged ones among `docids`, and which entry each is.
std::vector<std::pair<std::uint32_t, std::uint32_t>> positions(const ResolvedQrels& table,
                                                               const std::vector<DocId>& docids) {
  const ResolvedQrels::Topic& topic = table.topic(TopicIndex(0));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t d = 0; d < docids.size(); ++d) {
    const ResolvedQrels::Entry* const entry = topic.find(docids[d]);
    if (entry == nullptr) continue;
    pairs.emplace_back(d, static_cast<std::uint32_t>(entry - topic.entries.data()));
  }
  return pairs;
}

TEST(JudgedPositions, EqualComparingEachWithEach) {
  std::mt19937_64 random(20100719);
  for (int i = 0; i < 5'000; ++i) {
    // Few distinct docids, so that many repeat.
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
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (std::uint32_t d = 0; d < served; ++d) {
      docids.emplace_back(static_cast<std::uint32_t>(random() % distinct) * 4096U / 3U);
      const auto entry = std::ranges::find(entries, docids.back().value());
      if (entry == entries.end()) continue;
      expected.emplace_back(d, static_cast<std::uint32_t>(entry - entries.begin()));
    }
    const ResolvedQrels table = resolved(entries);
    ASSERT_EQ(positions(table, docids), expected)
        << judged << " judged, " << served << " served, case " << i;
  }
}

}  // namespace
}  // namespace prescope
