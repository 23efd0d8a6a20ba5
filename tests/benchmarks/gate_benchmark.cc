// A night of 500 topics gated from stored evaluations, the whole process from its start to its end.

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/bars.h"
#include "benchmarks/process.h"
#include "benchmarks/run_data.h"
#include "support/built_files.h"

namespace prescope::benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kTopics = 500;

/// Fields of a line of a run.
struct Hit {
  std::string topic, q0, docno, rank, score, tag;
};

/// The run with the documents of every twentieth line and of the third one behind it exchanged.
void write_disturbed(const fs::path& run, const fs::path& disturbed) {
  std::ifstream in(run);
  std::vector<Hit> hits;
  for (Hit hit; in >> hit.topic >> hit.q0 >> hit.docno >> hit.rank >> hit.score >> hit.tag;) {
    hits.push_back(hit);
  }
  constexpr std::size_t kEvery = 20, kApart = 3;
  for (std::size_t i = 0; i + kApart < hits.size(); i += kEvery) {
    if (hits[i].topic == hits[i + kApart].topic) std::swap(hits[i].docno, hits[i + kApart].docno);
  }
  std::ofstream out(disturbed);
  for (const Hit& hit : hits) {
    out << fmt::format("{} {} {} {} {} {}\n", hit.topic, hit.q0, hit.docno, hit.rank, hit.score,
                       hit.tag);
  }
}

/// A store with last night pinned as main, and tonight's evaluation.
class Nights {
 public:
  static const Nights& instance() {
    static const Nights nights;
    return nights;
  }

  [[nodiscard]] int gate(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {program_, "gate", path("nights.db"), "--from", "2"};
    command.insert(command.end(), more.begin(), more.end());
    return run(command, path("out")).exit_code;
  }
  [[nodiscard]] int start() const { return run({program_, "--version"}, path("out")).exit_code; }
  /// The verdict compares PRES, and tells of topics that moved.
  [[nodiscard]] bool is_right() const {
    (void)gate({"--dry-run", "--json", path("gate.json")});
    std::ifstream in(path("gate.json"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
    return says("\"measure\": \"PRES@100\"") && says("\"what\": \"down\"");
  }

 private:
  Nights()
      : folder_(fs::temp_directory_path() / fmt::format("prescope-gate-{}", ::getpid())),
        program_(testing::prescope_program()) {
    fs::create_directory(folder_);
    const RunData data{.topics = kTopics};
    write_qrels(data, path("qrels.txt"));
    write_run(data, path("base.run"));
    write_disturbed(path("base.run"), path("tonight.run"));
    const std::vector<std::string> source = {"--qrels", path("qrels.txt"), "--docno", "patent"};
    for (const auto& words : {std::vector<std::string>{"pin", path("nights.db"), "--from",
                                                       path("base.run"), "--why", "benchmark"},
                              {"gate", path("nights.db"), "--from", path("tonight.run")}}) {
      std::vector<std::string> command = {program_};
      command.insert(command.end(), words.begin(), words.end());
      command.insert(command.end(), source.begin(), source.end());
      (void)run(command, path("out"));
    }
  }
  ~Nights() { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
  std::string program_;
};

void gate_with(benchmark::State& state, const std::vector<std::string>& more) {
  if (!Nights::instance().is_right()) {
    state.SkipWithError("wrong answers");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(Nights::instance().gate(more));
}

void gate_dry_run(benchmark::State& state) { gate_with(state, {"--dry-run"}); }
void gate_and_store(benchmark::State& state) { gate_with(state, {}); }
void program_start(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Nights::instance().start());
}

void as_process(benchmark::internal::Benchmark* one) {
  one->UseRealTime()->Iterations(5)->Repetitions(9)->ReportAggregatesOnly()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK(gate_dry_run)->Apply(as_process);
BENCHMARK(gate_and_store)->Apply(as_process);
BENCHMARK(program_start)->Apply(as_process);

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  return prescope::benchmarks::run_with_bars(argc, argv,
                                             {{.what = "gate of 500 topics from stored evaluations",
                                               .benchmark = "gate_and_store",
                                               .unit = Bar::Unit::kMilliseconds,
                                               .most = 300.0},
                                              {.what = "the same, nothing stored",
                                               .benchmark = "gate_dry_run",
                                               .unit = Bar::Unit::kMilliseconds,
                                               .most = 300.0}});
}
