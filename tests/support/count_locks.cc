#include "support/count_locks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <ctime>

namespace {

thread_local bool counting_locks = false;
thread_local std::uint64_t locks = 0;

}  // namespace

#if !defined(__SANITIZE_THREAD__)

namespace {

/// The function that one of ours stands in front of, which it counts.
template <class Function>
class Counted {
 public:
  explicit constexpr Counted(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    if (counting_locks) ++locks;
    Function* function = behind_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      function = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
      behind_.store(function, std::memory_order_relaxed);
    }
    return function(arguments...);
  }

 private:
  const char* name_;
  std::atomic<Function*> behind_{nullptr};
};

template <class Of>
using OneArgument = int(Of*);

using Mutex = pthread_mutex_t;
using Condition = pthread_cond_t;
using Time = const timespec;
using RwLock = pthread_rwlock_t;
using Spin = volatile int;

constinit Counted<OneArgument<Mutex>> mutex_lock("pthread_mutex_lock");
constinit Counted<OneArgument<Mutex>> mutex_trylock("pthread_mutex_trylock");
constinit Counted<int(Mutex*, Time*)> mutex_timedlock("pthread_mutex_timedlock");
constinit Counted<int(Mutex*, clockid_t, Time*)> mutex_clocklock("pthread_mutex_clocklock");
constinit Counted<OneArgument<RwLock>> rwlock_rdlock("pthread_rwlock_rdlock");
constinit Counted<OneArgument<RwLock>> rwlock_tryrdlock("pthread_rwlock_tryrdlock");
constinit Counted<OneArgument<RwLock>> rwlock_wrlock("pthread_rwlock_wrlock");
constinit Counted<OneArgument<RwLock>> rwlock_trywrlock("pthread_rwlock_trywrlock");
constinit Counted<OneArgument<Spin>> spin_lock("pthread_spin_lock");
constinit Counted<OneArgument<Spin>> spin_trylock("pthread_spin_trylock");
constinit Counted<int(Condition*, Mutex*)> cond_wait("pthread_cond_wait");
constinit Counted<int(Condition*, Mutex*, Time*)> cond_timedwait("pthread_cond_timedwait");
constinit Counted<int(Condition*, Mutex*, clockid_t, Time*)> cond_clockwait(
    "pthread_cond_clockwait");
constinit Counted<OneArgument<Condition>> cond_signal("pthread_cond_signal");
constinit Counted<OneArgument<Condition>> cond_broadcast("pthread_cond_broadcast");
constinit Counted<OneArgument<sem_t>> semaphore_wait("sem_wait");
constinit Counted<OneArgument<sem_t>> semaphore_trywait("sem_trywait");
constinit Counted<OneArgument<sem_t>> semaphore_post("sem_post");
constinit Counted<long(long, long, long, long, long, long, long)> system_call("syscall");

}  // namespace

extern "C" {
int pthread_mutex_lock(Mutex* mutex) noexcept { return mutex_lock(mutex); }
int pthread_mutex_trylock(Mutex* mutex) noexcept { return mutex_trylock(mutex); }
int pthread_mutex_timedlock(Mutex* mutex, Time* until) noexcept {
  return mutex_timedlock(mutex, until);
}
int pthread_mutex_clocklock(Mutex* mutex, clockid_t clock, Time* until) noexcept {
  return mutex_clocklock(mutex, clock, until);
}
int pthread_rwlock_rdlock(RwLock* lock) noexcept { return rwlock_rdlock(lock); }
int pthread_rwlock_tryrdlock(RwLock* lock) noexcept { return rwlock_tryrdlock(lock); }
int pthread_rwlock_wrlock(RwLock* lock) noexcept { return rwlock_wrlock(lock); }
int pthread_rwlock_trywrlock(RwLock* lock) noexcept { return rwlock_trywrlock(lock); }
int pthread_spin_lock(Spin* lock) noexcept { return spin_lock(lock); }
int pthread_spin_trylock(Spin* lock) noexcept { return spin_trylock(lock); }
int pthread_cond_wait(Condition* condition, Mutex* mutex) { return cond_wait(condition, mutex); }
int pthread_cond_timedwait(Condition* condition, Mutex* mutex, Time* until) {
  return cond_timedwait(condition, mutex, until);
}
int pthread_cond_clockwait(Condition* condition, Mutex* mutex, clockid_t clock, Time* until) {
  return cond_clockwait(condition, mutex, clock, until);
}
int pthread_cond_signal(Condition* condition) noexcept { return cond_signal(condition); }
int pthread_cond_broadcast(Condition* condition) noexcept { return cond_broadcast(condition); }
int sem_wait(sem_t* semaphore) { return semaphore_wait(semaphore); }
int sem_trywait(sem_t* semaphore) noexcept { return semaphore_trywait(semaphore); }
int sem_post(sem_t* semaphore) noexcept { return semaphore_post(semaphore); }
// Declared with "..." in headers. The C library's own reads six arguments too, however many there
// are.
long counted_syscall(long number, long a, long b, long c, long d, long e, long f) noexcept
    __asm__("syscall");
long counted_syscall(long number, long a, long b, long c, long d, long e, long f) noexcept {
  return system_call(number, a, b, c, d, e, f);
}
}
#endif

namespace prescope {

std::uint64_t locks_in(const std::function<void()>& work) {
  locks = 0;
  counting_locks = true;
  work();
  counting_locks = false;
  return locks;
}

}  // namespace prescope
