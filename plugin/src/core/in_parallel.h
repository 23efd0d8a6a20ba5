#pragma once

#include <cstddef>
#include <functional>

namespace prescope {

/// Calls `work` once for each number below `count`, on up to `threads` threads, this one among
/// them. The others are each bound to a processor of their own, as far as there are enough: a
/// number should stand for little work, so that one on a busy processor leaves the rest to the
/// others. Where the system has fewer threads left, those do the work. Rethrows the exception of
/// the lowest number that threw, when all are done.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace prescope
