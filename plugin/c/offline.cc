#include "c/columns.h"
#include "judgements/judgement_line.h"
#include "measures/scorer.h"
#include "prescope/gate.h"
#include "report/nightly/gate_report.h"
#include "report/runs/comparison_report.h"
#include "runs/offline_runs.h"

namespace prescope::c {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

double number_of(const std::optional<double>& value) { return value.value_or(kNoValue); }

QrelsOptions qrels_options_of(const prescope_qrels_options* given) {
  const prescope_qrels_options options =
      versioned(given, PRESCOPE_QRELS_OPTIONS_INIT, "prescope_qrels_options");
  QrelsOptions result{.docno = parse_docno_policy(&required(options.docno, "docno")),
                      .min_grade = options.min_grade};
  if (options.family_map != nullptr) result.family_map = options.family_map;
  if (options.rule != nullptr) result.rule = options.rule;
  if (options.categories != nullptr) {
    for (const std::string& word : split(options.categories, ',')) {
      const auto [letter, grade] = split_category(word);
      set_category(result.categories, letter, grade);
    }
  }
  return result;
}

ScoringOptions scoring_of(const prescope_scoring* given) {
  const prescope_scoring scoring = versioned(given, PRESCOPE_SCORING_INIT, "prescope_scoring");
  constexpr std::array<std::string_view, 2> kOrders = {"file", "trec"};
  ScoringOptions result{
      .order = static_cast<RunOrder>(position_of("order", scoring.order, kOrders)),
      .judged_only = scoring.judged_only != 0,
      .only_topics_of_run = scoring.only_topics_of_run != 0};
  if (scoring.depth != 0) result.depth = scoring.depth;
  return result;
}

std::vector<Measure> measures_of(const char* measures) {
  std::vector<Measure> parsed = distinct(parse_measures(&required(measures, "measures")));
  if (parsed.empty()) throw usage_error("no measure; expected names such as 'PRES@100,R@100,AP'");
  return parsed;
}

/// The scores, with all memory that they point to.
struct OwnedScores : prescope_scores {
  explicit OwnedScores(const RunScores& scores, const JudgedRun& run);
  OwnedScores(const OwnedScores&) = delete;
  OwnedScores& operator=(const OwnedScores&) = delete;

 private:
  std::vector<std::string> names_;
  std::vector<const char*> name_pointers_;
  std::vector<double> scores_, means_;
  std::vector<std::uint32_t> topics_, topics_in_mean_, ends_at_, num_ret_, num_rel_ret_;
  std::vector<std::uint8_t> is_in_run_;
};

OwnedScores::OwnedScores(const RunScores& of, const JudgedRun& run) : prescope_scores{} {
  for (const Measure& measure : of.measures) names_.push_back(measure.name());
  for (const std::string& name : names_) name_pointers_.push_back(name.c_str());
  for (const RunScores::Topic& topic : of.topics) {
    topics_.push_back(topic.topic.value());
    num_ret_.push_back(topic.num_ret);
    num_rel_ret_.push_back(topic.num_rel_ret);
    is_in_run_.push_back(OfflineRuns::facts(run).find(topic.topic) != nullptr ? 1 : 0);
    std::ranges::transform(topic.scores, std::back_inserter(scores_), number_of);
  }
  for (const Mean& mean : of.means) {
    means_.push_back(number_of(mean.mean));
    topics_in_mean_.push_back(mean.topics);
  }
  for (const std::optional<Rank>& end : of.ends_at) ends_at_.push_back(end.value_or(0));
  static_cast<prescope_scores&>(*this) = {.num_measures = names_.size(),
                                          .num_topics = topics_.size(),
                                          .measures = name_pointers_.data(),
                                          .topics = topics_.data(),
                                          .scores = scores_.data(),
                                          .means = means_.data(),
                                          .topics_in_mean = topics_in_mean_.data(),
                                          .ends_at = ends_at_.data(),
                                          .num_ret = num_ret_.data(),
                                          .num_rel_ret = num_rel_ret_.data(),
                                          .is_in_run = is_in_run_.data()};
}

/// Throws Error(kUsage) for fewer than `least` runs, and for runs with different judgements.
std::vector<const prescope_run*> checked_runs(const prescope_run* const* runs, std::size_t count,
                                              std::size_t least) {
  if (count < least) throw usage_error("{} runs; expected at least {}", count, least);
  required(runs, "runs");
  std::vector<const prescope_run*> checked;
  for (std::size_t i = 0; i < count; ++i) {
    checked.push_back(&required(runs[i], fmt::format("runs[{}]", i)));
    OfflineRuns::check_same_judgements(checked.front()->run, checked.back()->run);
  }
  return checked;
}

/// Scores the runs, which the report refers to.
EvaluationReport report_of(std::span<const prescope_run* const> runs,
                           const std::vector<Measure>& measures, const ScoringOptions& scoring) {
  const NamedQrels& judged = *runs.front()->judged;
  EvaluationReport report{.qrels_path = judged.name,
                          .qrels = &judged.qrels,
                          .categories = judged.categories,
                          .qrels_oddities = qrels_oddities(judged.qrels),
                          .options = evaluate_options_of(scoring),
                          .measures = measures,
                          .runs = {}};
  const Scorer scorer(measures);
  for (const prescope_run* run : runs) {
    report.runs.push_back(evaluated_run(report, run->name, OfflineRuns::facts(run->run), scorer));
  }
  return report;
}

CompareOptions compare_options_of(const prescope_compare_options* given, const Qrels& qrels,
                                  const ScoringOptions& scoring) {
  const prescope_compare_options options =
      versioned(given, PRESCOPE_COMPARE_OPTIONS_INIT, "prescope_compare_options");
  check_share("the confidence", options.confidence);
  check_share("alpha", options.alpha);
  CompareOptions result{
      .evaluate = evaluate_options_of(scoring),
      .test = value_of("test", options.test,
                       {PairedTest::kT, PairedTest::kSignFlip, PairedTest::kWilcoxon}),
      .correction = value_of("correction", options.correction,
                             {Correction::kHolm, Correction::kBh, Correction::kNone}),
      .confidence = options.confidence,
      .top = options.top,
      .slices = slices_of(options.slices, options.slice_by, qrels)};
  result.power.alpha = options.alpha;
  return result;
}

/// Returns the name that a report gives a run: the caller's, or the file's without its endings.
std::string run_name(const char* name, const char* path) {
  const std::string paths[] = {path};
  return name != nullptr ? name : run_names(paths).front();
}

prescope_qrels* qrels_handle(NamedQrels judged) {
  return new prescope_qrels{std::make_shared<NamedQrels>(std::move(judged))};
}

/// Adds the lines as RunBuilder::add says.
bool add_lines(RunBuilder& builder, const prescope_run_columns& columns) {
  ColumnCursor topics(columns.topics, "topics"), docnos(columns.docnos, "docnos");
  std::uint64_t line = 0;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const std::string_view topic = topics.next();
    const std::uint64_t end = columns.topic_ends != nullptr ? columns.topic_ends[i] : i + 1;
    if (end < line || end > docnos.size()) {
      throw usage_error("topic_ends[{}] is {}; expected a number from {} to {}", i, end, line,
                        docnos.size());
    }
    for (; line < end; ++line) {
      // Without scores, each line is below the one before.
      const double score =
          columns.scores != nullptr ? columns.scores[line] : -static_cast<double>(line);
      if (!builder.add(topic, docnos.next(), score)) return false;
    }
  }
  if (line != docnos.size()) {
    throw usage_error("topic_ends ends with {}; expected {}, the number of docnos", line,
                      docnos.size());
  }
  topics.check_end();
  docnos.check_end();
  return true;
}

JudgedRun run_of_columns(const Qrels& qrels, const prescope_run_columns& columns) {
  if (columns.topic_ends == nullptr && columns.topics.count != columns.docnos.count) {
    throw usage_error("{} topics and {} docnos; expected as many of each, or `topic_ends`",
                      columns.topics.count, columns.docnos.count);
  }
  return OfflineRuns::of_facts(qrels, build_run(qrels, "the columns", [&](RunBuilder& builder) {
                                 return add_lines(builder, columns);
                               }));
}

}  // namespace

}  // namespace prescope::c

using namespace prescope;
using namespace prescope::c;

prescope_code prescope_qrels_load(const char* path, const prescope_qrels_options* options,
                                  prescope_qrels** qrels, prescope_error* error) {
  return guarded_making(qrels, "qrels", error, [&] {
    const QrelsOptions how = qrels_options_of(options);
    const std::string name = &required(path, "path");
    return qrels_handle({name, how.categories, load_judgements(name, how)});
  });
}

prescope_code prescope_qrels_open(const char* path, const prescope_qrels_options* options,
                                  prescope_qrels** qrels, prescope_error* error) {
  return guarded_making(qrels, "qrels", error, [&] {
    const QrelsOptions how = qrels_options_of(options);
    const std::string name = &required(path, "path");
    return qrels_handle({name, how.categories, open_judgements(name, how)});
  });
}

prescope_code prescope_qrels_from_columns(const prescope_column* topics,
                                          const prescope_column* docnos, const int32_t* grades,
                                          const prescope_qrels_options* options,
                                          prescope_qrels** qrels, prescope_error* error) {
  return guarded_making(qrels, "qrels", error, [&] {
    const QrelsOptions how = qrels_options_of(options);
    if (!how.rule.empty()) throw usage_error("rule '{}': has no meaning for columns", how.rule);
    ColumnCursor topic(required(topics, "topics"), "topics");
    ColumnCursor docno(required(docnos, "docnos"), "docnos");
    if (topic.size() != docno.size()) {
      throw usage_error("{} topics and {} docnos; expected as many of each", topic.size(),
                        docno.size());
    }
    if (topic.size() != 0) required(grades, "grades");
    std::vector<Qrels::Line> lines;
    lines.reserve(topic.size());
    for (std::size_t i = 0; i < topic.size(); ++i) {
      lines.push_back({TopicId(topic.next()), Docno(docno.next()), grades[i]});
    }
    topic.check_end();
    docno.check_end();
    return qrels_handle({"the judgements", how.categories, Qrels::from_lines(lines, how)});
  });
}

void prescope_qrels_free(prescope_qrels* qrels) { delete qrels; }

size_t prescope_qrels_num_topics(const prescope_qrels* qrels) {
  return qrels == nullptr ? 0 : qrels->judged->qrels.num_topics();
}

prescope_text prescope_qrels_topic(const prescope_qrels* qrels, size_t i) {
  if (i >= prescope_qrels_num_topics(qrels)) return text_of("");
  return text_of(qrels->judged->qrels.topic(TopicIndex(static_cast<std::uint32_t>(i))).id().text());
}

prescope_code prescope_run_load(const prescope_qrels* qrels, const char* path, const char* name,
                                uint32_t threads, prescope_run** run, prescope_error* error) {
  return guarded_making(run, "run", error, [&] {
    const auto& judged = required(qrels, "qrels").judged;
    required(path, "path");
    return new prescope_run{
        run_name(name, path), judged,
        OfflineRuns::load(judged->qrels, path, std::max(threads, std::uint32_t{1}))};
  });
}

prescope_code prescope_run_from_columns(const prescope_qrels* qrels,
                                        const prescope_run_columns* columns, prescope_run** run,
                                        prescope_error* error) {
  return guarded_making(run, "run", error, [&] {
    required(columns, "columns");
    const prescope_run_columns given =
        versioned(columns, PRESCOPE_RUN_COLUMNS_INIT, "prescope_run_columns");
    const auto& judged = required(qrels, "qrels").judged;
    required(given.name, "name");
    return new prescope_run{given.name, judged, run_of_columns(judged->qrels, given)};
  });
}

void prescope_run_free(prescope_run* run) { delete run; }

prescope_code prescope_evaluate(const prescope_run* run, const char* measures,
                                const prescope_scoring* scoring, prescope_scores** scores,
                                prescope_error* error) {
  return guarded_making(scores, "scores", error, [&] {
    const JudgedRun& judged = required(run, "run").run;
    return new OwnedScores(evaluate(judged, measures_of(measures), scoring_of(scoring)), judged);
  });
}

void prescope_scores_free(prescope_scores* scores) { delete static_cast<OwnedScores*>(scores); }

prescope_code prescope_evaluate_json(const prescope_run* const* runs, size_t num_runs,
                                     const char* measures, const prescope_scoring* scoring,
                                     uint32_t per_topic, char** json, prescope_error* error) {
  return guarded_making(json, "json", error, [&] {
    EvaluationReport report =
        report_of(checked_runs(runs, num_runs, 1), measures_of(measures), scoring_of(scoring));
    if (per_topic != 0) report.detail = EvaluationReport::Detail::kTopics;
    return allocated(evaluation_json(report));
  });
}

prescope_code prescope_compare_json(const prescope_run* const* runs, size_t num_runs,
                                    const char* measures, const prescope_scoring* scoring,
                                    const prescope_compare_options* options, char** json,
                                    prescope_error* error) {
  return guarded_making(json, "json", error, [&] {
    const ScoringOptions how = scoring_of(scoring);
    ComparisonReport report{.evaluation =
                                report_of(checked_runs(runs, num_runs, 2),
                                          comparable_measures(measures_of(measures)), how)};
    std::vector<const Evaluation*> evaluations;
    for (const EvaluatedRun& run : report.evaluation.runs) evaluations.push_back(&run.evaluation);
    report.comparison = compare_runs(*report.evaluation.qrels, evaluations,
                                     compare_options_of(options, *report.evaluation.qrels, how));
    return allocated(comparison_json(report));
  });
}

prescope_code prescope_gate_json(const prescope_run* baseline, const prescope_run* tonight,
                                 const char* rules, const prescope_scoring* scoring, char** json,
                                 prescope_error* error) {
  return guarded_making(json, "json", error, [&] {
    return allocated(gate_result_json(
        gate(required(baseline, "baseline").run, required(tonight, "tonight").run,
             {.scoring = scoring_of(scoring), .rules = rules != nullptr ? rules : ""})));
  });
}
