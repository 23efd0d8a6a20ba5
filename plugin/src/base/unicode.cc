#include "base/unicode.h"

#include <simdjson.h>
#include <utf8proc.h>
#include <algorithm>
#include <array>

namespace prescope {

bool is_utf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

Character take_character(std::string_view& text) noexcept {
  utf8proc_int32_t code = -1;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &code);
  const Character character{
      text.substr(0, static_cast<std::size_t>(std::max<utf8proc_ssize_t>(size, 1))),
      size > 0 ? code : -1};
  text.remove_prefix(character.bytes.size());
  return character;
}

bool append_utf8(std::string& text, std::uint32_t code) {
  const auto character = static_cast<std::int32_t>(code);
  if (!utf8proc_codepoint_valid(character)) return false;
  std::array<utf8proc_uint8_t, 4> bytes;
  const auto size = utf8proc_encode_char(character, bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
  return true;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const auto [bytes, code] = take_character(text);
    valid += code < 0 ? std::string_view("\xEF\xBF\xBD") : bytes;
  }
  return valid;
}

namespace {

using CodePoint = utf8proc_int32_t;
using Sink = std::function<bool(std::string_view piece)>;

/// The marks of one character so far, stably sorted by combining class.
class WaitingMarks {
 public:
  [[nodiscard]] bool add(CodePoint mark, int combining_class) noexcept {
    if (size_ == marks_.size()) return false;
    std::size_t at = size_++;
    for (; at > 0 && marks_[at - 1].combining_class > combining_class; --at) {
      marks_[at] = marks_[at - 1];
    }
    marks_[at] = {mark, combining_class};
    return true;
  }

  template <class Use>
  void take(const Use& use) {
    for (std::size_t i = 0; i < size_; ++i) use(marks_[i].mark);
    size_ = 0;
  }

 private:
  struct Mark {
    CodePoint mark = 0;
    int combining_class = 0;
  };
  std::array<Mark, kMaxMarks> marks_;
  std::size_t size_ = 0;
};

/// White space that compatibility decomposition does not make a space.
bool is_white_space(CodePoint c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x1680 || c == 0x2028 ||
         c == 0x2029;
}

/// One text on its way: decomposed, ordered, folded, ordered again. Folding comes after ordering,
/// because the Greek iota subscript is a mark that folds to a letter.
class TextPipe {
 public:
  explicit TextPipe(const Sink& sink) noexcept : sink_(sink) {}

  TextFault run(std::string_view text) {
    while (!text.empty() && wanted_ && fault_ == TextFault::kNone) {
      const auto c = static_cast<unsigned char>(text.front());
      if (c >= 0x80) {
        other(text);
        continue;
      }
      // The common case: nothing to decompose.
      end_of_marks();
      write(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      text.remove_prefix(1);
    }
    end_of_marks();
    if (fault_ == TextFault::kNone && wanted_ && used_ > 0) sink_({piece_.data(), used_});
    return fault_;
  }

 private:
  void other(std::string_view& text) {
    const CodePoint c = take_character(text).code;
    if (c < 0) {
      fault_ = TextFault::kNotUtf8;
      return;
    }
    mapped(c, UTF8PROC_DECOMPOSE, [this](CodePoint part) {
      ordered(part, decomposed_, [this](CodePoint next) { fold(next); });
    });
  }

  void fold(CodePoint c) {
    constexpr int kFold =
        UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
    mapped(c, kFold, [this](CodePoint part) {
      ordered(part, folded_, [this](CodePoint next) { write(next); });
    });
  }

  template <class Use>
  static void mapped(CodePoint c, int options, const Use& use) {
    std::array<CodePoint, 32> parts;  // the longest has 18
    const auto size =
        utf8proc_decompose_char(c, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
                                static_cast<utf8proc_option_t>(options), nullptr);
    for (utf8proc_ssize_t i = 0; i < size; ++i) use(parts[static_cast<std::size_t>(i)]);
  }

  template <class Use>
  void ordered(CodePoint c, WaitingMarks& marks, const Use& use) {
    const int combining_class = utf8proc_get_property(c)->combining_class;
    if (combining_class == 0) {
      marks.take(use);
      use(c);
    } else if (!marks.add(c, combining_class)) {
      fault_ = TextFault::kTooManyMarks;
    }
  }

  void end_of_marks() {
    decomposed_.take([this](CodePoint c) { fold(c); });
    folded_.take([this](CodePoint c) { write(c); });
  }

  void write(CodePoint c) {
    if (is_white_space(c)) {
      space_waits_ = begun_;
      return;
    }
    if (space_waits_) put(' ');
    space_waits_ = false;
    begun_ = true;
    if (c < 0x80) return put(static_cast<char>(c));
    std::array<utf8proc_uint8_t, 4> bytes;
    const auto size = utf8proc_encode_char(c, bytes.data());
    for (utf8proc_ssize_t i = 0; i < size; ++i) {
      put(static_cast<char>(bytes[static_cast<std::size_t>(i)]));
    }
  }

  void put(char byte) {
    piece_[used_++] = byte;
    if (used_ < piece_.size()) return;
    wanted_ = wanted_ && sink_({piece_.data(), used_});
    used_ = 0;
  }

  const Sink& sink_;
  TextFault fault_ = TextFault::kNone;
  bool wanted_ = true;
  bool begun_ = false;        // something was written: white space counts from here on
  bool space_waits_ = false;  // white space that something must follow
  std::size_t used_ = 0;
  std::array<char, 256> piece_;
  WaitingMarks decomposed_, folded_;
};

}  // namespace

TextFault normalize(std::string_view text, const Sink& sink) { return TextPipe(sink).run(text); }

}  // namespace prescope
