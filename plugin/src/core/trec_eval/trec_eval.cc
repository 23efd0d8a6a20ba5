#include "core/trec_eval/trec_eval.h"

#include <fmt/format.h>

#include "core/trec_eval/report.h"
#include "prescope/error.h"

namespace prescope::trec_eval {
namespace {

void refuse_repeats(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  for (const RunFacts::Repeat& repeat : facts.repeats) {
    if (repeat.rank > options.ranks.depth) continue;
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: docno '{}' stands twice in topic '{}', again at rank {}; keep one "
                            "of the two lines, or use 'prescope evaluate', which counts the better",
                            facts.path, repeat.docno.text(), qrels.topic(repeat.topic).id().text(),
                            repeat.rank));
  }
}

void refuse_no_topics(const Qrels& qrels, const RunFacts& facts, const Options& options) {
  if (!facts.topics.empty() || options.complete) return;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format(
          "{}: none of its {} topics is judged{}; the qrels judge {} topics, such as '{}'",
          facts.path, facts.unjudged_topics,
          facts.unjudged.empty() ? "" : fmt::format(", such as '{}'", facts.unjudged[0].text()),
          qrels.topics().size(), qrels.topics().front().id().text()));
}

}  // namespace

void write(const Qrels& qrels, const RunFacts& facts, const Options& options, const Sink& sink) {
  Report report(qrels, facts, options, sink);
  refuse_repeats(qrels, facts, options);
  refuse_no_topics(qrels, facts, options);
  TopicRanks topic_ranks(qrels, options.ranks);
  auto in_run = facts.topics.begin();
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const TopicIndex topic(i);
    const bool retrieved = in_run != facts.topics.end() && in_run->topic == topic;
    if (!retrieved && !options.complete) continue;
    JudgedRanks ranks = retrieved ? topic_ranks.of(facts, *in_run) : topic_ranks.of_missing(topic);
    // What trec_eval puts in the place of a missing topic: one document that nobody judged.
    if (!retrieved && !options.ranks.judged_only) ranks.num_ret = 1;
    ranks.collection_size = options.collection_size;
    report.add(topic, ranks, retrieved ? Report::Topic::kRetrieved : Report::Topic::kMissing);
    if (retrieved) ++in_run;
  }
  report.finish();
}

}  // namespace prescope::trec_eval
