#include "trec_eval/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace prescope::trec_eval {
namespace {

std::string text_of(double value) {
  std::array<char, kDecimalTextSize> buffer{};
  return {buffer.data(), write_decimal(buffer.data(), value)};
}

// fmt rounds the exact value of the double; "%6.4f" of the C library was compared with trec_eval.
std::string expected(double value) { return fmt::format("{:6.4f}", value); }

TEST(DecimalText, RoundsAsPrintfDoes) {
  const struct {
    double value;
    const char* text;
  } cases[] = {
      {0.0, "0.0000"},
      {1.0, "1.0000"},
      {0.178512, "0.1785"},
      {-350.0, "-350.0000"},
      {0.03125, "0.0312"},  // a tie, to the even digit
      {0.09375, "0.0938"},  // another
      {0.00005, "0.0001"},  // the double is above the tie
      {0.00015, "0.0001"},  // and here below it
      {0.99995, "1.0000"},
      {0.99994999, "0.9999"},
      {9.99996, "10.0000"},
      {-0.00001, "-0.0000"},
      {-0.0, "-0.0000"},
      {-1'000'000.0, "-1000000.0000"},
      {1e15 + 0.5, "1000000000000000.5000"},
  };
  for (const auto& c : cases) EXPECT_EQ(text_of(c.value), c.text) << c.value;
}

TEST(DecimalText, HasRoomForEveryDouble) {
  EXPECT_EQ(text_of(-std::numeric_limits<double>::max()).size(), 1 + 309 + 5);
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "   inf");
}

TEST(DecimalText, EqualsTheExactRoundingOfRandomDoubles) {
  std::mt19937_64 random(20101119);
  const auto expect_same = [](double value) {
    ASSERT_EQ(text_of(value), expected(value)) << value;
  };
  for (int i = 0; i < 60'000; ++i) {
    const auto bits = random();
    const double in_one = static_cast<double>(bits >> 11U) * 0x1p-53;
    expect_same(in_one);
    expect_same(-in_one * 1e7);
    const double any = std::bit_cast<double>(bits);
    if (std::isfinite(any)) expect_same(any);
  }
}

TEST(DecimalText, EqualsTheExactRoundingAtAndBesideTies) {
  std::mt19937_64 random(20101119);
  for (int i = 0; i < 30'000; ++i) {
    // k / 2^j with j >= 5 has ties among them; (2 k + 1) / 20000 is near one.
    const double binary =
        static_cast<double>(random() % 100'000) / static_cast<double>(32U << i % 8);
    const double decimal = static_cast<double>(2 * (random() % 100'000'000) + 1) / 20'000.0;
    for (const double tie : {binary, decimal}) {
      for (const double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e9)}) {
        ASSERT_EQ(text_of(value), expected(value)) << value;
      }
    }
  }
}

}  // namespace
}  // namespace prescope::trec_eval
