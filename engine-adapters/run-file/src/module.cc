// The module that the `prescope` program loads at run time.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "prescope/arm_settings.h"
#include "prescope/engine.h"
#include "prescope/error.h"
#include "prescope/run_file/observed_run.h"

namespace prescope::run_file {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kKeys{"run", "order"};
constexpr std::array<std::string_view, 1> kRun{"run"};
constexpr std::array<std::string_view, 2> kOrders{"trec", "file"};
constexpr std::array<std::string_view, 2> kSettings{
    "run    the run file, from the index folder on; nothing where the index is a run file itself",
    "order  trec (by score, then by docno descending) or file (as the lines stand), default trec"};

struct RunOptions {
  fs::path path;
  RunOrder order = RunOrder::kTrec;
};

[[noreturn]] void throw_names_no_run(const ArmConfig& arm, const fs::path& folder) {
  std::string message = "arm '" + arm.id.text() + "' names no run";
  message += "; set run = FILE, a run file in " + folder.string();
  message += ", or let index name a run file";
  throw Error(ErrorCode::kUsage, message);
}

RunOptions read_options(const ArmConfig& arm, const fs::path& path) {
  ArmSettings settings(arm, kKeys);
  RunOptions options{.path = path};
  if (const auto order = settings.one_of("order", kOrders)) {
    options.order = *order == 0 ? RunOrder::kTrec : RunOrder::kFile;
  }
  const ArmSetting* run = settings.find("run");
  if (!fs::is_directory(path)) {
    settings.refuse(kRun, "an index that is a run file",
                    "remove it, or let index name the folder of the run");
  } else if (run != nullptr && !run->value.empty()) {
    options.path /= run->value;
  } else if (run != nullptr) {
    settings.complain(*run, "'run' is empty; expected the name of a run file");
  }
  settings.throw_if_any();
  if (run == nullptr && fs::is_directory(path)) throw_names_no_run(arm, path);
  return options;
}

/// A run without a common topic is a mistake, not a run that found nothing.
void check_topics(const RunSearcher& searcher, const Qrels& qrels, const fs::path& path) {
  const auto is_judged = [&](const Run::Topic& topic) {
    return qrels.find(topic.id.text()).has_value();
  };
  if (std::ranges::any_of(searcher.topics(), is_judged)) return;
  std::string message = path.string() + ": no topic in common with the judgements: the run has '";
  message += searcher.topics().front().id.text() + "', the judgements have '";
  message += qrels.topics().front().id().text() + "'; expected the same ids, byte for byte";
  throw Error(ErrorCode::kBadInput, message);
}

/// Returns true if every ranking is in descending order of docnos, as equal scores order it; and if
/// so many documents are hardly so by chance.
bool is_ordered_by_docnos(std::span<const Run::Topic> topics) {
  constexpr std::size_t kHardlyByChance = 12;
  std::size_t pairs = 0;
  for (const Run::Topic& topic : topics) {
    const auto falls = [](const Docno& a, const Docno& b) { return a.text() <= b.text(); };
    if (std::ranges::adjacent_find(topic.docnos, falls) != topic.docnos.end()) return false;
    pairs += topic.docnos.empty() ? 0 : topic.docnos.size() - 1;
  }
  return pairs >= kHardlyByChance;
}

/// Returns true if the lines of the file rank otherwise.
bool differs_from_lines(std::span<const Run::Topic> topics, const fs::path& path) {
  const Run lines = load_run(path, RunOrder::kFile);
  return !std::ranges::equal(topics, lines.topics, {}, &Run::Topic::docnos, &Run::Topic::docnos);
}

/// Says that scores do not order a run, which is a mistake if the arm asks for their order.
std::vector<std::string> check_order(const ArmConfig& arm, const RunOptions& options,
                                     const RunSearcher& searcher) {
  const std::span<const Run::Topic> topics = searcher.topics();
  if (options.order != RunOrder::kTrec || !is_ordered_by_docnos(topics)) return {};
  if (!differs_from_lines(topics, options.path)) return {};
  const std::string why =
      options.path.string() + " has equal scores in every ranking, so that only docnos order them";
  ArmSettings settings(arm, kKeys);
  if (const ArmSetting* const order = settings.find("order")) {
    settings.complain(*order, "order = 'trec', but " + why + "; expected order = file");
  }
  settings.throw_if_any();
  return {"arm '" + arm.id.text() + "': " + why + "; set order = file."};
}

class RunArmSearcher : public ArmSearcher {
 public:
  RunArmSearcher(RunSearcher searcher, std::vector<std::string> notes)
      : searcher_(std::move(searcher)), notes_(std::move(notes)) {}

  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

  std::uint32_t search(const TopicQuery& query, std::vector<Hit>* hits) override {
    const auto served =
        searcher_.serve({.topic = query.topic, .depth = query.depth, .exclude = query.exclude});
    if (hits != nullptr) {
      hits->clear();
      for (std::size_t i = 0; i < served.size(); ++i) {
        hits->push_back({Docno(served[i]), static_cast<float>(served.size() - i)});
      }
    }
    return static_cast<std::uint32_t>(served.size());
  }

 private:
  RunSearcher searcher_;
  std::vector<std::string> notes_;
};

/// A folder of run files, or one run file; each arm serves one.
class RunIndex : public SearchIndex {
 public:
  /// Throws Error(kIo) if the path does not exist.
  RunIndex(const fs::path& path, Experiment& experiment)
      : path_(path.empty() ? fs::path(".") : path), experiment_(experiment) {
    std::error_code unreadable;
    if (fs::exists(path_, unreadable)) return;
    throw Error(ErrorCode::kIo, path_.string() +
                                    ": no such file or folder; expected a folder of run files, "
                                    "or a run file");
  }

  /// Returns 0, because a run does not name the number of documents searched.
  [[nodiscard]] std::uint64_t num_documents() const override { return 0; }
  /// Returns std::nullopt, because a run has docnos only.
  [[nodiscard]] std::optional<PatentDocument> document(const Docno&) const override {
    return std::nullopt;
  }
  /// Returns std::nullopt, because a run names the documents that were served, not the index.
  [[nodiscard]] std::optional<std::vector<bool>> contains(std::span<const Docno>) const override {
    return std::nullopt;
  }
  /// Reads the arm's run. Throws as `load_run`, and Error(kBadInput) if the run has no topic of the
  /// qrels. The searcher serves the ranking of the query's topic; its text does not matter. Scores
  /// fall by 1 from hit to hit, down to 1.
  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override {
    const RunOptions options = read_options(arm, path_);
    const ObservedRun run(options.path, options.order, experiment_);
    RunSearcher searcher = run.searcher(arm.id.text());
    check_topics(searcher, experiment_.qrels(), options.path);
    std::vector<std::string> notes = check_order(arm, options, searcher);
    return std::make_unique<RunArmSearcher>(std::move(searcher), std::move(notes));
  }

 private:
  fs::path path_;
  Experiment& experiment_;
};

/// Run files as an engine of the `prescope` program: any engine that can write them can be
/// compared.
class RunFileEngine : public Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "run-file"; }
  /// Returns the version of prescope, whose reader it uses.
  [[nodiscard]] std::string_view version() const noexcept override {
    return PRESCOPE_RUN_FILE_VERSION;
  }
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override {
    return kSettings;
  }
  /// A folder, from which the arms' paths start, or a run file.
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::string& path,
                                                  Experiment& experiment) override {
    return std::make_unique<RunIndex>(path, experiment);
  }
};

}  // namespace
}  // namespace prescope::run_file

extern "C" prescope::Engine* prescope_engine(std::uint32_t api_version) {
  static prescope::run_file::RunFileEngine engine;
  return api_version == prescope::kEngineApiVersion ? &engine : nullptr;
}
