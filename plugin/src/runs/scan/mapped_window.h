#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prescope {

/// From now on this process may map files. Of a file that becomes shorter while it is mapped, what
/// is gone reads as zeros, and its reader is told, where the system would end the process: a
/// handler of SIGBUS does that, and passes on what is not about a MappedWindow. For programs; a
/// library within another's process installs no handlers. Thread-safe.
void allow_mapped_files() noexcept;

/// A part of an open file where the system keeps it, without a copy, that moves through the file.
/// Single-threaded. Only so many are mapped at a time; further ones, and all of them before
/// `allow_mapped_files`, map nothing.
class MappedWindow {
 public:
  /// How far a window reaches at most, where the system's largest pages begin and end.
  static constexpr std::uint64_t kReach = std::uint64_t{1} << 21U;

  MappedWindow() = default;
  ~MappedWindow();
  MappedWindow(const MappedWindow&) = delete;
  MappedWindow& operator=(const MappedWindow&) = delete;

  /// The bytes from `begin` on, which must be in the file, up to a border of kReach behind `at` or
  /// to `end`, whichever comes first. `at` is within kReach behind `begin`. What was mapped before
  /// is not any more. Bytes behind the end can be read, and zeros follow on them. Empty where it
  /// cannot be mapped.
  [[nodiscard]] std::string_view move_to(int file, std::uint64_t begin, std::uint64_t at,
                                         std::uint64_t end) noexcept;
  /// Whether bytes were read that the file no longer had.
  [[nodiscard]] bool was_cut() const noexcept;

 private:
  struct Room;
  friend struct MappedWindows;

  Room* room_ = nullptr;
  char* shown_from_ = nullptr;  // the last window's first page
};

}  // namespace prescope
