#include "base/libcurl.h"

#include "base/errors.h"

namespace prescope {

const Libcurl& libcurl(std::string_view who) {
  try {
    static const auto* const kLoaded = new Libcurl;
    static const CURLcode kReady = kLoaded->global_init(CURL_GLOBAL_DEFAULT);
    if (kReady == CURLE_OK) return *kLoaded;
  } catch (const std::exception& error) {
    throw io_error(
        "{} needs libcurl.so.4, which cannot be loaded: {}; install the package libcurl4", who,
        error.what());
  }
  throw io_error("libcurl cannot be used");
}

}  // namespace prescope
