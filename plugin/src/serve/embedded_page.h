#pragma once

#include <string_view>

namespace prescope::serve {

/// What web/build.mjs made. The page has the element `<title>prescope</title>` and, after it, the
/// element #prescope-data with `{"kind":"live"}`.
extern const std::string_view kEmbeddedPage;
/// For the header Content-Security-Policy.
extern const std::string_view kEmbeddedPolicy;

}  // namespace prescope::serve
