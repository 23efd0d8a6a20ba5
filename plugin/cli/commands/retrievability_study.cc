#include <memory>

#include "cli/commands/retrievability_input.h"
#include "cli/commands/study_command.h"
#include "cli/options/evaluation_flags.h"

namespace prescope::cli {

namespace {

struct RetrievabilityCommand {
  RetrievabilityRequest input;
  std::uint32_t top = 10;
  StudyOutputFlags output;
};

void run_retrievability(const RetrievabilityCommand& command) {
  StudyOutput output(command.output);
  RetrievabilityStudy study = read_retrievability(command.input);
  study.top = command.top;
  if (!command.output.csv.empty()) study.csv = RetrievabilityStudy::Csv::kEveryDocument;
  output.write(retrievability_report(study));
}

}  // namespace

void add_retrievability_study(CommandGroup& studies) {
  const auto request = std::make_shared<RetrievabilityCommand>();
  CommandParser& parser = studies.add_command(
      "retrievability", "How often each document can be found, and which became unfindable.");
  RetrievabilityRequest& input = request->input;
  parser.argument("STORE_OR_RUN", input.sources, "FILE",
                  "TREC runs, plain or gzip (- for stdin), or stores with captured rankings; the "
                  "first is what others are compared with");
  parser.option("-c,--cutoff", {input.cutoff, 1}, "N", "Last rank that counts (100)");
  parser.option("--documents", input.documents, "FILE",
                "All documents there are, a docno a line, so that those never found have names");
  parser.option("--collection", input.collection, "N", "How many documents there are");
  parser.option("--docno", input.docno, "POLICY",
                "When two docnos are one document: raw, publication, patent, family (raw)");
  parser.option("--family-map", input.family_map, "FILE", "Families, for --docno family");
  parser.option("--order", input.order, "ORDER", "Of runs: trec (score, docno), file (trec)");
  parser.option("--experiment", input.experiment, "NAME", "Of stores: only of this experiment");
  parser.option("--arm", input.arm, "NAME", "Of stores: only of this arm");
  parser.option("--session", input.session, "N",
                "Of stores: only of one life of an experiment (all of them, each on its own)");
  parser.option("--top", request->top, "N", "Documents listed in each table (10)");
  parser.option("--threads", {input.threads, 1, kMostThreads}, "N",
                "Runs read at the same time (1); the numbers are the same");
  add_study_output_flags(parser, request->output);
  parser.footer(
      "Examples:\n"
      "  prescope study retrievability monday.run tuesday.run --collection 1958955\n"
      "  prescope study retrievability bm25.run.gz --documents docnos.txt --csv documents.csv\n"
      "  prescope study retrievability night.db --cutoff 50");
  parser.body([request] { run_retrievability(*request); });
}

}  // namespace prescope::cli
