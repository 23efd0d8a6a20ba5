#pragma once

#include <curl/curl.h>
#include <boost/dll/shared_library.hpp>
#include <string_view>

namespace prescope {

/// The functions of libcurl.
struct Libcurl {
  boost::dll::shared_library file{"libcurl.so.4", boost::dll::load_mode::search_system_folders};
  decltype(curl_global_init)& global_init =
      file.get<decltype(curl_global_init)>("curl_global_init");
  decltype(curl_easy_init)& easy_init = file.get<decltype(curl_easy_init)>("curl_easy_init");
  decltype(curl_easy_cleanup)& easy_cleanup =
      file.get<decltype(curl_easy_cleanup)>("curl_easy_cleanup");
  decltype(curl_easy_setopt)& easy_setopt =
      file.get<decltype(curl_easy_setopt)>("curl_easy_setopt");
  decltype(curl_easy_perform)& easy_perform =
      file.get<decltype(curl_easy_perform)>("curl_easy_perform");
  decltype(curl_easy_getinfo)& easy_getinfo =
      file.get<decltype(curl_easy_getinfo)>("curl_easy_getinfo");
  decltype(curl_easy_strerror)& easy_strerror =
      file.get<decltype(curl_easy_strerror)>("curl_easy_strerror");
  decltype(curl_slist_append)& slist_append =
      file.get<decltype(curl_slist_append)>("curl_slist_append");
  decltype(curl_slist_free_all)& slist_free_all =
      file.get<decltype(curl_slist_free_all)>("curl_slist_free_all");
};

/// Loads libcurl when it is first needed, and never unloads it. Loading libcurl and its own
/// libraries takes longer than the rest of a program's start, and most commands need neither.
/// Throws Error(kIo), which says that `who` needs the library. Any thread.
[[nodiscard]] const Libcurl& libcurl(std::string_view who);

}  // namespace prescope
