#include "base/threads.h"
#include "cli/commands/commands.h"
#include "cli/commands/study_command.h"
#include "cli/options/terminal.h"

namespace prescope::cli {

namespace {

constexpr const char* kPaperMeasures = "AP@1000,R@1000,PRES@1000";

struct AgreementRequest : StudyRequest {
  AgreementOptions options;
};

void run_agreement(AgreementRequest& request) {
  AgreementOptions& options = request.options;
  if (!(options.alpha > 0.0 && options.alpha < 1.0)) {
    throw usage_error("--alpha: expected a chance between 0 and 1, such as 0.05");
  }
  options.threads = request.flags.read.threads;
  const std::vector<Measure> measures =
      comparable_measures(measures_of(request.flags.measures, kPaperMeasures));
  request.output.open(inputs_of(request.flags));
  const StudyInput input(request.flags, 2, measures);
  std::vector<const Evaluation*> runs;
  for (const EvaluatedRun& run : input.evaluation.runs) runs.push_back(&run.evaluation);
  request.output.write(agreement_report(input.evaluation, agreement(runs, options)));
}

void add_agreement_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "agreement", "Find the pairs of runs that differ, and how far the measures agree.",
      run_agreement);
  add_study_arguments(command, request);
  add_measures_flag(command, request.flags, kPaperMeasures);
  AgreementOptions& options = request.options;
  add_test_flag(command, options.test,
                "Test of a pair: wilcoxon, as in the PRES paper; t; sign-flip (wilcoxon)");
  command.add("--alpha", options.alpha, "SHARE",
              "Chance of a false claim that is accepted, for each pair (0.05)");
  add_correction_flag(
      command, options.correction,
      "Correction over the pairs of each measure: none, as in the paper; holm; bh (none)");
  add_sign_flip_flags(command, options.sign_flip);
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study agreement qrels.txt *.run.gz --html agreement.html\n"
      "  prescope study agreement qrels.txt *.run.gz -m AP@100,PRES@100 --test t --correction bh");
}

struct CorrelationRequest : StudyRequest {
  std::string scores;
  double persistence = kPersistenceForSystems;
};

void check_request(const CorrelationRequest& request) {
  if (!(request.persistence > 0.0 && request.persistence < 1.0)) {
    throw usage_error("--rbo-p: {} is not between 0 and 1", request.persistence);
  }
  if (!request.scores.empty() && !request.flags.qrels.empty()) {
    throw usage_error("--scores and QRELS RUN... exclude each other: scores are read, or computed");
  }
}

ReportDocument study_of_table(const CorrelationRequest& request) {
  ScoreTable table = load_score_table(request.scores);
  if (!request.flags.measures.empty()) {
    const std::string list = fmt::format("{}", fmt::join(request.flags.measures, ","));
    table = with_measures(table, split(list, ','));
  }
  return correlation_report(request.scores,
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
        throw bad_input_error("{} has no value for run {}; leave it out of --measures",
                              table.measures.back(), run.name);
      }
      table.scores.back().push_back(*mean);
    }
  }
  return table;
}

/// The runs that repeat documents and can be read again.
std::vector<std::size_t> repeating_runs(const EvaluationReport& evaluation) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < evaluation.runs.size(); ++i) {
    const EvaluatedRun& run = evaluation.runs[i];
    if (run.oddities.duplicates == 0 || evaluation.options.ranks.judged_only) continue;
    const std::string& path = run.facts().path;
    std::error_code unknown;
    if (path == kStandardInput || !std::filesystem::is_regular_file(path, unknown)) {
      print_note(fmt::format("{} cannot be read again to count the documents that it repeats",
                             path == kStandardInput ? "standard input" : path));
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

ReportDocument study_of_runs(const CorrelationRequest& request) {
  const StudyInput input(request.flags, 2, measures_of(request.flags.measures, kPaperMeasures));
  CorrelationStudy study = study_correlation(table_of(input.evaluation), request.persistence);
  study.repeated = repeated_documents(input, study, request.flags.read.threads);
  return correlation_report(input.evaluation, study);
}

void run_correlation(CorrelationRequest& request) {
  check_request(request);
  std::vector<std::string> inputs = inputs_of(request.flags);
  inputs.push_back(request.scores);
  request.output.open(inputs);
  request.output.write(request.scores.empty() ? study_of_runs(request) : study_of_table(request));
}

void add_correlation_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "correlation", "Compare how measures order the systems: Kendall, Spearman, tau_AP, overlap.",
      run_correlation);
  add_study_arguments(command, request);
  add_measures_flag(command, request.flags, kPaperMeasures);
  command.add("--scores", request.scores, "TABLE",
              "Read a table parted by tabs instead of QRELS and RUN: a header, a row a system, a "
              "column a measure; -m chooses columns; - for stdin");
  command.add("--rbo-p", request.persistence, "P",
              "Chance that a reader of the order goes on, for rank-biased overlap (0.9)");
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study correlation qrels.txt *.run.gz --html correlation.html\n"
      "  prescope study correlation qrels.txt *.run -m PRES@100,R@100,nDCG@10\n"
      "  prescope study correlation --scores table.tsv --svg figures");
}

constexpr const char* kStudyCutoffs = "10,20,50,100,200,500,1000";

struct CutoffsRequest : StudyRequest {
  std::vector<std::string> cutoffs;
};

void run_cutoffs(CutoffsRequest& request) {
  const std::vector<Cutoff> cutoffs = cutoff_list("--nmax", request.cutoffs, kStudyCutoffs);
  request.output.open(inputs_of(request.flags));
  const StudyInput input(request.flags, 1, default_measures(cutoffs));
  const CutoffStudy study = study_cutoffs(input.ranked(), cutoffs, request.flags.read.threads);
  request.output.write(cutoffs_report(input.evaluation, study));
}

void add_cutoffs_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "cutoffs",
      "Plot MAP, Recall and PRES against N_max, and find cutoffs at which runs change places.",
      run_cutoffs);
  add_study_arguments(command, request);
  command.add("--nmax", request.cutoffs, "N,N", fmt::format("Documents read ({})", kStudyCutoffs));
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study cutoffs qrels.txt bm25.run tfidf.run.gz\n"
      "  prescope study cutoffs qrels.txt *.run --nmax 10,100,1000 --html cutoffs.html\n"
      "  prescope study cutoffs qrels.txt *.run --csv cutoffs.csv --svg figures");
}

constexpr const char* kRobustnessFractions = "0.2,0.4,0.6,0.8";
constexpr const char* kRobustnessCutoffs = "100,1000";
constexpr std::uint32_t kMostRobustnessSamples = 100'000;

struct RobustnessRequest : StudyRequest {
  std::vector<std::string> fractions, cutoffs;
  RobustnessOptions options;
};

/// AP, R and PRES at each cutoff, as the paper has them, if nobody names measures.
std::vector<Measure> measures_asked_for(const RobustnessRequest& request) {
  if (!request.flags.measures.empty()) {
    if (request.cutoffs.empty()) return measures_of(request.flags.measures);
    throw usage_error(
        "--cutoffs is for the measures of the paper; measures of --measures have their own");
  }
  std::vector<Measure> measures;
  for (const Cutoff cutoff : cutoff_list("--cutoffs", request.cutoffs, kRobustnessCutoffs)) {
    for (const char* family : {"AP", "R", "PRES"}) {
      measures.push_back(Measure::parse(fmt::format("{}@{}", family, cutoff.value())));
    }
  }
  return measures;
}

void run_robustness(RobustnessRequest& request) {
  RobustnessOptions& options = request.options;
  options.fractions = share_list("--fractions", request.fractions, kRobustnessFractions);
  options.threads = request.flags.read.threads;
  const std::vector<Measure> measures = measures_asked_for(request);
  request.output.open(inputs_of(request.flags));
  const StudyInput input(request.flags, 2, measures);
  request.output.write(
      robustness_report(input.evaluation, robustness(input.ranked(), Scorer(measures), options)));
}

void add_robustness_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "robustness", "Test if the order of runs survives when a part of the judgements is missing.",
      run_robustness);
  add_study_arguments(command, request);
  command.add(
      "--fractions", request.fractions, "F,F",
      fmt::format("Shares of the relevant documents that are kept ({})", kRobustnessFractions));
  command.add("--samples", request.options.samples, "N", "Samples of each fraction (3)",
              Limits{1, kMostRobustnessSamples});
  command.add("--cutoffs", request.cutoffs, "N,N",
              fmt::format("Cutoffs of MAP, Recall and PRES ({})", kRobustnessCutoffs));
  command.add("-m,--measures", request.flags.measures, "M,M",
              "Other measures instead, with their cutoffs");
  command.add("--seed", request.options.seed, "TEXT",
              "Seed of the samples; another one gives others (1)");
  using Rounding = SampleRounding;
  command.add_choice(
      "--rounding", request.options.rounding,
      {{"round", Rounding::kNearest}, {"ceil", Rounding::kUp}, {"floor", Rounding::kDown}}, "WAY",
      "Rounding of the documents kept, at least one: round, ceil, floor (round)");
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study robustness qrels.txt *.run.gz --html robustness.html\n"
      "  prescope study robustness qrels.txt *.run --fractions .5,.9 --samples 50 --cutoffs 100\n"
      "  prescope study robustness qrels.txt *.run -m nDCG@10,PRES@200 --seed 2011");
}

constexpr std::uint32_t kMostRelevant = 10'000, kMostRead = 1'000'000;
constexpr std::size_t kWidthOfCurve = 100;

struct CurveRequest {
  std::uint32_t num_rel = 0;  ///< 0: as many as there are ranks
  std::uint32_t cutoff = 100;
  std::vector<std::string> ranks;
  StudyOutput output;
};

/// Ascending; a rank that is there twice would be a document found twice.
std::vector<Rank> ranks_of(const std::vector<std::string>& words) {
  std::vector<Rank> ranks = positive_numbers("--ranks", "rank", words);
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice != ranks.end()) {
    throw usage_error("--ranks: rank {} is there twice", *twice);
  }
  return ranks;
}

void run_curve(CurveRequest& request) {
  const std::vector<Rank> ranks = ranks_of(request.ranks);
  const auto found = static_cast<std::uint32_t>(ranks.size());
  if (found == 0 && request.num_rel == 0) {
    throw usage_error("expected --ranks, --n or both; see 'prescope study curve --help'");
  }
  const std::uint32_t num_rel = request.num_rel == 0 ? found : request.num_rel;
  if (found > num_rel || num_rel > kMostRelevant) {
    throw usage_error(
        "--ranks: {} ranks, but --n is {}; expected no more than n, and n at "
        "most {}",
        found, num_rel, kMostRelevant);
  }
  request.output.open();
  request.output.write(curve_report(pres_curve(num_rel, request.cutoff, ranks),
                                    stdout_look().columns.value_or(kWidthOfCurve)));
}

void add_curve_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "curve", "Plot PRES of given ranks between its bounds, against RR, and for n above N_max.",
      run_curve);
  command.add("--n", request.num_rel, "N",
              "Relevant documents there are (as many as there are ranks)",
              Limits{1, kMostRelevant});
  command.add("--nmax", request.cutoff, "N", "Documents read (100)", Limits{1, kMostRead});
  command.add("--ranks", request.ranks, "R,R", "Ranks at which relevant documents were found");
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study curve --n 4 --nmax 100 --ranks 1,98,99,100\n"
      "  prescope study curve --n 1 --nmax 1000 --ranks 20 --html curve.html\n"
      "  prescope study curve --n 250 --nmax 100 --ranks 1,2,3,5,8,13 --svg figures");
}

struct RetrievabilityCommand {
  RetrievabilityRequest input;
  std::uint32_t top = 10;
  StudyOutput output;
};

void run_retrievability(RetrievabilityCommand& command) {
  std::vector<std::string> inputs = command.input.sources;
  inputs.insert(inputs.end(), {command.input.documents, command.input.family_map});
  command.output.open(inputs);
  RetrievabilityStudy study = read_retrievability(command.input);
  study.top = command.top;
  if (command.output.files.wants("--csv")) study.csv = RetrievabilityStudy::Csv::kEveryDocument;
  command.output.write(retrievability_report(study));
}

void add_retrievability_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "retrievability",
      "Count how often each document can be found, and list those that became unfindable.",
      run_retrievability);
  RetrievabilityRequest& input = request.input;
  command.add("STORE_OR_RUN", input.sources, "FILE",
              "TREC runs, plain or gzip (- for stdin), or stores with captured rankings; the "
              "first is what others are compared with");
  command.add("-c,--cutoff", input.cutoff, "N", "Last rank that counts (100)", Limits{1});
  command.add("--documents", input.documents, "FILE",
              "File of all docnos, one a line, so that documents never found have names");
  command.add("--collection", input.collection, "N", "Number of documents in the collection");
  add_docno_flag(command, input.docno,
                 "Docnos that are the same document: raw, publication, patent, family (raw)");
  command.add("--family-map", input.family_map, "FILE", "Families, for --docno family");
  command.add_choice("--order", input.order, {{"trec", RunOrder::kTrec}, {"file", RunOrder::kFile}},
                     "ORDER", "Order of runs: trec (score, docno), file (trec)");
  command.add("--experiment", input.experiment, "NAME", "Read only this experiment of a store");
  command.add("--arm", input.arm, "NAME", "Read only this arm of a store");
  command.add("--session", input.session, "N",
              "Read only one session of an experiment in a store (all of them, each on its own)",
              Limits{});
  command.add("--top", request.top, "N", "Documents listed in each table (10)");
  command.add("--threads", input.threads, "N",
              "Runs read at the same time (1); the numbers are the same", Limits{1, kMostThreads});
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope study retrievability monday.run tuesday.run --collection 1958955\n"
      "  prescope study retrievability bm25.run.gz --documents docnos.txt --csv documents.csv\n"
      "  prescope study retrievability night.db --cutoff 50");
}

}  // namespace

void add_study_commands(Command& program) {
  Command& studies = program.add_command(
      "study", "Repeat the studies of the PRES papers on your own runs: cutoffs, correlation, ...");
  studies.kind_of_subcommand = "study";
  add_cutoffs_study(studies);
  add_correlation_study(studies);
  add_curve_study(studies);
  add_agreement_study(studies);
  add_robustness_study(studies);
  add_retrievability_study(studies);
  studies.footer(
      "Examples:\n"
      "  prescope study cutoffs qrels.txt *.run.gz --nmax 10,100,1000 --html cutoffs.html\n"
      "  prescope study correlation qrels.txt *.run.gz\n\n"
      "'prescope study NAME --help' describes a study.");
}

}  // namespace prescope::cli
