#include "benchmarks/run_data.h"

#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace prescope::benchmarks {
namespace {

/// SplitMix64: the distributions of <random> differ from library to library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  /// Returns a number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - unit()));
    return radius * std::cos(2.0 * 3.14159265358979323846 * unit());
  }

 private:
  std::uint64_t state_;
};

struct Topic {
  std::vector<std::uint32_t> docnos;  ///< distinct, the best first
  std::vector<std::uint32_t> relevant, not_relevant;
  std::vector<double> scores;  ///< descending
};

constexpr std::uint32_t kDocnos = 9'999'999;
constexpr double kMeanNotLogged = 6.0, kSigma = 0.7, kShareRetrieved = 0.4;
constexpr std::uint32_t kFewestRelevant = 3, kNotRelevant = 2;

std::uint32_t number_of_relevant(Random& random) {
  const double mu = std::log(kMeanNotLogged) - kSigma * kSigma / 2.0;
  const double drawn = std::exp(mu + kSigma * random.normal());
  return std::max(kFewestRelevant, static_cast<std::uint32_t>(std::lround(drawn)));
}

std::vector<double> falling_scores(const RunData& data, Random& random) {
  constexpr double kShareTied = 0.043;
  std::vector<double> scores;
  auto ten_thousandths = 220'000 + static_cast<std::int64_t>(random.below(80'000));
  double exact = 22.0 + 8.0 * random.unit();
  for (std::uint32_t i = 0; i < data.hits; ++i) {
    // A geometric gap, 0 in the share of cases that neighbours are to tie.
    ten_thousandths -=
        static_cast<std::int64_t>(std::log(1.0 - random.unit()) / std::log(1.0 - kShareTied));
    exact -= 0.004 * random.unit();
    const bool four = data.scores == RunData::Scores::kFourDecimals;
    scores.push_back(four ? static_cast<double>(ten_thousandths) / 1e4 : exact);
  }
  return scores;
}

Topic make_topic(const RunData& data, std::uint32_t index) {
  Random random(data.seed * 1'000'003 + index);
  Topic topic;
  std::unordered_set<std::uint32_t> used;
  const auto fresh = [&] {
    for (;;) {
      const auto docno = static_cast<std::uint32_t>(1 + random.below(kDocnos));
      if (used.insert(docno).second) return docno;
    }
  };
  for (std::uint32_t i = 0; i < data.hits; ++i) topic.docnos.push_back(fresh());
  const auto judge = [&](std::vector<std::uint32_t>& into, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      // Ranks are log-uniform: as many between 1 and 10 as between 100 and 1000.
      const auto rank = static_cast<std::size_t>(
          std::exp(random.unit() * std::log(static_cast<double>(data.hits) + 1.0)) - 1);
      const std::uint32_t docno = random.unit() < kShareRetrieved
                                      ? topic.docnos[std::min<std::size_t>(rank, data.hits - 1)]
                                      : fresh();
      const bool known = std::ranges::count(topic.relevant, docno) != 0 ||
                         std::ranges::count(topic.not_relevant, docno) != 0;
      if (!known) into.push_back(docno);
    }
  };
  const std::uint32_t relevant = number_of_relevant(random);
  judge(topic.relevant, relevant);
  judge(topic.not_relevant, kNotRelevant);
  topic.scores = falling_scores(data, random);
  return topic;
}

/// Shuffles the lines, in the same way for the same seed.
void shuffle(std::vector<std::string>& lines, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
}

std::string docno_of(std::uint32_t number) {
  return fmt::format("EP-{:07}-{}", number, number % 3 == 0 ? "B1" : "A1");
}

std::string topic_of(std::uint32_t index) { return fmt::format("T{:07}", index + 1); }

}  // namespace

void write_run(const RunData& data, const std::filesystem::path& path) {
  auto out = fmt::output_file(path.string());
  std::vector<std::string> lines;
  for (std::uint32_t t = 0; t < data.topics; ++t) {
    const Topic topic = make_topic(data, t);
    for (std::uint32_t i = 0; i < data.hits; ++i) {
      const std::string score = data.scores == RunData::Scores::kFourDecimals
                                    ? fmt::format("{:.4f}", topic.scores[i])
                                    : fmt::format("{:.15f}", topic.scores[i]);
      lines.push_back(fmt::format("{} Q0 {} {} {} bench\n", topic_of(t), docno_of(topic.docnos[i]),
                                  i + 1, score));
    }
    if (data.order == RunData::Order::kAllShuffled) continue;
    if (data.order == RunData::Order::kTopicShuffled) shuffle(lines, data.seed + t);
    for (const std::string& line : lines) out.print("{}", line);
    lines.clear();
  }
  shuffle(lines, data.seed);
  for (const std::string& line : lines) out.print("{}", line);
}

void write_qrels(const RunData& data, const std::filesystem::path& path) {
  auto out = fmt::output_file(path.string());
  for (std::uint32_t t = 0; t < data.topics; ++t) {
    const Topic topic = make_topic(data, t);
    for (const std::uint32_t docno : topic.relevant) {
      out.print("{} 0 {} 1\n", topic_of(t), docno_of(docno));
    }
    for (const std::uint32_t docno : topic.not_relevant) {
      out.print("{} 0 {} 0\n", topic_of(t), docno_of(docno));
    }
  }
}

}  // namespace prescope::benchmarks
