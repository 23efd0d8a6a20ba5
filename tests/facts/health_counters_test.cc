// The one list of the counters of health.
#include "facts/health_counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include "support/scratch_file.h"

namespace prescope {
namespace {

// The page may add to the words, and has the advice.
TEST(HealthCounters, AreDocumentedInTheWordsOfTheList) {
  const std::string page = content_of(PRESCOPE_SOURCE_DIR "/docs/live.md");
  std::size_t end = page.find("| counter | what it counts | series | what to do |");
  for (const HealthCounter& one : health_counters()) {
    const std::string row = fmt::format("\n| `{}` | {} {}", one.name, one.noun.plural, one.what);
    const std::size_t begin = page.find(row, end);
    ASSERT_NE(begin, std::string::npos) << row;
    end = page.find('\n', begin + 1);
    const auto metric = std::ranges::find(health_metrics(), one.metric, &HealthMetric::name);
    const std::string label =
        one.label.empty() ? "" : fmt::format("{{{}=\"{}\"}}", metric->label, one.label);
    EXPECT_THAT(page.substr(begin, end - begin),
                ::testing::HasSubstr(fmt::format(" | `{}{}` | ", one.metric, label)));
  }
}

TEST(HealthCounters, SentencesSayWhatIsCounted) {
  EXPECT_EQ(sentence(health_counters()[2]), "Observations dropped: the recorder's queue was full.");
}

}  // namespace
}  // namespace prescope
