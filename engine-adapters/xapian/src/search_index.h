#pragma once

#include <filesystem>
#include <memory>

#include "prescope/engine.h"
#include "session.h"

namespace prescope::xapian {

/// A database, opened for one experiment. Writers may commit, delete, compact it and replace it
/// meanwhile: each thread keeps the state that it has opened as long as that can be read, then
/// opens the latest one.
class XapianSearchIndex : public SearchIndex {
 public:
  /// Throws Error(kEngine) if the database has documents but no docnos; exceptions of Xapian while
  /// opening pass through.
  XapianSearchIndex(const std::filesystem::path& path, Experiment& experiment);

  [[nodiscard]] std::uint64_t num_documents() const override;
  [[nodiscard]] std::optional<PatentDocument> document(const Docno& docno) const override;
  [[nodiscard]] std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) override;

  /// The calling thread's own.
  [[nodiscard]] Session& session() const { return sessions_->of_this_thread(); }
  [[nodiscard]] Watching& watching() const noexcept { return sessions_->watching(); }

 private:
  std::unique_ptr<Sessions> sessions_;
};

}  // namespace prescope::xapian
