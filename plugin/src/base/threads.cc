#include "base/threads.h"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

namespace prescope {

void give_way(int niceness) noexcept {
  // Linux counts niceness by thread. Adding to it is never refused.
  static_cast<void>(::nice(niceness));
}

namespace {

constinit thread_local const std::stop_token* stop_of_this_thread = nullptr;

}  // namespace

bool is_asked_to_stop() noexcept {
  return stop_of_this_thread != nullptr && stop_of_this_thread->stop_requested();
}

void obey(const std::stop_token& stop) noexcept { stop_of_this_thread = &stop; }

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
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
      try {
        others.push_back(start_thread("prescope-work", take_and_work));
      } catch (const Error&) {
        break;  // the system has no more threads: the existing ones do the work
      }
    }
    take_and_work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace prescope
