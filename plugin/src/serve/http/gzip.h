#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prescope::serve {

/// Returns the text compressed as gzip does.
[[nodiscard]] std::string gzipped(std::string_view text);
struct Gunzipped {
  std::optional<std::string>
      text{};  ///< nothing if the data is damaged or cut, or the text too long
  bool is_too_long = false;
};
/// Returns the text that was compressed, of one gzip member or several, up to `most` bytes.
[[nodiscard]] Gunzipped gunzipped(std::string_view compressed, std::size_t most);

}  // namespace prescope::serve
