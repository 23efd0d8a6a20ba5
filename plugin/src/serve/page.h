#pragma once

#include <string>
#include <string_view>

namespace prescope::serve {

/// The whole page, one HTML file that holds no data; from a server it asks the paths below /api.
/// Where the library was built without it, a page that says so.
[[nodiscard]] std::string_view page_html() noexcept;

/// The Content-Security-Policy to send with it: exactly its own script and style run, and nothing
/// is fetched but from the same server.
[[nodiscard]] std::string_view page_content_security_policy() noexcept;

/// The page with a document of its own, which needs no server and can be opened from disk.
/// `data_json` is a JSON object, UTF-8, that says by its "kind" what it is; "<" may only stand in
/// its strings and is written as \u003c. `title` is any text.
[[nodiscard]] std::string report_html(std::string_view title, std::string_view data_json);

}  // namespace prescope::serve
