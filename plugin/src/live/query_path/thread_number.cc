#include "live/query_path/thread_number.h"

#include <pthread.h>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

namespace prescope {

namespace {

constexpr std::uint64_t kAllTaken = ~std::uint64_t{0};
static_assert(kThreadNumbers == 64, "a bit each");

constinit std::atomic<std::uint64_t> taken_numbers{0}, last_turn{0};

// initial-exec: reading it never allocates, not even in a library that was loaded at run time.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadNumber number_here;

/// At the end of a thread; what still runs on it, other such functions, may take another number.
void give_back(void*) {
  const std::uint64_t bit = std::uint64_t{1} << std::exchange(number_here, {}).value;
  taken_numbers.fetch_and(~bit, std::memory_order_release);
}

/// Made when the library is loaded. A thread_local object with a destructor would do the same, but
/// registers itself with an allocation.
class EndOfThread {
 public:
  EndOfThread() : exists_(pthread_key_create(&key_, give_back) == 0) {}
  ~EndOfThread() {
    if (exists_) pthread_key_delete(key_);
  }
  EndOfThread(const EndOfThread&) = delete;
  EndOfThread& operator=(const EndOfThread&) = delete;
  /// Of the calling thread; `give_back` is called for it.
  [[nodiscard]] bool is_noticed() const noexcept {
    return exists_ && pthread_setspecific(key_, this) == 0;
  }

 private:
  pthread_key_t key_{};
  bool exists_;
};
const EndOfThread end_of_thread;

ThreadNumber take_number() noexcept {
  std::uint64_t taken = taken_numbers.load(std::memory_order_relaxed);
  std::uint32_t number = 0;
  do {
    if (taken == kAllTaken) return {};
    number = static_cast<std::uint32_t>(std::countr_one(taken));
  } while (!taken_numbers.compare_exchange_weak(taken, taken | std::uint64_t{1} << number,
                                                std::memory_order_acquire));
  if (end_of_thread.is_noticed()) return {number, ++last_turn};
  taken_numbers.fetch_and(~(std::uint64_t{1} << number), std::memory_order_relaxed);
  return {};
}

}  // namespace

ThreadNumber thread_number() noexcept {
  // A thread that found all taken tries again: others end.
  if (number_here.value == kThreadNumbers) number_here = take_number();
  return number_here;
}

}  // namespace prescope
