// A host that confirms a verdict at once and runs a command for it, until it is killed. It prints
// "event ID" when the journal has the event.
//   action_host JOURNAL COMMAND
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "actions/decided_experiment.h"

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const auto say = [](const prescope::Event& event, prescope::Experiment&) {
    std::printf("event %s\n", event.id.c_str());
    std::fflush(stdout);
  };
  prescope::Experiment experiment(
      prescope::DecidedTraffic::qrels(),
      prescope::DecidedTraffic::options({.on_event = say, .command = argv[2], .journal = argv[1]}));
  prescope::DecidedTraffic::serve(experiment);
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}
