#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/number_text.h"
#include "report/sections.h"

namespace prescope {
namespace {

using Sentences = std::vector<std::string>;

void about_topics(const Summary& summary, Sentences& out) {
  if (summary.topics_without_relevant > 0) {
    out.push_back(
        fmt::format("{} no relevant document and count in no mean",
                    count_text(summary.topics_without_relevant, "topic has", "topics have")));
  }
}

void about_topics_run(const Summary& summary, Sentences& out) {
  const std::size_t run = summary.rows.size();
  if (run < summary.topics) {
    out.push_back(fmt::format("topics of the qrels that were not run: {} of {}",
                              grouped_text(summary.topics - run), grouped_text(summary.topics)));
  }
  for (const ArmSummary& arm : summary.arms) {
    if (arm.topics_seen < run) {
      out.push_back(fmt::format("{} served {} of the {} run", arm.id.text(),
                                grouped_text(arm.topics_seen), count_text(run, "topic")));
    }
  }
}

void about_awaiting(const Summary& summary, Sentences& out) {
  for (const ArmSummary& arm : summary.arms) {
    if (arm.topics_awaiting == 0) continue;
    out.push_back(fmt::format("{}: {} no value since the judgements changed, until served again",
                              arm.id.text(),
                              count_text(arm.topics_awaiting, "topic has", "topics have")));
  }
}

void about_judgements(const Summary& summary, Sentences& out) {
  if (summary.judgements_repeated > 0) {
    out.push_back(fmt::format("{} an earlier one and count once",
                              count_text(summary.judgements_repeated, "line of the qrels repeats",
                                         "lines of the qrels repeat")));
  }
  if (summary.judgements_merged > 0) {
    out.push_back(fmt::format(
        "{} with another of the same document (kind codes or families) and kept the "
        "higher grade",
        count_text(summary.judgements_merged, "judgement was merged", "judgements were merged")));
  }
}

void about_missing(const Summary& summary, Sentences& out) {
  for (const ArmSummary& arm : summary.arms) {
    if (arm.relevant_missing.value_or(0) == 0) continue;
    out.push_back(fmt::format(
        "{} not in the index of {} and count as not found",
        count_text(*arm.relevant_missing, "relevant judgement is", "relevant judgements are"),
        arm.id.text()));
  }
}

void about_rankings(const Summary& summary, Sentences& out) {
  for (const ArmSummary& arm : summary.arms) {
    if (arm.retried_queries > 0) {
      out.push_back(fmt::format("{} answered {} only when asked again; their latency is left out",
                                arm.id.text(),
                                count_text(arm.retried_queries, "query", "queries")));
    }
    if (arm.duplicate_hits > 0) {
      out.push_back(fmt::format("{} served {} again at a worse rank; the first rank counts",
                                arm.id.text(), count_text(arm.duplicate_hits, "judged document")));
    }
    for (const MeasureMean& mean : arm.means) {
      if (mean.too_shallow == 0) continue;
      out.push_back(fmt::format("{} did not serve {} deep enough for {}; they have no value there",
                                arm.id.text(), count_text(mean.too_shallow, "topic"),
                                mean.measure.name()));
    }
  }
}

struct Counter {
  std::uint64_t count;
  std::string_view what;
};

void add_counters(std::span<const Counter> counters, Sentences& out) {
  for (const auto& [count, what] : counters) {
    if (count > 0) {
      out.push_back(fmt::format("{}: {}", count_text(count, "query", "queries"), what));
    }
  }
}

void about_health(const Health& health, Sentences& out) {
  const Counter counters[] = {
      {health.dropped_queue_full, "dropped, because the recorder's queue was full"},
      {health.recorder_failures, "lost to a failure while recording"},
      {health.adapter_failures, "lost to a failure of the engine adapter"},
      {health.unmatched_rankings, "not matched: the docids came without a resolved table"},
      {health.page_gaps, "left out: a later page whose earlier pages were not seen"},
      {health.late_observations,
       "in no score: served by an index, or matched with judgements, that had been replaced"},
      {health.sampled_out, "left out by sampling"},
      {health.inactive_arm, "not recorded: the arm is paused or removed"},
      {health.clock_steps, "without a latency: the clock had stepped back"},
      {health.queries_without_scope, "served outside any query scope"},
      {health.queries_without_ranking, "announced, but no ranking followed"},
      {health.unknown_arm, "counted for the searcher's own arm: the named arm is unknown"},
      {health.listener_failures, "recorded, but the observation listener failed"},
      {health.log_queue_full, "recorded, but lost to a log: it was written too slowly"},
      {health.log_write_failures, "recorded, but lost to a log: it could not be written"},
  };
  add_counters(counters, out);
  if (health.log_failures > 0) {
    out.push_back(fmt::format("calls of a log that failed: {}", grouped_text(health.log_failures)));
  }
  if (health.publish_failures > 0) {
    out.push_back(
        fmt::format("{} not be made or published",
                    count_text(health.publish_failures, "summary could", "summaries could")));
  }
}

void about_shadows(const Health& health, Sentences& out) {
  const Counter counters[] = {
      {health.shadow_run, "run again for comparison"},
      {health.shadow_failed, "of those: a search threw"},
      {health.shadow_queue_full, "not compared: the shadow queue was full"},
      {health.shadow_unpaired, "not compared: no other arm was active"},
      {health.shadow_expired, "not compared: they had waited for too long"},
      {health.shadow_sampled_out, "not compared: left out by sampling"},
      {health.shadow_unjudged, "not compared: their topic is not judged"},
  };
  add_counters(counters, out);
}

}  // namespace

std::vector<std::string> oddities(const Summary& summary, TableOptions::View view) {
  Sentences out;
  if (view == TableOptions::View::kFinishedRun) about_topics_run(summary, out);
  about_topics(summary, out);
  about_judgements(summary, out);
  about_awaiting(summary, out);
  about_missing(summary, out);
  about_rankings(summary, out);
  about_health(summary.health, out);
  about_shadows(summary.health, out);
  return out;
}

}  // namespace prescope
