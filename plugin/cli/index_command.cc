#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engine_module.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "core/patent_file.h"
#include "prescope/error.h"
#include "report/number_text.h"

namespace prescope::cli {
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
