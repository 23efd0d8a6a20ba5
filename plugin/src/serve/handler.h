#pragma once

#include <map>
#include <memory>
#include <string>

#include "serve/server_counters.h"

/// What the HTTP server needs from those who know what is served.
namespace prescope::serve {

/// A GET request, its path and query decoded; valid UTF-8, no control characters.
struct Request {
  std::string path;                          ///< "/api/topic/EP1", begins with '/'
  std::map<std::string, std::string> query;  ///< of a name given twice the last
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::shared_ptr<const std::string> body;  ///< shared by all who get the same; never null
};

/// Answers requests. The server calls them on one thread of its own, one call at a time:
/// never on the thread that feeds event streams, so that a slow answer stops no stream.
class Handler {
 public:
  Handler() = default;
  virtual ~Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

  /// Called once, before anything else, with what the server counts; it goes on counting.
  virtual void count_with(const std::shared_ptr<const ServerCounters>& counters) {
    static_cast<void>(counters);
  }
  /// What it throws is answered with status 500 and counted.
  virtual Response get(const Request& request) = 0;
  /// The newest event, a line of JSON, for all event streams; the same pointer where nothing is
  /// new. Called once an interval while somebody listens, and to keep series of time going while
  /// nobody does. Null: none yet.
  virtual std::shared_ptr<const std::string> event() = 0;
};

}  // namespace prescope::serve
