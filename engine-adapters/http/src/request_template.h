#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http_client.h"

namespace prescope::http {

/// The values of a template's placeholders.
struct Values {
  std::string_view query{};      ///< {{QUERY}}
  std::string_view topic{};      ///< {{TOPIC}}
  std::uint64_t depth = 0;       ///< {{DEPTH}}: hits wanted
  std::uint64_t offset = 0;      ///< {{OFFSET}}: hits before them
  std::uint64_t timeout_ms = 0;  ///< {{TIMEOUT_MS}}
  std::string_view snapshot{};   ///< {{SNAPSHOT}}: id of a state of the index
  std::string_view cursor{};  ///< {{CURSOR}}: where the last page ended; {{CURSOR_JSON}}: as it is
};

/// A request with placeholders. In a path and in a form, texts are percent-encoded. In JSON they
/// become JSON strings; quotation marks are added unless the placeholder is within a string.
struct RequestTemplate {
  enum class From { kIndex, kServer };

  std::string method = "POST";
  std::string
      path{};  ///< follows the URL of the index or of its server; begins with /, ? or is empty
  std::string body{};
  std::string content_type{};  ///< of the body
  From from = From::kIndex;

  [[nodiscard]] bool has(std::string_view placeholder) const noexcept {
    return path.find(placeholder) != std::string::npos ||
           body.find(placeholder) != std::string::npos;
  }
  /// `index` is the URL of the index. Throws Error(kUsage) for an unknown placeholder.
  [[nodiscard]] Call fill(const std::string& index, const Values& values) const;
};

/// Returns the URL of the server of an index: without the last part of its path.
[[nodiscard]] std::string server_of(const std::string& index);

}  // namespace prescope::http
