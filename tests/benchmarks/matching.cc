#include "benchmarks/matching.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>

#include "measures/scorer.h"
#include "prescope/resolved_qrels.h"

namespace prescope::benchmarks {
namespace {

constexpr std::uint32_t kHits = 1000, kTopics = 1000, kRelevant = 6, kServed = 4;
constexpr std::uint32_t kCollection = 2'000'000;

std::uint32_t number(const std::string& text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Rankings and their judged documents.
class Rankings {
 public:
  Rankings() : qrels_(judge()), judged_(qrels_), resolved_(resolve()) {}

  /// The sum of all scores.
  template <class Find>
  double score(Find find) {
    double sum = 0.0;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      const ResolvedQrels::Topic& topic = resolved_.topic(TopicIndex(t));
      ranks_.clear();
      for (Rank rank = 1; rank <= rankings_[t].size(); ++rank) {
        if (find(topic, rankings_[t][rank - 1])) ranks_.push_back(rank);
      }
      scorer_.score({.num_rel = kRelevant, .relevant = ranks_, .num_ret = kHits}, scores_);
      for (const auto& score : scores_) sum += score.value_or(0.0);
    }
    return sum;
  }

 private:
  /// Documents are called as their docids; topics so that they are in the order of the rankings.
  Qrels judge() {
    std::mt19937_64 random(1);
    const auto any = [&] { return DocId(static_cast<std::uint32_t>(random() % kCollection)); };
    std::vector<Qrels::Line> lines;
    for (std::uint32_t t = 0; t < kTopics; ++t) {
      std::vector<DocId>& ranking = rankings_.emplace_back();
      for (std::uint32_t i = 0; i < kHits; ++i) ranking.push_back(any());
      for (std::uint32_t i = 0; i < kRelevant; ++i) {
        const DocId docid = i < kServed ? ranking[random() % kHits] : any();
        lines.push_back(
            {TopicId(std::to_string(10'000 + t)), Docno(std::to_string(docid.value())), 1});
      }
    }
    return Qrels::from_lines(lines);
  }
  [[nodiscard]] ResolvedQrels resolve() const {
    std::vector<Resolution> resolutions;
    for (std::uint32_t key = 0; key < judged_.num_keys(); ++key) {
      resolutions.push_back({key, DocId(number(judged_.key(key)))});
    }
    return ResolvedQrels(judged_, std::move(resolutions), 1, kCollection);
  }

  std::vector<std::vector<DocId>> rankings_;
  Qrels qrels_;
  JudgedDocnos judged_;
  ResolvedQrels resolved_;
  Scorer scorer_{parse_measures("PRES@1000,R@1000,AP@1000")};
  std::vector<Rank> ranks_;
  std::vector<std::optional<double>> scores_ = std::vector<std::optional<double>>(3);
};

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<double> nanoseconds_a_hit() {
  constexpr int kPasses = 51;
  Rankings rankings;
  const double expected = rankings.score([](const ResolvedQrels::Topic& topic, DocId docid) {
    return std::ranges::find(topic.entries, docid, &ResolvedQrels::Entry::docid) !=
           topic.entries.end();
  });
  std::vector<double> nanoseconds;
  for (int i = 0; i < kPasses; ++i) {
    const auto began = std::chrono::steady_clock::now();
    const double sum = rankings.score([](const ResolvedQrels::Topic& topic, DocId docid) {
      return topic.find(docid) != nullptr;
    });
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    if (sum != expected) return std::nullopt;
    nanoseconds.push_back(took.count() / kTopics / kHits);
  }
  return median(std::move(nanoseconds));
}

}  // namespace prescope::benchmarks
