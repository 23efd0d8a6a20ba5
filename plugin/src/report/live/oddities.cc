#include <fmt/format.h>
#include <span>

#include "report/live/live_report.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Sentences = std::vector<std::string>;

struct Counted {
  std::uint64_t count = 0;
  std::string_view singular, plural{};
};

/// Adds a sentence with the count in the middle, unless it is 0.
void add(Sentences& out, std::string_view before, const Counted& of, std::string_view after) {
  if (of.count == 0) return;
  out.push_back(
      fmt::format("{}{} {}", before, count_text(of.count, of.singular, of.plural), after));
}

void about_topics_run(const Summary& summary, Sentences& out) {
  const std::size_t run = summary.rows.size();
  if (run < summary.topics) {
    out.push_back(fmt::format("topics of the qrels that were not run: {} of {}",
                              grouped_text(summary.topics - run), grouped_text(summary.topics)));
  }
  for (const ArmSummary& arm : summary.arms) {
    if (arm.topics_seen >= run) continue;
    out.push_back(fmt::format("{} served {} of the {} run", arm.id.text(),
                              grouped_text(arm.topics_seen), count_text(run, "topic")));
  }
}

void about_judgements(const Summary& summary, Sentences& out) {
  add(out, "", {summary.topics_without_relevant, "topic has", "topics have"},
      "no relevant document and count in no mean");
  add(out, "",
      {summary.judgements_repeated, "line of the qrels repeats", "lines of the qrels repeat"},
      "an earlier one and count once");
  add(out, "", {summary.judgements_merged, "judgement was merged", "judgements were merged"},
      "with another of the same document (kind codes or families) and kept the higher grade");
}

void about_arms(const Summary& summary, Sentences& out) {
  for (const ArmSummary& arm : summary.arms) {
    add(out, arm.id.text() + ": ", {arm.topics_awaiting, "topic has", "topics have"},
        "no value since the judgements changed, until served again");
  }
  for (const ArmSummary& arm : summary.arms) {
    add(out, "",
        {arm.relevant_missing.value_or(0), "relevant judgement is", "relevant judgements are"},
        fmt::format("not in the index of {} and count as not found", arm.id.text()));
  }
  for (const ArmSummary& arm : summary.arms) {
    const std::string& name = arm.id.text();
    add(out, name + " answered ", {arm.retried_queries, "query", "queries"},
        "only when asked again; their latency is left out");
    add(out, name + " served ", {arm.duplicate_hits, "judged document"},
        "again at a worse rank; the first rank counts");
    for (const MeasureMean& mean : arm.means) {
      add(out, name + " did not serve ", {mean.too_shallow, "topic"},
          fmt::format("deep enough for {}; they have no value there", mean.measure.name()));
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
  add(out, "", {health.publish_failures, "summary could", "summaries could"},
      "not be made or published");
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
  about_judgements(summary, out);
  about_arms(summary, out);
  about_health(summary.health, out);
  about_shadows(summary.health, out);
  return out;
}

}  // namespace prescope
