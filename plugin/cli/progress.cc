#include "cli/progress.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "report/number_text.h"

namespace prescope::cli {
namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::seconds kLineInterval{3};

}  // namespace

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(total), on_terminal_(is_terminal(stderr)) {}

Progress::~Progress() { clear_line(); }

void Progress::clear_line() {
  if (line_is_open_) fmt::print(stderr, "\r\x1b[K");
  line_is_open_ = false;
}

bool Progress::is_due(Clock::time_point now) const {
  if (on_terminal_) return now - shown_ >= kTerminalInterval;
  constexpr std::uint64_t kLinesAtMost = 10;
  return now - shown_ >= kLineInterval && done_ - done_when_shown_ >= total_ / kLinesAtMost;
}

std::string Progress::line(Clock::time_point now) const {
  const double elapsed = seconds(now - began_);
  const double rate = elapsed > 0.0 ? static_cast<double>(done_) / elapsed : 0.0;
  if (total_ == 0) return fmt::format("{}, {:.0f}/s", count_text(done_, what_), rate);
  const double left = rate > 0.0 ? static_cast<double>(total_ - done_) / rate : 0.0;
  return fmt::format("{} of {}, {:.1f}/s, {:.0f} s left", grouped_text(done_),
                     count_text(total_, what_), rate, left);
}

void Progress::tick() {
  const std::lock_guard lock(mutex_);
  ++done_;
  const Clock::time_point now = Clock::now();
  if (!is_due(now)) return;
  shown_ = now;
  done_when_shown_ = done_;
  line_is_open_ = on_terminal_;
  if (on_terminal_) {
    fmt::print(stderr, "\r\x1b[K{}", line(now));
  } else {
    fmt::print(stderr, "prescope: {}\n", line(now));
  }
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  clear_line();
  fmt::print(stderr, "prescope: {} in {:.1f} s\n", count_text(done_, what_),
             seconds(Clock::now() - began_));
}

}  // namespace prescope::cli
