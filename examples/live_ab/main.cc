// live_ab: a small search server that compares two rankings while it serves. See README.md.

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "corpus.h"
#include "load.h"
#include "options.h"
#include "overhead.h"
#include "prescope/actions.h"
#include "prescope/dashboard.h"
#include "prescope/observation_log.h"
#include "prescope/shipper.h"
#include "report.h"
#include "search_server.h"
#include "serving.h"

namespace live_ab {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

void warn(const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); }

/// Pauses an arm that a verdict says is worse than the first.
void pause_worse_arm(const prescope::Event& event, prescope::Experiment& experiment) {
  experiment.pause_arm(experiment.arm(event.arm));
  warn(fmt::format("paused {}: {}", event.arm, event.sentence));
}

prescope::ExperimentOptions experiment_options(const Options& options, RankingCheck* check) {
  prescope::ExperimentOptions made;
  made.name = "live_ab";
  made.arms = {std::begin(kArms), std::end(kArms)};
  made.cutoffs = {100, kDepth};
  made.mode = options.mode;
  // The index is refreshed all the time, by little.
  made.epochs = prescope::EpochRule::kConfiguration;
  if (!options.store.empty()) {
    made.logs.push_back(prescope::log_to_store(options.store, {.on_warning = warn}));
  }
  if (!options.log.empty()) {
    made.logs.push_back(prescope::log_to_json_lines(options.log, {.on_warning = warn}));
  }
  if (options.serve) {
    made.services.push_back(
        prescope::dashboard({.port = options.port, .on_listening = [](const std::string& url) {
                               fmt::print(stderr, "serving {}\n", url);
                             }}));
  }
  if (options.pause_worse) {
    made.services.push_back(prescope::actions(
        {.on = {prescope::EventKind::kWorse}, .on_event = pause_worse_arm, .on_warning = warn}));
  }
  if (!options.fleet.empty()) {
    made.services.push_back(prescope::follow_decisions(
        options.store, {.to = options.fleet, .server = options.server, .on_warning = warn}));
  }
  if (check != nullptr) {
    made.on_observation = [check](const prescope::Observation& one) { check->recorded(one); };
  }
  return made;
}

/// Shows the summary each second, until the time is up or the program is interrupted.
void watch(const prescope::Experiment& experiment, double seconds) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  auto next_table = Clock::now() + std::chrono::seconds(1);
  while (interrupted == 0 && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (Clock::now() < next_table) continue;
    show(*experiment.latest());
    next_table += std::chrono::seconds(1);
  }
}

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options),
        corpus_(make_corpus(options)),
        check_(corpus_.citations),
        experiment_(corpus_.citations,
                    experiment_options(options, options.check ? &check_ : nullptr)),
        server_(corpus_, options.seed, experiment_,
                options.bad_arm ? Bm25::kTitlesOnly : Bm25::kTitlesAndTexts),
        traffic_(corpus_, options.seed) {}

  /// Returns the number of observations that the logs lost.
  std::uint64_t run() {
    Outcome outcome = options_.overhead ? measure() : serve();
    experiment_.end_logs();
    const auto summary = experiment_.summary();
    if (options_.check) outcome.check = check_.result();
    show(*summary);
    fmt::print("{}", to_text(outcome));
    if (!options_.json.empty()) write_json(options_.json, *summary, options_, outcome);
    const prescope::Health& health = summary->health;
    return health.log_queue_full + health.log_write_failures + health.log_lost_with_file;
  }

 private:
  Outcome serve() {
    Serving serving(server_, experiment_, options_.mode, options_.check ? &check_ : nullptr);
    server_.start_changing();
    Load load(traffic_, [&](const Query& query) { serving.answer(query); },
              {.threads = options_.threads, .rate = options_.rate});
    watch(experiment_, options_.seconds);
    Outcome outcome;
    outcome.load = load.stop();
    server_.stop();
    experiment_.drain_shadow();  // so that the last summary has all searches for comparison
    outcome.searches = serving.searches();
    outcome.generations = server_.generations();
    return outcome;
  }

  Outcome measure() {
    Outcome outcome;
    outcome.overhead = measure_overhead(
        *server_.snapshot(), experiment_, traffic_,
        {.threads = options_.threads, .seconds = options_.seconds, .seed = options_.seed},
        [] { return interrupted == 0; });
    return outcome;
  }

  Options options_;
  Corpus corpus_;
  RankingCheck check_;
  prescope::Experiment experiment_;
  SearchServer server_;
  Traffic traffic_;
};

int run(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (!options) return 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int) { interrupted = 1; });
  }
  const std::uint64_t lost = Run(*options).run();
  if (lost == 0) return 0;
  fmt::print(stderr, "live_ab: {} observations are not in the logs\n", lost);
  return 1;
}

}  // namespace
}  // namespace live_ab

int main(int argc, char** argv) {
  try {
    return live_ab::run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "live_ab: {}\n", failure.what());
    return 2;
  }
}
