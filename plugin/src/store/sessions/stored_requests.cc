#include "store/sessions/stored_requests.h"

namespace prescope {

std::optional<LogPosition> stored_position(const std::filesystem::path& store,
                                           const std::string& path) {
  const Database database = open_store_file(store, Database::Access::kRead);
  Statement find(database, "SELECT file, offset, line FROM log_positions WHERE path = ?");
  if (!find.bind(path).next()) return std::nullopt;
  LogPosition position;
  find.read(position.file, position.offset, position.line);
  return position;
}

void store_position(const std::filesystem::path& store, const std::string& path,
                    const LogPosition& position) {
  const Database database = open_store_file(store, Database::Access::kUpdate);
  Statement(database, "INSERT OR REPLACE INTO log_positions VALUES (?, ?, ?, ?)")
      .bind(path, position.file, position.offset, position.line)
      .run();
}

StoredRequests::File::File(const std::filesystem::path& path)
    : database(open_store_file(path, Database::Access::kRead)),
      identity(FileIdentity::of(path)),
      find(database, "SELECT 1 FROM requests WHERE request_id = ?"),
      since(database, "SELECT requests_since_ms FROM log_state") {}

StoredRequests::StoredRequests(std::filesystem::path path)
    : path_(std::move(path)), file_(std::make_unique<File>(path_)) {}

bool StoredRequests::contains(std::uint64_t request_id) {
  const bool is_found = file_->find.bind(request_id).next();
  file_->find.rewind();
  return is_found;
}

std::optional<UtcTime> StoredRequests::since() {
  if (FileIdentity::of(path_) != file_->identity) file_ = std::make_unique<File>(path_);
  file_->since.rewind();
  std::optional<UtcTime> since;
  if (file_->since.next()) file_->since.read(since);
  file_->since.rewind();
  return since;
}

}  // namespace prescope
