#pragma once

#include <memory>

#include "conformance/subject.h"

namespace prescope::conformance {

/// Documents in memory; each commit writes a run file whose topics are the documents' words.
[[nodiscard]] std::unique_ptr<Subject> run_subject();

}  // namespace prescope::conformance
