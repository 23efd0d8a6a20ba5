#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "runs/convert.h"

namespace prescope::cli {

namespace {

struct ConvertRequest {
  std::string input;
  ConvertOptions options;
  std::string output;
};

void run_convert(const ConvertRequest& request) {
  const ConvertOptions& options = request.options;
  if (options.tag.find_first_of(" \t\r\n\v\f") != std::string::npos) {
    throw usage_error("--tag: '{}' contains white space, which a run cannot carry", options.tag);
  }
  if (options.kind == FileKind::kRun && !options.categories.given().empty()) {
    throw usage_error("--category: has no meaning for a run, which has no grades");
  }
  OutputFile file(request.output, {&request.input, 1});
  const bool is_scored =
      convert(request.input, options, [&](std::string_view text) { file.append(text); });
  file.finish();
  if (is_scored) {
    print_note("every topic's lines got the scores n, n - 1, ..., 1 in the order of the lines");
  }
}

}  // namespace

void add_convert_command(Command& program) {
  const auto [command, request] = program.add_command(
      "convert", "Convert runs and judgements between TREC, CLEF-IP and JSON lines.", run_convert);
  command.add("FILE", request.input, "FILE", "Run or judgements, plain or gzip; - for stdin")
      ->required();
  using Format = FileFormat;
  ConvertOptions& options = request.options;
  command.add_choice("--from", options.from,
                     {{"trec", Format::kTrec},
                      {"clefip", Format::kClefIp},
                      {"jsonl", Format::kJsonLines},
                      {"table", Format::kTable},
                      {"json", Format::kJson},
                      {"letor", Format::kLetor},
                      {"msmarco", Format::kMsMarco},
                      {"auto", std::nullopt}},
                     "FORMAT",
                     "trec, clefip, jsonl, table (with a header: BEIR, Quepid, PatentsView, CSV), "
                     "json, letor, msmarco, or auto: by the first line (auto)");
  command.add_choice(
      "--to", options.to,
      {{"trec", Format::kTrec}, {"clefip", Format::kClefIp}, {"jsonl", Format::kJsonLines}},
      "FORMAT", "trec, clefip or jsonl (trec)");
  command.add_choice("--kind", options.kind,
                     {{"run", FileKind::kRun}, {"qrels", FileKind::kQrels}, {"auto", std::nullopt}},
                     "KIND", "run, qrels, or auto: by the first line, if it tells (auto)");
  add_category_flag(command, options.categories);
  command.add("--tag", options.tag, "TEXT", "Last column of a run (the input's, or run)");
  command.add_flag("--rescore", options.rescore,
                   "Write new scores, so that the order of the lines is the ranking");
  command.add("--output", request.output, "FILE", "Write here instead of stdout");
  command.footer(
      "Examples:\n"
      "  prescope convert ranking.txt.gz --kind run --tag bm25 --output bm25.run\n"
      "  prescope convert bm25.run --to jsonl | jq -r 'select(.rank <= 10) | .docno'\n"
      "  prescope convert qrels.txt --kind qrels --to clefip");
}

}  // namespace prescope::cli
