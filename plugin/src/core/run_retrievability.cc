#include "core/run_retrievability.h"

#include <utility>

namespace prescope {

CountedRun count_run(const std::filesystem::path& path, const ReadRankingsOptions& options,
                     const DocnoNormalizer& docnos) {
  CountedRun run;
  std::vector<std::uint32_t> numbers;
  DocnoBuffer buffer;
  const auto begin_again = [&] { run = CountedRun(); };
  read_rankings(path, options, begin_again, [&](const ReadRanking& ranking) {
    numbers.clear();
    for (const std::string_view docno : ranking.docnos) {
      numbers.push_back(run.documents.number(docnos.key(docno, buffer)));
    }
    run.scores.add_topic(numbers);
  });
  return run;
}

RetrievabilityScores with_numbers_of(DocumentNumbers& documents, CountedRun run) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(run.documents.size());
  for (std::uint32_t i = 0; i < run.documents.size(); ++i) {
    numbers.push_back(documents.number(run.documents.name(i)));
  }
  run.scores.renumber(numbers);
  return std::move(run.scores);
}

}  // namespace prescope
