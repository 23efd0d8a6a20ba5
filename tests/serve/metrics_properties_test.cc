// After any events, no counter of the metrics ever falls.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "live/summary/summarize.h"
#include "serve/metrics/metrics.h"
#include "support/ledger_traffic.h"
#include "support/metric_samples.h"

namespace prescope {
namespace {

/// One experiment that is scraped again and again.
class Scraped {
 public:
  explicit Scraped(LedgerTraffic& server) : server_(server) { scrape(); }

  /// Compares with the scrape before.
  void expect_no_counter_fell() {
    const MetricSamples before = samples_;
    scrape();
    for (const auto& [sample, value] : samples_) {
      if (!is_counter(sample) || !before.contains(sample)) continue;
      EXPECT_GE(value, before.at(sample)) << sample;
      rose_ += value > before.at(sample) ? 1 : 0;
    }
  }
  [[nodiscard]] int rose() const { return rose_; }

 private:
  void scrape() {
    std::vector<ArmFacts> arms;
    for (std::uint32_t a = 0; a < server_.ledger.num_arms(); ++a) {
      const bool removed = server_.ledger.arm(ArmIndex(a)).is_removed();
      arms.push_back({.id = ArmId("arm " + std::to_string(a)),
                      .status = removed ? ArmStatus::kRemoved : ArmStatus::kActive});
    }
    const std::string text = serve::metrics_text(
        summarize(server_.ledger, {.experiment = "e", .arms = arms}, SummaryDetail::kEveryTopic));
    types_ = metric_types(text);
    samples_ = metric_samples(text);
  }

  /// Samples of counters, of histograms, and the count and the sum of quantiles.
  [[nodiscard]] bool is_counter(const std::string& sample) const {
    const std::string name = sample.substr(0, sample.find('{'));
    if (const auto own = types_.find(name); own != types_.end()) return own->second == "counter";
    return true;
  }

  LedgerTraffic& server_;
  MetricSamples samples_;
  std::map<std::string, std::string> types_;
  int rose_ = 0;
};

class MetricsProperties : public ::testing::TestWithParam<Mode> {
 protected:
  const Scorer scorer_{parse_measures("PRES@5 R@10 AP GMAP")};
};

TEST_P(MetricsProperties, CountersNeverFall) {
  int rose = 0;
  for (std::uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Judgements judgements(dice);
    LedgerTraffic server(judgements, scorer_, {.mode = GetParam()}, dice);
    Scraped scraped(server);
    for (int i = 0; i < 120 && !HasFailure(); ++i) {
      const std::uint32_t event = dice.below(60);
      if (event == 0) {
        server.renew_index();
      } else if (event == 1) {
        server.change_arms();
        scraped.expect_no_counter_fell();
      } else if (event == 2) {
        judgements.change(dice);
        (void)server.rejudge();
      } else {
        server.serve();
      }
      if (i % 8 == 0) scraped.expect_no_counter_fell();
    }
    rose += scraped.rose();
  }
  EXPECT_GT(rose, 5000) << "otherwise nothing was shown";
}

INSTANTIATE_TEST_SUITE_P(Modes, MetricsProperties, kEveryMode, mode_name);

}  // namespace
}  // namespace prescope
