// Time of the site's answers without HTTP: 10,000 topics, 4 arms, PRES, R and AP at 100 and 1000,
// beside the summaries that they are made from.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "benchmarks/bars.h"
#include "prescope/experiment.h"
#include "serve/site/site.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kTopics = 10000, kArms = 4, kJudged = 6, kDepth = 100;
constexpr std::uint64_t kSeed = 1;

serve::Request request(std::string path, std::map<std::string, std::string> query = {}) {
  return {.path = std::move(path), .query = std::move(query)};
}

std::string topic_name(std::uint32_t topic) { return fmt::format("EP{:07}A1", topic); }

Qrels qrels() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTopics; ++t) {
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      lines.push_back({TopicId(topic_name(t)), Docno(fmt::format("D{:05}-{}", t, j)), 1});
    }
  }
  return Qrels::from_lines(lines);
}

/// Every topic served once by every arm.
class Served {
 public:
  static Served& instance() {
    static Served served;
    return served;
  }
  Experiment experiment{qrels(), {.name = "benchmark", .arms = {"a", "b", "c", "d"}}};

 private:
  Served() {
    std::mt19937_64 random(kSeed);
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      for (std::uint32_t a = 0; a < kArms; ++a) serve(ArmIndex(a), t, random);
      if (t % 100 == 0) experiment.flush();
    }
    experiment.flush();
    // Waits for the last publication, because a site answers from it.
    while (experiment.latest()->health.recorded < std::uint64_t{kTopics} * kArms) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void serve(ArmIndex arm, std::uint32_t topic, std::mt19937_64& random) {
    const std::string name = topic_name(topic);
    const QueryScope scope(experiment, TopicId(name));
    std::array<std::string, kJudged> judged;
    std::vector<std::string_view> docnos(kDepth, "other");
    for (std::uint32_t j = 0; j < kJudged; ++j) {
      judged[j] = fmt::format("D{:05}-{}", topic, j);
      if (random() % 2 == 0) docnos[random() % kDepth] = judged[j];
    }
    experiment.observe({.arm = arm,
                        .kind = HitKind::kDocnos,
                        .docnos = docnos,
                        .requested_depth = kDepth,
                        .total_hits = kDepth,
                        .search_started = std::chrono::steady_clock::now()});
  }
};

/// Returns a new summary at each request.
class AlwaysNew final : public serve::Source {
 public:
  explicit AlwaysNew(Experiment& experiment) : Source("live"), experiment_(experiment) {
    for (auto& each : verdicts_) each = experiment.summary(SummaryDetail::kVerdicts);
    for (auto& each : every_topic_) each = experiment.summary(SummaryDetail::kEveryTopic);
  }
  Picture newest() override { return {verdicts_[++verdicts_given_ % 2], UtcTime{}}; }
  std::shared_ptr<const Summary> every_topic() override {
    return every_topic_[++every_topic_given_ % 2];
  }
  std::optional<TopicDetail> topic(const TopicId& id) override { return experiment_.topic(id); }
  std::vector<ArmId> arms() const override {
    return {experiment_.arms().begin(), experiment_.arms().end()};
  }

 private:
  Experiment& experiment_;
  std::array<std::shared_ptr<const Summary>, 2> verdicts_, every_topic_;
  std::size_t verdicts_given_ = 0, every_topic_given_ = 0;
};

template <class Work>
void timed(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    const double began = cpu_seconds();
    work();
    state.SetIterationTime(cpu_seconds() - began);
  }
}

void summary_of(benchmark::State& state, SummaryDetail detail) {
  Experiment& experiment = Served::instance().experiment;
  timed(state, [&] { benchmark::DoNotOptimize(experiment.summary(detail)); });
}
void summary_with_verdicts(benchmark::State& state) { summary_of(state, SummaryDetail::kVerdicts); }
void summary_with_every_topic(benchmark::State& state) {
  summary_of(state, SummaryDetail::kEveryTopic);
}

using nlohmann::json;

/// Returns true if the documents agree with the summary.
bool answers_are_right(serve::Handler& site) {
  const auto get = [&](const std::string& path) {
    return json::parse(*site.get(request(path)).body);
  };
  const auto summary = Served::instance().experiment.summary();
  const json arms = get("/api/summary")["summary"]["arms"], sweep = get("/api/sweep");
  const double pres = summary->arms[3].means[0].mean.value();
  return arms.size() == kArms && arms[3]["means"]["PRES@100"]["mean"] == pres &&
         get("/api/topics")["losses"] == summary->pairs[0].differences[0].losses &&
         std::abs(sweep["arms"][3]["PRES"].back().get<double>() - pres) < 1e-12 &&
         get("/api/topic/" + topic_name(17))["citations"].size() == kJudged;
}

void answer(benchmark::State& state, std::unique_ptr<serve::Handler> site,
            const serve::Request& asked) {
  if (!answers_are_right(*site)) return state.SkipWithError("wrong answers");
  std::size_t bytes = 0;
  timed(state, [&] { bytes = site->get(asked).body->size(); });
  state.counters["bytes"] = static_cast<double>(bytes);
}
void answer_anew(benchmark::State& state, const serve::Request& asked) {
  answer(state, serve::site_of(std::make_unique<AlwaysNew>(Served::instance().experiment)), asked);
}
void answer_again(benchmark::State& state, const serve::Request& asked) {
  answer(state, serve::experiment_site(Served::instance().experiment), asked);
}

void api_summary(benchmark::State& state) { answer_anew(state, request("/api/summary")); }
void api_summary_again(benchmark::State& state) { answer_again(state, request("/api/summary")); }
void api_topics(benchmark::State& state) { answer_anew(state, request("/api/topics")); }
void api_topics_again(benchmark::State& state) {
  answer_again(state, request("/api/topics", {{"page", "3"}, {"search", "12"}}));
}
void api_topics_500(benchmark::State& state) {
  answer_again(state, request("/api/topics", {{"size", "500"}}));
}
void api_topic(benchmark::State& state) {
  answer_again(state, request("/api/topic/" + topic_name(4711)));
}
void api_sweep(benchmark::State& state) { answer_anew(state, request("/api/sweep")); }

void as_answer(benchmark::internal::Benchmark* one) {
  one->UseManualTime()->Iterations(20)->Repetitions(9)->ReportAggregatesOnly()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK(summary_with_verdicts)->Apply(as_answer);
BENCHMARK(summary_with_every_topic)->Apply(as_answer);
BENCHMARK(api_summary)->Apply(as_answer);
BENCHMARK(api_summary_again)->Apply(as_answer);
BENCHMARK(api_topics)->Apply(as_answer);
BENCHMARK(api_topics_again)->Apply(as_answer);
BENCHMARK(api_topics_500)->Apply(as_answer);
BENCHMARK(api_topic)->Apply(as_answer);
BENCHMARK(api_sweep)->Apply(as_answer);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  constexpr auto kMs = Bar::Unit::kMilliseconds;
  constexpr auto kTimes = Bar::Unit::kTimes;
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {{.what = "/api/summary of a new summary, 10,000 topics, 4 arms",
        .benchmark = "api_summary",
        .unit = kMs,
        .most = 5.0},
       {.what = "the same / making a summary with verdicts",
        .benchmark = "api_summary",
        .per = "summary_with_verdicts",
        .unit = kTimes,
        .most = 1.0},
       {.what = "/api/topics of a new summary",
        .benchmark = "api_topics",
        .unit = kMs,
        .most = 20.0},
       {.what = "the same / making a summary with every topic",
        .benchmark = "api_topics",
        .per = "summary_with_every_topic",
        .unit = kTimes,
        .most = 1.0},
       {.what = "/api/topic", .benchmark = "api_topic", .unit = kMs, .most = 1.0},
       {.what = "/api/sweep of a new summary",
        .benchmark = "api_sweep",
        .unit = kMs,
        .most = 50.0}});
}
