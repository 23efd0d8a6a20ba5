#pragma once

#include "nightly/record/evaluation_record.h"
#include "replay/replay_options.h"

namespace prescope {

/// Returns whether an `--engine` is a module's path and not an engine's name: it has a '/' or ends
/// in ".so".
[[nodiscard]] bool is_module_path(std::string_view engine) noexcept;

/// Returns whether an index is named by a URL, and not by a path.
[[nodiscard]] bool is_url(std::string_view index) noexcept;

/// Returns the names of engines with modules in the folders of PRESCOPE_ENGINE_PATH or of this
/// installation, ascending.
[[nodiscard]] std::vector<std::string> engines_found();
/// Returns an engine for the examples of help texts; NAME if there is none.
[[nodiscard]] std::string example_engine();

/// Loads the engine of this name (module file `prescope-engine-NAME.so`) or the module at this
/// path, once; it stays loaded until the process ends. Not thread-safe. Throws Error(kUsage) if
/// there is none, naming the folders and the nearest engine; Error(kEngine) if the file is no
/// module for this program.
[[nodiscard]] Engine& load_engine(const std::string& name_or_path);

/// The indexes that the arms search, each opened once for one experiment.
class ReplayIndexes {
 public:
  /// Throws as `load_engine`; exceptions while opening pass through.
  ReplayIndexes(std::span<const ReplayArm> arms, Experiment& experiment);

  /// Returns one searcher for each arm, in their order. Throws Error(kUsage) with the problems of
  /// all of them.
  [[nodiscard]] std::vector<std::unique_ptr<ArmSearcher>> searchers() const;
  /// Looks in the indexes in the order of the arms; the first that has the document returns it.
  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const;
  /// Returns whether the arm's index has a document of each docno, in their order; nothing if its
  /// engine cannot tell. Once the arm has a searcher.
  [[nodiscard]] std::optional<std::vector<bool>> contains(std::size_t arm,
                                                          std::span<const Docno> docnos) const;
  /// Returns the documents, whose docnos the qrels spell, as the arm's index holds them.
  [[nodiscard]] std::vector<DocumentSample> samples(std::size_t arm,
                                                    std::span<const Docno> docnos) const;
  /// Each index once, in the order of the arms.
  [[nodiscard]] std::vector<IndexVersion> describe() const;

 private:
  struct Opened {
    std::filesystem::path path;
    Engine* engine;
    std::unique_ptr<SearchIndex> index;
  };

  std::span<const ReplayArm> arms_;
  const Experiment& experiment_;
  std::vector<Opened> opened_;
  std::vector<std::size_t> of_arm_;  // positions in opened_
};

}  // namespace prescope
