#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace prescope::testing {

/// What a report, an HTML file, carries for its script to show. Fails the test where the file is
/// not as every report is: one data element, which nothing in it ends early, and the page around
/// it.
[[nodiscard]] nlohmann::json report_data(const std::string& html);

/// Of that the document: what the command writes with --json.
[[nodiscard]] nlohmann::json report_document(const std::string& html);

}  // namespace prescope::testing
