#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace prescope::cli {

/// Says on stderr how far a command has come: one line that is updated on a terminal, otherwise
/// plain lines, seconds apart. Thread-safe.
class Progress {
 public:
  /// `what` is counted, in the singular ("topic"); `total` is 0 where it is not known.
  explicit Progress(std::string what, std::uint64_t total = 0);
  /// Leaves the terminal's line clean.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tick();
  /// The last line: how many in what time.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string line(Clock::time_point now) const;
  [[nodiscard]] bool is_due(Clock::time_point now) const;
  void clear_line();

  std::mutex mutex_;
  const std::string what_;
  const std::uint64_t total_;
  const bool on_terminal_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point shown_ = began_;
  std::uint64_t done_ = 0;
  std::uint64_t done_when_shown_ = 0;
  bool line_is_open_ = false;
};

}  // namespace prescope::cli
