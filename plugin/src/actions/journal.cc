#include "actions/journal.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "actions/events.h"
#include "base/errors.h"
#include "base/random_bits.h"
#include "base/text_file.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIdFile = "journal";

[[noreturn]] void refuse_journal(const fs::path& path, std::string_view what, int error) {
  throw io_error("{}: {}: {}; the journal of actions needs a folder that this user may write to",
                 path.string(), what, std::strerror(error));
}

/// Writes what a folder lists to the disk.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) refuse_journal(folder, "cannot be opened", errno);
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems refuse to sync a folder.
  if (failed != 0 && failed != EINVAL) refuse_journal(folder, "cannot be written", failed);
}

/// Returns 0, or why not all bytes are on the disk.
int written(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

/// Makes a new file whose bytes are on the disk on return.
void write_new_file(const fs::path& path, std::string_view bytes) {
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (descriptor < 0) refuse_journal(path, "cannot be made", errno);
  const int failed = written(descriptor, bytes);
  ::close(descriptor);
  if (failed != 0) refuse_journal(path, "cannot be written", failed);
}

std::string first_line_of(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::chrono::seconds age_of(const fs::path& path) {
  std::error_code missing;
  const fs::file_time_type time = fs::last_write_time(path, missing);
  if (missing) return std::chrono::seconds(0);
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - time);
}

/// Removes what a killed process had begun to record.
void remove_unfinished(const fs::path& folder) {
  constexpr std::chrono::hours kLongAgo{1};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const bool is_unfinished = entry.path().filename().string().starts_with('.');
    if (is_unfinished && age_of(entry.path()) > kLongAgo) fs::remove_all(entry.path(), ignored);
  }
}

std::string file_of_work(Journal::Work work, std::string_view state) {
  return fmt::format("{}.{}", work == Journal::Work::kCommand ? "command" : "post", state);
}

}  // namespace

/// Writes the file unless it is there; nobody sees a part of it.
void Journal::publish_file(const fs::path& path, std::string_view bytes) const {
  const fs::path part = path.string() + part_;
  ::unlink(part.c_str());
  write_new_file(part, bytes);
  const int failed = ::link(part.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(part.c_str());
  if (failed != 0 && failed != EEXIST) refuse_journal(path, "cannot be made", failed);
  sync_folder(path.parent_path());
}

Journal::Journal(const fs::path& folder)
    : folder_(fs::absolute(folder).lexically_normal()),
      part_(fmt::format(".{:016x}", random_bits())) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  const fs::path parent = folder_.parent_path();
  std::error_code failed;
  if (!fs::is_directory(parent, failed)) {
    throw io_error("{}: its folder '{}' is not there; make it first", folder.string(),
                   parent.string());
  }
  if (fs::exists(folder_, failed) && !fs::is_directory(folder_, failed)) {
    throw io_error("{}: is a file; the journal of actions is a folder", folder.string());
  }
  failed.clear();
  if (fs::create_directory(folder_, failed)) sync_folder(parent);
  if (failed) refuse_journal(folder_, "cannot be made", failed.value());
  const fs::path id = folder_ / kIdFile;
  if (!fs::exists(id, failed)) publish_file(id, fmt::format("{:016x}\n", random_bits()));
  id_ = first_line_of(id);
  if (id_.size() != 16 || id_.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw bad_input_error(
        "{}: has no 16 hexadecimal digits; it is not the journal of actions, or was changed by "
        "another program; name another folder",
        id.string());
  }
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
    refuse_journal(folder_, "cannot be written to", errno);
  }
  remove_unfinished(folder_);
}

bool Journal::has(const std::string& event) const { return fs::exists(place(event)); }

std::set<std::string> Journal::events() const {
  std::set<std::string> ids;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    std::string name = entry.path().filename();
    if (entry.is_directory() && !name.starts_with('.')) ids.insert(std::move(name));
  }
  return ids;
}

bool Journal::record(const Event& event, const std::vector<Due>& due) {
  if (has(event.id)) return false;
  const fs::path part = folder_ / fmt::format(".{}{}", event.id, part_);
  std::error_code failed;
  fs::remove_all(part, failed);
  fs::create_directory(part, failed);
  if (failed) refuse_journal(part, "cannot be made", failed.value());
  int refused = 0;
  try {
    write_new_file(part / "event.json", event_json(event));
    for (const Due& one : due) {
      write_new_file(part / file_of_work(one.work, "due"), fmt::format("{}\n", one.limit.count()));
    }
    sync_folder(part);
    refused = ::rename(part.c_str(), place(event.id).c_str()) == 0 ? 0 : errno;
  } catch (const Error&) {
    fs::remove_all(part, failed);
    throw;
  }
  if (refused != 0) fs::remove_all(part, failed);
  if (refused == EEXIST || refused == ENOTEMPTY) return false;  // another process was first
  if (refused != 0) refuse_journal(place(event.id), "cannot be made", refused);
  sync_folder(folder_);
  return true;
}

std::vector<std::string> Journal::open(Work work) {
  std::vector<std::string> events;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, failed)) {
    const std::string event = entry.path().filename();
    if (event.starts_with('.') || settled_.contains({event, work})) continue;
    if (fs::exists(entry.path() / file_of_work(work, "due")) && !ended(event, work)) {
      events.push_back(event);
    } else if (entry.is_directory()) {
      settled_.emplace(event, work);
    }
  }
  if (failed) refuse_journal(folder_, "cannot be read", failed.value());
  std::ranges::sort(events);
  return events;
}

void Journal::end(const std::string& event, Work work, std::string_view result) {
  publish_file(place(event) / file_of_work(work, "ended"), fmt::format("{}\n", result));
}

std::optional<std::string> Journal::ended(const std::string& event, Work work) const {
  const fs::path path = place(event) / file_of_work(work, "ended");
  if (!fs::exists(path)) return std::nullopt;
  return first_line_of(path);
}

std::chrono::seconds Journal::limit(const std::string& event, Work work) const {
  const std::string line = first_line_of(place(event) / file_of_work(work, "due"));
  return std::chrono::seconds(whole_number<std::uint32_t>(line).value_or(0));
}

std::chrono::seconds Journal::age(const std::string& event, Work work) const {
  return age_of(place(event) / file_of_work(work, "due"));
}

std::optional<std::chrono::seconds> Journal::begun(const std::string& event) const {
  const fs::path path = place(event) / "command.begun";
  if (!fs::exists(path)) return std::nullopt;
  return age_of(path);
}

}  // namespace prescope
