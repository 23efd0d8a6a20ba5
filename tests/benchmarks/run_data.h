#pragma once

#include <cstdint>
#include <filesystem>

namespace prescope::benchmarks {

/// A made-up run and its qrels, the same for the same values on every machine.
struct RunData {
  enum class Order {
    kByScore,        ///< as engines write it
    kTopicShuffled,  ///< the lines of each topic in any order
    kAllShuffled,    ///< the lines of the file in any order
  };
  enum class Scores { kFourDecimals, kSeventeenDigits };

  std::uint32_t topics = 400;
  std::uint32_t hits = 1000;  ///< of each topic
  std::uint64_t seed = 1;
  Order order = Order::kByScore;
  Scores scores = Scores::kFourDecimals;
};

/// Writes `topic Q0 docno rank score tag` lines: docnos like EP-0123456-A1, topics of eight
/// characters, 4.3 % of neighbours with equal scores (with four decimals), and judgements of a
/// log-normal number of documents a topic, 6 in the mean and at least 3, of which the run has 40 %,
/// most of them early. Each topic has two documents judged not relevant as well.
void write_run(const RunData& data, const std::filesystem::path& path);
void write_qrels(const RunData& data, const std::filesystem::path& path);

}  // namespace prescope::benchmarks
