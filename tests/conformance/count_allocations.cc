#include "conformance/count_allocations.h"

#include <cstddef>

// Programs outside this project do not define the first of these.
#if defined(PRESCOPE_UNDER_SANITIZER) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define PRESCOPE_MALLOC_IS_NOT_REPLACED
constexpr bool kMallocIsReplaced = false;
#else
constexpr bool kMallocIsReplaced = true;
#endif

namespace {

thread_local bool counting = false;
thread_local std::uint64_t allocations = 0;

}  // namespace

#ifndef PRESCOPE_MALLOC_IS_NOT_REPLACED
// operator new of libstdc++, and everything in shared libraries, comes through here.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  if (counting) ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  if (counting) ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  if (counting) ++allocations;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (counting) ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace prescope::conformance {

const bool kAllocationsAreCounted = kMallocIsReplaced;

std::uint64_t allocations_in(const std::function<void()>& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

}  // namespace prescope::conformance
