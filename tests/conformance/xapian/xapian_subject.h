#pragma once

#include <memory>

#include "conformance/subject.h"

namespace prescope::conformance {

/// One database in a folder.
[[nodiscard]] std::unique_ptr<Subject> xapian_local();
/// Two of them, searched as one.
[[nodiscard]] std::unique_ptr<Subject> xapian_multi();
/// Two, each behind a server of its own.
[[nodiscard]] std::unique_ptr<Subject> xapian_remote();

}  // namespace prescope::conformance
