#include "judgements/judgement_line.h"
#include "judgements/match_report.h"
#include "measures/definitions.h"
#include "report/runs/evaluation_report.h"

namespace prescope {

namespace {

using Notes = std::vector<std::string>;
/// A remark about a run; empty if there is none.
using RunWords = std::function<std::string(const EvaluatedRun& run)>;

constexpr std::size_t kTopicsNamed = 5;

/// One note for all runs that have a remark.
void add_for_runs(Notes& notes, const EvaluationReport& report, std::string_view heading,
                  const RunWords& words_of) {
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
  const auto id_of = [&](TopicIndex topic) { return report.qrels->topic(topic).id().text(); };
  return named(list_of(topics | std::views::take(kTopicsNamed), id_of), topics.size());
}

/// "; MRR is between 0.0323 and 1.0000, MAP between ...", for means that the ties can change.
std::string tie_words(const EvaluatedRun& run) {
  std::vector<std::string> ranges;
  for (std::size_t m = 0; m < run.evaluation.measures.size(); ++m) {
    const auto low = run.ties->lowest.means[m], high = run.ties->highest.means[m];
    if (!low || !high || score_text(low) == score_text(high)) continue;
    ranges.push_back(fmt::format("{} {}between {} and {}", mean_name(run.evaluation.measures[m]),
                                 ranges.empty() ? "is " : "", score_text(low), score_text(high)));
  }
  return ranges.empty() ? "" : fmt::format("; {}", fmt::join(ranges, ", "));
}

void about_input(Notes& notes, const EvaluationReport& report) {
  for (const EvaluatedRun& run : report.runs) {
    for (const InputFinding& finding : run.input) {
      const bool has_range = finding.check->name == kTiedCheck && run.ties;
      notes.push_back(fmt::format("{}: {}{}", run.name, finding.words,
                                  has_range ? tie_words(run) : std::string()));
    }
  }
}

/// The only measure that may fall when a relevant document moves up among ties.
void about_tie_range(Notes& notes, const EvaluationReport& report) {
  const bool has_inferred_ap = std::ranges::any_of(report.measures, [](const Measure& measure) {
    return &measure.definition() == &kInferredAp;
  });
  if (!report.ties || !has_inferred_ap) return;
  notes.emplace_back(
      "infAP: its range is of the orders by grade; if documents were pooled and not judged (grades "
      "below 0), another order of ties may be outside");
}

void about_qrels(Notes& notes, const EvaluationReport& report) {
  const QrelsOddities& found = report.qrels_oddities;
  if (!found.without_relevant.empty()) {
    notes.push_back(fmt::format(
        "topics of the qrels without relevant documents, in no mean: {} of {} {}",
        grouped_text(found.without_relevant.size()), grouped_text(report.qrels->topics().size()),
        named_topics(report, found.without_relevant)));
  }
  if (!report.qrels->rule().empty()) {
    notes.emplace_back(
        "citations were judged for the topics that the runs have: a topic that no run has is in no "
        "number; name the topics with 'prescope citations qrels --topics FILE' to count it");
  }
  if (found.only_relevant()) {
    notes.emplace_back(
        "the qrels name relevant documents only: every other document counts as not relevant");
  }
  if (report.qrels->repeated() > 0) {
    notes.push_back(fmt::format("lines of the qrels that repeat an earlier one, counted once: {}",
                                grouped_text(report.qrels->repeated())));
  }
  if (report.qrels->merged() > 0) {
    notes.push_back(fmt::format(
        "judgements merged with another of the same document, keeping the higher grade: {}",
        grouped_text(report.qrels->merged())));
  }
  if (const auto& unknown = report.qrels->unknown_category(); unknown.lines > 0) {
    notes.push_back(fmt::format(
        "judgements with an unknown citation category, which counts as grade 1: {}, the first is "
        "'{}' in line {}",
        grouped_text(unknown.lines), unknown.example, grouped_text(unknown.first_line)));
  }
}

/// Says what the family map makes of the topics.
void about_families(Notes& notes, const EvaluationReport& report) {
  const Qrels& qrels = *report.qrels;
  if (!qrels.has_family_map()) return;
  const bool any = qrels.num_families() < qrels.topics().size();
  notes.push_back(
      any ? fmt::format("topics and their families, which tests count once each: {} in {}",
                        grouped_text(qrels.topics().size()), grouped_text(qrels.num_families()))
          : std::string("no two topics share a family of the family map"));
  const std::string without = without_family_words(qrels);
  if (!without.empty()) notes.push_back(without);
}

void about_topics(Notes& notes, const EvaluationReport& report) {
  const bool all = report.options.topics == EvaluateOptions::Topics::kAll;
  add_for_runs(notes, report,
               fmt::format("topics of the qrels that are missing from a run, {}",
                           all ? "which count 0" : "left out (--topics run)"),
               [&](const EvaluatedRun& run) -> std::string {
                 const auto& missing = run.oddities.missing;
                 if (missing.empty()) return {};
                 return fmt::format("{} {}", grouped_text(missing.size()),
                                    named_topics(report, missing));
               });
  add_for_runs(notes, report, "topics of a run that are missing from the qrels, left out",
               [](const EvaluatedRun& run) -> std::string {
                 const std::uint64_t topics = run.facts().unjudged_topics;
                 if (topics == 0) return {};
                 return fmt::format("{} {}", grouped_text(topics),
                                    named(list_of(run.facts().unjudged, &TopicId::text), topics));
               });
}

void about_duplicates(Notes& notes, const EvaluationReport& report) {
  add_for_runs(notes, report,
               report.qrels->collapses()
                   ? "lines that repeat a document, left out, so that later lines move up"
                   : "lines that repeat a document, which counts at its best rank",
               [&](const EvaluatedRun& run) -> std::string {
                 if (run.oddities.duplicates == 0) return {};
                 const RunFacts::Repeat& first = run.facts().repeats.front();
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
               by_score ? "topics ranked by score and docno whose lines are in another order; with "
                          "--order file"
                        : "topics ranked by their lines, which are in another order than score and "
                          "docno; with --order trec",
               [](const EvaluatedRun& run) -> std::string {
                 if (run.order.topics == 0) return {};
                 return fmt::format("{} ({})", grouped_text(run.order.topics), changes(run));
               });
}

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

/// Returns true if a note about a series gives the advice of the hint: it says more, because it
/// names the documents and shows one.
bool is_advised(const EvaluatedRun& run, const DocnoHint& hint) {
  const std::string advice = docno_advice(hint.policy);
  return std::ranges::any_of(run.input, [&](const InputFinding& finding) {
    return finding.check->name == kSeriesCheck && finding.words.ends_with(advice);
  });
}

void about_docnos(Notes& notes, const EvaluationReport& report) {
  for (const EvaluatedRun& run : report.runs) {
    if (!run.docno_hint || is_advised(run, *run.docno_hint)) continue;
    const DocnoHint& hint = *run.docno_hint;
    notes.push_back(fmt::format(
        "{}: {} of {} judged docnos match, {} after {}: {}", run.name, grouped_text(hint.matched),
        grouped_text(hint.judged), grouped_text(hint.would_match),
        hint.policy == DocnoPolicy::kPatent ? "dropping kind codes" : "unifying their spelling",
        docno_advice(hint.policy)));
  }
  add_for_runs(
      notes, report, "runs without a judged document (do their ids look like those of the qrels?)",
      [](const EvaluatedRun& run) -> std::string {
        const std::uint64_t documents = run.oddities.num_ret;
        const bool is_odd = documents > 0 && run.facts().retrieved.empty() && !run.docno_hint;
        return is_odd ? fmt::format("{} retrieved", grouped_text(documents)) : "";
      });
}

/// A run is often cut off at 100 while a default measure reads 1000 ranks.
void about_ends(Notes& notes, const EvaluationReport& report) {
  add_for_runs(notes, report,
               "measures that read behind the rank at which a run was cut off, where nothing is "
               "found",
               [&](const EvaluatedRun& run) -> std::string {
                 std::vector<std::string> names;
                 for (const Measure& measure : report.measures) {
                   if (end_before(measure, run.facts())) names.push_back(measure.name());
                 }
                 if (names.empty()) return {};
                 return fmt::format("{} ({})", *end_of_run(run.facts()), fmt::join(names, ", "));
               });
}

/// Names the one measure that a run file alone cannot have.
void about_collection(Notes& notes, const EvaluationReport& report) {
  const bool has_rnorm = std::ranges::any_of(
      report.measures, [](const Measure& measure) { return &measure.definition() == &kRNorm; });
  if (!has_rnorm) return;
  notes.emplace_back(
      "Rnorm has no value: it needs the size of the collection, which a replay knows; "
      "'prescope trec_eval -N SIZE -m Rnorm' takes it");
}

}  // namespace

std::vector<std::string> evaluation_notes(const EvaluationReport& report) {
  Notes notes;
  about_input(notes, report);
  about_tie_range(notes, report);
  about_docnos(notes, report);
  about_topics(notes, report);
  about_duplicates(notes, report);
  about_order(notes, report);
  about_cutoffs(notes, report);
  about_ends(notes, report);
  about_collection(notes, report);
  about_qrels(notes, report);
  about_families(notes, report);
  return notes;
}

}  // namespace prescope
