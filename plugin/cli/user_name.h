#pragma once

#include <string>

namespace prescope::cli {

/// Who runs the program: USER, else LOGNAME, else the name of the user's number, else that.
[[nodiscard]] std::string user_name();

}  // namespace prescope::cli
