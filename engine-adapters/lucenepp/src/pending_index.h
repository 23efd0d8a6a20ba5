#pragma once

#include <filesystem>

namespace prescope::lucenepp {

/// A new index for a folder, written in the neighbour `.NAME.prescope-partial` until it is whole,
/// so that nobody ever opens half an index. Unpublished, it vanishes. Not thread-safe.
class PendingIndex {
 public:
  /// Throws Error(kIo) unless the folder is missing, empty, or holds nothing but an index that
  /// prescope made; and where a writer is at work there, or on another new index for it.
  explicit PendingIndex(const std::filesystem::path& folder);
  ~PendingIndex();
  PendingIndex(const PendingIndex&) = delete;
  PendingIndex& operator=(const PendingIndex&) = delete;

  /// Where it will be.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  /// Where it is to be written; empty at first.
  [[nodiscard]] const std::filesystem::path& workplace() const noexcept { return workplace_; }

  /// Puts the workplace in the place of the folder, having looked at that once more. Throws
  /// Error(kIo), leaving the old index in place.
  void publish();

 private:
  [[nodiscard]] std::filesystem::path neighbour(const char* role) const;
  void require_replaceable() const;
  void lock_workplace();

  std::filesystem::path folder_;
  std::filesystem::path workplace_;
  int lock_ = -1;  // a descriptor of the workplace, locked
};

/// What a commit by prescope is marked with in Lucene++'s commit user data.
inline constexpr const wchar_t* kMadeBy = L"made by";
inline constexpr const wchar_t* kPrescope = L"prescope";

}  // namespace prescope::lucenepp
