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

RC_GTEST_PROP(Utf8, AgreesWithUtf8procOnRandomBytes, (const std::string& text)) {
  RC_ASSERT(is_utf8(text) == utf8proc_accepts(text));
}

}  // namespace
}  // namespace prescope
