#pragma once

#include <string>
#include <string_view>

namespace prescope {

/// Returns the bodies of the log records of an OTLP/HTTP request in JSON, one
/// in each line. A record's time becomes the `time` of a body that has none.
/// Throws Error(kBadInput) if it is no such request.
[[nodiscard]] std::string lines_of_otlp(std::string_view request);

}  // namespace prescope
