#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace prescope {

/// Judgements and several runs full of ties, repeated documents, missing topics and documents
/// judged not relevant, as files: the same for the same seed.
struct RandomRunsOptions {
  unsigned seed = 1;
  int topics = 40, runs = 5, docnos = 60, judged = 12, lines = 40;
  bool repeats = true;  ///< a topic may list a document twice
};

class RandomRuns {
 public:
  RandomRuns(const RandomRunsOptions& options, const std::filesystem::path& folder)
      : options_(options), random_(options.seed) {
    qrels = folder / fmt::format("qrels{}", options.seed);
    std::ofstream(qrels) << qrels_text();
    for (int r = 0; r < options.runs; ++r) {
      runs.push_back(folder / fmt::format("run{}-{}", options.seed, r));
      std::ofstream(runs.back()) << run_text(r);
    }
  }

  std::filesystem::path qrels;
  std::vector<std::filesystem::path> runs;

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  std::string qrels_text() {
    std::string text;
    for (int t = 0; t < options_.topics; ++t) {
      std::set<int> judged;
      for (int i = 0; i < options_.judged; ++i) judged.insert(below(options_.docnos));
      // One topic has no relevant document.
      for (const int d : judged) {
        text += fmt::format("T{:03} 0 D{} {}\n", t, d, t == 7 ? 0 : below(5) - 1);
      }
    }
    return text;
  }

  /// Runs get better one after the other: they take documents of lower numbers first.
  std::string run_text(int run) {
    std::string text;
    for (int t = 0; t < options_.topics; ++t) {
      if (run % 3 == 1 && t % 11 == 4) continue;  // the run has not the topic
      std::set<int> seen;
      for (int i = 0; i < options_.lines; ++i) {
        const int docno = below(options_.docnos - run * options_.docnos / 12);
        if (!options_.repeats && !seen.insert(docno).second) continue;
        text += fmt::format("T{:03} Q0 D{} {} {} x\n", t, docno, i + 1, below(30));
      }
    }
    return text;
  }

  RandomRunsOptions options_;
  std::mt19937 random_;
};

}  // namespace prescope
