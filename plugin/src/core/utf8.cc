#include "core/utf8.h"

#include <utf8proc.h>

namespace prescope {

bool is_utf8(std::string_view text) noexcept {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (auto left = static_cast<utf8proc_ssize_t>(text.size()); left > 0;) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t size = utf8proc_iterate(at, left, &code_point);
    if (size <= 0) return false;
    at += size;
    left -= size;
  }
  return true;
}

}  // namespace prescope
