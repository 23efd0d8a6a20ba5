#include "core/start_thread.h"

#include <fmt/format.h>

namespace prescope {

Error no_thread(const char* name, const std::error_code& reason) {
  return {ErrorCode::kIo,
          fmt::format("the thread '{}' cannot be started: {}; give this process more threads "
                      "(ulimit -u, or TasksMax of its service) or more memory",
                      name, reason.message())};
}

}  // namespace prescope
