#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "report/live/tables.h"
#include "report/runs/evaluation_report.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

using Notes = std::vector<std::string>;
/// What there is to say of a run; empty for nothing.
using Words = std::function<std::string(const EvaluatedRun& run)>;

constexpr std::size_t kTopicsNamed = 5;

/// One note for all runs that there is something to say of.
void add_for_runs(Notes& notes, const EvaluationReport& report, std::string_view heading,
                  const Words& words_of) {
  std::string note;
  for (const EvaluatedRun& run : report.runs) {
    const std::string words = words_of(run);
    if (words.empty()) continue;
    note += fmt::format("{} {} {}", note.empty() ? ":" : ";", run.name, words);
  }
  if (!note.empty()) notes.push_back(std::string(heading).append(note));
}

/// "(T1, T2, ...)", the first few of `count`.
std::string named(const std::vector<std::string>& names, std::uint64_t count) {
  return fmt::format("({}{})", fmt::join(names, ", "), count > names.size() ? ", ..." : "");
}

std::string named_topics(const EvaluationReport& report, const std::vector<TopicIndex>& topics) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(topics.size(), kTopicsNamed); ++i) {
    names.push_back(report.qrels->topic(topics[i]).id().text());
  }
  return named(names, topics.size());
}

void about_qrels(Notes& notes, const EvaluationReport& report) {
  const QrelsOddities& found = report.qrels_oddities;
  if (!found.without_relevant.empty()) {
    notes.push_back(fmt::format(
        "topics of the qrels without relevant documents, in no mean: {} of {} {}",
        grouped_text(found.without_relevant.size()), grouped_text(report.qrels->topics().size()),
        named_topics(report, found.without_relevant)));
  }
  if (found.only_relevant()) {
    notes.emplace_back(
        "the qrels name relevant documents only: every other document counts as not relevant");
  }
  if (found.repeated > 0) {
    notes.push_back(fmt::format("lines of the qrels that repeat an earlier one, counted once: {}",
                                grouped_text(found.repeated)));
  }
  if (found.merged > 0) {
    notes.push_back(fmt::format(
        "judgements merged with another of the same document, keeping the higher grade: {}",
        grouped_text(found.merged)));
  }
}

void about_topics(Notes& notes, const EvaluationReport& report) {
  const bool all = report.options.topics == EvaluateOptions::Topics::kAll;
  add_for_runs(notes, report,
               fmt::format("topics of the qrels that a run has not, {}",
                           all ? "which count 0" : "left out (--topics run)"),
               [&](const EvaluatedRun& run) -> std::string {
                 const auto& missing = run.oddities.missing;
                 if (missing.empty()) return {};
                 return fmt::format("{} {}", grouped_text(missing.size()),
                                    named_topics(report, missing));
               });
  add_for_runs(notes, report, "topics of a run that the qrels have not, left out",
               [](const EvaluatedRun& run) -> std::string {
                 std::vector<std::string> names;
                 for (const TopicId& id : run.facts->unjudged) names.push_back(id.text());
                 if (run.facts->unjudged_topics == 0) return {};
                 return fmt::format("{} {}", grouped_text(run.facts->unjudged_topics),
                                    named(names, run.facts->unjudged_topics));
               });
}

void about_duplicates(Notes& notes, const EvaluationReport& report) {
  add_for_runs(notes, report, "lines that repeat a document, which counts at its best rank",
               [&](const EvaluatedRun& run) -> std::string {
                 if (run.oddities.duplicates == 0) return {};
                 const RunFacts::Repeat& first = run.facts->repeats.front();
                 return fmt::format("{} in {}, the first at rank {} of {} ({})",
                                    grouped_text(run.oddities.duplicates),
                                    count_text(run.oddities.topics_with_duplicates, "topic"),
                                    first.rank, report.qrels->topic(first.topic).id().text(),
                                    first.docno.text());
               });
}

/// "PRES@100 +0.0012, R@100 -0.0003", as far as four digits show it.
std::string changes(const EvaluatedRun& run) {
  constexpr double kHalfOfLastDigit = 0.00005;
  std::vector<std::string> changed;
  for (std::size_t m = 0; m < run.evaluation.measures.size(); ++m) {
    const auto here = run.evaluation.means[m], there = run.order.means[m];
    if (!here || !there || std::abs(*there - *here) < kHalfOfLastDigit) continue;
    changed.push_back(
        fmt::format("{} {}", run.evaluation.measures[m].name(), difference_text(*there - *here)));
  }
  if (changed.empty()) return "no mean would change in four digits";
  return fmt::format("means would change by {}", fmt::join(changed, ", "));
}

void about_order(Notes& notes, const EvaluationReport& report) {
  const bool by_score = report.options.ranks.order == RunOrder::kTrec;
  add_for_runs(notes, report,
               by_score ? "topics whose lines stand in another order than that of score and docno, "
                          "which ranks here; with --order file"
                        : "topics whose lines, which rank here, stand in another order than that "
                          "of score and docno; with --order trec",
               [](const EvaluatedRun& run) -> std::string {
                 if (run.order.topics == 0) return {};
                 return fmt::format("{} ({})", grouped_text(run.order.topics), changes(run));
               });
}

/// All runs have the same cutoffs.
void about_cutoffs(Notes& notes, const EvaluationReport& report) {
  const auto& cutoffs = report.runs.front().oddities.at_cutoffs;
  for (std::size_t i = 0; i < cutoffs.size(); ++i) {
    add_for_runs(notes, report,
                 fmt::format("relevant documents whose score also stands on the other side of rank "
                             "{}, so that docnos decide",
                             cutoffs[i].cutoff),
                 [i](const EvaluatedRun& run) -> std::string {
                   const RunOddities::AtCutoff& at = run.oddities.at_cutoffs[i];
                   if (at.tied == 0) return {};
                   return fmt::format("{} in {}", grouped_text(at.tied),
                                      count_text(at.tied_topics, "topic"));
                 });
  }
  for (std::size_t i = 0; i < cutoffs.size() && !report.qrels_oddities.only_relevant(); ++i) {
    add_for_runs(notes, report, fmt::format("unjudged in the first {} ranks", cutoffs[i].cutoff),
                 [i](const EvaluatedRun& run) -> std::string {
                   const RunOddities::AtCutoff& at = run.oddities.at_cutoffs[i];
                   if (at.unjudged == 0) return {};
                   constexpr double kPerCent = 100.0;
                   return fmt::format("{:.1f} %", kPerCent * static_cast<double>(at.unjudged) /
                                                      static_cast<double>(at.num_ret));
                 });
  }
}

void about_docnos(Notes& notes, const EvaluationReport& report) {
  for (const EvaluatedRun& run : report.runs) {
    if (!run.docno_hint) continue;
    const DocnoHint& hint = *run.docno_hint;
    notes.push_back(fmt::format(
        "{}: {} of {} judged docnos match, {} after {}: use --docno {}", run.name,
        grouped_text(hint.matched), grouped_text(hint.judged), grouped_text(hint.would_match),
        hint.policy == DocnoPolicy::kPatent ? "dropping kind codes" : "unifying their spelling",
        to_string(hint.policy)));
  }
}

}  // namespace

std::vector<std::string> evaluation_notes(const EvaluationReport& report) {
  Notes notes;
  about_docnos(notes, report);
  about_topics(notes, report);
  about_duplicates(notes, report);
  about_order(notes, report);
  about_cutoffs(notes, report);
  about_qrels(notes, report);
  return notes;
}

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
