// A module that was built for an interface which this program no longer speaks: it knows only its
// own version and refuses every other, as the contract of EngineFactory says.

#include "prescope/engine.h"

extern "C" __attribute__((visibility("default"))) prescope::Engine* prescope_engine(std::uint32_t) {
  return nullptr;
}
