#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace prescope {

/// Returns the data that an HTML report carries for its script. Fails the test unless the file has
/// the form of every report: one data element, which no content ends early, and the page around it.
[[nodiscard]] nlohmann::json report_data(const std::string& html);

/// Returns the document in that data, which the command writes with --json.
[[nodiscard]] nlohmann::json report_document(const std::string& html);

}  // namespace prescope
