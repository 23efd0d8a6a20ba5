#include "core/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "core/start_thread.h"

namespace prescope {
namespace {

/// The processors that threads are spread over. Linux leaves a new thread on the processor of the
/// one that began it until it next balances their load; a thread that was moved and set free was
/// seen there again. Short work of two threads would be done on one processor.
class Processors {
 public:
#ifdef __linux__
  Processors() noexcept : here_(sched_getcpu()) {
    if (here_ < 0 || sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) CPU_ZERO(&allowed_);
  }

  /// Binds the calling thread to the `i`th processor behind that of the first thread, among those
  /// that it may run on. Where that cannot be done it stays as it is.
  void bind_to(std::size_t i) const noexcept {
    if (CPU_COUNT(&allowed_) < 2) return;
    int processor = here_;
    for (; i != 0; --i) processor = next_allowed(processor);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(processor), &only);
    sched_setaffinity(0, sizeof only, &only);
  }

 private:
  [[nodiscard]] int next_allowed(int processor) const noexcept {
    do {
      processor = (processor + 1) % CPU_SETSIZE;
    } while (!CPU_ISSET(static_cast<unsigned>(processor), &allowed_));
    return processor;
  }

  int here_;
  cpu_set_t allowed_;
#else
  void bind_to(std::size_t) const noexcept {}
#endif
};

}  // namespace

void in_parallel(std::size_t count, unsigned threads,
                 const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0;
  const auto take_and_work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    const Processors processors;
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
      try {
        others.push_back(start_thread("prescope-work", [&, i] {
          processors.bind_to(i);
          take_and_work();
        }));
      } catch (const Error&) {
        break;  // the system has no more: those that there are do the work
      }
    }
    take_and_work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace prescope
