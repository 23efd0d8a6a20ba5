/// What the layers call of fmt and its shared library has: compiled from its headers, for a program
/// that does not load that library. Where another function of fmt is missing, the linker says so,
/// and it belongs here.

#include <fmt/format.h>

#include <cstdint>

namespace fmt::detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;

namespace {

// An inline function, which is there where it is used.
[[gnu::used]] bool (*const kIsPrintable)(std::uint32_t) = is_printable;

}  // namespace

}  // namespace fmt::detail
