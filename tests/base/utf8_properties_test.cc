#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

#include <string>
#include <vector>

#include "base/unicode.h"

namespace prescope {
namespace {

bool simdjson_says(const std::string& text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

/// Every sequence of up to two bytes, and of three or four whose later ones are at the borders of
/// what may follow.
TEST(Utf8, IsWhatSimdjsonSaysOfAllShortSequences) {
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
    ASSERT_EQ(is_utf8(text), simdjson_says(text)) << ::testing::PrintToString(text);
    ASSERT_EQ(is_utf8("a" + text + "z"), simdjson_says("a" + text + "z"))
        << ::testing::PrintToString(text);
  }
}

RC_GTEST_PROP(Utf8, IsWhatSimdjsonSaysOfAnyBytes, (const std::string& text)) {
  RC_ASSERT(is_utf8(text) == simdjson_says(text));
}

}  // namespace
}  // namespace prescope
