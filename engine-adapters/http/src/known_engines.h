#pragma once

#include <span>
#include <string_view>

#include "arm_options.h"

namespace prescope::http {

/// Settings of an arm for an engine that is known by name.
struct KnownSettings {
  std::string query{};        ///< empty: the engine's usual one
  std::string docno_field{};  ///< empty: the id of a document
  std::string ties{};         ///< empty: the engine's usual one
};

/// Sets requests, answers and window as the engine has them. Returns false for an unknown name.
bool set_known_engine(std::string_view name, const KnownSettings& settings, ArmOptions& options);

/// Returns the fields that a query in JSON names as such, without boosts and patterns; not those
/// within the text of a query_string. `query` may be the body of a request. Nothing if it is no
/// JSON.
[[nodiscard]] std::vector<std::string> fields_of_query(const std::string& query);

}  // namespace prescope::http
