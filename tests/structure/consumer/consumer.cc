// A host with an engine of its own that answers docnos, and the same ranking as a run; it needs
// only the installed library.

#include <cstdio>
#include <string_view>
#include <vector>

#include "prescope/offline.h"
#include "prescope/served_request.h"

using namespace prescope;

namespace {

const std::vector<std::string_view> kServed = {"EP1", "EP2"};

Qrels citations() {
  const std::vector<Qrels::Line> lines = {{TopicId{"T"}, Docno{"EP2"}, 1}};
  return Qrels::from_lines(lines);
}

std::optional<double> pres_of_live_traffic() {
  Experiment experiment(citations(), {.arms = {"mine"}, .cutoffs = {2}});
  const auto search = [&](ArmIndex arm) {
    return experiment.observe(
        {.arm = arm, .kind = HitKind::kDocnos, .docnos = kServed, .requested_depth = 2});
  };
  const ServedRequest served(experiment, {.topic = "T"}, search);
  if (*served != Outcome::kRecorded) return std::nullopt;
  return experiment.summary()->arms[0].means[0].mean;
}

std::optional<double> pres_of_run() {
  const std::vector<std::string_view> topics = {"T", "T"};
  const std::vector<double> scores = {2.0, 1.0};
  const JudgedRun run = JudgedRun::from_columns(citations(), topics, kServed, scores);
  return evaluate(run, parse_measures("PRES@2")).means[0].mean;
}

}  // namespace

// One relevant document, served at rank 2 of 2: PRES = (2 + 1 - 2) / (1 * 2).
int main() {
  const auto live = pres_of_live_traffic(), offline = pres_of_run();
  std::printf("PRES@2 %f\n", live.value_or(-1));
  return live == 0.5 && offline == 0.5 ? 0 : 1;
}
