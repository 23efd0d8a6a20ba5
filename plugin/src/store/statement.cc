#include "store/statement.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include "store/connection.h"

namespace prescope {

struct Statement::Prepared {
  const std::filesystem::path& path;
  SQLite::Statement sqlite;
};

Statement::Statement(const Database& database, const std::string& sql)
    : prepared_(translated(database.path(), [&] {
        return std::make_unique<Prepared>(
            Prepared{database.path(), {database.connection_->sqlite, sql}});
      })) {}

Statement::~Statement() = default;
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;

void Statement::run() {
  while (next()) {
  }
}

bool Statement::next() {
  return translated(prepared_->path, [&] {
    const bool has_row = prepared_->sqlite.executeStep();
    if (!has_row) prepared_->sqlite.reset();
    return has_row;
  });
}

bool Statement::is_null(int column) const { return prepared_->sqlite.isColumnNull(column); }

std::int64_t Statement::integer(int column) const {
  return prepared_->sqlite.getColumn(column).getInt64();
}

double Statement::real(int column) const { return prepared_->sqlite.getColumn(column).getDouble(); }

std::string_view Statement::text(int column) const {
  const SQLite::Column value = prepared_->sqlite.getColumn(column);
  // The text first: it is what the size is of.
  const char* const begin = value.getText();
  return {begin, static_cast<std::size_t>(value.getBytes())};
}

Statement::Bytes Statement::bytes(int column) const {
  const SQLite::Column value = prepared_->sqlite.getColumn(column);
  const auto* const begin = static_cast<const std::byte*>(value.getBlob());
  return {begin, static_cast<std::size_t>(value.getBytes())};
}

void Statement::rewind() {
  // What an earlier failure left behind is no news.
  static_cast<void>(prepared_->sqlite.tryReset());
}

void Statement::clear_values() {
  translated(prepared_->path, [&] { prepared_->sqlite.clearBindings(); });
}

void Statement::set_integer(int parameter, std::int64_t value) {
  translated(prepared_->path, [&] { prepared_->sqlite.bind(parameter, value); });
}

void Statement::set(int parameter, double value) {
  translated(prepared_->path, [&] { prepared_->sqlite.bind(parameter, value); });
}

void Statement::set(int parameter, std::string_view value) {
  translated(prepared_->path, [&] { prepared_->sqlite.bind(parameter, std::string(value)); });
}

void Statement::set(int parameter, Bytes value) {
  translated(prepared_->path, [&] {
    prepared_->sqlite.bind(parameter, value.data(), static_cast<int>(value.size()));
  });
}

}  // namespace prescope
