#include <fmt/format.h>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "prescope/error.h"
#include "runs/convert.h"

namespace prescope::cli {

namespace {

struct ConvertRequest {
  std::string input;
  std::string from = "auto", to = "trec", kind = "auto";
  std::string tag;
  std::string output;
  bool rescore = false;
};

constexpr std::array<std::string_view, 3> kFileFormats = {"trec", "clefip", "jsonl"};

ConvertOptions options_of(const ConvertRequest& request) {
  constexpr std::array<std::string_view, 4> kSources = {kFileFormats[0], kFileFormats[1],
                                                        kFileFormats[2], "auto"};
  constexpr std::array<std::string_view, 3> kKinds = {"run", "qrels", "auto"};
  ConvertOptions options;
  const std::size_t from = choice_of("--from", request.from, kSources);
  if (from < kFileFormats.size()) options.from = static_cast<FileFormat>(from);
  options.to = static_cast<FileFormat>(choice_of("--to", request.to, kFileFormats));
  const std::size_t kind = choice_of("--kind", request.kind, kKinds);
  if (kind < kKinds.size() - 1) options.kind = static_cast<FileKind>(kind);
  if (request.rescore) options.scores = ConvertOptions::Scores::kFromOrder;
  if (request.tag.find_first_of(" \t\r\n\v\f") != std::string::npos) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--tag: '{}' contains white space, which a run cannot carry", request.tag));
  }
  options.tag = request.tag;
  return options;
}

void run_convert(const ConvertRequest& request) {
  const ConvertOptions options = options_of(request);
  std::optional<OutputFile> file;
  if (!request.output.empty()) file.emplace(request.output);
  const Converted converted = convert(request.input, options, [&](std::string_view text) {
    file ? file->append(text) : print_result(text);
  });
  if (file) file->finish();
  if (converted.scored) {
    print_note("every topic's lines got the scores n, n - 1, ..., 1 in the order of the lines");
  }
}

}  // namespace

void add_convert_command(Command& program) {
  const auto request = std::make_shared<ConvertRequest>();
  Command& command = program.add_command(
      "convert", "Convert runs and judgements between TREC, CLEF-IP and JSON lines.");
  command.add("FILE", request->input, "FILE", "Run or judgements, plain or gzip; - for stdin")
      ->required();
  command.add("--from", request->from, "FORMAT",
              "trec, clefip, jsonl, or auto: by the first line (auto)");
  command.add("--to", request->to, "FORMAT", "trec, clefip or jsonl (trec)");
  command.add("--kind", request->kind, "KIND",
              "run, qrels, or auto: by the first line, where it tells (auto)");
  command.add("--tag", request->tag, "TEXT", "Last column of a run (the input's, or run)");
  command.add_flag("--rescore", request->rescore,
                   "New scores, so that the order of the lines is the ranking");
  command.add("--output", request->output, "FILE", "Write here instead of stdout");
  command.footer(
      "Examples:\n"
      "  prescope convert ranking.txt.gz --kind run --tag bm25 --output bm25.run\n"
      "  prescope convert bm25.run --to jsonl | jq -r 'select(.rank <= 10) | .docno'\n"
      "  prescope convert qrels.txt --to clefip");
  command.set_body([request] { run_convert(*request); });
}

}  // namespace prescope::cli
