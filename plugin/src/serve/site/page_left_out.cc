// Replaces the page if PRESCOPE_BUILD_PAGE is off.
#include "serve/site/page.h"

namespace prescope::serve {

constinit const std::string_view kEmbeddedPage =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>prescope</title>\n</head>\n<body>\n"
    "<p>This prescope was built without its page (PRESCOPE_BUILD_PAGE is off).</p>\n"
    "<script type=\"application/json\" id=\"prescope-data\">{\"kind\":\"live\"}</script>\n"
    "</body>\n</html>\n";

constinit const std::string_view kEmbeddedPolicy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace prescope::serve
