#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "prescope/engine.h"

namespace prescope::run_file {

/// A folder of run files, or one run file; each arm serves one.
class RunIndex : public SearchIndex {
 public:
  /// Throws Error(kIo) if the path does not exist. The experiment must outlive this object.
  RunIndex(const std::filesystem::path& path, Experiment& experiment);

  /// Returns 0, because a run does not name the number of documents searched.
  [[nodiscard]] std::uint64_t num_documents() const override { return 0; }
  /// Returns std::nullopt, because a run has docnos only.
  [[nodiscard]] std::optional<PatentDocument> document(const Docno&) const override {
    return std::nullopt;
  }
  /// Reads the arm's run. Throws as `load_run`, and Error(kBadInput) if the run has no topic of the
  /// qrels. The searcher serves the ranking of the topic of the QueryScope; the query's text does
  /// not matter. It throws Error(kUsage) outside a scope of the experiment and for a topic without
  /// judgements, whose id a scope does not keep. Scores fall by 1 from hit to hit, down to 1.
  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override;

 private:
  std::filesystem::path path_;
  Experiment& experiment_;
};

/// One line for each setting of an arm.
[[nodiscard]] std::span<const std::string_view> run_settings() noexcept;

}  // namespace prescope::run_file
