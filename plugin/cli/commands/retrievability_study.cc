#include "cli/commands/study_command.h"
#include "studies/retrievability.h"

namespace prescope::cli {

namespace {

struct RetrievabilityCommand {
  RetrievabilityRequest input;
  std::string docno = "raw";
  std::uint32_t top = 10;
  StudyOutput output;
};

void run_retrievability(RetrievabilityCommand& command) {
  command.output.open();
  command.input.docno = parse_docno_policy(command.docno);
  RetrievabilityStudy study = read_retrievability(command.input);
  study.version = PRESCOPE_VERSION;
  study.top = command.top;
  if (command.output.files.wants("--csv")) study.csv = RetrievabilityStudy::Csv::kEveryDocument;
  command.output.write(retrievability_report(study));
}

}  // namespace

void add_retrievability_study(Command& studies) {
  const auto [command, request] = studies.add_command(
      "retrievability", "How often each document can be found, and which became unfindable.",
      run_retrievability);
  RetrievabilityRequest& input = request.input;
  command.add("STORE_OR_RUN", input.sources, "FILE",
              "TREC runs, plain or gzip (- for stdin), or stores with captured rankings; the "
              "first is what others are compared with");
  command.add("-c,--cutoff", input.cutoff, "N", "Last rank that counts (100)", Limits{1});
  command.add("--documents", input.documents, "FILE",
              "All documents there are, a docno a line, so that those never found have names");
  command.add("--collection", input.collection, "N", "How many documents there are");
  command.add("--docno", request.docno, "POLICY",
              "When two docnos are one document: raw, publication, patent, family (raw)");
  command.add("--family-map", input.family_map, "FILE", "Families, for --docno family");
  command.add_choice("--order", input.order, {{"trec", RunOrder::kTrec}, {"file", RunOrder::kFile}},
                     "ORDER", "Of runs: trec (score, docno), file (trec)");
  command.add("--experiment", input.experiment, "NAME", "Of stores: only of this experiment");
  command.add("--arm", input.arm, "NAME", "Of stores: only of this arm");
  command.add("--session", input.session, "N",
              "Of stores: only of one life of an experiment (all of them, each on its own)",
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

}  // namespace prescope::cli
