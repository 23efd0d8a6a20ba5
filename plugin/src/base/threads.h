#pragma once

#include <pthread.h>
#include <concepts>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/errors.h"

namespace prescope {

/// Blocks the program's signals in threads that are started while it lives, so that the host's
/// handlers do not run on them. They still receive the signals of a profiler, and of their own
/// crash.
class BlockSignals {
 public:
  BlockSignals() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
      sigdelset(&blocked, own);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_{};
};

/// Starts `work`, which may take a `std::stop_token`, in a thread of its own. The system lists the
/// thread as `name` (a literal of up to 15 bytes), and the program's signals are blocked in it.
/// Throws Error(kIo) if the system has no more threads.
template <std::move_constructible Work>
[[nodiscard]] std::jthread start_thread(const char* name, Work work) {
  const BlockSignals meanwhile;
  try {
    return std::jthread([name, work = std::move(work)](const std::stop_token& stop) mutable {
      pthread_setname_np(pthread_self(), name);
      if constexpr (std::invocable<Work&, const std::stop_token&>) {
        work(stop);
      } else {
        work();
      }
    });
  } catch (const std::system_error& error) {
    throw io_error(
        "the thread '{}' cannot be started: {}; give this process more threads (ulimit -u, or "
        "TasksMax of its service) or more memory",
        name, error.code().message());
  }
}

/// Lets the other threads of the process go first: makes this thread nicer by `niceness`, at least
/// 0.
void give_way(int niceness) noexcept;

/// Returns true on a thread of `start_steps` that was asked to stop.
[[nodiscard]] bool is_asked_to_stop() noexcept;
/// Makes `is_asked_to_stop` read this token, on this thread. `stop` must outlive the thread's work.
void obey(const std::stop_token& stop) noexcept;

/// Starts a thread of this niceness, as `start_thread` does, that calls `step` and waits for the
/// time that it returned, again and again. A request to stop ends the wait, and whatever heeds
/// `is_asked_to_stop`.
template <std::move_constructible Step>
[[nodiscard]] std::jthread start_steps(const char* name, int niceness, Step step) {
  auto repeat = [niceness, step = std::move(step)](const std::stop_token& stop) mutable {
    give_way(niceness);
    obey(stop);
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) wake.wait_for(lock, stop, step(), [] { return false; });
  };
  return start_thread(name, std::move(repeat));
}

/// Calls `work` once for each number below `count`, on up to `threads` threads, this one among
/// them. Each thread takes the next number when it is done with one. If the system has fewer
/// threads left, those do the work. Rethrows the exception of the lowest number that threw, when
/// all are done.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace prescope
