// The oracle is utf8proc's own normalisation of whole strings, and the white space rule in words.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/unicode.h"

namespace prescope {
namespace {

std::string normalized(std::string_view text) {
  std::string all;
  EXPECT_EQ(normalize(text,
                      [&all](std::string_view piece) {
                        all += piece;
                        return true;
                      }),
            TextFault::kNone);
  return all;
}

std::string utf8(const std::vector<utf8proc_int32_t>& code_points) {
  std::string text;
  for (const utf8proc_int32_t c : code_points) {
    std::array<utf8proc_uint8_t, 4> bytes;
    const auto size = utf8proc_encode_char(c, bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
  }
  return text;
}

std::string mapped(const std::string& text, int options) {
  utf8proc_uint8_t* result = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &result,
                                 static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(result, &std::free);
  EXPECT_GE(size, 0) << utf8proc_errmsg(size);
  return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)};
}

/// Unicode 15's White_Space, except for characters that compatibility turns into a space.
constexpr std::array<std::string_view, 10> kWhiteSpace = {
    "\t", "\n", "\v", "\f", "\r", " ", "\xC2\x85", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9"};

std::string with_single_spaces(std::string_view text) {
  std::string out;
  bool space = false;
  while (!text.empty()) {
    std::size_t width = 0;
    for (const std::string_view white : kWhiteSpace) {
      if (text.starts_with(white)) width = white.size();
    }
    if (width > 0) {
      space = !out.empty();
      text.remove_prefix(width);
      continue;
    }
    if (space) out += ' ';
    space = false;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

/// Canonical decomposition first, as Unicode's D145 has it, because an iota subscript folds to a
/// letter; then all the rest.
std::string expected(const std::string& text) {
  constexpr int kFold = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
  return with_single_spaces(mapped(mapped(text, UTF8PROC_DECOMPOSE), kFold));
}

rc::Gen<utf8proc_int32_t> code_point() {
  const auto in = [](utf8proc_int32_t first, utf8proc_int32_t last) {
    return rc::gen::inRange(first, last + 1);
  };
  return rc::gen::oneOf(
      in(0x00, 0x7F), in(0x41, 0x5A), in(0xA0, 0x24F), in(0x300, 0x36F), in(0x300, 0x36F),
      in(0x340, 0x345), in(0x370, 0x3FF), in(0x5B0, 0x5C2), in(0xF71, 0xF81), in(0x1F00, 0x1FFF),
      in(0x2000, 0x206F), in(0x2070, 0x21FF), in(0x3040, 0x30FF), in(0x1100, 0x11FF),
      in(0xAC00, 0xD7A3), in(0xFB00, 0xFB4F), in(0xFDF0, 0xFDFF), in(0xFE00, 0xFFEF),
      in(0x1D400, 0x1D7FF), in(0xE0000, 0xE0FFF), in(0xE000, 0x10FFFF),
      rc::gen::element(0x09, 0x20, 0x85, 0xA0, 0xAD, 0x34F, 0x1680, 0x180E, 0x200B, 0x2028, 0x3000,
                       0xFEFF));
}

RC_GTEST_PROP(NormalizedTextProperty, EqualsWholeStringNormalisation, ()) {
  // Leaves room for marks: 20 code points decompose to at most 40 marks.
  const auto some =
      *rc::gen::resize(20, rc::gen::container<std::vector<utf8proc_int32_t>>(code_point()));
  RC_PRE(some.size() <= 20U);
  // The length of the prefix decides in which piece, and at which byte of it, the rest begins.
  const auto before = *rc::gen::inRange<std::size_t>(0, 600);
  const std::string text = std::string(before, 'x') + utf8(some) + " END";
  RC_ASSERT(normalized(text) == expected(text));
  RC_ASSERT(normalized(normalized(text)) == normalized(text));
}

TEST(NormalizedText, EqualsUtf8procForEveryCodePoint) {
  const auto check = [](utf8proc_int32_t first, utf8proc_int32_t last) {
    for (utf8proc_int32_t c = first; c <= last; ++c) {
      const std::string text = utf8({'A', c, 0x301, 'Z'});
      ASSERT_EQ(normalized(text), expected(text)) << "U+" << std::hex << c;
      const std::string again = normalized(text);
      ASSERT_EQ(normalized(again), again) << "U+" << std::hex << c;
    }
  };
  check(0x0, 0xD7FF);
  check(0xE000, 0x1FFFF);
  check(0x2F800, 0x2FA1F);  // compatibility ideographs
  check(0xE0000, 0xE0FFF);
}

TEST(NormalizedText, UnicodeWhiteSpaceBecomesASpace) {
  // PropList.txt, White_Space: 25 code points.
  const std::vector<utf8proc_int32_t> white = {
      0x9,    0xA,    0xB,    0xC,    0xD,    0x20,   0x85,   0xA0,   0x1680,
      0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
      0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  ASSERT_EQ(white.size(), 25U);
  for (const utf8proc_int32_t c : white) {
    EXPECT_EQ(normalized(utf8({c, 'a', c, c, 'b', c})), "a b") << "U+" << std::hex << c;
  }
}

TEST(NormalizedText, MarksAreOrderedUpToTheBufferSize) {
  // U+0323 has class 220, U+0307 class 230: below before above.
  std::vector<utf8proc_int32_t> marks = {'q'};
  for (std::size_t i = 0; i < kMaxMarks / 2; ++i) {
    marks.push_back(0x307);
    marks.push_back(0x323);
  }
  std::vector<utf8proc_int32_t> ordered = {'q'};
  ordered.insert(ordered.end(), kMaxMarks / 2, 0x323);
  ordered.insert(ordered.end(), kMaxMarks / 2, 0x307);
  EXPECT_EQ(normalized(utf8(marks)), utf8(ordered));
  // The same number again on the next letter.
  std::vector<utf8proc_int32_t> twice = marks;
  twice.insert(twice.end(), marks.begin(), marks.end());
  EXPECT_EQ(normalized(utf8(twice)), utf8(ordered) + utf8(ordered));

  marks.push_back(0x307);
  EXPECT_EQ(normalize(utf8(marks), [](std::string_view) { return true; }),
            TextFault::kTooManyMarks);
}

TEST(NormalizedText, StopsWhenTheSinkReturnsFalse) {
  for (const std::string& letter : {std::string("x"), utf8({0xFC})}) {
    std::string text;
    while (text.size() < 3000) text += letter;
    int pieces = 0;
    const auto once = [&pieces](std::string_view) {
      ++pieces;
      return false;
    };
    EXPECT_EQ(normalize(text, once), TextFault::kNone);
    EXPECT_EQ(pieces, 1);
  }
}

}  // namespace
}  // namespace prescope
