#include "runs/scan/score_format.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace prescope {
namespace {

/// Reads `text` in the format of another score. Eight bytes behind the text can be read.
bool reads(const std::string& format, const std::string& text, double& score) {
  return ScoreFormat(format).read((text + " tag of it").c_str(), score);
}

TEST(ScoreFormat, ReadsItsFormatLikeStrtod) {
  struct Case {
    std::string format, text;
    bool has_format;
  };
  const Case cases[] = {
      {"1", "7", true},
      {"12345678", "87654321", true},
      {"1.5", "0.0", true},
      {"12.3456", "99.9999", true},
      {".5", ".7", true},
      {"5.", "9.", true},
      {"123.4567", "000.0001", true},
      {"12.3456", "1.23456", false},  // the point is elsewhere
      {"12.3456", "12/3456", false},  // 0x2F and 0x2E differ by one bit
      {"12.3456", "12,3456", false},
      {"12.3456", "1203456", false},
      {"12.3456", "12.34:6", false},  // ':' follows '9'
      {"12.3456", "-2.3456", false},
      {"12.3456", "12.34e6", false},
      {"12.3456", "12.34\xB5\x36", false},
      {"1203456", "12.3456", false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.format + " reads " + c.text);
    double score = -1.0;
    EXPECT_EQ(reads(c.format, c.text, score), c.has_format);
    EXPECT_EQ(score, c.has_format ? std::strtod(c.text.c_str(), nullptr) : -1.0);
  }
}

TEST(ScoreFormat, RefusesOtherTexts) {
  for (const std::string text : {"", ".", "-1.5", "1e5", "1.2.3", "123456789", "nan"}) {
    double score = 0.0;
    EXPECT_FALSE(reads(text, text, score)) << text;
  }
}

TEST(ScoreFormat, AgreesWithReadingDigitByDigit) {
  std::mt19937 random(20261123);
  const std::string characters = "0123456789..-/:e";
  for (int trial = 0; trial < 200'000; ++trial) {
    const std::size_t size = 1 + random() % 8;
    std::string format, text;
    for (std::size_t i = 0; i < size; ++i) format += characters[random() % 11];
    for (const char c : format) {
      text += random() % 8 != 0 && c != '.' ? characters[random() % 10] : c;
      if (random() % 32 == 0) text.back() = characters[random() % characters.size()];
    }
    double quick = 0.0, slow = 0.0;
    if (!reads(format, text, quick)) continue;
    ASSERT_TRUE(read_score(text, slow)) << text << " in the format of " << format;
    ASSERT_EQ(quick, slow) << text << " in the format of " << format;
  }
}

}  // namespace
}  // namespace prescope
