#pragma once

#include <list>

#include "base/folder_lock.h"
#include "cli/options/command.h"

namespace prescope::cli {

/// Throws Error(kUsage) if the output is one of the files that the command reads, under any name.
/// Every command checks each of its outputs so.
void refuse_overwriting(const std::filesystem::path& output, std::span<const std::string> inputs);

/// A result file that appears under its name only when it is complete. Opened before the work, so
/// that a folder that cannot be written to is heard of at once.
class OutputFile {
 public:
  /// An empty path, or "-", is standard output. Throws Error(kIo), and Error(kUsage) if it is one
  /// of the `inputs`. What exists and is no regular file (a pipe, a terminal, a link) is written to
  /// directly.
  explicit OutputFile(std::filesystem::path path, std::span<const std::string> inputs = {});
  /// Leaves nothing behind unless finished.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] bool is_stdout() const { return path_.empty(); }
  /// Returns true if later content can replace what was finished: not in a pipe or a terminal.
  [[nodiscard]] bool can_be_replaced() const;
  /// Adds to the content. Throws Error(kIo), leaving nothing under the final name.
  void append(std::string_view piece);
  /// Adds the last piece. A later `append` begins a new content. Throws as `append`.
  void finish(std::string_view last_piece = {});
  /// The two parts of `finish`: adds the last piece, and gives the content its name. What is not
  /// published is removed with this object, unless it was written to directly.
  void complete(std::string_view last_piece);
  void publish();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::filesystem::path partial_;  // the same as path_ if that is written to directly
};

/// The flags that send results to files, beside what the command prints. "-" sends one of them to
/// standard output instead.
class ResultFiles {
 public:
  /// A flag, and the result that it writes.
  using Result = std::pair<std::string_view, std::function<std::string()>>;

  /// `too_many` says that standard output was named for several flags; {} is how often.
  explicit ResultFiles(std::string_view too_many = {}) : too_many_(too_many) {}

  void add(Command& command, const std::string& flag, const std::string& help);
  [[nodiscard]] bool wants(std::string_view flag) const;
  [[nodiscard]] bool uses_stdout() const;
  /// Throws Error(kUsage) with `too_many`, or if one of the `inputs` or of the other files would be
  /// overwritten.
  void check(std::span<const std::string> inputs) const;
  /// Forgets the files that `check` would refuse; of two that are the same, the second.
  void leave_out_refused(std::span<const std::string> inputs);
  /// Checks, and opens the files, before the work. Throws also Error(kIo).
  void open(std::span<const std::string> inputs = {});
  /// Writes what was asked for. Returns the result that goes to standard output, if any does.
  /// Throws Error(kIo).
  [[nodiscard]] std::optional<std::string> write(const std::vector<Result>& results);

  enum class Content : std::uint8_t { kFiles, kStreams };
  /// Writes what was asked for without `open`. `kFiles`: to files, which get their names one right
  /// after the other when all are complete; `kStreams`: to pipes, terminals and standard output. A
  /// result that cannot be written is told to `failed`; nothing is left in its file, lest an old
  /// result is taken for it.
  void write_each(const std::vector<Result>& results, Content content,
                  const std::function<void(const std::string& why)>& failed) const;
  /// Waits until no other command has the locks on the folders of the files. The locks end with the
  /// answer. A folder that cannot be locked is left out.
  [[nodiscard]] std::vector<std::unique_ptr<FolderLock>> lock_folders() const;

 private:
  struct Target {
    std::string flag, path;
    std::optional<OutputFile> file;
  };
  void refuse_same_files() const;

  std::string_view too_many_;
  std::list<Target> targets_;
};

}  // namespace prescope::cli
