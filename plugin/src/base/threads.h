#pragma once

#include <pthread.h>
#include <concepts>
#include <csignal>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "prescope/error.h"

namespace prescope {

/// While it lives, threads are started that take none of the program's signals: neither the host's
/// handlers nor the end of the process at the limit of a file's size are for them. Signals of a
/// thread's own crash, and a profiler's, still come.
class SignalsOfItsOwn {
 public:
  SignalsOfItsOwn() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) {
      sigdelset(&blocked, own);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsOfItsOwn() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsOfItsOwn(const SignalsOfItsOwn&) = delete;
  SignalsOfItsOwn& operator=(const SignalsOfItsOwn&) = delete;

 private:
  sigset_t before_{};
};

/// The error of a thread that could not be started.
[[nodiscard]] Error no_thread(const char* name, const std::error_code& reason);

/// Starts `work`, which may take a `std::stop_token`, in a thread of its own that the system lists
/// as `name` (a literal of up to 15 bytes) and that takes none of the program's signals. Throws
/// Error(kIo) where the system has no more threads.
template <std::move_constructible Work>
[[nodiscard]] std::jthread start_thread(const char* name, Work work) {
  const SignalsOfItsOwn meanwhile;
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
    throw no_thread(name, error.code());
  }
}

/// Calls `work` once for each number below `count`, on up to `threads` threads, this one among
/// them. The others are each bound to a processor of their own, as far as there are enough: a
/// number should stand for little work, so that one on a busy processor leaves the rest to the
/// others. Where the system has fewer threads left, those do the work. Rethrows the exception of
/// the lowest number that threw, when all are done.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace prescope
