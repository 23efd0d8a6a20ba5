#pragma once

#include <string>
#include <string_view>

namespace prescope {

/// Bytes at the beginning of a file by which `refusal_of_container` tells its format.
inline constexpr std::size_t kHeadOfContainer = 512;

/// Returns what a file that begins with `head` is, and what to do about it, if it is no text that
/// prescope reads: "is a zip archive; unpack it with unzip". Empty for text, and for gzip data.
/// Knows archives, compressed data, documents, tables in binary form, pages and pointers to a file.
[[nodiscard]] std::string refusal_of_container(std::string_view head);

}  // namespace prescope
