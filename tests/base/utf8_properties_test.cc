#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <utf8proc.h>

#include <string>
#include <vector>

#include "base/unicode.h"

namespace prescope {
namespace {

bool utf8proc_accepts(const std::string& text) {
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

/// Every sequence of up to two bytes, and of three or four whose later bytes are at the limits of
/// their ranges.
TEST(Utf8, AgreesWithUtf8procOnAllShortSequences) {
  std::vector<std::string> sequences = {""};
  const std::string borders("\x00\x41\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xFF", 11);
  for (int first = 0; first < 256; ++first) {
    const std::string one(1, static_cast<char>(first));
    sequences.push_back(one);
    for (int second = 0; second < 256; ++second) {
      const std::string two = one + static_cast<char>(second);
      sequences.push_back(two);
      for (const char third : borders) {
        sequences.push_back(two + third);
        for (const char fourth : borders) sequences.push_back(two + third + fourth);
      }
    }
  }
  for (const std::string& text : sequences) {
    ASSERT_EQ(is_utf8(text), utf8proc_accepts(text)) << ::testing::PrintToString(text);
    ASSERT_EQ(is_utf8("a" + text + "z"), utf8proc_accepts("a" + text + "z"))
        << ::testing::PrintToString(text);
  }
}

/// Character by character, with U+FFFD for each byte that begins none.
std::string repaired(const std::string& text) {
  std::string valid;
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(at + i, static_cast<utf8proc_ssize_t>(text.size() - i), &code_point);
    valid += size > 0 ? text.substr(i, static_cast<std::size_t>(size)) : "\uFFFD";
    i += size > 0 ? static_cast<std::size_t>(size) : 1;
  }
  return valid;
}

TEST(ValidUtf8, ReplacesBytesThatBeginNoCharacter) {
  for (const std::string text :
       {"", "Pr\u00FCfung", "Pr\xFC\x66ung", "\xE9", "\xC3\xA9\xA9", "\xF0\x9F\x98"}) {
    EXPECT_EQ(valid_utf8(text), repaired(text)) << ::testing::PrintToString(text);
  }
  EXPECT_EQ(valid_utf8("EP-\xE9-1"), "EP-\uFFFD-1");
}

TEST(AppendUtf8, WritesEachCharacterAndNothingElse) {
  for (std::uint32_t code = 0; code < 0x110100; ++code) {
    std::string text = "a";
    const bool is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    ASSERT_EQ(append_utf8(text, code), is_character) << code;
    ASSERT_EQ(text.size() > 1, is_character) << code;
    if (!is_character) continue;
    std::string_view rest = std::string_view(text).substr(1);
    ASSERT_EQ(take_character(rest).code, static_cast<std::int32_t>(code));
    ASSERT_TRUE(rest.empty()) << code;
  }
}

RC_GTEST_PROP(ValidUtf8, AgreesWithUtf8procOnRandomBytes, (const std::string& text)) {
  RC_ASSERT(valid_utf8(text) == repaired(text));
}

RC_GTEST_PROP(Utf8, AgreesWithUtf8procOnRandomBytes, (const std::string& text)) {
  RC_ASSERT(is_utf8(text) == utf8proc_accepts(text));
}

}  // namespace
}  // namespace prescope
