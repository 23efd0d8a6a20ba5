#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "prescope/actions.h"
#include "prescope/experiment.h"

namespace prescope {

/// Paired traffic of two arms, "good" and "bad", in which one visit of each topic decides: "good"
/// has the one relevant document at rank 1, "bad" at rank 10 or not at all.
class DecidedTraffic {
 public:
  static constexpr std::uint32_t kTopics = 200;

  static Qrels qrels() {
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      lines.push_back({topic(t), Docno("d" + std::to_string(t))});
    }
    return Qrels::from_lines(lines);
  }
  static ExperimentOptions options(ActionOptions acting) {
    ExperimentOptions options{
        .name = "autumn", .arms = {"good", "bad"}, .measures = {"PRES@10"}, .mode = Mode::kPaired};
    options.shadow.latency = ShadowOptions::Latency::kNotCompared;
    options.recording.publish_interval = std::chrono::milliseconds(10);
    options.services.push_back(actions(std::move(acting)));
    return options;
  }

  enum class Bad { kRanksLast, kFindsNothing };
  /// Each topic once.
  static void serve(Experiment& experiment, Bad bad = Bad::kRanksLast) {
    const std::uint64_t generation = experiment.next_generation();
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      const Visit visit = experiment.visit(topic(t));
      const std::string relevant = "d" + std::to_string(t);
      std::array<std::string_view, 10> first{relevant, "x1", "x2", "x3", "x4",
                                             "x5",     "x6", "x7", "x8", "x9"};
      std::array<std::string_view, 10> last{"x1", "x2", "x3", "x4", "x5",
                                            "x6", "x7", "x8", "x9", "x10"};
      if (bad == Bad::kRanksLast) last.back() = relevant;
      const auto ranking = [&](std::uint32_t arm, std::span<const std::string_view> docnos) {
        return Ranking{.arm = ArmIndex(arm),
                       .kind = HitKind::kDocnos,
                       .generation = generation,
                       .docnos = docnos,
                       .requested_depth = 10,
                       .latency = std::chrono::milliseconds(1)};
      };
      experiment.observe(visit, ranking(0, first));
      if (!experiment.wants_shadow(visit)) continue;  // the other arm is paused
      const std::array compared{ranking(1, last)};
      experiment.observe_comparison(visit, ArmIndex(0), compared);
    }
  }

 private:
  static TopicId topic(std::uint32_t number) { return TopicId("t" + std::to_string(number)); }
};

}  // namespace prescope
