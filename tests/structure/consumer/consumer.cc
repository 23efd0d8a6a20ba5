// A host with an engine of its own that answers docnos; it needs only the installed library.

#include <cstdio>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"

int main() {
  using namespace prescope;
  const std::vector<Qrels::Line> citations = {{TopicId{"T"}, Docno{"EP2"}, 1}};
  Experiment experiment(Qrels::from_lines(citations), {.arms = {"mine"}, .cutoffs = {2}});
  {
    const std::vector<std::string_view> served = {"EP1", "EP2"};
    QueryScope scope(experiment, TopicId{"T"});
    experiment.observe({.arm = experiment.arm("mine"),
                        .kind = HitKind::kDocnos,
                        .docnos = served,
                        .requested_depth = 2});
  }
  // One relevant document, served at rank 2 of 2: PRES = (2 + 1 - 2) / (1 * 2).
  const auto summary = experiment.summary();
  const auto pres = summary->arms[0].means[0].mean;
  std::printf("%s %f\n", summary->measures[0].name().c_str(), pres.value_or(-1));
  return pres == 0.5 ? 0 : 1;
}
