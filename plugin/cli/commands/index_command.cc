#include "cli/commands/index_command.h"

#include <fmt/format.h>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/options/terminal.h"
#include "cli/replay/replay.h"
#include "judgements/patent_file.h"
#include "nightly/evaluation_record.h"
#include "prescope/error.h"
#include "prescope/experiment.h"
#include "replay/engine_module.h"
#include "report/text/tables.h"

namespace prescope::cli {

namespace {

/// Relevant judgements of `qrels` that the arm's index carries; 0 where the engine does not say.
std::uint64_t carried(Qrels qrels, const ReplayArm& arm) {
  const std::uint64_t relevant = qrels_version(qrels).relevant;
  ExperimentOptions options;
  options.arms = {arm.config.id.text()};
  Experiment experiment(std::move(qrels), options);
  const std::span<const ReplayArm> arms(&arm, 1);
  const ReplayIndexes indexes(arms, load_engines(arms), experiment);
  const auto searchers = indexes.searchers();
  const auto missing = experiment.summary()->arms.front().relevant_missing;
  return missing ? relevant - *missing : 0;
}

}  // namespace

std::optional<DocnoHint> index_docno_hint(const Qrels& qrels, const ReplayArm& arm,
                                          std::uint64_t found) {
  DocnoHint best{.policy = qrels.docnos().policy(),
                 .judged = qrels_version(qrels).relevant,
                 .matched = found,
                 .would_match = found};
  for (const DocnoPolicy policy : coarser_policies(best.policy)) {
    const std::uint64_t would_match = carried(under_policy(qrels, policy), arm);
    if (would_match <= best.would_match) continue;
    best.policy = policy;
    best.would_match = would_match;
  }
  return is_worth_a_word(best.matched, best.would_match) ? std::optional(best) : std::nullopt;
}

namespace {

struct IndexOptions {
  std::string engine;
  std::string out;
  std::vector<std::string> documents;
};

void build_index(const IndexOptions& options) {
  Engine& engine = load_engine(options.engine);
  const std::unique_ptr<IndexBuilder> builder = engine.create(options.out);
  Progress progress("document");
  std::uint64_t read = 0;
  for (const std::string& path : options.documents) {
    read += for_each_patent(path, [&](const PatentDocument& document) {
      builder->add(document);
      progress.tick();
    });
  }
  if (read == 0) {
    throw Error(ErrorCode::kBadInput, fmt::format("{}: no documents; expected a JSON object a line",
                                                  fmt::join(options.documents, ", ")));
  }
  const std::uint64_t indexed = builder->finish();
  progress.finish();
  print_result(fmt::format("{} indexed into {} with {} {}\n", count_text(indexed, "document"),
                           options.out, engine.name(), engine.version()));
}

}  // namespace

void add_index_command(ProgramParser& program) {
  const auto options = std::make_shared<IndexOptions>();
  CommandParser& parser = program.add_command("index", "Index patents from JSON lines.");
  parser.required_option("--engine", options->engine, "NAME",
                         "Engine's name, or path of its module");
  parser.required_option("--out", options->out, "DIR",
                         "Folder of the index; an index there is replaced");
  parser.required_argument(
      "DOCS", options->documents, "FILE",
      "JSON lines, plain or gzip, with the fields id, title, abstract, claims, "
      "description, ipc, family");
  parser.footer([] {
    return fmt::format(
        "Engines found: {}\n\n"
        "Example:\n"
        "  prescope index --engine {} --out build/index patents-1.jsonl.gz patents-2.jsonl",
        fmt::join(engines_found(), ", "), example_engine());
  });
  parser.body([options] { build_index(*options); });
}

}  // namespace prescope::cli
