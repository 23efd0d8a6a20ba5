#include "cli/interrupt.h"

#include <cerrno>

namespace prescope::cli {
namespace {

// What a handler may use has to be known to it.
sem_t interrupted;

}  // namespace

Interrupt::Interrupt() {
  ::sem_init(&interrupted, 0, 0);
  struct sigaction action {};
  action.sa_handler = [](int) {
    const int before = errno;
    ::sem_post(&interrupted);
    errno = before;
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before_int_);
  ::sigaction(SIGTERM, &action, &before_term_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &before_int_, nullptr);
  ::sigaction(SIGTERM, &before_term_, nullptr);
  ::sem_destroy(&interrupted);
}

void Interrupt::wait() noexcept {
  while (::sem_wait(&interrupted) != 0 && errno == EINTR) {
  }
}

}  // namespace prescope::cli
