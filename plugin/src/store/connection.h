#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "store/database.h"
#include "store/sqlite_error.h"

namespace prescope {

/// What a Database is made of. SQLiteCpp stays behind this header.
struct Database::Connection {
  std::filesystem::path path;
  SQLite::Database sqlite;
};

/// What `call` returns; what SQLite refuses meanwhile, as an Error about the file at `path`.
template <class Call>
decltype(auto) translated(const std::filesystem::path& path, const Call& call) {
  try {
    return call();
  } catch (const SQLite::Exception& refusal) {
    throw sqlite_error(path, refusal);
  }
}

}  // namespace prescope
