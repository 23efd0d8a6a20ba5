// docs/metrics.md names every metric of the program with its type and labels, and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "serve/metrics/metrics.h"
#include "support/full_summary.h"
#include "support/metric_samples.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

std::string night_metrics() {
  const std::vector<Night> nights = {{.number = 1,
                                      .arm = "bm25",
                                      .means = {{"PRES@100", {.mean = 0.5, .topics = 2}}},
                                      .p95_ms = 1,
                                      .decided_by = {"PRES@100", "R@100"}}};
  return serve::night_metrics_text(nights, utc_now());
}

std::string fleet_metrics() {
  const std::vector<FleetSession::Server> servers{{.name = "search1"}};
  return serve::fleet_metrics_text(servers) + serve::ship_metrics_text({.last_error = "e"});
}

std::vector<std::string> all_texts() {
  return {serve::metrics_text(full_summary(), 0.5), serve::metrics_text(full_split_summary()),
          night_metrics(), serve::server_metrics_text({}), fleet_metrics()};
}

struct Described {
  std::string type;
  std::set<std::string> labels;
  friend bool operator==(const Described&, const Described&) = default;
};

void PrintTo(const Described& metric, std::ostream* out) {
  *out << metric.type << ":";
  for (const std::string& label : metric.labels) *out << " " << label;
}

/// Returns the words of a text that are in code marks.
std::set<std::string> code_words(const std::string& text) {
  std::set<std::string> words;
  const std::regex word("`([a-z_]+)`");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    words.insert((*it)[1]);
  }
  return words;
}

/// Rows of the tables: | `name` | type | unit | `label`, ... | meaning |
std::map<std::string, Described> documented() {
  std::map<std::string, Described> metrics;
  const std::string text = content_of(PRESCOPE_SOURCE_DIR "/docs/metrics.md");
  const std::regex row(R"(\n\| `(prescope_\w+)` \| (\w+) \| [^|]* \|([^|]*)\|)");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
    metrics[(*it)[1]] = {.type = (*it)[2], .labels = code_words((*it)[3])};
  }
  return metrics;
}

/// Returns the family of a sample: its name without the suffixes of histograms and summaries.
std::string family_of(const std::string& sample, const std::map<std::string, std::string>& types) {
  std::string name = sample.substr(0, sample.find('{'));
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (types.contains(name) || !name.ends_with(suffix)) continue;
    name.resize(name.size() - suffix.size());
  }
  return name;
}

std::map<std::string, Described> written() {
  std::map<std::string, Described> metrics;
  for (const std::string& text : all_texts()) {
    const std::map<std::string, std::string> types = metric_types(text);
    for (const auto& [sample, value] : metric_samples(text)) {
      const std::string family = family_of(sample, types);
      metrics[family].type = types.at(family);
      const std::regex label(R"re(([a-z_]+)="[^"]*")re");
      for (std::sregex_iterator it(sample.begin(), sample.end(), label), end; it != end; ++it) {
        metrics[family].labels.insert((*it)[1]);
      }
    }
  }
  return metrics;
}

TEST(MetricsDocumentation, NamesEveryMetricWithItsTypeAndLabelsAndNoOther) {
  EXPECT_THAT(documented(), ::testing::ContainerEq(written()));
}

/// Every value of a label is explained, except for numbers and names that users choose.
TEST(MetricsDocumentation, NamesEveryValueOfALabel) {
  const std::string text = content_of(PRESCOPE_SOURCE_DIR "/docs/metrics.md");
  const std::set<std::string> free = {"experiment", "arm",     "a",       "b",    "slice",
                                      "guardrail",  "measure", "version", "le",   "quantile",
                                      "primary",    "server",  "store",   "error"};
  const std::regex label(R"re(([a-z_]+)="([^"]*)")re");
  const std::string metrics = fmt::to_string(fmt::join(all_texts(), ""));
  for (std::sregex_iterator it(metrics.begin(), metrics.end(), label), end; it != end; ++it) {
    if (free.contains((*it)[1])) continue;
    EXPECT_NE(text.find("`" + (*it)[2].str() + "`"), std::string::npos) << it->str();
  }
}

/// The numbers of the table of series, in its order.
std::vector<std::size_t> documented_series() {
  std::string text = content_of(PRESCOPE_SOURCE_DIR "/docs/metrics.md");
  text.erase(0, text.find("## Number of series"));
  std::vector<std::size_t> numbers;
  const std::regex row(R"(\n\| [a-z ,]+ \| (\d+) \|)");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
    numbers.push_back(std::stoul((*it)[1]));
  }
  return numbers;
}

TEST(MetricsDocumentation, NamesTheNumberOfSeries) {
  const std::vector<std::size_t> each = documented_series();
  ASSERT_EQ(each.size(), 13U);
  EXPECT_EQ(metric_samples(serve::server_metrics_text({})).size(), each[0]);
  Summary summary = full_summary();  // 2 arms, 1 pair, 2 measures, 1 slice, paired
  summary.pairs[0].differences[1].live->detectable = 0.5;
  EXPECT_EQ(metric_samples(serve::metrics_text(summary, 0.5)).size(),
            each[1] + each[2] + 2 * (each[3] + each[4] + 2 * (each[5] + each[6])) + each[7] +
                2 * each[8] + each[9] + each[10] + each[11] + each[12]);
  summary.mode = Mode::kObserve;
  for (ArmSummary& arm : summary.arms) arm.shadow_latency = {};
  summary.measures.resize(1, summary.measures[0]);
  for (ArmSummary& arm : summary.arms) {
    arm.means.resize(1, arm.means[0]);
    arm.served_means.clear();
  }
  for (TopicRow& row : summary.rows) {
    for (TopicRow::Arm& arm : row.arms)
      arm.means.resize(std::min<std::size_t>(1, arm.means.size()));
  }
  summary.pairs.clear();
  EXPECT_EQ(metric_samples(serve::metrics_text(summary, 0.5)).size(),
            each[1] + 2 * (each[3] + each[5]));
}

}  // namespace
}  // namespace prescope
