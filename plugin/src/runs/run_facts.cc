#include "runs/run_facts.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/threads.h"
#include "prescope/error.h"

namespace prescope {

namespace {

void check_common_topics(const Qrels& qrels, const std::string& qrels_path, const RunFacts& run) {
  if (!run.topics.empty()) return;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}: no topic in common with {}: it has '{}', the qrels have '{}'; "
                  "expected the same topic ids in both",
                  run.path, qrels_path, run.unjudged.empty() ? "" : run.unjudged.front().text(),
                  qrels.topics().front().id().text()));
}

std::string short_name(const std::string& path) {
  constexpr std::array<std::string_view, 6> kEndings = {".gz",   ".run", ".res",
                                                        ".trec", ".txt", ".prel"};
  if (path == "-") return "stdin";
  std::string name = std::filesystem::path(path).filename().string();
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : kEndings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.resize(name.size() - ending.size());
      found = true;
    }
  }
  return name.empty() ? path : name;
}

}  // namespace

std::vector<RunFacts> read_runs(const Qrels& qrels, std::span<const std::string> paths,
                                const ReadRunOptions& options) {
  ReadRunOptions each = options;
  if (std::min<std::size_t>(options.threads, paths.size()) > 1) each.threads = 1;
  std::vector<RunFacts> runs(paths.size());
  in_parallel(paths.size(), options.threads,
              [&](std::size_t i) { runs[i] = read_run_facts(qrels, paths[i], each); });
  return runs;
}

JudgedRuns load_runs(const std::string& qrels, const QrelsOptions& qrels_options,
                     std::span<const std::string> paths, const ReadRunOptions& options) {
  Qrels judgements = Qrels::load(qrels, qrels_options);
  std::vector<RunFacts> facts = read_runs(judgements, paths, options);
  for (const RunFacts& run : facts) check_common_topics(judgements, qrels, run);
  return {.qrels = std::move(judgements), .facts = std::move(facts)};
}

std::vector<std::string> run_names(std::span<const std::string> paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(short_name(path));
  std::vector<std::string> unique = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) unique[i] = paths[i];
  }
  return unique;
}

}  // namespace prescope
