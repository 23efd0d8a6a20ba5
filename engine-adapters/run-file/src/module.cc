// The module that the `prescope` program loads at run time.
#include "prescope/engine.h"
#include "prescope/error.h"
#include "run_index.h"

namespace prescope::run_file {
namespace {

/// Run files as an engine of the `prescope` program: any engine that can write them can be
/// compared.
class RunFileEngine : public Engine {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "run-file"; }
  /// Returns the version of prescope, whose reader it uses.
  [[nodiscard]] std::string_view version() const noexcept override;
  [[nodiscard]] std::span<const std::string_view> arm_settings() const noexcept override;
  /// Throws Error(kUsage): there is nothing to index.
  [[nodiscard]] std::unique_ptr<IndexBuilder> create(const std::filesystem::path& folder) override;
  /// A folder, from which the arms' paths start, or a run file.
  [[nodiscard]] std::unique_ptr<SearchIndex> open(const std::filesystem::path& path,
                                                  Experiment& experiment) override;
};

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

}  // namespace
}  // namespace prescope::run_file

extern "C" prescope::Engine* prescope_engine(std::uint32_t api_version) {
  static prescope::run_file::RunFileEngine engine;
  return api_version == prescope::kEngineApiVersion ? &engine : nullptr;
}
