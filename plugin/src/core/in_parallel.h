#pragma once

#include <cstddef>
#include <functional>

namespace prescope {

/// Calls `work` once for each number below `count`, on up to `threads` threads, this one among
/// them. Rethrows the exception of the lowest number that threw, when all are done.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace prescope
