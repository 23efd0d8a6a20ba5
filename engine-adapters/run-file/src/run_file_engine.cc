#include "run_file_engine.h"

#include "prescope/error.h"
#include "run_index.h"

namespace prescope::run_file {

std::string_view RunFileEngine::version() const noexcept { return PRESCOPE_RUN_FILE_VERSION; }

std::span<const std::string_view> RunFileEngine::arm_settings() const noexcept {
  return run_settings();
}

std::unique_ptr<IndexBuilder> RunFileEngine::create(const std::filesystem::path& folder) {
  throw Error(ErrorCode::kUsage, folder.string() +
                                     ": the engine run-file writes no index; let another engine "
                                     "write run files, and replay those");
}

std::unique_ptr<SearchIndex> RunFileEngine::open(const std::filesystem::path& path,
                                                 Experiment& experiment) {
  return std::make_unique<RunIndex>(path, experiment);
}

}  // namespace prescope::run_file
