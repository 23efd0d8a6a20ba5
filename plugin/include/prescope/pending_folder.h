#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

// Private types. They are outside of the pragma, so the library does not export them.
namespace prescope {
class FolderLock;
}  // namespace prescope

#pragma GCC visibility push(default)
namespace prescope {

/// A new folder that replaces an old one, for engines that keep an index in a folder. It is written
/// in the neighbour `.NAME.prescope-partial`, so that nobody opens half of it, and removed unless
/// published. Not thread-safe.
class PendingFolder {
 public:
  /// Returns why a folder that is not empty must not be replaced ("holds 'thesis.txt', which is no
  /// part of an index; choose an empty or new folder"), or nothing.
  using Objection = std::function<std::string(const std::filesystem::path& folder)>;

  /// Throws Error(kIo) if `folder` is a file, if there is an objection, and while another process
  /// or object writes a new folder for the same place.
  PendingFolder(const std::filesystem::path& folder, Objection objection);
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  /// Returns the folder to write the new index in, which is empty at first.
  [[nodiscard]] const std::filesystem::path& workplace() const noexcept { return workplace_; }

  /// Asks for objections once more, then puts the workplace in the place of the folder. Throws
  /// Error(kIo), leaving the old folder in place.
  void publish();

 private:
  [[nodiscard]] std::filesystem::path neighbour(const char* role) const;
  void require_replaceable() const;
  void lock_workplace();

  std::filesystem::path folder_;
  std::filesystem::path workplace_;
  Objection objection_;
  std::unique_ptr<FolderLock> lock_;  // of the workplace; null once it is published
};

}  // namespace prescope
#pragma GCC visibility pop
