#include "runs/scan/read_run.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "base/threads.h"
#include "prescope/error.h"
#include "runs/scan/line_scan.h"
#include "runs/scan/part_borders.h"
#include "runs/scan/run_input.h"
#include "runs/scan/run_part.h"

namespace prescope {

namespace {

std::vector<RunPart> read_parts(const LineReading& reading, const RunInput& input,
                                const ReadingDetails& details) {
  if (!input.has_random_access()) {
    std::vector<RunPart> whole;
    whole.push_back(read_topic_by_topic(reading, *input.reader()));
    return whole;
  }
  const std::vector<std::uint64_t> at =
      topic_borders(input, details.threads, details.smallest_part);
  std::vector<RunPart> parts(at.size() - 1);
  in_parallel(parts.size(), details.threads, [&](std::size_t i) {
    parts[i] = read_topic_by_topic(reading, *input.reader(at[i], at[i + 1]));
  });
  return parts;
}

/// Whether no topic is there twice. Sorts the topics, and what is retrieved with them.
bool put_in_qrels_order(RunFacts& facts) {
  const auto by_topic = [](const auto& a, const auto& b) { return a.topic < b.topic; };
  if (!std::ranges::is_sorted(facts.topics, by_topic)) {
    std::ranges::sort(facts.topics, by_topic);
    std::vector<Retrieved> retrieved;
    retrieved.reserve(facts.retrieved.size());
    for (RunFacts::Topic& topic : facts.topics) {
      const std::span<const Retrieved> own = facts.of(topic);
      topic.first_retrieved = static_cast<std::uint32_t>(retrieved.size());
      retrieved.insert(retrieved.end(), own.begin(), own.end());
    }
    facts.retrieved = std::move(retrieved);
    std::ranges::sort(facts.repeats, by_topic);
  }
  return std::ranges::adjacent_find(facts.topics, [](const auto& a, const auto& b) {
           return a.topic == b.topic;
         }) == facts.topics.end();
}

}  // namespace

RunFacts read_run(const Qrels& qrels, const RunInput& input, ScorePrecision precision,
                  const ReadingDetails& details) {
  const LineReading reading{.qrels = qrels,
                            .precision = precision,
                            .scan = details.scan,
                            .docnos_at_once = details.docnos_at_once};
  RunPart run;
  if (details.expects_topics_together) run = joined(read_parts(reading, input, details));
  if (!details.expects_topics_together || run.interleaved || !put_in_qrels_order(run.facts)) {
    run = read_interleaved(reading, input, details.threads);
    put_in_qrels_order(run.facts);
  }
  input.check_unchanged();
  run.bad_lines.throw_if_any(input.name());
  if (run.facts.lines == 0) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: no rankings; expected \"topic Q0 docno rank score tag\" lines",
                            input.name()));
  }
  run.unjudged.list_in(run.facts);
  return std::move(run.facts);
}

RunFacts read_run_facts(const Qrels& qrels, const std::filesystem::path& path,
                        const ReadRunOptions& options) {
  RunFacts facts = read_run(qrels, RunInput(path), options.score,
                            {.scan = best_line_scan(), .threads = options.threads});
  facts.path = path.string();
  return facts;
}

}  // namespace prescope
