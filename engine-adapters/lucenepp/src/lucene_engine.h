#pragma once

#include <string>

#include "prescope/engine.h"

namespace prescope::lucenepp {

/// Lucene++ for the `prescope` program.
class LuceneEngine : public Engine {
 public:
  LuceneEngine();

  [[nodiscard]] std::string_view name() const noexcept override { return "lucenepp"; }
  [[nodiscard]] std::string_view version() const noexcept override { return version_; }
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override;
  /// Replaces an existing index only if prescope made it.
  [[nodiscard]] std::unique_ptr<IndexBuilder> create(const std::filesystem::path& folder) override;
  /// Opens any Lucene++ index with a docno field, also an empty one. A write lock does not matter:
  /// the last commit is read.
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::string& folder,
                                                  Experiment& experiment) override;

 private:
  std::string version_;
};

}  // namespace prescope::lucenepp
