#include <fmt/format.h>
#include <memory>

#include "base/threads.h"
#include "cli/commands/study_command.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/terminal.h"
#include "prescope/error.h"
#include "runs/run_oddities.h"
#include "studies/correlation_study.h"
#include "studies/cutoff_study.h"

namespace prescope::cli {

namespace {

constexpr const char* kCorrelationMeasures = "AP@1000,R@1000,PRES@1000";

struct CorrelationRequest {
  StudyRequest study;
  std::string scores;
  double persistence = kPersistenceForSystems;
  StudyOutput output;
};

void check_request(const CorrelationRequest& request) {
  if (!(request.persistence > 0.0 && request.persistence < 1.0)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--rbo-p: {} is not between 0 and 1", request.persistence));
  }
  if (!request.scores.empty() && !request.study.flags.qrels.empty()) {
    throw Error(ErrorCode::kUsage,
                "--scores and QRELS RUN... exclude each other: scores are read, or computed");
  }
}

/// With commas or repeated flags, as columns of a table are chosen.
std::vector<std::string> chosen_columns(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view name : comma_separated(list)) names.emplace_back(name);
  }
  return names;
}

StudyReport study_of_table(const CorrelationRequest& request) {
  ScoreTable table = load_score_table(request.scores);
  const std::vector<std::string> columns = chosen_columns(request.study.flags.measures);
  if (!columns.empty()) table = with_measures(table, columns);
  return correlation_report(request.scores, PRESCOPE_VERSION,
                            study_correlation(std::move(table), request.persistence));
}

ScoreTable table_of(const EvaluationReport& evaluation) {
  ScoreTable table;
  for (const EvaluatedRun& run : evaluation.runs) table.systems.push_back(run.name);
  for (std::size_t m = 0; m < evaluation.measures.size(); ++m) {
    table.measures.push_back(evaluation.measures[m].name());
    table.scores.emplace_back();
    for (const EvaluatedRun& run : evaluation.runs) {
      const std::optional<double> mean = run.evaluation.means[m];
      if (!mean) {
        throw Error(ErrorCode::kBadInput,
                    fmt::format("{} has no value for run {}; leave it out of --measures",
                                table.measures.back(), run.name));
      }
      table.scores.back().push_back(*mean);
    }
  }
  return table;
}

/// Those runs that repeat documents, and can be read again.
std::vector<std::size_t> repeating_runs(const EvaluationReport& evaluation) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < evaluation.runs.size(); ++i) {
    const EvaluatedRun& run = evaluation.runs[i];
    if (run.oddities.duplicates == 0 || evaluation.options.ranks.judged_only) continue;
    if (run.facts->path == kStandardInput) {
      print_note("standard input cannot be read again to count the documents that it repeats");
      continue;
    }
    runs.push_back(i);
  }
  return runs;
}

std::optional<RepeatedDocuments> repeated_documents(const StudyInput& input,
                                                    const CorrelationStudy& study,
                                                    unsigned threads) {
  const EvaluationReport& evaluation = input.evaluation;
  const std::vector<std::size_t> runs = repeating_runs(evaluation);
  if (runs.empty()) return std::nullopt;
  std::vector<std::vector<std::optional<double>>> means(runs.size());
  in_parallel(runs.size(), threads, [&](std::size_t i) {
    means[i] = means_of_every_line(input.judged.qrels, input.judged.facts[runs[i]].path,
                                   evaluation.measures, evaluation.options, evaluation.score);
  });
  RepeatedDocuments repeated;
  for (const std::size_t run : runs) {
    const RunOddities& oddities = evaluation.runs[run].oddities;
    repeated.systems.push_back({run, oddities.duplicates, oddities.topics_with_duplicates});
  }
  for (std::size_t m = 0; m < evaluation.measures.size(); ++m) {
    if (!counts_lines(evaluation.measures[m])) continue;
    RepeatedDocuments::ByMeasure by{.measure = m, .every_line = study.table.scores[m]};
    for (std::size_t i = 0; i < runs.size(); ++i) by.every_line[runs[i]] = means[i][m].value();
    by.places = mid_ranks(by.every_line);
    by.tau_b = kendall_tau_b(study.table.scores[m], by.every_line);
    repeated.measures.push_back(std::move(by));
  }
  if (repeated.measures.empty()) return std::nullopt;
  return repeated;
}

StudyReport study_of_runs(const CorrelationRequest& request) {
  const StudyInput input(request.study, 2,
                         measures_of(request.study.flags.measures, kCorrelationMeasures));
  CorrelationStudy study = study_correlation(table_of(input.evaluation), request.persistence);
  study.repeated = repeated_documents(input, study, request.study.flags.read.threads);
  return correlation_report(input.evaluation, study);
}

void run_correlation(CorrelationRequest& request) {
  check_request(request);
  request.output.open();
  request.output.write(request.scores.empty() ? study_of_runs(request) : study_of_table(request));
}

}  // namespace

void add_correlation_study(Command& studies) {
  const auto request = std::make_shared<CorrelationRequest>();
  Command& command = studies.add_command(
      "correlation", "How alike measures order the systems: Kendall, Spearman, tau_AP, overlap.");
  add_study_arguments(command, request->study);
  add_study_measures(command, request->study, kCorrelationMeasures);
  command.add("--scores", request->scores, "TABLE",
              "Instead of QRELS and RUN, a table parted by tabs: a header, a row a system, a "
              "column a measure; -m chooses columns; - for stdin");
  command.add("--rbo-p", request->persistence, "P",
              "Chance that a reader of the order goes on, for rank-biased overlap (0.9)");
  request->output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study correlation qrels.txt *.run.gz --html correlation.html\n"
      "  prescope study correlation qrels.txt *.run -m PRES@100,R@100,nDCG@10\n"
      "  prescope study correlation --scores table.tsv --svg figures");
  command.set_body([request] { run_correlation(*request); });
}

namespace {

constexpr const char* kStudyCutoffs = "10,20,50,100,200,500,1000";

struct CutoffsRequest {
  StudyRequest study;
  std::vector<std::string> cutoffs;
  StudyOutput output;
};

void run_cutoffs(CutoffsRequest& request) {
  const std::vector<Cutoff> cutoffs =
      cutoff_list("--nmax", request.cutoffs.empty() ? std::vector<std::string>{kStudyCutoffs}
                                                    : request.cutoffs);
  request.output.open();
  const StudyInput input(request.study, 1, default_measures(cutoffs));
  const CutoffStudy study =
      study_cutoffs(input.ranked(), cutoffs, request.study.flags.read.threads);
  request.output.write(cutoffs_report(input.evaluation, study));
}

}  // namespace

void add_cutoffs_study(Command& studies) {
  const auto request = std::make_shared<CutoffsRequest>();
  Command& command = studies.add_command(
      "cutoffs", "MAP, Recall and PRES against N_max, and where the order of runs turns round.");
  add_study_arguments(command, request->study);
  command.add("--nmax", request->cutoffs, "N,N", fmt::format("Documents read ({})", kStudyCutoffs));
  request->output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study cutoffs qrels.txt bm25.run tfidf.run.gz\n"
      "  prescope study cutoffs qrels.txt *.run --nmax 10,100,1000 --html cutoffs.html\n"
      "  prescope study cutoffs qrels.txt *.run --csv cutoffs.csv --svg figures");
  command.set_body([request] { run_cutoffs(*request); });
}

}  // namespace prescope::cli
