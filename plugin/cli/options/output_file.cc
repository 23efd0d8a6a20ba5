#include "cli/options/output_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/random_bits.h"
#include "cli/options/terminal.h"
#include "store/sessions/captured_rankings.h"

namespace prescope::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardOutput = "-";
/// Endings of the files that SQLite keeps beside a store, and of the store itself.
constexpr std::array<std::string_view, 4> kWithStore = {"", "-wal", "-shm", "-journal"};

fs::path partial_of(const fs::path& path) {
  std::error_code missing;
  const fs::file_status status = fs::status(path, missing);
  if (fs::is_directory(status)) {
    throw io_error("{}: is a folder; expected a file's name", path.string());
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) return path;
  if (fs::is_symlink(path, missing)) return path;  // a rename would replace the link
  // Several commands may write the same file at once; the last one to finish replaces it.
  return fmt::format("{}.{:016x}.partial", path.string(), random_bits());
}

Error cannot_write(const fs::path& path, int error = errno) {
  return io_error("{}: cannot be written: {}", path.string(), std::strerror(error));
}

void discard(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return;
  // A link stays; so does a file in a folder that is read-only.
  const bool is_gone = !fs::is_symlink(path, failed) && fs::remove(path, failed);
  if (!is_gone) fs::resize_file(path, 0, failed);
}

/// Returns true if writing to `output` would replace `other`. Both may be new.
bool is_same_file(const fs::path& output, const fs::path& other) {
  if (output.empty() || other.empty()) return false;
  std::error_code missing;
  const fs::file_status status = fs::status(output, missing);
  if (fs::exists(status)) {
    return fs::is_regular_file(status) && fs::equivalent(output, other, missing);
  }
  const auto place_of = [](const fs::path& path) {
    std::error_code unreachable;
    const fs::path place = fs::weakly_canonical(fs::absolute(path), unreachable);
    return unreachable ? path : place;
  };
  return place_of(output) == place_of(other);
}

/// Returns the store that the file is, or is kept beside; an empty path if it is of none.
fs::path store_of(const fs::path& output) {
  const std::string name = output.string();
  for (const std::string_view suffix : kWithStore) {
    if (!name.ends_with(suffix)) continue;
    const fs::path store = name.substr(0, name.size() - suffix.size());
    if (looks_like_store(store)) return store;
  }
  return {};
}

/// Throws Error(kUsage) if the result would replace an input or a store.
void refuse_replacing(const fs::path& result, std::span<const std::string> inputs) {
  refuse_overwriting(result, inputs);
  if (const fs::path store = store_of(result); !store.empty()) {
    throw usage_error("{}: '{}' is a store, which a result does not replace; write to another file",
                      result.string(), store.string());
  }
}

}  // namespace

void refuse_overwriting(const fs::path& output, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    for (const std::string_view suffix : kWithStore) {
      if (!is_same_file(output, input + std::string(suffix))) continue;
      throw usage_error("{}: is an input of this command ('{}'); write to another file",
                        output.string(), input);
    }
  }
}

OutputFile::OutputFile(fs::path path, std::span<const std::string> inputs)
    : path_(path == kStandardOutput ? fs::path() : std::move(path)),
      partial_(is_stdout() ? path_ : partial_of(path_)) {
  refuse_replacing(path_, inputs);
  if (partial_ != path_ && !std::ofstream(partial_)) throw cannot_write(path_);
}

OutputFile::~OutputFile() {
  std::error_code already_gone;
  if (partial_ != path_) fs::remove(partial_, already_gone);
}

bool OutputFile::can_be_replaced() const {
  std::error_code missing;
  const fs::file_status status = fs::status(path_, missing);
  return !is_stdout() && (!fs::exists(status) || fs::is_regular_file(status));
}

void OutputFile::append(std::string_view piece) {
  if (is_stdout()) return print_result(piece);
  if (!out_.is_open()) out_.open(partial_, std::ios::binary);
  out_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (!out_) throw cannot_write(path_);
}

void OutputFile::finish(std::string_view last_piece) {
  complete(last_piece);
  publish();
}

void OutputFile::complete(std::string_view last_piece) {
  append(last_piece);
  if (is_stdout()) return;
  out_.close();
  if (!out_) throw cannot_write(path_);
}

void OutputFile::publish() {
  std::error_code failed;
  if (partial_ != path_) fs::rename(partial_, path_, failed);
  if (failed) throw cannot_write(path_, failed.value());
}

void ResultFiles::add(Command& command, const std::string& flag, const std::string& help) {
  Target& target = targets_.emplace_back();
  target.flag = flag;
  command.add(flag, target.path, "FILE", help);
}

bool ResultFiles::wants(std::string_view flag) const {
  const auto target = std::ranges::find(targets_, flag, &Target::flag);
  return target != targets_.end() && !target->path.empty();
}

bool ResultFiles::uses_stdout() const {
  return std::ranges::count(targets_, kStandardOutput, &Target::path) > 0;
}

void ResultFiles::refuse_same_files() const {
  for (auto target = targets_.begin(); target != targets_.end(); ++target) {
    const auto is_same = [&](const Target& later) {
      return target->path != kStandardOutput && is_same_file(target->path, later.path);
    };
    const auto later = std::find_if(std::next(target), targets_.end(), is_same);
    if (later == targets_.end()) continue;
    throw usage_error("{}: is named by {} and by {}; write to different files", target->path,
                      target->flag, later->flag);
  }
}

void ResultFiles::check(std::span<const std::string> inputs) const {
  const auto on_stdout = std::ranges::count(targets_, kStandardOutput, &Target::path);
  if (on_stdout > 1) {
    throw usage_error(fmt::runtime(too_many_), on_stdout);
  }
  refuse_same_files();
  for (const Target& target : targets_) {
    if (target.path != kStandardOutput) refuse_replacing(target.path, inputs);
  }
}

void ResultFiles::leave_out_refused(std::span<const std::string> inputs) {
  const auto is_refused = [&](const Target& target) {
    try {
      refuse_replacing(target.path, inputs);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  std::vector<std::string> kept;
  for (Target& target : targets_) {
    if (target.path.empty() || target.path == kStandardOutput) continue;
    const bool is_same = std::ranges::any_of(
        kept, [&](const std::string& path) { return is_same_file(target.path, path); });
    if (is_same || is_refused(target)) {
      target.path.clear();
    } else {
      kept.push_back(target.path);
    }
  }
}

void ResultFiles::open(std::span<const std::string> inputs) {
  check(inputs);
  for (Target& target : targets_) {
    if (!target.path.empty() && target.path != kStandardOutput) target.file.emplace(target.path);
  }
}

std::optional<std::string> ResultFiles::write(const std::vector<Result>& results) {
  std::optional<std::string> for_stdout;
  for (const auto& [flag, text] : results) {
    const auto target = std::ranges::find(targets_, flag, &Target::flag);
    if (target->file) {
      target->file->finish(text());
    } else if (target->path == kStandardOutput) {
      for_stdout = text();
    }
  }
  return for_stdout;
}

void ResultFiles::write_each(const std::vector<Result>& results, Content content,
                             const std::function<void(const std::string& why)>& failed) const {
  std::vector<std::pair<fs::path, std::unique_ptr<OutputFile>>> complete;
  const auto attempt = [&](const fs::path& path, const auto& work) {
    try {
      work();
    } catch (const ReaderGone&) {  // nothing is wrong
    } catch (const std::exception& error) {
      discard(path);
      failed(error.what());
    }
  };
  for (const auto& [flag, text] : results) {
    if (!wants(flag)) continue;
    const std::string& name = std::ranges::find(targets_, flag, &Target::flag)->path;
    const fs::path path = name == kStandardOutput ? "" : name;
    attempt(path, [&] {
      auto& file = complete.emplace_back(path, std::make_unique<OutputFile>(path)).second;
      const bool is_wanted = file->can_be_replaced() == (content == Content::kFiles);
      try {
        if (is_wanted) file->complete(text());
      } catch (...) {
        complete.pop_back();
        throw;
      }
      if (!is_wanted) complete.pop_back();
    });
  }
  for (const auto& each : complete) attempt(each.first, [&] { each.second->publish(); });
}

std::vector<std::unique_ptr<FolderLock>> ResultFiles::lock_folders() const {
  std::set<fs::path> folders;  // all commands lock them in this order
  for (const Target& target : targets_) {
    if (target.path.empty() || target.path == kStandardOutput) continue;
    std::error_code missing;
    folders.insert(fs::weakly_canonical(fs::absolute(target.path), missing).parent_path());
  }
  std::vector<std::unique_ptr<FolderLock>> locks;
  for (const fs::path& folder : folders) {
    locks.push_back(std::make_unique<FolderLock>(folder, FolderLock::Patience::kWaits));
  }
  return locks;
}

}  // namespace prescope::cli
