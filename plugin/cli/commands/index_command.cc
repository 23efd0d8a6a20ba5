#include "cli/commands/commands.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "judgements/patent_file.h"
#include "replay/engines.h"

namespace prescope::cli {

namespace {

struct IndexOptions {
  std::string engine;
  std::string out;
  std::vector<std::string> documents;
};

/// From this size on, bytes, the engine may take so long over one document that it is named.
constexpr std::size_t kLargeDocument = 8U << 20U;

std::size_t size_of(const PatentDocument& document) {
  return document.title.size() + document.abstract.size() + document.claims.size() +
         document.description.size();
}

void build_index(const IndexOptions& options) {
  refuse_overwriting(options.out, options.documents);
  Engine& engine = load_engine(options.engine);
  const std::unique_ptr<IndexBuilder> builder = engine.create(options.out);
  Progress progress("document");
  PatentFeed feed;
  for (const std::string& path : options.documents) {
    for_each_patent(path, [&](const PatentDocument& document) {
      feed.add(document);
      if (const std::size_t size = size_of(document); size >= kLargeDocument) {
        progress.show(
            fmt::format("document {}, {} MB of text", document.docno.text(), size >> 20U));
      }
      builder->add(document);
      progress.tick();
    });
  }
  if (feed.documents() == 0) {
    throw bad_input_error("{}: no documents; expected a JSON object a line",
                          fmt::join(options.documents, ", "));
  }
  const std::uint64_t indexed = builder->finish();
  progress.finish();
  for (const std::string& sentence : feed.oddities()) print_note(sentence);
  print_result(fmt::format("{} indexed into {} with {} {}\n", count_text(indexed, "document"),
                           options.out, engine.name(), engine.version()));
}

}  // namespace

void add_index_command(Command& program) {
  const auto [command, options] =
      program.add_command("index", "Index patents from JSON lines.", build_index);
  command.add("--engine", options.engine, "NAME", "Engine's name, or path of its module")
      ->required();
  command.add("--out", options.out, "DIR", "Folder of the index; an index there is replaced")
      ->required();
  command
      .add("DOCS", options.documents, "FILE",
           "JSON lines, plain or gzip, with the fields id, title, abstract, claims, "
           "description, ipc, family")
      ->required();
  command.footer([] {
    return fmt::format(
        "Engines found: {}\n\n"
        "Example:\n"
        "  prescope index --engine {} --out build/index patents-1.jsonl.gz patents-2.jsonl",
        fmt::join(engines_found(), ", "), example_engine());
  });
}

}  // namespace prescope::cli
