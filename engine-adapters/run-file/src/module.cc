// What the `prescope` program loads at run time.
#include "run_file_engine.h"

extern "C" [[gnu::visibility("default")]] prescope::Engine* prescope_engine(
    std::uint32_t api_version) {
  static prescope::run_file::RunFileEngine engine;
  return api_version == prescope::kEngineApiVersion ? &engine : nullptr;
}
