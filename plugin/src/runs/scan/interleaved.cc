#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "runs/scan/part_borders.h"
#include "runs/scan/run_part.h"
#include "runs/scan/scattered_facts.h"
#include "runs/scan/scattered_lines.h"
#include "runs/scan/scattered_part.h"

namespace prescope {

namespace {

std::vector<std::unique_ptr<ScatteredPart>> read_parts(const LineReading& reading,
                                                       const RunInput& input, unsigned threads) {
  const std::vector<std::uint64_t> at = line_borders(input, threads);
  std::vector<std::unique_ptr<ScatteredPart>> parts(at.size() - 1);
  in_parallel(parts.size(), threads,
              [&](std::size_t i) { parts[i] = read_scattered(reading, input, at[i], at[i + 1]); });
  return parts;
}

/// The facts of all topics, in shares of them for threads.
std::vector<RunPart> read_topics(const LineReading& reading, const RunInput& input,
                                 const ScatteredLines& lines, unsigned threads) {
  constexpr std::size_t kSharesOfAThread = 4;
  const std::size_t shares = threads == 1 ? 1 : kSharesOfAThread * threads;
  const auto topics = lines.topics();
  std::vector<RunPart> parts(shares);
  in_parallel(shares, threads, [&](std::size_t i) {
    const std::size_t begin = topics.size() * i / shares, end = topics.size() * (i + 1) / shares;
    ScatteredFacts facts(reading, input, lines, parts[i].facts);
    for (const TopicIndex topic : topics.subspan(begin, end - begin)) facts.add(topic);
    facts.finish();
  });
  return parts;
}

}  // namespace

RunPart read_interleaved(const LineReading& reading, const RunInput& input, unsigned threads) {
  // What cannot be read from anywhere would be read by each thread from its beginning.
  if (!input.has_random_access()) threads = 1;
  std::vector<std::unique_ptr<ScatteredPart>> parts = read_parts(reading, input, threads);
  std::vector<RunPart> of_all;
  for (const auto& part : parts) of_all.push_back(std::move(part->part));
  RunPart run = joined(std::move(of_all));
  if (run.bad_lines.any()) return run;
  const ScatteredLines lines(reading.qrels, std::move(parts));
  std::vector<RunPart> all;
  all.push_back(std::move(run));
  std::ranges::move(read_topics(reading, input, lines, threads), std::back_inserter(all));
  return joined(std::move(all));
}

}  // namespace prescope
