#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/commands/commands.h"
#include "cli/commands/study_command.h"
#include "cli/options/evaluation_source.h"
#include "cli/options/interrupt.h"
#include "cli/options/terminal.h"
#include "fleet/clickhouse.h"
#include "replay/self_test_replay.h"
#include "report/live/self_test_report.h"
#include "store/sessions/captured_rankings.h"

namespace prescope::cli {

namespace {

/// The keys of the table [live] that a self test has flags for.
constexpr std::array<std::string_view, 3> kSelfTestLiveKeys{"live.primary", "live.alpha",
                                                            "live.latency"};

struct SelfTestRequest {
  std::string experiment, arm;
  ReplayFlags flags;
  std::optional<std::uint64_t> visits;
  std::optional<std::uint32_t> minutes;
  std::optional<TopicDraw> draw;
  std::string store;
  std::optional<std::int64_t> session;
  bool any_arms = false;
  std::optional<std::uint32_t> resamples;
  std::optional<double> tolerance;
  StudyOutput output;
};

/// A folder for a store that nobody asked to keep.
class TemporaryFolder {
 public:
  /// Throws Error(kIo).
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "prescope-selftest-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw io_error("{}: no folder can be made there for the store: {}; name a --store",
                     std::filesystem::temp_directory_path().string(), std::strerror(errno));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

SelfTestOptions self_test_options(const SelfTestRequest& request, std::uint64_t seed) {
  SelfTestOptions options{.seed = seed};
  if (request.any_arms) options.arms = SelfTestOptions::Arms::kAnyArms;
  options.resamples = request.resamples.value_or(options.resamples);
  options.tolerance = request.tolerance.value_or(options.tolerance);
  return options;
}

/// Throws Error(kUsage) for flags that only have a meaning with an experiment file.
void check_without_experiment(const SelfTestRequest& request) {
  if (request.store.empty()) {
    throw usage_error(
        "expected an experiment file, whose arm is searched twice, or --store FILE with a session "
        "of two arms; see 'prescope selftest --help'");
  }
  if (is_fleet_url(request.store)) {
    throw usage_error(
        "--store {}: a fleet joins the sessions of all servers; test the session in the store of "
        "one of them",
        request.store);
  }
  OptionProblems problems;
  const auto refuse = [&](std::string_view flag, bool is_given) {
    if (is_given) problems.add(flag, "has no meaning without an experiment file");
  };
  refuse("--visits", request.visits.has_value());
  refuse("--minutes", request.minutes.has_value());
  refuse("--draw", request.draw.has_value());
  for (const auto& keys : {std::span<const OptionKey>(kOptionKeys), {kLiveKeys}}) {
    for (const OptionKey& key : keys) {
      const auto given = request.flags.values.find(key.key);
      if (key.key == "seed" || given == request.flags.values.end()) continue;
      refuse(key.flag, given->second.has_value());
    }
  }
  refuse("--arms", !request.flags.arms.empty());
  refuse("--arm", !request.flags.arm_settings.empty());
  problems.throw_if_any();
}

void check_with_experiment(const SelfTestRequest& request) {
  if (looks_like_store(request.experiment)) {
    throw usage_error(
        "{} is a store, and no experiment file; to read its newest session, say "
        "--store {}",
        request.experiment, request.experiment);
  }
  if (request.session) {
    throw usage_error(
        "--session names what is in a store already, and the experiment would add a session; leave "
        "one of the two out");
  }
  if (request.any_arms) {
    throw usage_error("--any-arms has a meaning only for a session that is in a store already");
  }
  if (request.visits && request.minutes) {
    throw usage_error("--visits and --minutes exclude each other; leave one out");
  }
}

/// Leaves the one arm that is tested: the named one, or else the first.
void choose_arm(const SelfTestRequest& request, ReplayOptions& options) {
  if (!request.arm.empty()) {
    std::vector<std::string_view> names;
    for (const ReplayArm& arm : options.arms) names.push_back(arm.config.id.text());
    const auto named = std::ranges::find(names, request.arm);
    if (named == names.end()) {
      throw Error(ErrorCode::kUsage, unknown_name_message("arm", request.arm, names));
    }
    std::swap(options.arms.front(), options.arms[named - names.begin()]);
  }
  options.arms.resize(1);
}

ShadowOptions::Latency latency_of(const SelfTestRequest& request, const LiveOptions& live) {
  using Latency = ShadowOptions::Latency;
  if (live.latency != Latency::kNotCompared) return live.latency;
  const auto given = request.flags.values.find("live.latency");
  if (given != request.flags.values.end() && given->second) {
    throw usage_error(
        "--latency 'not compared' leaves nothing to tell about caches and order; take 'both arms', "
        "'both arms twice' or 'both arms alike'");
  }
  return Latency::kBothArms;  // the file says nothing, or that a host need not compare latencies
}

std::uint64_t seed_of(const SelfTestRequest& request) {
  const auto& given = request.flags.values.at("seed");
  if (!given) return 1;
  std::uint64_t seed = 1;
  read_word(*given, seed);
  return seed;
}

/// Shows the visits on a terminal, and ends the test on Ctrl-C: what was seen until then is
/// reported.
class VisitWatch {
 public:
  explicit VisitWatch(const SelfTestRequest& request) {
    if (!is_terminal(stderr)) return;
    progress_.emplace("visit");
    progress_->begin(request.visits.value_or(0));
  }

  bool go_on() {
    if (progress_) progress_->tick();
    return !interrupt_.wait_for(std::chrono::milliseconds(0));
  }
  void finish() {
    if (progress_) progress_->finish();
  }

 private:
  Interrupt interrupt_;
  std::optional<Progress> progress_;
};

void print_traffic_notes(const SelfTestTraffic& traffic) {
  if (traffic.was_ended) {
    print_note(fmt::format("interrupted after {}", count_text(traffic.visits, "visit", "visits")));
  }
  if (traffic.failed > 0) {
    print_note(fmt::format("{} failed; the first: {}",
                           count_text(traffic.failed, "search", "searches"), traffic.failure));
  }
  const std::string skipped = skipped_topics_note(traffic.topics);
  if (!skipped.empty()) print_note(skipped);
}

int report_self_test(SelfTestRequest& request, const SelfTest& test) {
  request.output.write(self_test_report(test));
  return exit_code(test);
}

int test_store(SelfTestRequest& request) {
  check_without_experiment(request);
  request.output.open(std::vector<std::string>{request.store});
  return report_self_test(request, self_test(request.store, request.session,
                                             self_test_options(request, seed_of(request))));
}

int test_experiment(SelfTestRequest& request) {
  check_with_experiment(request);
  ReplayOptions options = read_replay_options(request.experiment, request.flags);
  const LiveOptions live = read_live_options(request.experiment, request.flags);
  choose_arm(request, options);
  const SelfTestOptions test_options = self_test_options(request, options.seed);
  check(test_options);
  std::vector<std::string> inputs = inputs_of(options);
  inputs.push_back(request.experiment);
  refuse_overwriting(request.store, inputs);
  inputs.push_back(request.store);
  request.output.open(inputs);

  std::optional<TemporaryFolder> temporary;
  if (request.store.empty()) temporary.emplace();
  SelfTestReplay how{.visits = request.visits,
                     .latency = latency_of(request, live),
                     .draw = request.draw.value_or(TopicDraw::kZipf),
                     .store = temporary ? temporary->path() / "selftest.store"
                                        : std::filesystem::path(request.store),
                     .on_warning = print_note};
  how.minutes = std::chrono::minutes(request.minutes.value_or(60));
  SelfTestTraffic traffic;
  {
    VisitWatch watch(request);
    how.on_visit = [&](std::uint64_t, std::chrono::milliseconds) { return watch.go_on(); };
    traffic = replay_self_test(options, live, how);
    watch.finish();
  }
  print_traffic_notes(traffic);
  SelfTest test = self_test(how.store, traffic.session, test_options);
  test.is_kept = !temporary;
  return report_self_test(request, test);
}

int run_selftest(SelfTestRequest& request) {
  return request.experiment.empty() ? test_store(request) : test_experiment(request);
}

}  // namespace

void add_selftest_command(Command& program) {
  const auto [command, request] = program.add_command(
      "selftest", "An arm against itself: false verdicts, cache bias and order effect.",
      run_selftest);
  command.add("EXPERIMENT", request.experiment, "FILE",
              "Experiment file (TOML) whose arm is searched twice");
  command.add("ARM", request.arm, "ARM", "Its arm to test (the first)");
  command.add("--visits", request.visits, "N", "Visits, each with searches for comparison",
              Limits{1, std::numeric_limits<std::int64_t>::max()});
  command.add("--minutes", request.minutes, "N", "How long to search, instead (60)",
              Limits{1, 10'080});
  command.add_choice("--draw", request.draw,
                     {{"zipf", TopicDraw::kZipf}, {"uniform", TopicDraw::kUniform}}, "HOW",
                     "Topics of the visits: zipf, few of them often, or uniform (zipf)");
  command.add("--store", request.store, "FILE",
              "Store of the observations, which is kept; without an experiment file, the store to "
              "read");
  command.add("--session", request.session, "N",
              "Session to read, as 'prescope log' numbers them (the newest)", Limits{});
  command.add_flag("--any-arms", request.any_arms,
                   "Read a session whose arms are described as different, too");
  command.add("--tolerance", request.tolerance, "X",
              "Latencies are alike up to a factor of 1 + X (0.05)");
  command.add("--resamples", request.resamples, "N",
              "Random signs, and salts, by which the scores are dealt out anew (1000)",
              Limits{1, 10'000'000});
  request.output.add_to(command);
  add_experiment_flags(command, request.flags);
  for (const OptionKey& key : kLiveKeys) {
    if (std::ranges::count(kSelfTestLiveKeys, key.key) > 0) add_flag(command, key, request.flags);
  }
  command.footer(
      "Exit code: 0 nothing was found, 1 something was, 3 more visits are needed, 2 bad input or "
      "usage.\n\n"
      "Examples:\n"
      "  prescope selftest experiment.toml\n"
      "  prescope selftest experiment.toml bm25 --visits 5000 --html selftest.html\n"
      "  prescope selftest experiment.toml --latency 'both arms twice' --store selftest.store\n"
      "  prescope selftest --store live.store --session 3");
}

}  // namespace prescope::cli
