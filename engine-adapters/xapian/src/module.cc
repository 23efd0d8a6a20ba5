// The module that the `prescope` program loads at run time.
#include "xapian_engine.h"

namespace {

prescope::Engine& engine() {
  static prescope::xapian::XapianEngine instance;
  return instance;
}

}  // namespace

extern "C" prescope::Engine* prescope_engine(std::uint32_t api_version) {
  if (api_version != prescope::kEngineApiVersion) return nullptr;
  return &engine();
}
