#pragma once

#include "prescope/engine.h"

namespace prescope::run_file {

/// Run files for the `prescope` program, as one of its engines: any engine can be compared that can
/// write them.
class RunFileEngine : public Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "run-file"; }
  /// That of prescope, whose reader it is.
  [[nodiscard]] std::string_view version() const noexcept override;
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override;
  /// Throws Error(kUsage): there is nothing to index.
  [[nodiscard]] std::unique_ptr<IndexBuilder> create(const std::filesystem::path& folder) override;
  /// A folder, from which the arms' paths start, or a run file.
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::filesystem::path& path,
                                                  Experiment& experiment) override;
};

}  // namespace prescope::run_file
