#pragma once

#include <semaphore.h>
#include <signal.h>

namespace prescope::cli {

/// In its life SIGINT and SIGTERM end the waiting instead of the program; a second one ends the
/// program. At most one at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Until one of the two came, at once where one did.
  void wait() noexcept;

 private:
  struct sigaction before_int_ {
  }, before_term_{};
};

}  // namespace prescope::cli
