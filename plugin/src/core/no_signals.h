#pragma once

#include <pthread.h>

#include <csignal>

namespace prescope {

/// No signal is handled on a thread that is made in its life: neither the host's handlers nor the
/// end of the process at the limit of a file's size are for it.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace prescope
