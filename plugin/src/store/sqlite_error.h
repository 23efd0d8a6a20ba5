#pragma once

#include <filesystem>

#include "prescope/error.h"

namespace SQLite {
class Exception;
}

namespace prescope {

/// The sentence for what SQLite refused about the file at `path`.
[[nodiscard]] Error sqlite_error(const std::filesystem::path& path,
                                 const SQLite::Exception& refusal);

}  // namespace prescope
