#include "runs/scan/large_array.h"

#include <sys/mman.h>

namespace prescope {

void* allocate_large(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{1} << 21U;
  if (bytes < kLargePage) {
    void* const room = std::malloc(bytes != 0 ? bytes : 1);
    if (room == nullptr) throw std::bad_alloc();
    return room;
  }
  void* const room =
      std::aligned_alloc(kLargePage, (bytes + kLargePage - 1) / kLargePage * kLargePage);
  if (room == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  (void)::madvise(room, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);  // a hint
#endif
  return room;
}

}  // namespace prescope
