// Time of observing a ranking of 1,000 hits through the C interface beside that through C++: a
// visit and its ranking, 27 of the hits judged, by docids and by docnos. Both hosts serve the same
// rankings, and end with the same means.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>

#include "benchmarks/bars.h"
#include "c/include/prescope.h"
#include "prescope/experiment.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kHits = 1000, kJudged = 27;
constexpr std::string_view kTopic = "EP1234567";

[[noreturn]] void stop(std::string_view why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

/// Documents 0 to 999; each 37th is judged.
struct Served {
  Served() {
    for (std::uint32_t i = 0; i < kHits; ++i) {
      names.push_back(fmt::format("US{}", 4'000'000 + i));
      docids.push_back(i);
    }
    for (const std::string& name : names) {
      views.emplace_back(name);
      texts.push_back({name.data(), name.size()});
    }
    for (std::uint32_t i = 0; i < kJudged; ++i) {
      topics.push_back(kTopic.data());
      judged.push_back(names[37 * i].c_str());
    }
  }
  static const Served& instance() {
    static const Served served;
    return served;
  }

  std::vector<std::string> names;
  std::vector<std::string_view> views;
  std::vector<prescope_text> texts;
  std::vector<std::uint32_t> docids;
  std::vector<const char*> topics, judged;
  std::vector<std::int32_t> grades = std::vector<std::int32_t>(kJudged, 1);
};

class CppHost {
 public:
  void serve(HitKind kind) {
    const Served& served = Served::instance();
    const Visit visit = experiment_.visit(TopicId(kTopic));
    (void)experiment_.observe(
        visit, {.kind = kind,
                .resolved = kind == HitKind::kDocids ? &resolved_ : nullptr,
                .docids = kind == HitKind::kDocids ? std::span(docids_) : std::span<DocId>(),
                .docnos = kind == HitKind::kDocnos ? std::span(served.views)
                                                   : std::span<const std::string_view>(),
                .requested_depth = kHits,
                .latency = std::chrono::milliseconds(12)});
  }
  std::optional<double> mean() { return experiment_.summary()->arms[0].means[0].mean; }

 private:
  static Qrels qrels() {
    std::vector<Qrels::Line> lines;
    for (const char* docno : Served::instance().judged) {
      lines.push_back({TopicId(kTopic), Docno(docno), 1});
    }
    return Qrels::from_lines(lines);
  }
  [[nodiscard]] std::vector<Resolution> found() const {
    std::vector<Resolution> found;
    for (std::uint32_t i = 0; i < kHits; ++i) {
      const std::uint32_t key = experiment_.judged().find(Served::instance().names[i]);
      if (key != JudgedDocnos::kNotJudged) found.push_back({key, DocId(i)});
    }
    return found;
  }

  Experiment experiment_{qrels(), {.arms = {"a"}, .measures = {"PRES@1000"}}};
  ResolvedQrels resolved_{experiment_.judged(), found(), experiment_.next_generation(), kHits};
  std::vector<DocId> docids_{Served::instance().docids.begin(), Served::instance().docids.end()};
};

class CHost {
 public:
  CHost() {
    const Served& served = Served::instance();
    const prescope_column topics = {kJudged, served.topics.data(), 0, nullptr,
                                    0,       PRESCOPE_POINTERS};
    const prescope_column docnos = {kJudged, served.judged.data(), 0, nullptr,
                                    0,       PRESCOPE_POINTERS};
    prescope_qrels* qrels = nullptr;
    prescope_experiment_options options = PRESCOPE_EXPERIMENT_OPTIONS_INIT;
    const char* const arms[] = {"a"};
    options.arms = arms;
    options.num_arms = 1;
    options.measures = "PRES@1000";
    prescope_error error;
    if (prescope_qrels_from_columns(&topics, &docnos, served.grades.data(), nullptr, &qrels,
                                    &error) != PRESCOPE_OK ||
        prescope_experiment_open(qrels, &options, &experiment_, &error) != PRESCOPE_OK ||
        prescope_index_open(experiment_, nullptr, kHits, look_up, nullptr, &index_, &error) !=
            PRESCOPE_OK) {
      stop(error.message);
    }
    prescope_qrels_free(qrels);
  }
  ~CHost() {
    prescope_index_free(index_);
    prescope_experiment_close(experiment_);
  }
  CHost(const CHost&) = delete;
  CHost& operator=(const CHost&) = delete;

  void serve(HitKind kind) {
    prescope_request request = PRESCOPE_REQUEST_INIT;
    request.topic = {kTopic.data(), kTopic.size()};
    const prescope_visit visit = prescope_begin(experiment_, &request);
    prescope_ranking ranking = PRESCOPE_RANKING_INIT;
    if (kind == HitKind::kDocids) {
      ranking.docids = Served::instance().docids.data();
      ranking.num_docids = kHits;
      ranking.index = index_;
    } else {
      ranking.docnos = &docnos_;
    }
    ranking.requested_depth = kHits;
    ranking.started_ns = 1;
    ranking.ended_ns = 12'000'001;
    (void)prescope_observe(experiment_, &visit, &ranking);
  }
  [[nodiscard]] std::string summary() const {
    char* text = nullptr;
    if (prescope_summary(experiment_, "json", &text, nullptr) != PRESCOPE_OK) stop("no summary");
    std::string result = text;
    prescope_text_free(text);
    return result;
  }

 private:
  static int look_up(void* /*context*/, prescope_found* found) {
    for (std::uint32_t i = 0; i < kHits; ++i) {
      prescope_found_add(found, Served::instance().texts[i], i);
    }
    return 0;
  }

  prescope_experiment* experiment_ = nullptr;
  prescope_index* index_ = nullptr;
  prescope_column docnos_ = {kHits, Served::instance().texts.data(), 0, nullptr, 0, PRESCOPE_TEXTS};
};

void check_answers() {
  CppHost cpp;
  CHost c;
  for (const HitKind kind : {HitKind::kDocids, HitKind::kDocnos}) {
    cpp.serve(kind);
    c.serve(kind);
  }
  const std::string wanted = fmt::format("\"mean\": {}", cpp.mean().value());
  if (c.summary().find(wanted) == std::string::npos) stop("C and C++ do not have the same mean");
}

template <class Host>
void observe(benchmark::State& state, HitKind kind) {
  Host host;
  for (auto _ : state) host.serve(kind);
}

constexpr auto observe_in_cpp = observe<CppHost>;
constexpr auto observe_in_c = observe<CHost>;
BENCHMARK_CAPTURE(observe_in_cpp, docids, HitKind::kDocids);
BENCHMARK_CAPTURE(observe_in_c, docids, HitKind::kDocids);
BENCHMARK_CAPTURE(observe_in_cpp, docnos, HitKind::kDocnos);
BENCHMARK_CAPTURE(observe_in_c, docnos, HitKind::kDocnos);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  prescope::benchmarks::check_answers();
  return prescope::benchmarks::run_with_bars(argc, argv, {});
}
